// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec

/// Compares the fast paths with the general path, which defines the right result.
struct PacketPathTests {
    /// Enough to meet every combination of roles many times; this takes a second in a debug build.
    static let layoutCount = 2_000

    @Test func `all paths split a stream into the same packets`() {
        var random = SeededGenerator.forThisRun()
        let failures = (0..<Self.layoutCount).compactMap { _ -> String? in
            let layout = PacketLayout.random(using: &random)
            let limit = [1 << 20, 64, 20, 0, -1, .max].randomElement(using: &random) ?? 64
            let stream = Self.stream(of: layout, using: &random)
            let general = Splitting(byGeneralPathOf: stream, layout: layout, limit: limit).comparable
            let whole = Splitting(stream, layout: layout, limit: limit).comparable
            let torn = Splitting(randomPieces(of: stream, using: &random), layout: layout, limit: limit).comparable
            let pulled = Splitting(pulledFrom: stream, layout: layout, limit: limit, using: &random).comparable
            guard whole == general, torn == general, pulled == general else {
                return "\(layout.fields) \(limit) \(stream): \(general), \(whole), torn \(torn), pulled \(pulled)"
            }
            return nil
        }
        #expect(failures.first == nil, random.seedComment)
    }

    @Test func `all paths read a single packet alike`() {
        var random = SeededGenerator.forThisRun()
        let failures = (0..<Self.layoutCount).compactMap { _ -> String? in
            let layout = PacketLayout.random(using: &random)
            let bytes = Self.stream(of: layout, packetCount: 1, using: &random)
            let general = Splitting(byGeneralPathOf: bytes, layout: layout).comparable
            let single = Splitting(ofOnlyPacket: bytes, layout: layout).comparable
            // For missing or extra bytes, a single packet has other errors than a stream.
            let isWhole = general.packets.count == 1 && general.packets[0].bytes.count == bytes.count
            let isRefused = general.packets.isEmpty && general.isRefusal
            guard isWhole || isRefused ? single == general : single.packets.isEmpty && single.reason != nil else {
                return "\(layout.fields) \(bytes): \(general), single \(single)"
            }
            return nil
        }
        #expect(failures.first == nil, random.seedComment)
    }

    @Test func `a length is refused at sight only if the general path refuses it`() {
        var random = SeededGenerator.forThisRun()
        var refusalCount = 0
        let failures = (0..<Self.layoutCount).compactMap { _ -> String? in
            let layout = PacketLayout.random(using: &random)
            let limit = [1 << 20, 64, 20, 0, .max].randomElement(using: &random) ?? 64
            let bytes = Self.stream(of: layout, packetCount: 1, using: &random) + [UInt8](repeating: 0, count: 8)
            let splitter = PacketSplitter(layout: layout, maximumPacketByteCount: limit)
            guard splitter.refusesLength(in: bytes.rawSpan, at: 0) else { return nil }
            refusalCount += 1
            return (try? layout.scan(bytes.rawSpan, limit: limit)) == nil ? nil : "\(layout.fields) \(limit) \(bytes)"
        }
        #expect(failures.first == nil, random.seedComment)
        #expect(refusalCount > 0, random.seedComment)
    }

    @Test func `all paths write a packet alike`() {
        var random = SeededGenerator.forThisRun()
        let failures = (0..<Self.layoutCount).compactMap { _ -> String? in
            let layout = PacketLayout.random(using: &random)
            let id = layout.randomMessageID(using: &random)
            let isIDGood = Int.random(in: 0...9, using: &random) > 0
            let message = AnyLayout.Message(payload: .random(upTo: 300, using: &random))
            return AnyLayout.with(layout, id: isIDGood ? id : id &+ layout.maximumMessageID &+ 1) {
                let general = message.generallyEncoded()
                let quick = Result { () throws(CodecError) in try message.encoded() }
                let appended = Result { () throws(CodecError) in try message.appended() }
                let behind = message.appended(to: [1, 2, 3])
                let isBehind = behind == [1, 2, 3] + ((try? general.get()) ?? [])
                return quick == general && appended == general && isBehind
                    ? nil
                    : "\(layout.fields) \(id) \(message): \(general), quick \(quick), appended \(appended), \(behind)"
            }
        }
        #expect(failures.first == nil, random.seedComment)
    }

