// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineCodec
import WirelineLayers
import WirelineSchema

/// Random packets with layers of both sides of a connection, in the states that those before them have set.
struct RandomConversation {
    struct Packet {
        let context: PacketContext
        let line: JSONValue
        let bytes: [UInt8]
    }

    private var lines: RandomLines
    private let layout: PacketLayout
    private let translator: PacketTranslator

    /// - Returns: The packets, each as it stands in the stream of its sender.
    static func make(
        of sample: LayeredProtocol, count: Int, using random: inout SeededGenerator
    ) throws -> [Packet] {
        let translator = try sample.translator()
        var conversation = RandomConversation(translator, using: random)
        defer { random = conversation.lines.random }
        return try conversation.packets(count, besides: sample.packets)
    }

    private init(_ translator: PacketTranslator, using random: SeededGenerator) {
        self.translator = translator
        layout = translator.description.layout
        lines = RandomLines(translator.description, using: random)
    }

    private mutating func packets(
        _ count: Int, besides samples: [LayeredProtocol.SamplePacket]
    ) throws -> [Packet] {
        var sealers = Sealers(translator)
        let opened = OpenedConversation(translator)
        var packets: [Packet] = []
        for _ in 0..<40 * count where packets.count < count {
            var (sender, line) = anyLine(depth: 0)
            if Bool.random(using: &lines.random), let sample = samples.randomElement(using: &lines.random) {
                (sender, line) = (sample.sender, try JSONValue(parsing: sample.line))
            }
            let context = PacketContext(from: sender, states: opened.states)
            guard let bytes = sealers.bytes(of: line, in: context) else { continue }
            packets.append(Packet(context: context, line: line, bytes: bytes))
            opened.receive(bytes, from: sender)
            _ = try opened.next(from: sender)
        }
        return packets
    }

    /// A line of a message, or of a packet around others.
    private mutating func anyLine(depth: Int) -> (Sender, JSONValue) {
        var (sender, line) = lines.next()
        let header = anyHeader()
        let isBundle = layout.content.packets != nil && depth < 3 && Int.random(in: 0...2, using: &lines.random) == 0
        if isBundle {
            let inner = (0..<Int.random(in: 0...3, using: &lines.random)).map { _ in anyLine(depth: depth + 1).1 }
            line = ["message": .null, "id": 9, "header": header, "packets": .array(inner)]
        } else if Int.random(in: 0...5, using: &lines.random) == 0 {
            let bytes = lines.random.bytes(Int.random(in: 0...30, using: &lines.random))
            line = ["message": .null, "id": 1, "header": header, "payload": .string(Hexadecimal.text(of: bytes))]
        } else if case .object(let members) = line {
            line = .object(members.filter { $0.name != "header" } + [JSONValue.Member("header", header)])
        }
        if Bool.random(using: &lines.random) { sender = sender == .client ? .server : .client }
        return (sender, line)
    }

    /// A header with numbers at which conditions look.
    private mutating func anyHeader() -> JSONValue {
        var members: [JSONValue.Member] = []
        for field in layout.fields where layout.isSettable(field) && Bool.random(using: &lines.random) {
            let tests = layout.content.conditions.flatMap(\.tests).filter { $0.operand == .field(field.name) }
            let numbers = tests.flatMap { [$0.number, $0.number + 1] }.filter(field.format.range.contains)
            guard let number = numbers.randomElement(using: &lines.random) else { continue }
            members.append(JSONValue.Member(field.name, .exactInteger(number)))
        }
        return .object(members)
    }
}

/// What seals the packets of each side.
///
/// One that was refused may have moved a keystream: then the side's packets are sealed anew from the first one.
private struct Sealers {
    private let translator: PacketTranslator
    private var sent: [Sender: [PacketDraft]] = [:]

    init(_ translator: PacketTranslator) { self.translator = translator }

    /// Returns the bytes of the next packet; nil if the line is refused.
    mutating func bytes(of line: JSONValue, in context: PacketContext) -> [UInt8]? {
        guard let draft = try? translator.draft(of: line, from: context.sender, states: context.states) else {
            return nil
        }
        var sealer = translator.makeSealer(from: context.sender)
        for earlier in sent[context.sender, default: []] { _ = try? translator.encode(earlier, with: &sealer) }
        guard let bytes = try? translator.encode(draft, with: &sealer), bytes.count < 20_000 else { return nil }
        sent[context.sender, default: []].append(draft)
        return bytes
    }
}

extension PacketTranslator {
    /// Copies of a packet whose layers contain other bytes: cut, changed, and with bytes after them.
    func sealedVariants(
        of bytes: [UInt8], in context: PacketContext, using random: inout SeededGenerator
    ) throws -> [[UInt8]] {
        let layout = description.layout.layout(in: context)
        let limit = description.options.maximumPacketByteCount
        let content = try layout.unframed(bytes)
        let packet = try Packet(content.rawSpan, layout: layout, limit: limit)
        let (id, sealed, values) = (packet.id, [UInt8](copying: packet.payload), try layout.header(of: packet))
        var header = PacketHeader()
        for field in layout.fields where layout.isSettable(field) {
            header[value: field.name] = values[value: field.name]
        }
        var variants = [[], sealed + [0], sealed + sealed, Array(sealed.dropLast())]
        for _ in 0..<40 where !sealed.isEmpty {
            // The beginning and the end decide most.
            let near = Int.random(in: 0..<min(sealed.count, 30), using: &random)
            let offset = [near, sealed.count - 1 - near, Int.random(in: 0..<sealed.count, using: &random)]
                .randomElement(using: &random)!
            variants.append(Array(sealed.prefix(offset)))
            var changed = sealed
            changed[offset] ^= 1 << UInt8.random(in: 0...7, using: &random)
            variants.append(changed)
        }
        return variants.compactMap { payload in
            try? layout.encode(id: id, header: header, payload: payload.rawSpan, limit: limit)
        }
    }
}
