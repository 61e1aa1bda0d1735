// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Goim
import TestingSupport
import Wireline

/// Clients that use up the memory limit of a server's connections, and then stall: other clients must still be served.
enum BudgetHolders {
    private static let heldByteLimit = 3 << 20
    private static let holderCount = 6
    /// A connection that waits for memory waits 5 s, and a round of 2.5 s more each time that the stalled clients use
    /// up the limit again. This is twice as long.
    private static let mostWaiting = Duration.seconds(30)

    static func look(_ findings: Findings) async throws {
        let crowd = try await Crowd(heldByteLimit: heldByteLimit)
        let descriptorCount = try crowd.figures.descriptorCount()
        var holders: [CrowdPeer] = []
        for carrier in [CrowdPeer.Carrier.packets, .webSocket] {
            for index in 0..<holderCount {
                let isDeaf = index.isMultiple(of: 3)
                let peer = try await CrowdPeer(of: crowd, by: carrier, receiveBuffer: isDeaf ? 4_096 : nil)
                holders.append(peer)
                // Some hold bytes of a message that they send, some hold bytes that were sent to them.
                if isDeaf {
                    try await peer.send(CrowdOrder(count: 100, byteCount: 400_000).text)
                } else {
                    // The server does not read what exceeds the limit, so sending may wait, too.
                    Task { try? await peer.begin(900_000, of: 1_000_000) }
                }
            }
        }
        let isFull = try await eventually(within: .seconds(60)) {
            try await crowd.counters().heldByteCount > heldByteLimit
        }
        findings.check(isFull, "\(holders.count) clients hold what two servers may hold, and stall")
        async let packets = longestTime(of: 3, by: crowd, of: 100_000, viaWebSocket: false)
        async let webSockets = longestTime(of: 3, by: crowd, of: 100_000, viaWebSocket: true)
        async let small = longestTime(of: 50, by: crowd, of: 2_000, viaWebSocket: false)
        let times = try await [packets, webSockets, small]
        let closedCount = try await crowd.counters().noRoomCount
        findings.check(
            times.allSatisfy { $0 < mostWaiting } && closedCount > 0,
            "others waited for 100 kB at most \(times[0]) and \(times[1]), for 2 kB \(times[2]); "
                + "\(closedCount) that stalled were closed")
        for peer in holders { peer.socket.reset() }
        holders = []
        findings.check(
            try await crowd.leftovers(descriptorCount: descriptorCount), "when they have gone nothing is held for them")
    }

    /// The time of the longest of several exchanges.
    private static func longestTime(
        of count: Int, by crowd: Crowd, of byteCount: Int, viaWebSocket: Bool
    ) async throws -> Duration {
        let text = String(repeating: "y", count: byteCount)
        var longest = Duration.zero
        let exchange = try await exchange(crowd, text, viaWebSocket: viaWebSocket)
        for _ in 0..<count {
            let start = ContinuousClock.now
            guard try await exchange() else { fail("another echo", code: 1) }
            longest = max(longest, ContinuousClock.now - start)
        }
        return longest
    }

    private static func exchange(
        _ crowd: Crowd, _ text: String, viaWebSocket: Bool
    ) async throws -> () async throws -> Bool {
        guard !viaWebSocket else {
            let client = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(crowd.webSocketPort)/")
            return {
                try await client.send(text)
                return try await client.receive() == .text(text)
            }
        }
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: crowd.packetPort, protocol: GoimProtocol.self)
        return {
            try await client.send(ChangeRoom(room: text))
            return try await client.nextPacket()?.byteCount == text.utf8.count + 16
        }
    }
}
