// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec

/// Packets between marks, written, read whole and split from streams that are cut anywhere.
struct FramedPacketTests {
    /// An ID, a payload without a length, and a check: as in JT/T 808 without its length.
    static let sameMarks = PacketLayout(
        generatedFraming: .jtt808, generatedHeader: [PacketField("id", .integer(.uint8, .bigEndian), .messageID)],
        trailer: [
            PacketField("check", .integer(.uint8, .bigEndian), .checksum(PacketChecksum(.xor8, of: .payload)))
        ])

    /// A length and an ID: as in JT/T 809.
    static let otherMarks = PacketLayout(
        generatedFraming: .jtt809,
        generatedHeader: [
            PacketField("length", .integer(.uint16, .bigEndian), .length(of: .packet, plus: 0)),
            PacketField("id", .integer(.uint8, .bigEndian), .messageID),
        ])

    static let golden: [(PacketLayout, id: UInt64, payload: [UInt8], bytes: [UInt8])] = [
        (sameMarks, 1, [], [0x7E, 1, 0, 0x7E]),
        (sameMarks, 0x7E, [0x55], [0x7E, 0x7D, 2, 0x55, 0x55, 0x7E]),
        (sameMarks, 1, [0x7D, 0x7E], [0x7E, 1, 0x7D, 1, 0x7D, 2, 3, 0x7E]),
        (sameMarks, 1, [2, 0x7C], [0x7E, 1, 2, 0x7C, 0x7D, 2, 0x7E]),
        (otherMarks, 9, [], [0x5B, 0, 3, 9, 0x5D]),
        (otherMarks, 0x5D, [0x5B, 0x5A, 0x5E], [0x5B, 0, 6, 0x5E, 1, 0x5A, 1, 0x5A, 2, 0x5E, 2, 0x5D]),
    ]

    @Test(arguments: golden)
    func `listed bytes of a packet are written as two bytes, between the marks`(
        layout: PacketLayout, id: UInt64, payload: [UInt8], bytes: [UInt8]
    ) throws {
        #expect(try layout.encode(id: id, payload: payload.span.bytes) == bytes)
        let content = try layout.unframed(bytes)
        let packet = try Packet(content.span.bytes, layout: layout)
        #expect(packet.id == id)
        #expect([UInt8](copying: packet.payload) == payload)
        #expect(layout.framed(packet.bytes) == bytes)
    }

    @Test(arguments: golden)
    func `a packet is split off wherever the stream is cut`(
        layout: PacketLayout, id: UInt64, payload: [UInt8], bytes: [UInt8]
    ) throws {
        let packet = PacketCopy(id: id, bytes: try layout.unframed(bytes), payload: payload)
        let stream = bytes + bytes
        for pieces in everyCut(of: stream) {
            let splitting = Splitting(pieces, layout: layout)
            guard splitting.error == nil, splitting.packets == [packet, packet] else {
                Issue.record("\(pieces): \(splitting)")
                return
            }
        }
    }

    @Test(
        arguments: [
            (sameMarks, [0x7E, 0x7E, 0x7E, 1, 0, 0x7E, 0x7E, 0x7E], 1), (sameMarks, [0x7E, 0x7E], 0),
            (sameMarks, [0x7E], 0), (otherMarks, [0x5B, 0x5D, 0x5B, 0, 3, 9, 0x5D, 0x5B, 0x5D], 1),
            (otherMarks, [0x5B, 0x5D], 0),
        ] as [(PacketLayout, [UInt8], Int)])
    func `marks with nothing between them are passed over`(layout: PacketLayout, stream: [UInt8], count: Int) {
        for pieces in everyCut(of: stream) {
            let splitting = Splitting(pieces, layout: layout)
            #expect(splitting.packets.count == count && splitting.error == nil, "\(pieces)")
        }
    }

