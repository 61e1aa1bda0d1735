// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec

struct PacketSplitterTests {
    @Test(arguments: SampleLayout.all)
    func `merged packets are the same, however the stream is split`(sample: SampleLayout) throws {
        let payloads: [[UInt8]] = [[], [1], Array(repeating: 7, count: 40), [0x4E, 0x21, 0, 0, 0, 9]]
        let packets = try payloads.map { try sample.layout.encode(id: sample.id, payload: $0.span.bytes) }
        let stream = Array(packets.joined())
        let whole = Splitting(stream, layout: sample.layout)
        #expect(whole.error == nil)
        #expect(whole.packets.map(\.bytes) == packets)
        #expect(whole.packets.map(\.payload) == payloads)
        #expect(whole.packets.allSatisfy { $0.id == sample.id })
        let different = everyCut(of: stream).filter { Splitting($0, layout: sample.layout) != whole }
        #expect(different.isEmpty)
    }

    @Test(arguments: SampleLayout.all)
    func `random pieces of random packets give the same payloads`(sample: SampleLayout) throws {
        var random = SeededGenerator.forThisRun()
        let payloads = (0..<50).map { _ in random.bytes(Int.random(in: 0...60, using: &random)) }
        let stream = Array(
            try payloads.map { try sample.layout.encode(id: sample.id, payload: $0.span.bytes) }.joined())
        let pieces = (0..<20).map { _ in randomPieces(of: stream, using: &random) }
        #expect(pieces.allSatisfy { Splitting($0, layout: sample.layout).packets.map(\.payload) == payloads })
    }

    @Test(arguments: SampleLayout.all)
    func `a stream that ends inside a packet has its own error`(sample: SampleLayout) throws {
        let packet = try sample.layout.encode(id: sample.id, payload: [1, 2, 3].span.bytes)
        let wrong = (1..<packet.count).filter { count in
            let splitting = Splitting(packet + packet.prefix(count), layout: sample.layout)
            guard case .endOfStream(count, let needed) = splitting.error?.reason else { return true }
            return splitting.packets.count != 1 || needed < 1
        }
        #expect(wrong.isEmpty)
        #expect(Splitting(packet, layout: sample.layout).error == nil)
        #expect(Splitting([UInt8](), layout: sample.layout).error == nil)
    }

    @Test(arguments: [12, 13])
    func `a packet of exactly the limit passes`(limit: Int) {
        let stream: [UInt8] = [0, 0, 0, UInt8(limit), 0x4E, 0x21] + Array(repeating: 1, count: limit - 6)
        #expect(Splitting(stream, layout: .standard, limit: limit).packets.count == 1)
    }

    @Test(arguments: [4, 6, 13])
    func `a packet one byte over the limit is refused at its header`(received: Int) {
        let stream: [UInt8] = [0, 0, 0, 13, 0x4E, 0x21] + Array(repeating: 1, count: 7)
        let splitting = Splitting(Array(stream.prefix(received)), layout: .standard, limit: 12, isFinished: false)
        #expect(splitting.error?.reason == .packetTooLong(length: 13, packetByteCount: 13, limit: 12))
        #expect(splitting.error?.bytes == Array(stream.prefix(received)))
    }

