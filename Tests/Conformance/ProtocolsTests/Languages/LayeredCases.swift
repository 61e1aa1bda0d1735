// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineCodec
import WirelineLayers
import WirelineSchema

/// What adapters are asked about packets with layers, and what is right by Swift's codec.
///
/// Sealed bytes are not canonical, so each side reads what the other one writes.
struct LayeredCases {
    let translator: PacketTranslator
    private let sample: LayeredProtocol
    /// The kinds of layers that the adapter says it does not have: `brotli`.
    private let missing: Set<String>
    private let packets: [(line: JSONValue, context: PacketContext)]

    init(_ sample: LayeredProtocol, missing: Set<String> = []) throws {
        self.sample = sample
        self.missing = missing
        translator = try sample.translator()
        var packets = try sample.packets.filter { packet in
            !missing.contains { packet.line.contains("\"\($0)\"") }
        }.map { (try JSONValue(parsing: $0.line), $0.context) }
        var lines = RandomLines(translator.description, using: AdapterSamples.random)
        let count = packets.count + Depth.rounds(4)
        for _ in 0..<10 * Depth.rounds(4) where packets.count < count {
            let (context, line) = lines.nextInContext()
            guard (try? translator.encode(line: line, from: context.sender, states: context.states)) != nil else {
                continue
            }
            packets.append((line, context))
        }
        self.packets = packets
    }

    /// All that an adapter is asked about the protocol.
    func all() throws -> [AdapterCase] {
        var cases = try exchanges() + refusals() + verdicts(count: Depth.rounds(130))
        switch sample.name {
        case LayeredProtocol.ciphers.name: cases += try nestedKeystream()
        case LayeredProtocol.counted.name: cases += try longCount()
        case LayeredProtocol.inside.name: cases += try repetitions()
        case LayeredProtocol.flawed.name: cases += try flaws()
        default: break
        }
        return cases
    }

    /// Packets that one side writes and the other one reads.
    func exchanges() throws -> [AdapterCase] {
        try packets.flatMap { line, context in
            let bytes = try encode(line, in: context)
            let read = try translator.decode(bytes.rawSpan, in: context)
            return [
                decoding(bytes, in: context, as: read),
                encoding(line, in: context) { answer in
                    guard case .string(let hex)? = answer["hex"] else { return "it is not written" }
                    let bytes = try Hexadecimal.bytes(of: hex)
                    let written = try translator.decode(bytes.rawSpan, in: context)
                    return translator.differenceOfSealed(read, written).map { "it is written as \(written): \($0)" }
                },
            ]
        }
    }

    /// Messages with headers of which Swift refuses the packet, alone or in another one, because the header says that the
    /// content is another one.
    func refusals() throws -> [AdapterCase] {
        var random = AdapterSamples.random
        let headers = Depth.some(5, of: packets.compactMap { line, _ in line["header"] }, using: &random)
        let outer = packets.first { line, _ in line["packets"] != nil }
        return packets.flatMap { line, context -> [AdapterCase] in
            guard case .object(let members) = line, case .string? = line["message"] else { return [] }
            return headers.flatMap { header in
                let alone = JSONValue.object(
                    members.filter { $0.name != "header" } + [JSONValue.Member("header", header)])
                let inside = outer.map { (Self.packet($0.line, around: alone), $0.context) }
                return ([(alone, context)] + [inside].compactMap(\.self)).compactMap { line, context in
                    error(of: line, in: context).map { encoding(line, in: context, isRefusedWith: $0) }
                }
            }
        }
    }

    /// Why Swift does not write a line; nil if it does, or says it with words for JSON.
    private func error(of line: JSONValue, in context: PacketContext) -> (kind: String, path: String)? {
        // What values a type can have, and which fields a packet has, is said with other words.
        guard let error = refusal(of: line, in: context), case .value(let reason) = error.reason,
            !error.path.contains("packet."), ["presence", "invalid_header_field"].contains(reason.kind)
        else { return nil }
        return (reason.kind, error.path)
    }

