// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineTLS

@Suite(.enabled(if: OpenSSLTool.isWanted, "\(OpenSSLTool.absence)"))
struct PlaintextTests {
    let certificates: Certificates

    init() throws { certificates = try Certificates.made.get() }

    func pair(_ version: TLSVersion = .tls13) throws -> Pair {
        var client = certificates.clientConfiguration()
        client.maximumVersion = version
        let pair = try Pair(client, certificates.serverConfiguration())
        try pair.exchange()
        return pair
    }

    @Test(arguments: [TLSVersion.tls12, .tls13], [1, 2, 16383, 16384, 16385, 100_000, 1 << 20])
    func `bytes arrive in both directions, however they are split`(version: TLSVersion, count: Int) throws {
        var random = SeededGenerator.forThisRun()
        let pair = try pair(version)
        let (request, reply) = (
            random.bytes(count), random.bytes(count)
        )
        pair.server.room = Int.random(in: 1...40_000, using: &random)
        let limit = max(1, count / 8)
        try pair.send(request, from: pair.client) { Self.cut($0, upTo: limit, using: &random) }
        try pair.send(reply, from: pair.server) { Self.cut($0, upTo: limit, using: &random) }
        #expect(pair.server.received == request, random.seedComment)
        #expect(pair.client.received == reply, random.seedComment)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `bytes arrive byte by byte`(version: TLSVersion) throws {
        let pair = try pair(version)
        pair.server.room = 1
        let text = Array("a whole sentence, which comes and is read byte by byte".utf8)
        try pair.send(text, from: pair.client) { bytes in bytes.map { [$0] } }
        #expect(pair.server.received == text)
    }

    @Test func `nothing can be written before the handshake is complete`() throws {
        let engine = try TLSContext(certificates.clientConfiguration()).connect(to: "server.test")
        let side = Side(engine)
        #expect(try side.write([1]) == 0)
        try engine.start()
        #expect(try side.write([1]) == 0)
    }

    @Test func `an engine takes no more input than its output limit allows`() throws {
        let pair = try pair()
        let much = [UInt8](repeating: 7, count: 1 << 20)
        let taken = try pair.client.write(much)
        #expect(taken > 200_000)
        #expect(pair.client.engine.pendingByteCount <= TLSEngine.outputLimit)
        #expect(try pair.client.write(much) == 0)
        try pair.exchange()
        #expect(pair.server.received.count == taken)
        #expect(try pair.client.write([1]) == 1)
    }

    @Test func `output can be taken in parts`() throws {
        let pair = try pair()
        var random = SeededGenerator.forThisRun()
        let text = random.bytes(150_000)
        #expect(try pair.client.write(text[..<70_000] + []) == 70_000)
        var written = 70_000
        while pair.client.engine.pendingByteCount > 0 {
            var piece: [UInt8] = []
            pair.client.engine.takeCiphertext { waiting in
                piece = Array([UInt8](copying: waiting).prefix(1000))
                return piece.count
            }
            try pair.server.receive(piece)
            let more = text[written..<min(written + 1200, text.count)]
            if !more.isEmpty { written += try pair.client.write(Array(more)) }
        }
        #expect(pair.server.received == text)
    }

    @Test func `a closure that throws takes no output`() throws {
        struct Refusal: Error {}
        let pair = try pair()
        #expect(try pair.client.write([1, 2, 3]) == 3)
        let count = pair.client.engine.pendingByteCount
        #expect(count > 3)
        #expect(throws: Refusal.self) { try pair.client.engine.takeCiphertext { _ in throw Refusal() } }
        #expect(pair.client.engine.pendingByteCount == count)
    }

    @Test func `keys are changed when they are used up, and no data is lost`() throws {
        let pair = try pair()
        pair.client.engine.recordLimit = 3
        for number in 0..<20 { try pair.send([UInt8(number)], from: pair.client) }
        #expect(pair.server.received == Array(0..<20))
        try pair.send([42], from: pair.server)
        #expect(pair.client.received == [42])
    }

    // MARK: Ends

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a proper end and a cut connection are different`(version: TLSVersion) throws {
        let pair = try pair(version)
        try pair.send([1, 2, 3], from: pair.client)
        try pair.client.engine.endOutput()
        #expect(throws: TLSError.outputEnded) { try pair.client.write([4]) }
        try pair.exchange()
        #expect(pair.server.received == [1, 2, 3])
        #expect(pair.server.hasEnded)
        #expect(pair.server.engine.hasReceivedEnd)
        try pair.server.engine.endOfInput()
        // The other direction stays open.
        try pair.send([5], from: pair.server)
        #expect(pair.client.received == [5])
        #expect(throws: TLSError.truncated(duringHandshake: false)) { try pair.client.engine.endOfInput() }
        #expect(throws: TLSError.truncated(duringHandshake: false)) { try pair.client.engine.start() }
    }

    @Test func `an end can be sent twice, and arrives after everything written before it`() throws {
        let pair = try pair()
        let taken = try pair.client.write([UInt8](repeating: 1, count: 1 << 20))
        try pair.client.engine.endOutput()
        try pair.client.engine.endOutput()
        try pair.exchange()
        #expect(pair.server.received.count == taken)
        #expect(pair.server.hasEnded)
        // Bytes after the end are ignored.
        #expect(try pair.server.readOnce([1, 2, 3]) == Self.nothingTaken(pair))
    }

    private static func nothingTaken(_ pair: Pair) throws -> TLSReading {
        let reading = try pair.server.readOnce([])
        #expect(reading.byteCount == 0)
        #expect(reading.stop == .ended)
        return reading
    }

    @Test func `a connection that ends during the handshake is truncated`() throws {
        let engine = try TLSContext(certificates.clientConfiguration()).connect(to: "server.test")
        try engine.start()
        try engine.endOutput()
        #expect(throws: TLSError.truncated(duringHandshake: true)) { try engine.endOfInput() }
    }

    // MARK: Bounds

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `an endless peer is read only as far as the reader has space`(version: TLSVersion) throws {
        let pair = try pair(version)
        _ = try pair.client.write([UInt8](repeating: 1, count: 200_000))
        let flood = pair.client.output()
        pair.server.room = 100
        let first = try pair.server.readOnce(flood)
        #expect(first.stop == .needsRoom)
        #expect(first.byteCount <= 16384 + 300)
        let second = try pair.server.readOnce(Array(flood.dropFirst(first.byteCount)))
        #expect(second.stop == .needsRoom)
        #expect(second.byteCount == 0)
        #expect(pair.server.received.count == 200)
    }

    static func cut(_ bytes: [UInt8], upTo limit: Int, using random: inout SeededGenerator) -> [[UInt8]] {
        var (pieces, rest): ([[UInt8]], ArraySlice<UInt8>) = ([], bytes[...])
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...limit, using: &random))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}
