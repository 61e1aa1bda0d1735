// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineErlang
import WirelineGenerator
import WirelineSchema

/// Compares `ErlangRecords` with the JSON of the same packets, and so with the generated Erlang: ``GeneratedErlangTests``
/// compares that with the same JSON.
struct ErlangRecordTests {
    static let folders = ProtocolFolder.all.filter { !$0.hasLayers }.map(\.name) + ["Features"]

    @Test(arguments: folders)
    func `packets become the records of their values, and the records packets`(folder: String) throws {
        let random = SeededGenerator.forThisRun()
        let folder = try ProtocolFolder.named(folder)
        let pair = RecordPair(folder.translator)
        for vector in folder.vectors(.exact) {
            #expect(try pair.difference(of: vector.bytes(), in: vector.context()) == nil, "\(vector)")
        }
        var lines = RandomLines(folder.translator.description, using: random)
        for _ in 0..<Depth.rounds(15) {
            let (context, line) = lines.nextInContext()
            let bytes = try? folder.translator.encode(line: line, from: context.sender, states: context.states)
            guard let bytes else { continue }
            let difference = try pair.difference(of: bytes, in: context)
            #expect(difference == nil, random.seedComment)
        }
    }

    @Test(arguments: 0..<Depth.count(3, deep: 12))
    func `so do packets of any schema`(number: Int) throws {
        var random = SeededGenerator.forThisRun()
        // Each number makes another schema, and the seed repeats all of them.
        for _ in 0..<number { _ = random.next() }
        let (schema, description) = RandomSchema.make(using: &random)
        let pair = RecordPair(PacketTranslator(description))
        var lines = RandomLines(description, using: random)
        for _ in 0..<Depth.rounds(10) {
            let (context, line) = lines.nextInContext()
            let bytes = try? pair.translator.encode(line: line, from: context.sender, states: context.states)
            guard let bytes else { continue }
            let difference = try pair.difference(of: bytes, in: context)
            #expect(difference == nil, "\(random.seedComment): \(schema.text)")
        }
    }

    @Test(arguments: folders)
    func `truncated, changed and invalid packets are refused for the same reason as by others`(folder: String) throws {
        var random = SeededGenerator.forThisRun()
        let folder = try ProtocolFolder.named(folder)
        let pair = RecordPair(folder.translator)
        var lines = RandomLines(folder.translator.description, using: random)
        let vectors = Depth.some(4, of: Vector.Kind.allCases.flatMap(folder.vectors), using: &random)
        var packets = try vectors.map { (try $0.context(), try $0.bytes()) }
        for _ in 0..<Depth.rounds(1) {
            let (context, line) = lines.nextInContext()
            let bytes = try? folder.translator.encode(line: line, from: context.sender, states: context.states)
            if let bytes { packets.append((context, bytes)) }
        }
        for (context, bytes) in packets {
            for other in folder.translator.variants(of: bytes, in: context, using: &random) {
                let difference = pair.difference(ofErrorsIn: other, in: context)
                #expect(difference == nil, random.seedComment)
            }
        }
    }

    @Test(arguments: LayeredProtocol.all)
    func `packets with layers become records, and the records packets`(sample: LayeredProtocol) throws {
        let translator = try sample.translator()
        var records = ErlangRecords(translator.description)
        records.layers = translator.layers
        for packet in sample.packets {
            let line = try JSONValue(parsing: packet.line)
            let bytes = try translator.encode(line: line, from: packet.sender, states: packet.states)
            var writer = ErlangTermWriter()
            try records.write(bytes, in: packet.context, to: &writer)
            let settable = try #require(try RecordPair.settable(writer.bytes, records.description))
            let again = try records.packet(
                ofTerm: settable.span.bytes, from: packet.sender, states: packet.states)
            #expect(
                try translator.decode(again.rawSpan, in: packet.context)
                    == translator.decode(bytes.rawSpan, in: packet.context))
        }
    }
}

/// Both ways to a packet's values.
struct RecordPair {
    let translator: PacketTranslator
    let records: ErlangRecords
    let values: ErlangValues

