// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import TestingSupport
import WirelineCodec
import WirelineSchema

/// Streams of a sample's packets, which a script in the language cuts, merges and ends everywhere, and gives to the generated splitter.
///
/// Each stream is a line of JSON:
///
///     {"from":"client","state":{"phase":1},"packets":["00…"],"ends":[0,15],"bad":"00…","seed":7}
///
/// The states are those before the first packet; without any the protocol has none. It may end at the places `ends`. The bytes `bad` are refused at once; without any it is null. The seed is for random pieces.
enum SampleStreams {
    static func exam(of sample: LanguageSample) -> Exam {
        let lines = lines(sample.description)
        // Some random layouts have no room for any message.
        let isEmpty = lines.isEmpty && sample.folder != nil
        let expected = isEmpty ? "at least one stream" : "\(lines.count) streams\n"
        return Exam(input: lines.joined()) { output in output == expected ? [] : ["not \(expected): \(output)"] }
    }

    private static func lines(_ description: ProtocolDescription) -> [String] {
        var random = AdapterSamples.random
        let translator = PacketTranslator(description)
        var lines = RandomLines(description, using: random)
        var streams: [JSONValue] = []
        for _ in 0..<(Depth.isDeep ? 8 : 4) {
            let sender = Sender.allCases.randomElement(using: &random)!
            let layout = description.layout
            var context = PacketContext(from: sender)
            if layout.hasStates { context.states = layout.randomStates(using: &random) }
            let first = context
            var packets: [[UInt8]] = []
            for _ in 0..<40 where packets.count < 4 {
                let (own, line) = layout.hasStates ? lines.next(in: context) : lines.next()
                guard own == sender,
                    let bytes = try? translator.encode(line: line, from: sender, states: context.states),
                    bytes.count < Depth.count(300, deep: 2_000)
                else { continue }
                packets.append(bytes)
                let id = try? translator.decode(bytes.rawSpan, in: context)["id"]
                for change in layout.stateChanges
                where change.sender == sender && id == .exactInteger(Int128(change.messageID)) {
                    context.states[change.state] = change.value
                }
            }
            if !packets.isEmpty {
                streams.append(stream(packets, from: first, to: context, translator, using: &random))
            }
        }
        return streams.map { "\($0)\n" }
    }

    private static func stream(
        _ packets: [[UInt8]], from context: PacketContext, to last: PacketContext, _ translator: PacketTranslator,
        using random: inout SeededGenerator
    ) -> JSONValue {
        let all = packets.flatMap(\.self)
        let ends = (0...all.count).filter { translator.streamError(of: Array(all.prefix($0)), in: context) == nil }
        // Some change makes bytes that are refused at once; without any the stream ends well.
        var bad: [UInt8]?
        for _ in 0..<50 where bad == nil {
            var changed = packets[0]
            changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            if case .refused = translator.verdict(on: changed[...], in: last) { bad = changed }
        }
        return [
            "from": .string(context.sender.rawValue),
            "state": translator.description.layout.hasStates ? context.states.json : .null,
            "packets": .array(packets.map { .string(Hexadecimal.text(of: $0)) }),
            "ends": .array(ends.map { .exactInteger(Int128($0)) }),
            "bad": bad.map { .string(Hexadecimal.text(of: $0)) } ?? .null,
            "seed": .exactInteger(Int128(UInt16.random(in: 1...65_535, using: &random))),
        ]
    }
}