    @Test func `all paths write a packet with set header values alike`() {
        var random = SeededGenerator.forThisRun()
        var quickCount = 0
        let failures = (0..<Self.layoutCount).compactMap { _ -> String? in
            let layout = PacketLayout.random(using: &random)
            let id = layout.randomMessageID(using: &random)
            let header = layout.randomHeader(mayBeAbsent: true, using: &random)
            let message = AnyLayout.Message(payload: .random(upTo: 300, using: &random))
            if !layout.header(setting: header, id: id, payloadByteCount: 0, limit: 200).isNone { quickCount += 1 }
            return AnyLayout.with(layout, id: id) {
                let general = message.generallyEncoded(header: header)
                let quick = Result { () throws(CodecError) in try message.encoded(header: header) }
                return quick == general ? nil : "\(layout.fields) \(header.fields) \(id): \(general), quick \(quick)"
            }
        }
        #expect(failures.first == nil, random.seedComment)
        #expect(quickCount > 50, random.seedComment)
    }

    @Test func `packets with a fixed header are written and verified as on the general path`() {
        var random = SeededGenerator.forThisRun()
        var quickCount = 0
        let failures = (0..<Self.layoutCount).compactMap { _ -> String? in
            let layout = PacketLayout.random(using: &random)
            let id = layout.randomMessageID(using: &random)
            let fixed = FixedHeader(layout.randomHeader(using: &random), of: id, in: layout)
            let message = AnyLayout.FixedMessage(payload: .random(upTo: 300, using: &random))
            if !fixed.header(payloadByteCount: 0, limit: 200).isNone { quickCount += 1 }
            return AnyLayout.with(layout, id: id, fixed) {
                let general = message.generallyEncoded(header: fixed.values)
                let quick = Result { () throws(CodecError) in try message.encoded() }
                let other = Self.stream(of: layout, packetCount: 1, using: &random)
                let verdicts = verdicts(about: other, layout, fixed)
                return quick == general && verdicts.quick == verdicts.general
                    ? nil : "\(layout.fields) \(fixed.values) \(id): \(general), quick \(quick), \(other) \(verdicts)"
            }
        }
        #expect(failures.first == nil, random.seedComment)
        #expect(quickCount > 20, random.seedComment)
    }

    /// Whether a packet has a fixed header: what is said by the object, and by the general path.
    private func verdicts(
        about bytes: [UInt8], _ layout: PacketLayout, _ fixed: FixedHeader
    ) -> (quick: CodecError?, general: CodecError?) {
        guard let packet = try? Packet(bytes.span.bytes, layout: layout) else { return (nil, nil) }
        var errors: (quick: CodecError?, general: CodecError?)
        do throws(CodecError) { try fixed.verify(packet) } catch { errors.quick = error }
        do throws(CodecError) { try layout.verify(fixed.values, in: packet) } catch { errors.general = error }
        return errors
    }

    @Test func `the quick paths serve many layouts with conditions`() {
        var random = SeededGenerator.forThisRun()
        var (readCount, writtenCount) = (0, 0)
        for _ in 0..<50_000 where readCount < 50 || writtenCount < 20 {
            let layout = PacketLayout.random(using: &random)
            guard layout.hasConditions, let packet = try? layout.encode(id: 0, payload: RawSpan()) else { continue }
            if layout.quickBounds(in: packet.span.bytes, at: 0, limit: .max) != nil { readCount += 1 }
            let header = layout.headerFromTemplate(id: 0, payloadByteCount: 0, limit: .max)
            if header.packetByteCount == packet.count { writtenCount += 1 }
        }
        #expect(readCount >= 50, random.seedComment)
        #expect(writtenCount >= 20, random.seedComment)
    }

    @Test func `a packet with another's sequence bytes is the packet with its number`() throws {
        var random = SeededGenerator.forThisRun()
        let payload: [UInt8] = [1, 2]
        var copiedCount = 0
        for _ in 0..<50_000 where copiedCount < 20 {
            let layout = PacketLayout.random(using: &random)
            guard let place = layout.sequencePlace else { continue }
            guard let field = layout.sequenceField else {
                #expect(place.isEmpty)
                continue
            }
            let header: PacketHeader = [field.name: Int128.random(in: field.format.range, using: &random)]
            guard let request = try? layout.encode(id: 0, header: header, payload: RawSpan()),
                let expected = try? layout.encode(id: 0, header: header, payload: payload.span.bytes),
                var reply = try? layout.encode(id: 0, payload: payload.span.bytes)
            else { continue }
            reply.replaceSubrange(place, with: request[place])
            #expect(reply == expected, "\(layout.fields) \(header.fields); \(random.seedComment)")
            copiedCount += 1
        }
        #expect(copiedCount == 20, random.seedComment)
    }

