// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport

// An engine never asks for new keys, so these tests make a peer that does.
@testable import WirelineTLS

/// Peers that send broken, foreign or hostile bytes.
@Suite(.enabled(if: OpenSSLTool.isWanted, "\(OpenSSLTool.absence)"))
struct RobustnessTests {
    let certificates: Certificates

    init() throws { certificates = try Certificates.made.get() }

    private func pair(_ version: TLSVersion = .tls13) throws -> Pair {
        var client = certificates.clientConfiguration()
        client.maximumVersion = version
        return try Pair(client, certificates.serverConfiguration())
    }

    // MARK: Not TLS

    @Test(
        arguments: [
            Array("HTTP/1.1 400 Bad Request\r\n".utf8), Array("GET / HTTP/1.1\r\n".utf8), [0, 0, 0, 16, 0x4E, 0x21],
            Array("SSH-2.0-OpenSSH_9.2\r\n".utf8), [0x16, 0x02, 0x01, 0, 0], [0x80, 0x2E, 1, 0, 2], [0],
        ] as [[UInt8]], [true, false])
    func `a peer without TLS is recognized by its first bytes`(bytes: [UInt8], isClient: Bool) throws {
        let pair = try pair()
        let side = isClient ? pair.client : pair.server
        try side.engine.start()
        let expected = TLSError.notTLS(firstBytes: Array(bytes.prefix(8)))
        #expect(throws: expected) { try side.receive(bytes) }
        #expect(side.engine.failure == expected)
        #expect(throws: expected) { try side.receive([22]) }
        // A fatal alert, unexpected_message: it tells a TLS peer that this side speaks TLS.
        #expect(side.output().suffix(7) == [21, 3, 3, 0, 2, 2, 10])
    }

    @Test func `single first bytes are checked one by one`() throws {
        let side = try pair().client
        try side.engine.start()
        try side.receive([22])
        #expect(throws: TLSError.notTLS(firstBytes: [22, 4])) { try side.receive([4]) }
    }

    @Test func `a server that closes at once has not completed the handshake`() throws {
        let side = try pair().client
        try side.engine.start()
        #expect(throws: TLSError.truncated(duringHandshake: true)) { try side.engine.endOfInput() }
    }

    @Test func `an alert during the handshake is an error that names the alert`() throws {
        let side = try pair().client
        try side.engine.start()
        #expect(throws: TLSError.alert(.handshakeFailure)) { try side.receive([21, 3, 3, 0, 2, 2, 40]) }
    }

    // MARK: Changed bytes

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a flipped bit anywhere in a record is noticed`(version: TLSVersion) throws {
        var random = SeededGenerator.forThisRun()
        for place in 0..<60 {
            let pair = try pair(version)
            try pair.exchange()
            #expect(try pair.client.write(Array("twenty bytes of text".utf8)) == 20)
            var record = pair.client.output()
            guard place < record.count else { break }
            record[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            let error = Self.error { () throws(TLSError) in
                try pair.server.receive(record)
                // A length that has become larger waits for more bytes.
                try pair.server.receive([UInt8](repeating: 0, count: 70_000))
            }
            guard case .violation(_, .some) = error, pair.server.received.isEmpty else {
                Issue.record("\(String(describing: error)) at \(place); \(random.seedComment)")
                return
            }
            // The alert reaches the peer.
            #expect(throws: TLSError.self) { try pair.client.receive(pair.server.output()) }
        }
    }

    @Test func `a changed record is a bad-record error for both sides`() throws {
        let pair = try pair()
        try pair.exchange()
        _ = try pair.client.write([1, 2, 3])
        var record = pair.client.output()
        record[record.count - 1] ^= 1
        let error = TLSError.violation(reason: "decryption failed or bad record mac", answer: .badRecord)
        #expect(throws: error) { try pair.server.receive(record) }
        #expect(throws: TLSError.alert(.badRecord)) { try pair.client.receive(pair.server.output()) }
    }

    @Test func `whole records before the fault are delivered`() throws {
        let pair = try pair()
        try pair.exchange()
        _ = try pair.client.write([1, 2, 3])
        let good = pair.client.output()
        _ = try pair.client.write([4, 5, 6])
        var bad = pair.client.output()
        bad[10] ^= 1
        #expect(throws: TLSError.self) { try pair.server.receive(good + bad) }
        #expect(pair.server.received == [1, 2, 3])
    }

    @Test func `a repeated record is refused`() throws {
        let pair = try pair()
        try pair.exchange()
        _ = try pair.client.write([1, 2, 3])
        let record = pair.client.output()
        #expect(throws: TLSError.self) { try pair.server.receive(record + record) }
        #expect(pair.server.received == [1, 2, 3])
    }

    /// Handshakes with random bytes that are changed, left out, doubled or inserted: they succeed, wait for more or are
    /// refused, and deliver only sent bytes.
    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a damaged connection never traps, and delivers only sent bytes`(version: TLSVersion) throws {
        var random = SeededGenerator.forThisRun()
        var client = certificates.clientConfiguration()
        client.maximumVersion = version
        let contexts = try (TLSContext(client), TLSContext(certificates.serverConfiguration()))
        var refusals = 0
        for number in 0..<200 {
            // Half of the connections may resume a session, which makes them short.
            let clientContext = number.isMultiple(of: 2) ? contexts.0 : try TLSContext(client)
            let pair = try Pair(clientContext, contexts.1)
            // A full handshake has about 2000 bytes.
            var countdown = Int.random(in: 0..<2500, using: &random)
            let error = Self.error { () throws(TLSError) in
                try pair.exchange { Self.damage($0, &countdown, &random) }
                try pair.send([1, 2, 3, 4], from: pair.client) { Self.damage($0, &countdown, &random) }
            }
            if error != nil { refusals += 1 }
            let isRight = pair.client.received.isEmpty && [1, 2, 3, 4].starts(with: pair.server.received)
            #expect(isRight, random.seedComment)
        }
        #expect(refusals > 50, random.seedComment)
    }