    static let malformed: [(PacketLayout, [UInt8], CodecError)] = [
        (sameMarks, [1, 0, 0x7E], fault(.wrongConstant(value: 1, expected: 0x7E), offset: 0)),
        // One mark does not end a packet and start the next one.
        (sameMarks, [0x7E, 1, 0, 0x7E, 1, 0, 0x7E], fault(.wrongConstant(value: 1, expected: 0x7E), offset: 0)),
        (sameMarks, [0x7E, 1, 0x7D, 3, 0, 0x7E], fault(.invalidEscape(0x7D, 3), offset: 1)),
        (sameMarks, [0x7E, 1, 0x7D, 1, 0x7D, 0x7E], fault(.invalidEscape(0x7D, 0x7E), offset: 2)),
        (otherMarks, [0x5B, 0, 4, 0x5A, 1, 0x5B], fault(.invalidEscape(0x5B, nil), offset: 3)),
        (otherMarks, [0x5B, 0, 4, 0x5E, 3], fault(.invalidEscape(0x5E, 3), offset: 2)),
        (otherMarks, [0x5B, 0x5D, 0x5D], fault(.wrongConstant(value: 0x5D, expected: 0x5B), offset: 0)),
        // Too few bytes, and too many.
        (sameMarks, [0x7E, 1, 0x7E], CodecError(.truncated(needed: 1, available: 0), offset: 1)),
        (otherMarks, [0x5B, 0, 5, 9, 0x5D], CodecError(.truncated(needed: 2, available: 0), offset: 3)),
        (otherMarks, [0x5B, 0, 3, 9, 9, 0x5D], CodecError(.trailingBytes(count: 1), offset: 3)),
        // The stream ends inside a packet.
        (sameMarks, [0x7E, 1, 0x7D], CodecError(.endOfStream(received: 1, needed: 1), offset: 1)),
        (sameMarks, [0x7E, 1], CodecError(.endOfStream(received: 1, needed: 1), offset: 1)),
        (otherMarks, [0x5B], CodecError(.endOfStream(received: 0, needed: 1), offset: 0)),
    ]

    @Test(arguments: malformed)
    func `a fault is refused with the same error, wherever the stream is cut`(
        layout: PacketLayout, stream: [UInt8], error: CodecError
    ) {
        for pieces in everyCut(of: stream) {
            let found = Splitting(pieces, layout: layout).error
            // What the first bytes look like is known only when they have come.
            let plain = found.map { CodecError($0.reason, offset: $0.offset, path: $0.path) }
            #expect(plain == error, "\(pieces)")
        }
    }

    @Test func `a request of HTTP is told from a packet`() {
        let error = Splitting(Array("GET / HTTP/1.1".utf8), layout: Self.sameMarks).error
        #expect(error?.misdirectedProtocol == .http)
    }