    static let written: [(PacketField, PacketField, UInt64, String)] = [
        // A negative length does not change the field beside it.
        (
            PacketField("id", .integer(.uint16, .bigEndian), .messageID),
            PacketField("length", .integer(.int8, .bigEndian), .length(of: .payload, plus: -10)), 0x0102, "0102f7aa"
        ),
        // A `bool` among the ID's fields is one bit of it.
        (
            PacketField("length", .integer(.uint8, .bigEndian), .length(of: .packet, plus: 0)),
            PacketField("bit", .boolean, .messageID), 1, "0301aa"
        ),
    ]

    @Test(arguments: written)
    func `a header that cannot be written by shifting alone is written`(
        first: PacketField, second: PacketField, id: UInt64, hex: String
    ) throws {
        let layout = try PacketLayout(header: [first, second])
        let bytes = try AnyLayout.with(layout, id: id) { try AnyLayout.Message(payload: [0xAA]).encoded() }
        #expect(Hexadecimal.text(of: bytes) == hex)
    }

    @Test func `an ID in a byte and a bool has nine bits`() throws {
        let layout = try PacketLayout(header: [
            PacketField("length", .integer(.uint8, .bigEndian), .length(of: .packet, plus: 0)),
            PacketField("high", .integer(.uint8, .bigEndian), .messageID), PacketField("low", .boolean, .messageID),
        ])
        let bytes = try AnyLayout.with(layout, id: 3) { try AnyLayout.Message(payload: []).encoded() }
        #expect(bytes == [3, 1, 1])
    }

    @Test(arguments: 8..<18)
    func `a packet that ends inside its header is refused`(byteCount: Int) throws {
        let layout = try PacketLayout(
            header: PacketLayout.standard.header + [
                PacketField("sequence", .integer(.uint64, .bigEndian), .sequence),
                PacketField("tail", .integer(.uint32, .bigEndian)),
            ])
        let bytes = [0, 0, 0, UInt8(byteCount)] + [UInt8](repeating: 0, count: byteCount - 4)
        let reason = CodecError.Reason.lengthTooSmall(length: Int128(byteCount), minimum: 18)
        #expect(Splitting(ofOnlyPacket: bytes, layout: layout).error?.reason == reason)
        #expect(Splitting(bytes, layout: layout).error?.reason == reason)
    }

    @Test(arguments: [0, 1, -1])
    func `64-bit lengths without a limit never lead outside the bytes`(constant: Int) throws {
        let layout = try PacketLayout(header: [
            PacketField("length", .integer(.uint64, .bigEndian), .length(of: .packet, plus: constant))
        ])
        let payload: [UInt8] = [1, 2, 3, 4]
        let packet = try layout.encode(id: 0, payload: payload.span.bytes)
        let longest: [UInt8] = [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xF0]
        let splitting = Splitting(packet + packet + longest + packet, layout: layout, limit: .max)
        #expect(splitting.packets.map(\.bytes) == [packet, packet])
        #expect(splitting.error?.reason == .endOfStream(received: 20, needed: .max - 15 - constant - 20))
    }

    @Test(arguments: 5..<24)
    func `a stream that ends inside a packet reports how much is missing, after any part of the header`(
        byteCount: Int
    ) throws {
        let layout = try PacketLayout(header: [
            PacketField("length", .integer(.uint32, .bigEndian), .length(of: .packet, plus: 0)),
            PacketField("sequence", .integer(.uint64, .bigEndian), .sequence),
        ])
        let bytes = [0, 0, 0, 24] + [UInt8](repeating: 0, count: byteCount - 4)
        let reason = CodecError.Reason.endOfStream(received: byteCount, needed: 24 - byteCount)
        #expect(Splitting(bytes, layout: layout).error?.reason == reason)
        #expect(Splitting(bytes.indices.map { bytes[$0...$0] }, layout: layout).error?.reason == reason)
    }