    init(_ translator: PacketTranslator) {
        self.translator = translator
        records = ErlangRecords(translator.description)
        values = ErlangValues(translator.description)
    }

    /// Returns how the term of a packet, or the packet of that term, differs from what it should be.
    func difference(of bytes: [UInt8], in context: PacketContext) throws -> String? {
        let line = try translator.decode(bytes.span.bytes, in: context)
        let message = try values.message(of: line)
        let expected = ErlangTerm.tuple([values.header(of: line, onlySettable: false), message])
        var writer = ErlangTermWriter([131])
        try records.write(bytes, in: context, to: &writer)
        let settable = ErlangTerm.tuple([values.header(of: line, onlySettable: true), message])
        let again = try Result { () throws(ErlangRecordError) in
            try records.packet(
                ofTerm: settable.bytes.span.bytes.extracting(droppingFirst: 1), from: context.sender,
                states: context.states)
        }.get()
        // JSON has one NaN. Other bits are compared with Erlang itself.
        guard
            try translator.encode(line: translator.settable(line), from: context.sender, states: context.states)
                == bytes
        else { return nil }
        let found = try WirelineErlang.ErlangTerm(externalFormat: writer.bytes.span.bytes)
        let wanted = try WirelineErlang.ErlangTerm(externalFormat: expected.bytes.span.bytes)
        if found != wanted { return "\(found) is not \(wanted)" }
        return again == bytes ? nil : "\(Hexadecimal.text(of: again)) is not \(Hexadecimal.text(of: bytes))"
    }

    /// Returns how the error of a packet differs from what it should be.
    func difference(ofErrorsIn bytes: [UInt8], in context: PacketContext) -> String? {
        var writer = ErlangTermWriter()
        let wanted = Result { () throws(CodecError) in _ = try translator.decode(bytes.span.bytes, in: context) }
        let found = Result { () throws(CodecError) in try records.write(bytes, in: context, to: &writer) }
        switch (wanted, found) {
        case (.success, .success): break
        // By text: a reason that holds a NaN is not equal to itself.
        case (.failure(let wanted), .failure(let found)) where wanted.description == found.description: return nil
        default: return "\(found) is not \(wanted): \(Hexadecimal.text(of: bytes))"
        }
        let reader = ErlangTermReader(writer.bytes.span.bytes)
        do {
            try reader.check()
            return nil
        } catch {
            return "\(error): \(Hexadecimal.text(of: writer.bytes))"
        }
    }

    /// Returns `{Header, Message}` with only the fields of the header that can be set.
    static func settable(_ term: [UInt8], _ description: ProtocolDescription) throws -> [UInt8]? {
        guard case .tuple(let pair) = try WirelineErlang.ErlangTerm(externalFormat: ([131] + term).span.bytes)
        else { return nil }
        var writer = ErlangTermWriter()
        try writer.write(settable(pair, description))
        return writer.bytes
    }

    private static func settable(
        _ pair: [WirelineErlang.ErlangTerm], _ description: ProtocolDescription
    ) -> WirelineErlang.ErlangTerm {
        guard pair.count == 2, case .map(let header) = pair[0] else { return .tuple(pair) }
        let keys = zip(description.layout.fields, ErlangValues(description).naming.packetFields).filter {
            description.layout.isSettable($0.0)
        }.map(\.1)
        var kept = ErlangMap()
        for entry in header.pairs {
            if case .atom(let key) = entry.key, keys.contains(key.name) { kept[entry.key] = entry.value }
        }
        guard case .tuple(var message) = pair[1], message.first == "packets", case .list(let items) = message[2]
        else { return .tuple([.map(kept), pair[1]]) }
        message[2] = .list(
            items.map { item in
                guard case .tuple(let pair) = item else { return item }
                return settable(pair, description)
            })
        return .tuple([.map(kept), .tuple(message)])
    }
}

extension RawSpan {
    @_lifetime(copy self)
    func extracting(droppingFirst count: Int) -> RawSpan { extracting(count...) }
}
