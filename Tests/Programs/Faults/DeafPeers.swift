// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import TestingSupport

/// Clients whose programs read nothing, while their systems acknowledge all output, or as much as fits their buffers. A
/// server that drains must not wait for them beyond its timeout.
enum DeafPeers {
    private static let timeout = Duration.milliseconds(4_000)
    private static let count = 8

    static func look(_ look: Look) async throws {
        let crowd = try await Crowd(heldByteLimit: 8 << 20)
        let descriptorCount = try crowd.figures.descriptorCount()
        var peers: [CrowdPeer] = []
        for carrier in CrowdPeer.Carrier.allCases {
            for _ in 0..<count {
                // The system acknowledges all of it.
                let small = try await CrowdPeer(of: crowd, by: carrier)
                try await small.send(CrowdOrder(count: 10, byteCount: 1_000).text)
                // Most of it waits at the server.
                let large = try await CrowdPeer(of: crowd, by: carrier, receiveBuffer: 4_096)
                try await large.send(CrowdOrder(count: 1_000, byteCount: 16_000).text)
                peers += [small, large]
            }
        }
        let waitingCount = count * CrowdPeer.Carrier.allCases.count
        let isWaiting = try await eventually(within: .seconds(60)) {
            let counters = try await crowd.counters()
            return counters.waitingSenderCount == waitingCount && counters.connectionCount == peers.count
        }
        look.check(isWaiting, "\(peers.count) clients read nothing; the systems of half have acknowledged everything")
        let time = Duration.milliseconds(Int(Double(try await crowd.answer(to: "drain 4000")) ?? .infinity))
        look.checkInTime(
            time < timeout + .seconds(3), "the server drains in \(time); its deadline is \(timeout)")
        look.check(
            try await crowd.leftovers(descriptorCount: descriptorCount) == [], "and has let go of all of them")
        let counters = try await crowd.counters()
        // If the output of a packet connection was acknowledged, nothing shows that the program has not read it.
        look.check(
            counters.cleanEndCount <= count,
            "\(counters.cleanEndCount) ends are said to be clean, of \(count) that may; the others: \(counters.failures)"
        )
        peers = []
    }
}
