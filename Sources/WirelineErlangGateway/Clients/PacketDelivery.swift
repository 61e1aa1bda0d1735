// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

/// A packet on its way to many clients, which are visited some at a time.
struct PacketDelivery {
    /// Who gets a packet.
    enum Receivers {
        /// The members that a group had when the packet was published.
        case members([ClientNumber])
        /// The clients that a process has named. Some of them may be gone.
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
    /// A client for which more waits misses the packet.
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

    /// Whether all have been visited.
    var isDone: Bool { visitedCount == receivers.count }

    /// The places of the next receivers, at most so many. They count as visited.
    mutating func visit(atMost count: Int) -> Range<Int> {
        let first = visitedCount
        visitedCount = min(receivers.count, first + count)
        return first..<visitedCount
    }

    /// The receiver at a place; nil if it is gone, or does not get the packet.
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
