// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WebSocketSupport
import WirelineLibraries
import WirelineWebSocket

/// How client and server agree on compression.
struct DeflateNegotiationTests {
    static func agreements(
        client: WebSocketDeflate?, server: WebSocketDeflate?
    ) throws -> (offer: String?, answer: String?, client: WebSocketAgreement, server: WebSocketAgreement) {
        var request = WebSocketRequest(try WebSocketURL("ws://a/"))
        request.deflate = client
        var policy = WebSocketHandshakePolicy()
        policy.deflate = server
        var asking = try WebSocketClientHandshake(request)
        var answering = try WebSocketServerHandshake(policy)
        _ = try ServerHandshakeTests.receive([asking.request], &answering)
        let offer = answering.request?.headers["Sec-WebSocket-Extensions"]
        try answering.answer(.accept())
        _ = try ClientHandshakeTests.receive([answering.takeOutput()], &asking)
        let agreed = try #require(asking.agreement)
        return (offer, agreed.headers["Sec-WebSocket-Extensions"], agreed, try #require(answering.agreement))
    }

    private static func deflate(
        _ bits: Int = 15, _ peerBits: Int = 15, _ takesOver: Bool = true, _ peerTakesOver: Bool = true
    ) -> WebSocketDeflate {
        var deflate = WebSocketDeflate()
        (deflate.windowBits, deflate.peerWindowBits) = (bits, peerBits)
        (deflate.takesContextOver, deflate.peerTakesContextOver) = (takesOver, peerTakesOver)
        return deflate
    }

    @Test(
        arguments: [
            (deflate(), deflate(), "; client_max_window_bits", ""),
            (
                deflate(15, 15, false, false), deflate(),
                "; server_no_context_takeover; client_no_context_takeover; client_max_window_bits",
                "; server_no_context_takeover; client_no_context_takeover"
            ),
            (
                deflate(), deflate(15, 15, false, false), "; client_max_window_bits",
                "; server_no_context_takeover; client_no_context_takeover"
            ),
            (
                deflate(12, 10), deflate(), "; server_max_window_bits=10; client_max_window_bits=12",
                "; server_max_window_bits=10; client_max_window_bits=12"
            ),
            (
                deflate(12, 10), deflate(9, 8), "; server_max_window_bits=10; client_max_window_bits=12",
                "; server_max_window_bits=9; client_max_window_bits=8"
            ),
            (
                deflate(), deflate(9, 11), "; client_max_window_bits",
                "; server_max_window_bits=9; client_max_window_bits=11"
            ),
        ])
    func `both sides agree on the same compression`(
        client: WebSocketDeflate, server: WebSocketDeflate, offer: String, answer: String
    ) throws {
        let outcome = try Self.agreements(client: client, server: server)
        #expect(outcome.offer == "permessage-deflate" + offer)
        #expect(outcome.answer == "permessage-deflate" + answer)
        let (one, other) = try (#require(outcome.client.deflate), #require(outcome.server.deflate))
        #expect(one.windowBits == other.peerWindowBits)
        #expect(one.peerWindowBits == other.windowBits)
        #expect(one.takesContextOver == other.peerTakesContextOver)
        #expect(one.peerTakesContextOver == other.takesContextOver)
        #expect(outcome.client.compresses && outcome.server.compresses)
    }

    @Test func `compression is used only if both sides want it`() throws {
        for (client, server) in [(nil, Self.deflate()), (Self.deflate(), nil), (nil, nil)] {
            let outcome = try Self.agreements(client: client, server: server)
            #expect(outcome.answer == nil)
            #expect(!outcome.client.compresses && !outcome.server.compresses)
        }
    }

    @Test(
        arguments: [
            ("permessage-deflate", "permessage-deflate"),
            ("x-other, permessage-deflate; client_max_window_bits", "permessage-deflate; client_max_window_bits=12"),
            ("permessage-deflate; server_max_window_bits=\"10\"", "permessage-deflate; server_max_window_bits=10"),
            (
                "permessage-deflate; unknown, permessage-deflate; client_max_window_bits=9",
                "permessage-deflate; client_max_window_bits=9"
            ),
            ("permessage-deflate; server_no_context_takeover=1", nil),
            ("permessage-deflate; server_max_window_bits", nil), ("permessage-deflate; server_max_window_bits=7", nil),
            ("permessage-deflate; server_max_window_bits=16", nil),
            ("permessage-deflate; server_max_window_bits=010", nil),
            ("permessage-deflate; client_max_window_bits=0", nil),
            ("permessage-deflate; client_max_window_bits; client_max_window_bits", nil),
            ("x-webkit-deflate-frame", nil),
        ] as [(String, String?)])
    func `a server takes the first offer that it can accept`(offer: String, answer: String?) throws {
        var policy = WebSocketHandshakePolicy()
        policy.deflate = Self.deflate(15, 12)
        var handshake = try WebSocketServerHandshake(policy)
        let request = ServerHandshakeTests.request.replacing(
            "Version: 13", with: "Version: 13\nSec-WebSocket-Extensions: \(offer)")
        _ = try ServerHandshakeTests.receive([request.lines], &handshake)
        try handshake.answer(.accept())
        let text = String(decoding: handshake.takeOutput(), as: UTF8.self)
        let line = text.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Extensions: ") }
        #expect(line.map(String.init) == answer.map { "Sec-WebSocket-Extensions: " + $0 })
        #expect(handshake.agreement?.compresses == (answer != nil))
    }

    @Test(
        arguments: [
            ("permessage-deflate; server_no_context_takeover; server_max_window_bits=10", true),
            (
                "permessage-deflate; server_no_context_takeover; server_max_window_bits=8; client_max_window_bits=12",
                true
            ),
            (
                "permessage-deflate; client_no_context_takeover; server_no_context_takeover; server_max_window_bits=9",
                true
            ),
            ("permessage-deflate; server_max_window_bits=10", false), ("permessage-deflate", false),
            ("permessage-deflate; server_no_context_takeover", false),
            ("permessage-deflate; server_no_context_takeover; server_max_window_bits=11", false),
            (
                "permessage-deflate; server_no_context_takeover; server_max_window_bits=10; client_max_window_bits=13",
                false
            ),
            (
                "permessage-deflate; server_no_context_takeover; server_max_window_bits=10; client_max_window_bits",
                false
            ),
            ("permessage-deflate; server_no_context_takeover; server_max_window_bits=10; x=1", false),
            ("permessage-deflate; server_no_context_takeover; server_max_window_bits=10, permessage-deflate", false),
            ("x-other", false),
        ])
    func `a client checks the answer against its offer`(answer: String, isFine: Bool) throws {
        var request = try ClientHandshakeTests.request()
        request.deflate = Self.deflate(12, 10, true, false)
        let text = ClientHandshakeTests.answer.replacing(
            "Upgrade\n", with: "Upgrade\nSec-WebSocket-Extensions: \(answer)\n")
        let fault = try ClientHandshakeTests.fault(text.lines, request)
        #expect(fault == (isFine ? nil : .invalidResponse(.extensions)))
    }

    @Test func `without zlib nothing is compressed, and required compression fails with what to install`() throws {
        let missing = Result { () throws(LibraryFailure) in try Zlib("libz-that-nobody-has.so.1") }
        var deflate = WebSocketDeflate()
        #expect(try !deflate.isAvailable(with: missing))
        deflate.isOptional = false
        let error = #expect(throws: WebSocketError.self) { try deflate.isAvailable(with: missing) }
        #expect(error?.description.contains("zlib1g") == true)
        let foreign = Result { () throws(LibraryFailure) in try Zlib("libdl.so.2") }
        #expect(throws: WebSocketError.deflateUnavailable(reason: "libdl.so.2 has no function zlibVersion")) {
            try deflate.isAvailable(with: foreign)
        }
    }
}

struct DeflateTests {
    /// An agreement with which both sides compress everything.
    private static func agreement(
        bits: Int = 15, peerBits: Int = 15, takesOver: Bool = true, peerTakesOver: Bool = true, minimum: Int = 0
    ) -> WebSocketAgreement {
        var deflate = DeflateAgreement()
        (deflate.windowBits, deflate.peerWindowBits) = (bits, peerBits)
        (deflate.takesContextOver, deflate.peerTakesContextOver) = (takesOver, peerTakesOver)
        deflate.minimumByteCount = minimum
        return WebSocketAgreement(deflate: deflate)
    }

