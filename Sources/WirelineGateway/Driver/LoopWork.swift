// SPDX-License-Identifier: Apache-2.0

import WirelineErlangGateway
import WirelineTransport

/// What is to be done with the clients of other loops than the gateway's, in order.
///
/// A loop gets all of it at once: that is one wake-up for each loop and turn, and not one for each packet.
struct LoopWork {
    enum Step: Sendable {
        case send(WrittenPackets)
        case read(Bool)
        case close(ClientEnd, isFlushed: Bool)
        case caughtUp
    }

    /// How many bytes of a client's the system has taken.
    struct Report: Sendable {
        let client: ClientConnection
        let takenByteCount: Int
    }

    private var works: [ObjectIdentifier: (loop: EventLoop, steps: [(client: ClientConnection, step: Step)])] = [:]

    var isEmpty: Bool { works.isEmpty }

    mutating func add(_ step: Step, _ client: ClientConnection) {
        let loop = client.connection.loop
        works[ObjectIdentifier(loop), default: (loop, [])].steps.append((client, step))
    }

    /// Gives each loop its work.
    ///
    /// - Parameter report: Called on each of these loops, when it has done its work.
    /// - Returns: How many loops will report.
    consuming func start(_ report: @escaping @Sendable ([Report]) -> Void) -> Int {
        for (loop, steps) in works.values { loop.execute { report(Self.perform(steps)) } }
        return works.count
    }

    private static func perform(_ steps: [(client: ClientConnection, step: Step)]) -> [Report] {
        var reports: [Report] = []
        for (client, step) in steps {
            switch step {
            case .send(let packets): reports.append(Report(client: client, takenByteCount: client.send(packets)))
            case .read(let isWanted): client.read(isWanted)
            case .close(let end, let isFlushed): client.close(end, isFlushed: isFlushed)
            case .caughtUp: client.caughtUp()
            }
        }
        return reports
    }
}
