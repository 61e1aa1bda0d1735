// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineCodec
import WirelineLayers
import WirelineSchema

/// A conversation that generated code reads, and writes again.
struct LayeredConversation {
    private let translator: PacketTranslator
    private let keys: JSONValue
    private var packets: [RandomConversation.Packet] = []
    /// The lines of the packets, as Swift reads them.
    private var lines: [JSONValue] = []
    /// The packet that ends the conversation because it is refused, and the error; nil if none is.
    private var bad: (packet: RandomConversation.Packet, error: CodecError)?

    private init(_ sample: LayeredProtocol, _ all: [RandomConversation.Packet]) throws {
        translator = try sample.translator()
        keys = .object(sample.keys.map { JSONValue.Member($0.key, .string($0.value)) })
        let opened = OpenedConversation(translator)
        for packet in all {
            do throws(CodecError) {
                let line = try Self.next(packet.bytes, packet.context.sender, opened, translator)
                // Few languages have brotli. The protocols that have it have no keystreams, which go on.
                if "\(line)".contains("\"brotli\"") { continue }
                lines.append(line)
                packets.append(packet)
            } catch {
                bad = (packet, error)
                return
            }
        }
    }

    /// Random conversations. The program prints for each one what it has written again.
    static func exam(of sample: LayeredProtocol) throws -> Exam {
        var random = AdapterSamples.random
        let conversations = try (0..<Depth.rounds(2)).map { _ in
            try LayeredConversation(sample, RandomConversation.make(of: sample, count: 20, using: &random))
        }
        let input = conversations.map { "\($0.input(seed: Int.random(in: 1...65_535, using: &random)))\n" }.joined()
        return Exam(input: input) { output in
            let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            guard lines.count == conversations.count else {
                return ["\(lines.count) of \(conversations.count) lines: \(output)"]
            }
            return try zip(conversations, lines).flatMap { conversation, line in
                try conversation.differences(to: line.split(separator: " ").map(String.init))
            }
        }
    }

    private static func next(
        _ bytes: [UInt8], _ sender: Sender, _ opened: OpenedConversation, _ translator: PacketTranslator
    ) throws(CodecError) -> JSONValue {
        opened.receive(bytes, from: sender)
        guard let packet = try opened.next(from: sender) else { return .null }
        return try translator.line(of: packet.opened, .from(sender))
    }

    /// Returns the line for the script.
    private func input(seed: Int) -> JSONValue {
        [
            "keys": keys, "seed": .exactInteger(Int128(seed)), "packets": .array(packets.map(Self.json)),
            "bad": bad.map { Self.json($0.packet) } ?? .null,
        ]
    }

    private static func json(_ packet: RandomConversation.Packet) -> JSONValue {
        [
            "from": .string(packet.context.sender.rawValue), "hex": .string(Hexadecimal.text(of: packet.bytes)),
        ]
    }

    /// Returns the packets that mean something else than the ones that were read, and another error than Swift's.
    ///
    /// - Parameter answer: The packets, as the code has written them; at last the error if there is one.
    private func differences(to answer: [String]) throws -> [String] {
        let written = answer.prefix(packets.count)
        let error = bad.map { "\($0.error.reason.kind),\($0.error.path),\($0.error.offset ?? -1)" }
        // A packet inside of brotli cannot be refused for what Swift sees there.
        let hasBrotli = translator.description.layout.content.layers.contains { $0.kind == .brotli }
        if hasBrotli, let last = answer.last, last.hasPrefix("layer_unavailable,"), last.hasSuffix("packet.brotli,-1") {
            return []
        }
        guard answer.dropFirst(packets.count) == ArraySlice([error].compactMap(\.self)) else {
            return ["\(answer.dropFirst(packets.count)) instead of \(error ?? "no error")"]
        }
        let opened = OpenedConversation(translator)
        return try zip(zip(packets, lines), written).compactMap { item, hex in
            let line = try Self.next(Hexadecimal.bytes(of: hex), item.0.context.sender, opened, translator)
            return translator.differenceOfSealed(item.1, line).map { "\(item.1) is written as \(line): \($0)" }
        }
    }
}

extension PacketTranslator {
    /// Returns a difference between the lines of two packets; those of different compressors need not have the same lengths.
    func differenceOfSealed(_ line: JSONValue, _ other: JSONValue) -> String? {
        let isCompressed = description.layout.content.isCompressed
        let lines = isCompressed ? (withoutSizes(line), withoutSizes(other)) : (line, other)
        return LineComparison(self).difference(lines.0, lines.1).map { "\($0)" }
    }

    /// Returns the line of a packet without lengths and checksums, which count sealed bytes.
    private func withoutSizes(_ line: JSONValue) -> JSONValue {
        guard case .object(let members) = line else { return line }
        let settable = description.layout.fields.filter(description.layout.isSettable).map(\.name)
        return .object(
            members.map { member in
                switch (member.name, member.value) {
                case ("header", .object(let fields)):
                    JSONValue.Member("header", .object(fields.filter { settable.contains($0.name) }))
                case ("packets", .array(let packets)): JSONValue.Member("packets", .array(packets.map(withoutSizes)))
                default: member
                }
            })
    }
}