    @Test(arguments: [(17, 17), (18, nil)] as [(Int, Int?)])
    func `the limit applies to the whole packet, whatever its length field counts`(length: Int, good: Int?) {
        // QSIOP's length counts the payload: six bytes of header come on top.
        let stream: [UInt8] = [0, 1, 0, 0, 0, UInt8(length)] + Array(repeating: 0x61, count: length)
        let splitting = Splitting(stream, layout: .qsiop, limit: 23)
        #expect(splitting.packets.first?.payload.count == good)
        let tooLong = CodecError.Reason.packetTooLong(length: 18, packetByteCount: 24, limit: 23)
        #expect(splitting.error?.reason == (good == nil ? tooLong : nil))
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5] as [UInt8])
    func `a length smaller than the header is an error at once`(length: UInt8) {
        let splitting = Splitting([0, 0, 0, length], layout: .standard, isFinished: false)
        #expect(splitting.error?.reason == .lengthTooSmall(length: Int128(length), minimum: 6))
    }

    @Test(arguments: ["ffffffff", "80000000", "7fffffff", "00100001"])
    func `a huge length is refused after its first four bytes`(hex: String) throws {
        let bytes = try Hexadecimal.bytes(of: hex)
        let splitting = Splitting(bytes, layout: .standard, isFinished: false)
        let length = bytes.reduce(Int128(0)) { $0 << 8 | Int128($1) }
        #expect(splitting.error?.reason == .packetTooLong(length: length, packetByteCount: length, limit: 1 << 20))
    }

    @Test func `packets before a bad one are delivered, and the splitter stays failed`() throws {
        let good: [UInt8] = [0, 0, 0, 7, 0x4E, 0x21, 9]
        let bad: [UInt8] = [0, 0, 0, 5, 1, 2, 3, 4, 5, 6, 7, 8]
        var splitter = PacketSplitter(layout: .standard)
        var count = 0
        var errors: [CodecError.Reason] = []
        for piece in [good + good + bad, good] {
            do {
                try splitter.receive(piece.span.bytes) { _ throws(CodecError) in count += 1 }
            } catch {
                errors.append(error.reason)
            }
        }
        #expect(count == 2)
        #expect(errors == [.lengthTooSmall(length: 5, minimum: 6), .lengthTooSmall(length: 5, minimum: 6)])
    }

    @Test func `an error thrown by the receiver loses none of the packets after it`() throws {
        let packets = (1...6).map { [0, 0, 0, 7, 0x4E, 0x21, UInt8($0)] as [UInt8] }
        let stream = Array(packets.joined())
        let failures = everyCut(of: stream).filter { pieces in
            var splitter = PacketSplitter(layout: .standard)
            var seen: [UInt8] = []
            for piece in pieces + Array(repeating: [], count: 8) {
                try? splitter.receive(Array(piece).span.bytes) { packet throws(CodecError) in
                    seen.append([UInt8](copying: packet.payload)[0])
                    throw CodecError(.invalidHex)
                }
            }
            return seen != [1, 2, 3, 4, 5, 6] || splitter.pendingByteCount != 0
        }
        #expect(failures.isEmpty)
    }

    @Test(arguments: 0...20)
    func `an error thrown by the receiver loses no shorter packets after a split one`(cut: Int) {
        let long: [UInt8] = [0, 0, 0, 20, 0, 20] + [UInt8](repeating: 0, count: 14)
        let stream = long + [0, 0, 0, 6, 0, 1, 0, 0, 0, 6, 0, 2]
        var splitter = PacketSplitter(layout: .standard)
        var ids: [UInt64] = []
        for piece in [stream[..<cut], stream[cut...], [], [], []] {
            try? splitter.receive(Array(piece).span.bytes) { packet throws(CodecError) in
                ids.append(packet.id)
                throw CodecError(.invalidHex)
            }
        }
        #expect(ids == [20, 1, 2])
        #expect(splitter.pendingByteCount == 0)
    }

    @Test func `a splitter that has refused a packet keeps no bytes`() {
        var splitter = PacketSplitter(layout: .standard)
        for piece in [[0, 0, 0], [5] + [UInt8](repeating: 9, count: 100)] as [[UInt8]] {
            try? splitter.receive(piece.span.bytes) { _ throws(CodecError) in }
        }
        #expect(splitter.pendingByteCount == 0)
    }

    @Test(arguments: [0, -1, .min])
    func `a limit of zero or less lets no packet pass`(limit: Int) {
        let stream: [UInt8] = [0, 0, 0, 6, 0, 1]
        let tooLong = CodecError.Reason.packetTooLong(length: 6, packetByteCount: 6, limit: 0)
        #expect(Splitting(stream, layout: .standard, limit: limit).error?.reason == tooLong)
        #expect(throws: CodecError.self) { _ = try Packet(stream.span.bytes, layout: .standard, limit: limit).id }
    }

    @Test func `the offset of a refused varint is the offset of its first byte`() throws {
        let layout = try PacketLayout(header: [
            PacketField("id", .integer(.uint8, .bigEndian), .messageID),
            PacketField("length", .varint(maximumByteCount: 4), .length(of: .packet, plus: 0)),
        ])
        #expect(Splitting([7, 0xFF, 0xFF, 0x7F], layout: layout).error?.offset == 1)
    }

    /// A varint of 2 bytes makes the header longer than the length, which was enough when it was read.
    @Test func `a header longer than its packet is refused when the packet is whole, however it is cut`() throws {
        let layout = try PacketLayout(header: [
            PacketField("length", .integer(.uint8, .bigEndian), .length(of: .packet, plus: 0)),
            PacketField("number", .varint(maximumByteCount: 2), .value(default: 0)),
            PacketField("name", .integer(.uint32, .bigEndian), .value(default: 0)),
        ])
        let error = CodecError(.truncated(needed: 4, available: 3), offset: 3).prefixed(by: "packet.name")
        for pieces in everyCut(of: [6, 0x80, 1, 1, 2, 3]) {
            #expect(Splitting(pieces, layout: layout).error == error)
        }
    }

    @Test func `a buffer without an address is empty input`() throws {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        let bytes = nothing.bytes
        var splitter = PacketSplitter(layout: .standard)
        try splitter.receive(bytes) { _ throws(CodecError) in }
        try splitter.finish()
        var reader = ByteReader(bytes)
        let text = try reader.readString(byteCount: 0)
        #expect(text.isEmpty)
        #expect(throws: CodecError(.truncated(needed: 1, available: 0), offset: 0)) {
            var reader = ByteReader(nothing.bytes)
            _ = try reader.readBoolean()
        }
    }

    @Test func `100,000 minimal packets in one read are delivered one by one`() {
        let stream = Array(repeatElement([0, 0, 0, 6, 0, 1] as [UInt8], count: 100_000).joined())
        var splitter = PacketSplitter(layout: .standard)
        var count = 0
        try? splitter.receive(stream.span.bytes) { packet throws(CodecError) in count += Int(packet.id) }
        #expect(count == 100_000)
        #expect(splitter.pendingByteCount == 0)
    }

    @Test(arguments: [1, 4096])
    func `16 MiB arrive in small pieces, and the memory is released after the packet`(pieceByteCount: Int) {
        let limit = 16 << 20
        let byteCount = pieceByteCount == 1 ? 1 << 20 : limit
        let header: [UInt8] = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: byteCount >> $0) } + [0x4E, 0x21]
        var stream = header + [UInt8](repeating: 5, count: byteCount - 6)
        stream += [0, 0]
        var splitter = PacketSplitter(layout: .standard, maximumPacketByteCount: limit)
        var received = 0
        var largest = 0
        for start in stride(from: 0, to: stream.count, by: pieceByteCount) {
            let piece = stream[start..<min(start + pieceByteCount, stream.count)]
            try? splitter.receive(Array(piece).span.bytes) { packet throws(CodecError) in
                received = packet.payload.byteCount
            }
            largest = max(largest, splitter.pendingByteCount)
        }
        #expect(received == byteCount - 6)
        #expect(largest < byteCount)
        #expect(splitter.pendingByteCount == 2)
    }

    @Test func `random bytes are split or refused, and the splitter never keeps more than the limit`() {
        var random = SeededGenerator.forThisRun()
        let isWithinLimits = (0..<2_000).allSatisfy { _ in
            let sample = SampleLayout.all.randomElement(using: &random) ?? SampleLayout.all[0]
            var splitter = PacketSplitter(layout: sample.layout, maximumPacketByteCount: 64)
            let isSmall = Bool.random(using: &random)
            let stream = (0..<200).map { _ in UInt8.random(in: 0...(isSmall ? 9 : 255), using: &random) }
            return randomPieces(of: stream, using: &random).allSatisfy { piece in
                try? splitter.receive(Array(piece).span.bytes) { packet throws(CodecError) in
                    precondition(packet.bytes.byteCount <= 64)
                }
                return splitter.pendingByteCount < 64
            }
        }
        #expect(isWithinLimits)
    }

    @Test(arguments: SampleLayout.all, SampleLayout.all)
    func `a plan of another layout finds packets only inside the bytes`(sample: SampleLayout, other: SampleLayout) {
        var random = SeededGenerator.forThisRun()
        let splitter = PacketSplitter(layout: sample.layout)
        let (plan, isSame) = (other.layout.plan, sample.name == other.name)
        let areInside = (0..<200).allSatisfy { _ in
            let byteCount = Int.random(in: 0...40, using: &random)
            let bytes = (0..<byteCount).map { _ in UInt8.random(in: 0...9, using: &random) }
            let start = Int.random(in: 0...bytes.count, using: &random)
            let bounds = splitter.packetAtSight(in: bytes.span.bytes, at: start, plan)
            if isSame, bounds != splitter.packetAtSight(in: bytes.span.bytes, at: start) { return false }
            guard let bounds else { return true }
            return bounds.packetByteCount <= bytes.count - start && bounds.payloadStart <= bounds.payloadEnd
                && bounds.payloadEnd <= bounds.packetByteCount
        }
        #expect(areInside, random.seedComment)
    }
}