    private static func client(_ limit: Int? = nil, _ agreement: WebSocketAgreement = agreement()) -> Side {
        var configuration = WebSocketEngine.Configuration()
        if let limit { configuration.messageLimit = limit }
        return Side(.client, agreement: agreement, configuration: configuration)
    }

    /// RFC 7692 §7.2.3.1 to §7.2.3.6: the frames as a server sends them.
    @Test(
        arguments: [
            ([[0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]], ["Hello"]),
            ([[0x41, 0x03, 0xF2, 0x48, 0xCD], [0x80, 0x04, 0xC9, 0xC9, 0x07, 0x00]], ["Hello"]),
            (
                [
                    [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], [0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00],
                ], ["Hello", "Hello"]
            ),
            ([[0xC1, 0x0B, 0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00]], ["Hello"]),
            ([[0xC1, 0x08, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]], ["Hello"]),
            (
                [[0xC1, 0x0D, 0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00]],
                ["Hello"]
            ),
            ([[0xC1, 0x01, 0x00]], [""]),
            // An empty message, as zlib writes it if it is told twice to flush nothing.
            ([[0xC1, 0x00], [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]], ["", "Hello"]),
            // A final block without the byte that begins another block, and a message that refers back across it.
            (
                [[0xC1, 0x07, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], [0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00]],
                ["Hello", "Hello"]
            ),
            // Uncompressed frames may come between.
            (
                [[0x81, 0x02, 0x48, 0x69], [0xC1, 0x01, 0x00], [0x89, 0x01, 0x21], [0x81, 0x00]],
                ["Hi", "", "ping", ""]
            ),
        ] as [([[UInt8]], [String])])
    func `the examples of RFC 7692 are read, however they are split`(frames: [[UInt8]], messages: [String]) {
        let expected = messages.map { $0 == "ping" ? Side.Told.ping([0x21]) : .message(.text, $0.bytes) }
        for pieces in frames.flatMap({ $0 }).everyCut {
            for room in [1, 300] {
                let side = Self.client()
                side.room = room
                for piece in pieces { side.receive(piece) }
                #expect(side.told == expected)
            }
        }
    }