    private func refusal(of line: JSONValue, in context: PacketContext) -> TranslationError? {
        do throws(TranslationError) {
            _ = try translator.encode(line: line, from: context.sender, states: context.states)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the line of a packet that holds one other packet.
    private static func packet(_ line: JSONValue, around inner: JSONValue) -> JSONValue {
        guard case .object(let members) = line else { return line }
        return .object(members.filter { $0.name != "packets" } + [JSONValue.Member("packets", .array([inner]))])
    }

    /// Cut and damaged packets.
    ///
    /// - Parameter count: The most packets to ask about; they are chosen at random.
    func verdicts(count: Int) throws -> [AdapterCase] {
        var random = AdapterSamples.random
        let damaged = try packets.flatMap { line, context in
            Self.damaged(try encode(line, in: context)).map { ($0, context) }
        }
        return verdicts(on: count < damaged.count ? Array(damaged.shuffled(using: &random).prefix(count)) : damaged)
    }

    func verdicts(on packets: [(bytes: [UInt8], context: PacketContext)]) -> [AdapterCase] {
        packets.map {
            AdapterCase(verdictOn: $0.bytes, in: $0.context, keys: sample.keys, missing: missing, by: translator)
        }
    }

    /// Returns a packet cut at each byte, with each byte changed in two ways, and with a byte more.
    private static func damaged(_ bytes: [UInt8]) -> [[UInt8]] {
        let cut = (0..<bytes.count).map { Array(bytes.prefix($0)) }
        let changed = bytes.indices.flatMap { index in
            [0x01, 0xA0].map { (mask: UInt8) in
                var copy = bytes
                copy[index] ^= mask
                return copy
            }
        }
        return cut + changed + [bytes + [0]]
    }

    // MARK: Cases of one protocol

    /// A message that is longer than its field for the count of the content can say.
    private func longCount() throws -> [AdapterCase] {
        let line: JSONValue = [
            "message": "Say", "header": ["dataLength": 1],
            "fields": ["text": .string(String(repeating: "x", count: 65_535))],
        ]
        let context = PacketContext(from: .client)
        guard let error = refusal(of: line, in: context), case .value(let reason) = error.reason,
            reason.kind == "out_of_range", error.path == "Say.packet.dataLength"
        else { throw Unexpected(text: "the message is not refused for its count") }
        return [encoding(line, in: context, isRefusedWith: (reason.kind, error.path))]
    }

    /// Messages of repeated letters, which shrink much.
    ///
    /// In texts of 194 to 255 letters the last symbol of the stream gives more than half of the content.
    private func repetitions() throws -> [AdapterCase] {
        let context = PacketContext(from: .client)
        let letters = String(repeating: "abcdefghijklmnopqrstuvwxyz", count: 24)
        return try stride(from: 0, through: 600, by: Depth.isDeep ? 1 : 10).map { count in
            let line: JSONValue = [
                "message": "Say", "header": ["mode": 1, "depth": 1],
                "fields": ["text": .string(String(letters.prefix(count)))],
            ]
            let bytes = try encode(line, in: context)
            return decoding(bytes, in: context, as: try translator.decode(bytes.rawSpan, in: context))
        }
    }

    /// Streams that are broken before or after the last byte that may be made, and that are cut: what comes first decides.
    private func flaws() throws -> [AdapterCase] {
        // 1,023 to 1,500 zeros before a block of a kind that does not exist, and 1,024 and 1,025 before a wrong check.
        let streams = [
            "62601805a360148c5000000000ffff07", "62601805a360148c5400000000ffff07", "62601805a360148c5800000000ffff07",
            "62601805a360148c825130dc00000000ffff07", "63601805a360148c5400000123456789abcdef",
            "63601805a360148c5800000123456789abcdef",
        ]
        let packets = try ["0078da", "01", "021f8b0800000000000003"].flatMap { start in
            try streams.flatMap { stream in
                let bytes = try Hexadecimal.bytes(of: start + stream)
                return (0...bytes.count).map { [0, UInt8($0)] + bytes.prefix($0) }
            }
        }
        return verdicts(on: packets.map { ($0, PacketContext(from: .client)) })
    }

    /// A packet in a packet with the same keystream, which must be refused.
    func nestedKeystream() throws -> [AdapterCase] {
        let context = PacketContext(from: .client)
        let line = try JSONValue(
            parsing: """
                {"message":null,"id":9,"header":{"kind":"group","streamed":true},"packets":[
                {"message":"Say","header":{"streamed":true},"fields":{"text":"hi"}}]}
                """)
        // What a program without this check would send.
        func sealed(_ id: UInt64, _ header: PacketHeader, _ payload: [UInt8], isNested: Bool) throws -> [UInt8] {
            var sealer = translator.makeSealer(from: .client)
            sealer.beginPacket()
            var keystreams = LayerSet()
            return try sealer.packet(
                id: id, header: header, payload: payload.rawSpan, isNested ? .message : .packets, isNested: isNested,
                &keystreams)
        }
        let inner = try sealed(1, ["streamed": 1], [0, 2, 0x68, 0x69], isNested: true)
        let packet = try sealed(9, ["kind": 1, "streamed": 1], inner, isNested: false)
        guard case .refused(let error) = translator.verdict(on: packet[...], in: context),
            error.reason == .invalidLayer(.nestedKeystream)
        else { throw Unexpected(text: "Swift reads a packet in a packet with the same keystream") }
        return verdicts(on: [(packet, context)])
            + [encoding(line, in: context, isRefusedWith: ("invalid_layer", "packet.StreamKey"))]
    }

    private struct Unexpected: Error {
        let text: String
    }

    // MARK: Single cases

    private func encode(_ line: JSONValue, in context: PacketContext) throws -> [UInt8] {
        try translator.encode(line: line, from: context.sender, states: context.states)
    }

    private func decoding(_ bytes: [UInt8], in context: PacketContext, as line: JSONValue) -> AdapterCase {
        AdapterCase(decoding: bytes, in: context, keys: sample.keys) { answer in
            LineComparison(translator).difference(line, answer["line"] ?? .null).map {
                "another value at \($0.path)"
            }
        }
    }

    private func encoding(
        _ line: JSONValue, in context: PacketContext, check: @escaping @Sendable (_ answer: JSONValue) throws -> String?
    ) -> AdapterCase {
        AdapterCase(encoding: line, in: context, keys: sample.keys, check: check)
    }

    private func encoding(
        _ line: JSONValue, in context: PacketContext, isRefusedWith error: (kind: String, path: String)
    ) -> AdapterCase {
        encoding(line, in: context) { answer in
            let isSame = answer["error"] == .string(error.kind) && answer["field"] == .string(error.path)
            return isSame ? nil : "not the error \(error.kind) at \(error.path)"
        }
    }
}
