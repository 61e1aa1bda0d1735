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
struct AdapterStreams {
    /// How many streams there are: none for some random layouts, which have no room for any message.
    let count: Int
    /// The streams, one a line.
    let input: String

    init(_ sample: AdapterSample) throws {
        let lines = try sample.source.streams.get { Self.lines(sample.source) }
        count = lines.count
        input = lines.joined()
    }

    private static func lines(_ source: AdapterProtocol) -> [String] {
        var random = AdapterSamples.random
        var lines = RandomLines(source.translator.description, using: random)
        var streams: [JSONValue] = []
        for _ in 0..<8 {
            let sender = Sender.allCases.randomElement(using: &random)!
            let layout = source.translator.description.layout
            var context = PacketContext(from: sender)
            if layout.hasStates { context.states = layout.randomStates(using: &random) }
            let first = context
            var packets: [[UInt8]] = []
            for _ in 0..<40 where packets.count < 4 {
                let (own, line) = layout.hasStates ? lines.next(in: context) : lines.next()
                guard own == sender,
                    let bytes = try? source.translator.encode(line: line, from: sender, states: context.states),
                    bytes.count < 2_000
                else { continue }
                packets.append(bytes)
                let id = try? source.translator.decode(bytes.rawSpan, in: context)["id"]
                for change in layout.stateChanges
                where change.sender == sender && id == .exactInteger(Int128(change.messageID)) {
                    context.states[change.state] = change.value
                }
            }
            if !packets.isEmpty {
                streams.append(stream(packets, from: first, to: context, source.translator, using: &random))
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