    @Test func `the first example of RFC 7692 is written, and the second one refers back to it`() throws {
        let side = Side(.server, agreement: Self.agreement())
        #expect(try side.engine.send("Hello"))
        #expect(side.output() == [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00])
        #expect(try side.engine.send("Hello"))
        #expect(side.output() == [0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00])
        #expect(try side.engine.send(""))
        #expect(side.output() == [0xC1, 0x01, 0x00])
        let forgetful = Side(.server, agreement: Self.agreement(takesOver: false))
        #expect(try forgetful.engine.send("Hello") && forgetful.engine.send("Hello"))
        let once: [UInt8] = [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        #expect(forgetful.output() == once + once)
    }

    @Test(arguments: 8...15, [true, false])
    func `all content is decompressed unchanged, with every window`(bits: Int, takesOver: Bool) throws {
        var random = SeededGenerator.forThisRun()
        let server = Side(.server, agreement: Self.agreement(bits: bits, takesOver: takesOver))
        let client = Self.client(nil, Self.agreement(peerBits: bits, peerTakesOver: takesOver))
        // With a large buffer zlib remembers more than the window. With a small buffer it does not.
        client.room = 37
        var expected: [Side.Told] = []
        for round in 0..<30 {
            let message = Self.content(round, using: &random)
            expected.append(.message(.binary, message))
            if round % 3 == 0 {
                let place = Int.random(in: 0...message.count, using: &random)
                try server.send(part: Array(message[..<place]), .binary, isLast: false)
                try server.send(part: Array(message[place...]), .binary, isLast: true)
            } else {
                try server.send(binary: message)
            }
            for piece in server.output().cut(using: &random, most: 3_000) { client.receive(piece) }
        }
        #expect(client.told == expected, random.seedComment)
        #expect(server.frames?.allSatisfy { $0.opcode == 0 || $0.reservedBits == 4 } == true)
    }

    /// Text that repeats at all distances, noise, and empty content.
    private static func content(_ round: Int, using random: inout SeededGenerator) -> [UInt8] {
        switch round % 5 {
        case 0: return []
        case 1: return random.bytes(Int.random(in: 1...2_000, using: &random))
        default:
            let words = (0..<40).map { _ in
                random.bytes(Int.random(in: 3...30, using: &random))
            }
            return (0..<200).flatMap { _ in words.randomElement(using: &random) ?? [] }
        }
    }

    @Test func `a client masks its compressed frames, and control frames between them are not compressed`() throws {
        let client = Self.client()
        let server = Side(.server, agreement: Self.agreement())
        let text = String(repeating: "all the same ", count: 50)
        #expect(try client.send(part: text.bytes, .text, isLast: false))
        #expect(try client.ping("are you there, are you there, are you there"))
        #expect(try client.send(part: text.bytes, .text, isLast: true))
        try client.engine.close(code: .normal, reason: "that was all, that was all", at: .zero)
        server.receive(client.output())
        #expect(
            server.told == [
                .ping("are you there, are you there, are you there".bytes), .message(.text, (text + text).bytes),
                .close(WebSocketClose(code: .normal, reason: "that was all, that was all")), .ended,
            ])
        let frames = try #require(client.frames)
        #expect(frames.map(\.reservedBits) == [4, 0, 0, 0])
        #expect(frames[0].payload.count < 100)
    }

