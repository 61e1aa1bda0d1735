// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import Wireline

/// Clients that come, talk and go in every way there is, for as long as they are told to.
struct Load {
    let handler: String
    let seconds: Int

    func run(_ findings: Findings) async throws {
        let server = try ServerProcess(handler: handler)
        // Everything that grows once has grown after this.
        _ = try await talk(to: server, for: .seconds(max(1, seconds / 5)))
        let before = try server.memory()
        let answerCount = try await talk(to: server, for: .seconds(seconds))
        let after = try server.memory()
        findings.check(answerCount > 0, "\(answerCount) answers, every one right, in \(seconds) s")
        // The allocator keeps what it has had, and not always in the same places.
        findings.check(after <= before * 3 / 2 + 8_192, "memory: \(before) KiB before, \(after) KiB after")
        findings.check(try server.descriptorCount() == 0, "no connection is left")
        try await server.stop(findings)
    }

    private func talk(to server: ServerProcess, for duration: Duration) async throws -> Int {
        let end = ContinuousClock.now + duration
        let seed = UInt64.random(in: .min ... .max)
        print("   seed \(seed)")
        let address = server.address
        let total = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<16 as Range<UInt64> {
                group.addTask { try await keepTalking(to: address, until: end, seed: seed &+ number) }
            }
            return try await group.reduce(0, +)
        }
        try await server.waitUntilIdle()
        return total
    }
}

/// One connection after another.
private func keepTalking(
    to address: SocketAddress, until end: ContinuousClock.Instant, seed: UInt64
) async throws -> Int {
    var random = SeededGenerator(seed: seed)
    var count = 0
    while ContinuousClock.now < end { count += try await talkOnce(to: address, &random) }
    return count
}

/// A connection from its beginning to one of its possible ends.
private func talkOnce(to address: SocketAddress, _ random: inout SeededGenerator) async throws -> Int {
    let connection = try await PacketConnection.connect(
        to: address.ipAddress, port: address.port, layout: .standard, packetLimit: 1 << 20)
    defer { connection.close() }
    let packets = try (0..<Int.random(in: 1...200, using: &random)).map { _ in
        let largest = Int.random(in: 0..<50, using: &random) == 0 ? 200_000 : 300
        let payload = [UInt8](
            repeating: .random(in: .min ... .max, using: &random), count: .random(in: 0...largest, using: &random))
        return try PacketLayout.standard.encode(id: 1, payload: payload.span.bytes)
    }
    async let sending: Void = {
        for packet in packets { try await connection.send(packet: packet) }
    }()
    var count = 0
    // Some go in the middle of it.
    let wanted = Bool.random(using: &random) ? packets.count : Int.random(in: 0...packets.count, using: &random)
    for packet in packets.prefix(wanted) {
        guard let answer = try await connection.next(), [UInt8](copying: answer.bytes) == packet else {
            fail("a wrong answer", code: 1)
        }
        count += 1
    }
    guard wanted == packets.count else {
        connection.close()
        _ = try? await sending
        return count
    }
    try await sending
    if Bool.random(using: &random) {
        connection.endOutput()
        guard try await connection.next() == nil else { fail("more than was asked for", code: 1) }
    }
    return count
}