    @Test func `a second length that overflows is refused`() throws {
        let layout = try PacketLayout(header: [
            PacketField("length", .integer(.uint16, .bigEndian), .length(of: .packet, plus: 0)),
            PacketField("other", .integer(.uint64, .bigEndian), .length(of: .payload, plus: -10)),
        ])
        let bytes: [UInt8] =
            [0, 18] + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE] + [UInt8](repeating: 0, count: 8)
        let tooLong = CodecError.Reason.packetTooLong(
            length: Int128(UInt64.max - 1), packetByteCount: Int128(UInt64.max) + 19, limit: 1 << 20)
        #expect(Splitting(bytes, layout: layout).error?.reason == tooLong)
    }

    // MARK: Streams

    /// Packets of a layout; most streams have a flaw: a byte changed, or the end missing.
    static func stream(
        of layout: PacketLayout, packetCount: Int? = nil, using random: inout SeededGenerator
    ) -> [UInt8] {
        let packets = (0..<(packetCount ?? Int.random(in: 1...4, using: &random))).map { _ -> [UInt8] in
            let id = layout.randomMessageID(using: &random)
            let payload = [UInt8].random(upTo: 40, using: &random)
            // If this payload has no valid length, its bytes alone are worth splitting, too.
            let header = layout.randomHeader(using: &random)
            return (try? layout.encode(id: id, header: header, payload: payload.span.bytes)) ?? payload
        }
        var stream = Array(packets.joined())
        guard !stream.isEmpty else { return stream }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let index = Int.random(in: 0..<min(stream.count, 30), using: &random)
            let bytes: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF, stream[index] &+ 1, .random(in: 0...255, using: &random)]
            stream[index] = bytes.randomElement(using: &random) ?? 0
        }
        if Int.random(in: 0...3, using: &random) == 0 {
            stream.removeLast(Int.random(in: 0...min(20, stream.count), using: &random))
        }
        return stream
    }
}

extension PacketMessage {
    /// The packet with a header, written on the general path.
    fileprivate func generallyEncoded(header: PacketHeader = [:]) -> Result<[UInt8], CodecError> {
        Result { () throws(CodecError) -> [UInt8] in
            do throws(CodecError) {
                return try Definition.layout.encode(
                    id: Self.messageID, header: header, payloadByteCount: try payloadByteCount(),
                    limit: Definition.maximumPacketByteCount, writingPayload: writePayload)
            } catch {
                throw error.prefixed(by: Self.messageName)
            }
        }
    }
}

extension [UInt8] {
    fileprivate static func random(upTo most: Int, using random: inout SeededGenerator) -> [UInt8] {
        random.bytes(Int.random(in: 0...most, using: &random))
    }
}

/// The part of a result that must not depend on the path. An error's `bytes` and `misdirectedProtocol` do depend on it: they show
/// what had arrived.
struct ComparableSplitting: Equatable {
    var packets: [PacketCopy]
    var reason: CodecError.Reason?
    var offset: Int?
    var path: String?

    /// Whether the bytes are wrong, and not only missing.
    var isRefusal: Bool {
        if case .endOfStream? = reason { false } else { reason != nil }
    }
}

extension Splitting {
    var comparable: ComparableSplitting {
        ComparableSplitting(packets: packets, reason: error?.reason, offset: error?.offset, path: error?.path)
    }

    /// Splits a complete stream with the general path alone.
    init(byGeneralPathOf stream: [UInt8], layout: PacketLayout, limit: Int = 1 << 20) {
        self.init()
        do throws(CodecError) {
            var rest = stream[...]
            while !rest.isEmpty {
                let needed: Int
                switch try layout.scan(Array(rest).span.bytes, limit: limit) {
                case .packet(let bounds) where bounds.packetByteCount <= rest.count:
                    let bytes = Array(rest.prefix(bounds.packetByteCount))
                    let payload = Array(bytes[bounds.payloadStart..<bounds.payloadEnd])
                    packets.append(PacketCopy(id: bounds.id, bytes: bytes, payload: payload))
                    rest = rest.dropFirst(bytes.count)
                    continue
                case .packet(let bounds): needed = bounds.packetByteCount
                case .needs(let byteCount): needed = byteCount
                }
                let reason = CodecError.Reason.endOfStream(received: rest.count, needed: needed - rest.count)
                throw CodecError(reason, offset: rest.count)
            }
        } catch {
            self.error = error
        }
    }