    @Test(arguments: [(31, 0), (32, 4), (33, 4)] as [(Int, UInt8)])
    func `short messages are sent uncompressed`(count: Int, bits: UInt8) throws {
        let side = Side(.server, agreement: Self.agreement(minimum: 32))
        try side.send(binary: [UInt8](repeating: 1, count: count))
        #expect(side.frames?.map(\.reservedBits) == [bits])
    }

    @Test(arguments: [true, false], [true, false])
    func `without context takeover, no memory is kept between messages`(takesOver: Bool, peerTakesOver: Bool) throws {
        let agreement = Self.agreement(takesOver: takesOver, peerTakesOver: peerTakesOver)
        let sending = Side(.server, agreement: agreement)
        #expect(!sending.holdsStreams)
        try sending.send(part: [1, 2, 3], .binary, isLast: false)
        #expect(sending.holdsStreams)
        try sending.send(part: [], .binary, isLast: true)
        #expect(sending.holdsStreams == takesOver)
        let reading = Self.client(nil, agreement)
        let bytes = sending.output()
        reading.receive(bytes.dropLast(1) + [])
        #expect(reading.holdsStreams)
        reading.receive(bytes.suffix(1) + [])
        #expect(reading.told == [.message(.binary, [1, 2, 3])])
        #expect(reading.holdsStreams == peerTakesOver)
        reading.engine.endOfInput()
        #expect(!reading.holdsStreams)
    }

    /// zlib refuses a window of 16 bits, as it refuses any stream without memory.
    @Test func `a stream that zlib refuses to make fails the message, and its memory is freed once`() throws {
        let agreement = Self.agreement(bits: 16, peerBits: 16)
        let refusal = WebSocketError.deflateUnavailable(reason: "zlib gives up with -2")
        let frame = try Self.compressed([1, 2, 3]).bytes(maskedWith: nil)
        for _ in 1...8 {
            let side = Self.client(nil, agreement)
            #expect(throws: refusal) { try side.send(binary: [1, 2, 3]) }
            side.receive(frame)
            #expect(side.told == [.failed(refusal)])
        }
    }

    // MARK: Hostile

