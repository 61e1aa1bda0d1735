// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import Wireline

/// Clients that connect, exchange packets and end in every possible way, for a given time.
struct Load {
    let handler: String
    let seconds: Int

    /// How many times the memory is measured.
    private static let sampleCount = 12
    /// The most bytes that a connection may leave allocated: less than the smallest allocation of malloc, 32.
    private static let byteLimit = 16.0
    /// How much memory varies without a leak: the bytes allocated with malloc (measured: by 4 KiB), or the memory of
    /// the process if those are not counted. In short runs this variation hides what connections leave allocated.
    private static let noise = (live: 16 * 1_024.0, process: 8 * 1_024 * 1_024.0)

    func run(_ findings: Findings) async throws {
        let server = try ServerProcess(handler: handler)
        let seed = SeededGenerator.forThisRun("endurance").seed
        // Everything that grows once has grown after this.
        _ = try await talk(to: server, for: .seconds(max(1, seconds / 5)), seed: seed)
        let before = try server.memory()
        var (work, growth, noise) = (Work(), Growth(), Self.noise.live)
        for number in 1...Self.sampleCount {
            let seed = seed &+ UInt64(number) << 8
            work += try await talk(to: server, for: .seconds(seconds) / Self.sampleCount, seed: seed)
            let live = try server.liveByteCount()
            if live == nil { noise = Self.noise.process }
            growth.add(try live ?? server.memory() * 1_024, after: work.connectionCount)
        }
        let after = try server.memory()
        findings.check(work.answerCount > 0, "\(work.answerCount) answers, every one right, in \(seconds) s")
        let limit = Self.byteLimit + noise / Double(max(1, growth.connectionCount))
        let each = growth.bytesPerConnection
        findings.check(
            each <= limit,
            "\(Int(each)) bytes are left of each of \(growth.connectionCount) connections (limit \(Int(limit)))")
        // The allocator keeps freed memory, and not always in the same places.
        findings.check(after <= before * 3 / 2 + 8_192, "memory: \(before) KiB before, \(after) KiB after")
        try await server.stop(findings)
    }

    private func talk(to server: ServerProcess, for duration: Duration, seed: UInt64) async throws -> Work {
        let end = ContinuousClock.now + duration
        let address = server.address
        let work = try await withThrowingTaskGroup(of: Work.self) { group in
            for number in 0..<16 as Range<UInt64> {
                group.addTask { try await keepTalking(to: address, until: end, seed: seed &+ number) }
            }
            return try await group.reduce(into: Work()) { $0 += $1 }
        }
        try await server.waitUntilIdle()
        return work
    }
}

/// How much clients have done.
private struct Work {
    var connectionCount = 0
    var answerCount = 0

    static func += (sum: inout Work, part: Work) {
        sum.connectionCount += part.connectionCount
        sum.answerCount += part.answerCount
    }
}

/// One connection after another.
private func keepTalking(
    to address: SocketAddress, until end: ContinuousClock.Instant, seed: UInt64
) async throws -> Work {
    var random = SeededGenerator(seed: seed)
    var work = Work()
    while ContinuousClock.now < end {
        work += Work(connectionCount: 1, answerCount: try await talkOnce(to: address, &random))
    }
    return work
}

/// A connection from its beginning to one of its possible ends.
///
/// - Returns: How many answers came.
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
    // Some clients end before they have all answers.
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