    private static func damage(
        _ bytes: [UInt8], _ countdown: inout Int, _ random: inout SeededGenerator
    ) -> [[UInt8]] {
        defer { countdown -= bytes.count }
        guard bytes.indices.contains(countdown) else { return [bytes] }
        let (front, byte, back) = (bytes[..<countdown], bytes[countdown], bytes[(countdown + 1)...])
        let middle: [UInt8] =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: [byte ^ (1 << UInt8.random(in: 0..<8, using: &random))]
            case 1: []
            case 2: [byte, byte]
            default: random.bytes(5) + [byte]
            }
        return [front + middle + back]
    }

    @Test(arguments: [true, false])
    func `random records never trap`(isClient: Bool) throws {
        var random = SeededGenerator.forThisRun()
        let pair = try pair()
        let contexts = (pair.client.engine.context, pair.server.engine.context)
        for _ in 0..<1000 {
            let pair = try Pair(contexts.0, contexts.1)
            let side = isClient ? pair.client : pair.server
            try side.engine.start()
            var bytes = random.bytes(Int.random(in: 0...300, using: &random))
            let kinds: [UInt8] = [20, 21, 22, 23]
            let header: [UInt8] = [
                try #require(kinds.randomElement(using: &random)), 3, .random(in: 0...4, using: &random),
                UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF),
            ]
            // A handshake message of the right length is parsed further.
            if bytes.count > 4 {
                bytes[0] = .random(in: 0...24, using: &random)
                (bytes[1], bytes[2], bytes[3]) = (0, UInt8((bytes.count - 4) >> 8), UInt8((bytes.count - 4) & 0xFF))
            }
            let error = Self.error { () throws(TLSError) in
                try side.receive(header + bytes)
                try side.receive(.init(repeating: 22, count: 20_000))
            }
            #expect(error != nil, random.seedComment)
        }
    }

    // MARK: Floods

    @Test func `endless key changes do not queue answers without limit`() throws {
        let pair = try pair()
        try pair.exchange()
        pair.client.engine.recordLimit = 1
        var most = 0
        for _ in 0..<2000 {
            _ = try pair.client.write([1])
            try pair.server.receive(pair.client.output())
            most = max(most, pair.server.engine.pendingByteCount)
        }
        #expect(pair.server.received.count == 2000)
        #expect(most <= TLSEngine.outputLimit)
    }

    @Test func `a waiting engine holds no memory for bytes`() throws {
        let pair = try pair()
        try pair.exchange()
        try pair.send([UInt8](repeating: 7, count: 100_000), from: pair.client)
        try pair.send([UInt8](repeating: 7, count: 100_000), from: pair.server)
        for side in [pair.client, pair.server] {
            #expect(side.engine.output.capacity == 0)
            #expect(side.engine.firstBytes == nil)
        }
    }

    @Test func `a peer gets the final alert however much output is queued`() throws {
        let pair = try pair()
        try pair.exchange()
        let taken = try pair.server.write([UInt8](repeating: 7, count: 1 << 20))
        #expect(taken > 0)
        // Each request is answered until the output limit leaves no space for an answer.
        var stop = TLSReading.Stop.needsCiphertext
        var countdown = 100_000
        while stop == .needsCiphertext, countdown > 0 {
            countdown -= 1
            try pair.client.askForNewKeys()
            stop = try pair.server.readOnce(pair.client.output()).stop
        }
        #expect(stop == .needsDraining)
        #expect(pair.server.engine.pendingByteCount <= TLSEngine.outputLimit)
        // This test drops the request that was not taken, which the peer must treat as a changed record.
        let part = pair.server.part(byteCount: 100)
        try pair.client.askForNewKeys()
        #expect(throws: TLSError.self) { try pair.server.readOnce(pair.client.output()) }
        let rest = pair.server.output()
        #expect(throws: TLSError.alert(.badRecord)) { try pair.client.receive(part + rest) }
        #expect(pair.client.received.count == taken)
    }

    @Test func `an endless handshake message is refused`() throws {
        let side = try pair().client
        try side.engine.start()
        // A server hello that announces 16 MiB.
        let start: [UInt8] = [22, 3, 3, 0x40, 0, 2, 0xFF, 0xFF, 0xFF]
        #expect(throws: TLSError.self) { try side.receive(start + [UInt8](repeating: 0, count: 16384 - 4)) }
    }

    static func errorOf(_ body: () throws -> Void) -> (any Error)? {
        do {
            try body()
            return nil
        } catch {
            return error
        }
    }

    static func error(_ body: () throws(TLSError) -> Void) -> TLSError? {
        do throws(TLSError) {
            try body()
            return nil
        } catch {
            return error
        }
    }
}

extension Side {
    /// Changes the keys of the output, and requests the same of the peer (RFC 8446 §4.6.3).
    fileprivate func askForNewKeys() throws {
        let connections = engine.openSSL.connections
        try #require(connections.updateKey(engine.handle, 1) == 1)
        try #require(connections.shakeHands(engine.handle) == 1)
    }

    /// A part of the queued output.
    fileprivate func part(byteCount: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        engine.takeCiphertext { waiting in
            bytes = Array([UInt8](copying: waiting).prefix(byteCount))
            return bytes.count
        }
        return bytes
    }
}