    private static func compressed(_ content: [UInt8]) throws -> Frame {
        let side = Side(.server, agreement: agreement())
        try side.send(binary: content)
        return try #require(side.frames?.first)
    }

    @Test func `a message that is small when compressed is read only up to its limit`() throws {
        let bomb = try Self.compressed([UInt8](repeating: 0, count: 10_000_000)).bytes(maskedWith: nil)
        #expect(bomb.count < 11_000)
        let side = Self.client(100_000)
        side.receive(bomb)
        #expect(side.told == [.failed(.messageTooLarge(limit: 100_000))])
        #expect(side.content.count <= 100_000)
        #expect(side.frames == [.close(1009)])
        let exact = try Self.compressed([UInt8](repeating: 0, count: 100_000)).bytes(maskedWith: nil)
        for (limit, told) in [
            (100_000, Side.Told.message(.binary, [UInt8](repeating: 0, count: 100_000))),
            (99_999, .failed(.messageTooLarge(limit: 99_999))),
        ] {
            let side = Self.client(limit)
            side.receive(exact)
            #expect(side.told == [told])
        }
    }

    /// Deflate stores noise in blocks, so that it becomes longer.
    @Test(arguments: [WebSocketRole.client, .server], [false, true])
    func `noise of exactly the limit is accepted, although its frames are longer`(
        role: WebSocketRole, isInParts: Bool
    ) throws {
        let limit = 1_000
        var configuration = WebSocketEngine.Configuration()
        (configuration.messageLimit, configuration.frameLimit) = (limit, limit)
        var random = SeededGenerator.forThisRun()
        for (count, isTaken) in [(limit, true), (limit + 1, false)] {
            let noise = random.bytes(count)
            let sender = Side(role == .client ? .server : .client, agreement: Self.agreement())
            if isInParts {
                try sender.send(part: noise, .binary, isLast: false)
                try sender.send(part: [], .binary, isLast: true)
            } else {
                try sender.send(binary: noise)
            }
            let frames = try #require(sender.frames)
            #expect(frames.count == (isInParts ? 2 : 1))
            #expect(frames[0].payload.count > limit, random.seedComment)
            let receiver = Side(role, agreement: Self.agreement(), configuration: configuration)
            receiver.receive(sender.sent)
            let told = isTaken ? Side.Told.message(.binary, noise) : .failed(.messageTooLarge(limit: limit))
            #expect(receiver.told == [told], random.seedComment)
        }
    }

    @Test(
        arguments: [(.max, .messageTooLarge(limit: 1_000)), (1_000, .frameTooLarge(limit: 1_000))]
            as [(Int, WebSocketError)])
    func `a compressed frame may announce twice the limit and 1 KiB, and no more`(
        frameLimit: Int, fault: WebSocketError
    ) {
        var configuration = WebSocketEngine.Configuration()
        (configuration.messageLimit, configuration.frameLimit) = (1_000, frameLimit)
        // 3,024 bytes and 3,025, also in a frame before a continuation, which has no bit for compression.
        for (beginning, byteCount) in [([], 3_024), ([0x42, 0], 3_024)] as [([UInt8], Int)] {
            let opcode: UInt8 = beginning.isEmpty ? 0xC2 : 0x80
            for (count, told) in [(byteCount, []), (byteCount + 1, [Side.Told.failed(fault)])] {
                let side = Side(.client, agreement: Self.agreement(), configuration: configuration)
                side.receive(beginning + [opcode, 126, UInt8(count >> 8), UInt8(count & 0xFF)])
                #expect(side.told == told)
            }
        }
        // An uncompressed frame may have no more than the limit.
        let side = Side(.client, agreement: Self.agreement(), configuration: configuration)
        side.receive([0x82, 126, 0x03, 0xE9])
        #expect(side.told == [.failed(fault)])
    }

