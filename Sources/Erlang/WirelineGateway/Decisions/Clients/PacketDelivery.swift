// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

/// A packet that is being written to many clients, some at a time.
struct PacketDelivery {
    enum Receivers {
        /// The members that a group had when the packet was published.
        case members([ClientNumber])
        /// The clients that a process has named. Some of them may have ended.
        case processes([ErlangPID])

        var count: Int {
            switch self {
            case .members(let numbers): numbers.count
            case .processes(let pids): pids.count
            }
        }
    }

    let packet: ClientPacket
    private let receivers: Receivers
    private let excluded: Set<ErlangPID>
    /// A client with more waiting bytes does not get the packet.
    private let queueLimit: Int
    private var visitedCount = 0

    init(
        _ packet: ClientPacket, to receivers: Receivers, except excluded: [ErlangPID] = [], queueLimit: Int = .max
    ) {
        self.packet = packet
        self.receivers = receivers
        self.excluded = Set(excluded)
        self.queueLimit = queueLimit
    }

    var isDone: Bool { visitedCount == receivers.count }

    /// Returns the indices of the next receivers, `count` at most, and marks them as visited.
    mutating func visit(atMost count: Int) -> Range<Int> {
        let first = visitedCount
        visitedCount = min(receivers.count, first + count)
        return first..<visitedCount
    }

    /// Nil if the receiver has ended, or must not get the packet.
    func receiver(at index: Int, in clients: ClientTable) -> GatewayClient? {
        let client =
            switch receivers {
            case .members(let numbers): clients[numbers[index]]
            case .processes(let pids): clients.client(of: pids[index])
            }
        guard let client, client.queuedByteCount <= queueLimit else { return nil }
        return excluded.isEmpty || !excluded.contains(client.pid) ? client : nil
    }
}