    @Test(arguments: [0, 1, 100, 5000])
    func `the limit counts unescaped bytes, and a frame that never ends is refused at it`(limit: Int) throws {
        let layout = Self.sameMarks
        var splitter = PacketSplitter(layout: layout, maximumPacketByteCount: limit)
        var sent = 0
        var refusal: CodecError?
        let (mark, escape): ([UInt8], [UInt8]) = ([0x7E], [0x7D, 1])
        try splitter.receive(mark.span.bytes) { _ in }
        while refusal == nil, sent < limit + 2 {
            do throws(CodecError) {
                try splitter.receive(escape.span.bytes) { _ in }
                sent += 1
                #expect(splitter.pendingByteCount == sent)
            } catch {
                refusal = error
            }
        }
        #expect(sent == limit)
        let length = Int128(limit) + 1
        #expect(
            refusal == Self.fault(.packetTooLong(length: length, packetByteCount: length, limit: limit), offset: 0))
    }

    @Test func `a packet of exactly the limit is read, and one more byte is not written`() throws {
        let payload = [UInt8](repeating: 0x7E, count: 98)
        let bytes = try Self.sameMarks.encode(id: 0x7D, payload: payload.span.bytes, limit: 100)
        #expect(Splitting(bytes, layout: Self.sameMarks, limit: 100).packets.map(\.payload) == [payload])
        #expect(throws: CodecError.self) {
            try Self.sameMarks.encode(id: 1, payload: (payload + [0]).span.bytes, limit: 100)
        }
    }

    @Test func `a receiver that throws loses no packet`() throws {
        let packets = try (0..<5).map { try Self.sameMarks.encode(id: $0, payload: [UInt8(0x7B + $0)].rawSpan) }
        var splitter = PacketSplitter(layout: Self.sameMarks)
        var identifiers: [UInt64] = []
        var refusals = 0
        var rest = packets.flatMap(\.self)
        while !rest.isEmpty || splitter.pendingByteCount > 0 {
            let piece = Array(rest.prefix(7))
            rest = Array(rest.dropFirst(7))
            do throws(CodecError) {
                try splitter.receive(piece.span.bytes) { packet throws(CodecError) in
                    identifiers.append(packet.id)
                    throw CodecError(.invalidHex)
                }
            } catch {
                refusals += 1
            }
            guard refusals <= 5 else { break }
        }
        #expect(identifiers == [0, 1, 2, 3, 4])
        #expect(refusals == 5)
        try splitter.finish()
    }

    @Test func `random packets with random marks are read as they were written`() throws {
        var random = SeededGenerator.forThisRun()
        for _ in 0..<400 {
            let framing = PacketFraming.random(using: &random)
            let layout = try PacketLayout.random(framing: framing, using: &random)
            var packets: [PacketCopy] = []
            var stream: [UInt8] = []
            for _ in 0..<4 {
                let payload = framing.randomBytes(using: &random)
                let id = layout.randomMessageID(using: &random)
                guard let bytes = try? layout.encode(id: id, payload: payload.span.bytes) else { continue }
                let content = try layout.unframed(bytes)
                #expect(framing.model(content) == bytes, random.seedComment)
                // Fields of the header may decide how the ID is read.
                let packet = try Packet(content.span.bytes, layout: layout)
                packets.append(PacketCopy(id: packet.id, bytes: content, payload: payload))
                stream += bytes
            }
            let pieces = randomPieces(of: stream, using: &random)
            let splitting = Splitting(pieces, layout: layout)
            #expect(splitting.packets == packets && splitting.error == nil, random.seedComment)
        }
    }

    @Test(
        arguments: [
            (PacketFraming(start: 1, end: 1, escapes: []), .unlisted(1)),
            (PacketFraming(start: 1, end: 1, escapes: [.init(1, as: 2, 3)]), .unlisted(2)),
            (
                PacketFraming(start: 1, end: 1, escapes: [.init(1, as: 2, 3), .init(2, as: 2, 4), .init(2, as: 2, 5)]),
                .repeated(2)
            ),
            (PacketFraming(start: 1, end: 1, escapes: [.init(1, as: 2, 3), .init(2, as: 2, 3)]), .ambiguous(2)),
            (PacketFraming(start: 1, end: 5, escapes: [.init(1, as: 2, 5), .init(2, as: 2, 3)]), .containsMark(1)),
            (PacketFraming(start: 1, end: 5, escapes: [.init(1, as: 1, 3)]), .containsMark(1)),
        ] as [(PacketFraming, PacketFraming.Fault)])
    func `marks and escapes that cannot be told apart make no layout`(
        framing: PacketFraming, fault: PacketFraming.Fault
    ) {
        #expect(throws: CodecError(.invalidLayout(.invalidFraming(fault)))) {
            try PacketLayout(framing: framing, header: Self.sameMarks.header)
        }
    }

    @Test func `a frame around no field makes no layout`() {
        #expect(throws: CodecError(.invalidLayout(.emptyFrame))) {
            try PacketLayout(framing: .jtt808, header: [])
        }
    }

    private static func fault(_ reason: CodecError.Reason, offset: Int) -> CodecError {
        CodecError(reason, offset: offset, path: "packet.frame")
    }
}

extension PacketFraming {
    static let jtt808 = PacketFraming(
        start: 0x7E, end: 0x7E, escapes: [Escape(0x7E, as: 0x7D, 2), Escape(0x7D, as: 0x7D, 1)])

    static let jtt809 = PacketFraming(
        start: 0x5B, end: 0x5D,
        escapes: [
            Escape(0x5B, as: 0x5A, 1), Escape(0x5A, as: 0x5A, 2), Escape(0x5D, as: 0x5E, 1), Escape(0x5E, as: 0x5E, 2),
        ])

    /// Any bytes, many of them listed.
    func randomBytes(using random: inout SeededGenerator) -> [UInt8] {
        (0..<Int.random(in: 0...20, using: &random)).map { _ in
            Bool.random(using: &random)
                ? escapes.randomElement(using: &random)?.byte ?? 0 : UInt8.random(in: 0...255, using: &random)
        }
    }

    /// A packet between its marks, as the definition of escapes says it.
    func model(_ packet: [UInt8]) -> [UInt8] {
        let inside = packet.flatMap { byte -> [UInt8] in
            escapes.first { $0.byte == byte }.map { [$0.first, $0.second] } ?? [byte]
        }
        return [start] + inside + [end]
    }
}