    /// Asks for one packet after another, from bytes that grow by random amounts.
    init(
        pulledFrom stream: [UInt8], layout: PacketLayout, limit: Int, using random: inout some RandomNumberGenerator
    ) {
        self.init()
        var splitter = PacketSplitter(layout: layout, maximumPacketByteCount: limit)
        var (start, end) = (0, 0)
        do throws(CodecError) {
            while true {
                let bytes = Array(stream[..<end])
                if let bounds = try splitter.packet(in: bytes.span.bytes, at: start) {
                    let packet = Array(bytes[start..<start + bounds.packetByteCount])
                    let payload = Array(packet[bounds.payloadStart..<bounds.payloadEnd])
                    packets.append(PacketCopy(id: bounds.id, bytes: packet, payload: payload))
                    start += packet.count
                } else if end < stream.count {
                    end += Int.random(in: 1...min(30, stream.count - end), using: &random)
                } else {
                    let rest = Array(stream[start...])
                    if !rest.isEmpty { throw splitter.endOfStream(in: rest.span.bytes) }
                    return
                }
            }
        } catch {
            self.error = error
        }
    }

    /// Reads bytes that must be exactly one packet.
    init(ofOnlyPacket bytes: [UInt8], layout: PacketLayout) {
        self.init()
        do throws(CodecError) {
            let packet = try Packet(bytes.span.bytes, layout: layout)
            packets.append(
                PacketCopy(
                    id: packet.id, bytes: [UInt8](copying: packet.bytes), payload: [UInt8](copying: packet.payload)))
        } catch {
            self.error = error
        }
    }
}

/// A protocol whose layout each test chooses.
enum AnyLayout: PacketProtocol {
    @TaskLocal private static var current: (layout: PacketLayout, id: UInt64, fixed: FixedHeader?) = (.standard, 0, nil)

    static var protocolName: String { "AnyLayout" }
    static var layout: PacketLayout { current.layout }
    static var maximumPacketByteCount: Int { 200 }
    static func messageTypes(from sender: Sender) -> [any PacketMessage.Type] { [Message.self] }

    static func with<Value>(
        _ layout: PacketLayout, id: UInt64, _ fixed: FixedHeader? = nil, _ body: () throws -> Value
    ) rethrows -> Value {
        try $current.withValue((layout, id, fixed), operation: body)
    }

    typealias FromClient = Incoming
    typealias FromServer = Incoming

    struct Incoming: IncomingMessage {
        typealias Definition = AnyLayout
        let message: Message
        var unknownID: UInt64? { nil }

        init(in packet: borrowing Packet) throws(CodecError) { message = try Message(payloadOf: packet) }
    }

    struct Message: PacketMessage {
        typealias Definition = AnyLayout
        static var messageName: String { "Message" }
        static var messageID: UInt64 { current.id }

        var payload: [UInt8]

        init(payload: [UInt8]) { self.payload = payload }

        init(from reader: inout ByteReader) throws(CodecError) { payload = [UInt8](copying: reader.readRest()) }

        func payloadByteCount() throws(CodecError) -> Int { payload.count }

        func writePayload(to writer: inout ByteWriter) { writer.writeBytes(payload) }

        /// These bytes and then the packet, or the bytes alone if the packet cannot be written.
        func appended(to bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            try? encode(appendingTo: &bytes)
            return bytes
        }

        /// The packet, written into a buffer that is larger than needed.
        func appended() throws(CodecError) -> [UInt8] {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_000, alignment: 1)
            defer { buffer.deallocate() }
            var output = OutputRawSpan(buffer: buffer, initializedCount: 0)
            try encode(into: &output)
            return [UInt8](buffer.prefix(output.finalize(for: buffer)))
        }
    }

    /// A message whose packets have the same values in their headers.
    struct FixedMessage: PacketMessage {
        typealias Definition = AnyLayout
        static var messageName: String { "FixedMessage" }
        static var messageID: UInt64 { current.id }
        static var fixedHeader: FixedHeader? { current.fixed }

        var payload: [UInt8]

        init(payload: [UInt8]) { self.payload = payload }

        init(from reader: inout ByteReader) throws(CodecError) { payload = [UInt8](copying: reader.readRest()) }

        func payloadByteCount() throws(CodecError) -> Int { payload.count }

        func writePayload(to writer: inout ByteWriter) { writer.writeBytes(payload) }
    }
}
