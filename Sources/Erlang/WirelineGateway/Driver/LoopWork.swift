// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Work for clients on other loops than the gateway's, in order.
///
/// A loop gets all of its work at once: one wake-up for each loop and turn, instead of one for each packet.
struct LoopWork {
    enum Step: Sendable {
        case send(WrittenPackets)
        case read(Bool)
        case close(ClientEnd, isFlushed: Bool)
        case caughtUp
    }

    /// The bytes of a client's output that the system has taken.
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

    /// Starts the work on each loop.
    ///
    /// - Parameter report: Called on each of these loops after its work.
    /// - Returns: The number of reports that will come.
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
