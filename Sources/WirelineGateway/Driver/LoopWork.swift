// SPDX-License-Identifier: Apache-2.0

import WirelineErlangGateway
import WirelineTransport

/// What is to be done with the clients of each loop, in order.
///
/// A loop gets all of it at once: that is one wake-up for each loop, and not one for each packet.
struct LoopWork {
    private enum Step {
        case write(ClientConnection, [UInt8])
        case writeAll([ClientConnection], [UInt8])
        case read(ClientConnection, Bool)
        case close(ClientConnection, ClientEnd, isFlushed: Bool)
        case caughtUp(ClientConnection)

        func perform() {
            switch self {
            case .write(let client, let packet): client.write(packet)
            case .writeAll(let clients, let packet): for client in clients { client.write(packet) }
            case .read(let client, let isWanted): client.read(isWanted)
            case .close(let client, let end, let isFlushed): client.close(end, isFlushed: isFlushed)
            case .caughtUp(let client): client.caughtUp()
            }
        }
    }

    private var steps: [ObjectIdentifier: (loop: EventLoop, steps: [Step])] = [:]

    mutating func write(_ packet: [UInt8], to client: ClientConnection) { add(.write(client, packet), client) }

    mutating func write(_ packet: [UInt8], to clients: [ClientConnection]) {
        let groups = Dictionary(grouping: clients) { ObjectIdentifier($0.connection.loop) }
        for group in groups.values { add(.writeAll(group, packet), group[0]) }
    }

    mutating func read(_ isWanted: Bool, _ client: ClientConnection) { add(.read(client, isWanted), client) }

    mutating func close(_ client: ClientConnection, _ end: ClientEnd, isFlushed: Bool) {
        add(.close(client, end, isFlushed: isFlushed), client)
    }

    mutating func caughtUp(_ client: ClientConnection) { add(.caughtUp(client), client) }

    private mutating func add(_ step: Step, _ client: ClientConnection) {
        let loop = client.connection.loop
        steps[ObjectIdentifier(loop), default: (loop, [])].steps.append(step)
    }

    /// Whether nothing is to be done.
    var isEmpty: Bool { steps.isEmpty }

    /// Gives each loop its work. The current loop does it now.
    consuming func start() {
        for (loop, steps) in steps.values {
            if loop.isCurrent {
                for step in steps { step.perform() }
            } else {
                loop.execute { for step in steps { step.perform() } }
            }
        }
    }
}