    @Test func `a long compressed message without content is refused`() {
        let side = Self.client(1_000)
        // Empty blocks, which need five bytes each.
        let empty = (0..<200).flatMap { _ in [0x00, 0x00, 0x00, 0xFF, 0xFF] as [UInt8] }
        side.receive(Frame(isFinal: false, reservedBits: 4, opcode: 2, payload: empty).bytes(maskedWith: nil))
        side.receive(Frame.more(empty).bytes(maskedWith: nil))
        side.receive(Frame.more(empty).bytes(maskedWith: nil))
        side.receive(Frame.more(empty).bytes(maskedWith: nil))
        #expect(side.told == [.failed(.messageTooLarge(limit: 1_000))])
    }

    @Test(
        arguments: [
            [0xFF, 0xFF, 0xFF], [0x06], [0xF2, 0x48, 0xCD], [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48],
            [0xF2, 0x00, 0x11, 0x00],
            [0x00, 0x05, 0x00, 0x00, 0x00],
        ] as [[UInt8]])
    func `invalid compressed content is refused`(payload: [UInt8]) {
        let frame = Frame(reservedBits: 4, opcode: 2, payload: payload).bytes(maskedWith: nil)
        for pieces in frame.everyCut {
            let side = Self.client()
            for piece in pieces { side.receive(piece) }
            #expect(side.told == [.failed(.invalidCompression(offset: 0))])
        }
    }

    @Test(arguments: [1, 300, 10_000])
    func `of two faults the first one is reported, whatever the buffer size`(room: Int) throws {
        var frame = try Self.compressed("ab".bytes + [0xFF] + [UInt8](repeating: 0x61, count: 6_000))
        frame.opcode = 1
        let side = Self.client(5_000)
        side.room = room
        side.receive(frame.bytes(maskedWith: nil))
        #expect(side.told == [.failed(.invalidUTF8(offset: 2))])
    }

    @Test func `the tail that deflate leaves out is never read as content`() {
        // A block that announces four bytes and has none of them: the tail's 0xFF would not be UTF-8.
        let frame = Frame(reservedBits: 4, opcode: 1, payload: [0x00, 0x04, 0x00, 0xFB, 0xFF])
        for room in [1, 300] {
            let side = Self.client()
            side.room = room
            side.receive(frame.bytes(maskedWith: nil))
            #expect(side.told == [.failed(.invalidCompression(offset: 0))])
        }
    }

    @Test func `text is checked after it is decompressed`() throws {
        for (bytes, offset) in [([0x41, 0xC3, 0x28] as [UInt8], 2), ([0x41, 0xC3], 2), ([0x80], 0)] {
            var frame = try Self.compressed(bytes)
            frame.opcode = 1
            let side = Self.client()
            side.receive(frame.bytes(maskedWith: nil))
            #expect(side.told == [.failed(.invalidUTF8(offset: offset))])
            #expect(side.frames == [.close(1007)])
        }
    }

    @Test func `a distance beyond the agreed window is refused`() throws {
        var random = SeededGenerator.forThisRun()
        let noise = random.bytes(2_000)
        let frame = try Self.compressed(noise + noise).bytes(maskedWith: nil)
        let side = Self.client(nil, Self.agreement(peerBits: 9))
        side.room = 100
        for piece in frame.cut(using: &random, most: 50) { side.receive(piece) }
        #expect(side.told == [.failed(.invalidCompression(offset: 0))], random.seedComment)
    }

    @Test func `no bytes make an engine trap that decompresses messages`() throws {
        var random = SeededGenerator.forThisRun()
        for _ in 0..<1_500 {
            var frame = try Self.compressed(Self.content(2, using: &random).prefix(300) + [])
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let place = Int.random(in: 0..<frame.payload.count, using: &random)
                frame.payload[place] = UInt8.random(in: .min ... .max, using: &random)
            }
            // Text may become invalid even before the damaged place.
            frame.opcode = UInt8.random(in: 1...2, using: &random)
            let bytes = frame.bytes(maskedWith: nil)
            let (whole, cut) = (Self.client(5_000), Self.client(5_000))
            (whole.room, cut.room) = (10_000, Int.random(in: 1...40, using: &random))
            whole.receive(bytes)
            for piece in bytes.cut(using: &random) { cut.receive(piece) }
            #expect(whole.told == cut.told, random.seedComment)
        }
    }
}
