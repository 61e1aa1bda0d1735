// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import TestingSupport

/// Clients that reset their connections, or close them unread, while ordered output waits for them.
enum ResetPeers {
    private static let (roundCount, peerCount) = (2, 36)
    /// More than the systems of both sides buffer, compressed or not.
    private static let order = CrowdOrder(count: 1_000, byteCount: 16_000)

    /// How a client ends its connection.
    private enum Exit: CaseIterable {
        case reset
        /// Its system resets the connection, because there is unread input.
        case closeUnread
        /// It reads something first, so that output moves when the reset arrives.
        case readAndReset
        /// It continues, and must get everything.
        case readAll
    }

    static func look(_ findings: Findings) async throws {
        var random = SeededGenerator.forThisRun("resets while output waits")
        let crowd = try await Crowd(heldByteLimit: 2 << 20)
        // Everything that grows once has grown after one client of each kind.
        for carrier in CrowdPeer.Carrier.allCases { try await CrowdPeer(of: crowd, by: carrier).send("hello") }
        let isReady = try await eventually { try await crowd.counters().connectionCount == 0 }
        let descriptorCount = try crowd.figures.descriptorCount()
        if !isReady { findings.check(false, "the first clients have not gone") }
        var memory: [Int] = []
        for _ in 1...roundCount {
            try await lookOnce(crowd, &random, findings)
            findings.check(
                try await crowd.leftovers(descriptorCount: descriptorCount),
                "they have left nothing at the server: no connection, task, byte or descriptor")
            memory.append(try crowd.figures.memory())
        }
        findings.check(
            memory[roundCount - 1] - memory[0] < 16 << 10, "memory after each round: \(memory) KiB")
    }

    private static func lookOnce(
        _ crowd: Crowd, _ random: inout SeededGenerator, _ findings: Findings
    ) async throws {
        let before = try await crowd.counters()
        var peers: [(peer: CrowdPeer, exit: Exit, byteCount: Int)] = []
        for _ in 0..<peerCount {
            let carrier = CrowdPeer.Carrier.allCases.randomElement(using: &random) ?? .packets
            var exit = Exit.allCases.randomElement(using: &random) ?? .reset
            // The length of compressed messages is not known here.
            if carrier == .compressedWebSocket, exit == .readAll { exit = .readAndReset }
            let peer = try await CrowdPeer(of: crowd, by: carrier, receiveBuffer: 4_096)
            try await peer.send(order.text)
            peers.append((peer, exit, Int.random(in: 1...2_000_000, using: &random)))
        }
        let hasWaited = try await eventually(within: .seconds(60)) {
            try await crowd.counters().waitingSenderCount == peerCount
        }
        let counters = try await crowd.counters()
        let readerCount = peers.count { $0.exit == .readAll }
        // WebSockets end here without a close frame.
        let goodCount = peers.count { $0.exit == .readAll && $0.peer.carrier == .packets }
        findings.check(
            hasWaited && counters.heldByteCount <= 2 * (2 << 20),
            "output waits for \(peerCount) clients (\(counters.pendingByteCount) bytes, "
                + "\(counters.heldByteCount) counted), of which \(peerCount - readerCount) reset")
        let complaints: [String] = try await withThrowingTaskGroup(of: String?.self) { group in
            for (peer, exit, byteCount) in peers {
                group.addTask { try await go(peer, exit, byteCount) }
            }
            peers = []
            return try await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
        }
        findings.check(complaints, "the \(readerCount) others got every byte meanwhile")
        _ = try await eventually(within: .seconds(60)) { try await crowd.counters().connectionCount == 0 }
        let cleanCount = try await crowd.counters().cleanEndCount - before.cleanEndCount
        findings.check(
            cleanCount == goodCount, "\(cleanCount) connections are said to have ended well, of \(goodCount)")
    }

    /// - Returns: What went wrong.
    private static func go(_ peer: CrowdPeer, _ exit: Exit, _ byteCount: Int) async throws -> String? {
        switch exit {
        case .reset: peer.socket.reset()
        case .closeUnread: break
        case .readAndReset:
            _ = try await peer.read(byteCount)
            peer.socket.reset()
        case .readAll:
            // Each message follows a header; there is also a packet that answers the order.
            let expected = order.count * (order.byteCount + (peer.carrier == .packets ? 16 : 4))
            let answer = peer.carrier == .packets ? 16 : 0
            let count = try await peer.read(expected + answer)
            peer.socket.endOutput()
            let rest = try await peer.read(1 << 20)
            if count != expected + answer { return "\(count) bytes of \(expected + answer) came" }
            if peer.carrier == .packets, rest > 0 { return "\(rest) bytes came that nobody has ordered" }
        }
        return nil
    }
}
