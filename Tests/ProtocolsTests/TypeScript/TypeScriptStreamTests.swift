// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

/// Gives streams of packets to the generated `PacketSplitter`. The script `Peers/streams.mjs` cuts and merges them.
@Suite(.enabled(if: TypeScriptTool.isWanted, "\(TypeScriptTool.absence)"), .aside)
struct TypeScriptStreamTests {
    @Test(arguments: CompiledTypeScript.names)
    func `a stream has the same packets wherever it is torn, and an error only after them`(name: String) throws {
        let sample = try CompiledTypeScript.sample(name)
        var random = CompiledTypeScript.random
        var lines = RandomLines(sample.translator.description, using: random)
        var streams: [JSONValue] = []
        for _ in 0..<8 {
            let sender = Sender.allCases.randomElement(using: &random)!
            var packets: [[UInt8]] = []
            for _ in 0..<40 where packets.count < 4 {
                let (own, line) = lines.next()
                guard own == sender, let bytes = try? sample.translator.encode(line: line, from: sender),
                    bytes.count < 2_000
                else { continue }
                packets.append(bytes)
            }
            if !packets.isEmpty { streams.append(stream(packets, from: sender, sample.translator, using: &random)) }
        }
        let input = streams.map { "\($0)\n" }.joined()
        let output = try TypeScriptTool.run(
            TypeScriptPeer.script("streams.mjs"), [sample.script.path], input: input)
        #expect(output == "\(streams.count) streams\n", random.seedComment)
        // Some random layouts have no room for any message.
        #expect(!streams.isEmpty || sample.folder == nil)
    }

    /// Returns what the script needs: the packets, the places where the stream may end, and bytes that are no packet.
    private func stream(
        _ packets: [[UInt8]], from sender: Sender, _ translator: PacketTranslator,
        using random: inout SeededGenerator
    ) -> JSONValue {
        let context = PacketContext(from: sender)
        let all = packets.flatMap(\.self)
        let ends = (0...all.count).filter { translator.streamError(of: Array(all.prefix($0)), in: context) == nil }
        // Some change makes bytes that are refused at once; without any the stream ends well.
        var bad: [UInt8]?
        for _ in 0..<50 where bad == nil {
            var changed = packets[0]
            changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            if case .refused = translator.verdict(on: changed[...], in: context) { bad = changed }
        }
        return [
            "from": .string(sender.rawValue),
            "packets": .array(packets.map { .string(Hexadecimal.text(of: $0)) }),
            "ends": .array(ends.map { .exactInteger(Int128($0)) }),
            "bad": bad.map { .string(Hexadecimal.text(of: $0)) } ?? .null,
            "seed": .exactInteger(Int128(UInt16.random(in: 1...65_535, using: &random))),
        ]
    }

    @Test func `a packet of a mebibyte that comes byte by byte takes linear time`() throws {
        let output = try TypeScriptTool.run(
            TypeScriptPeer.script("bytewise.mjs"), [try CompiledTypeScript.sample("Scene").script.path])
        #expect(output == "linear\n")
    }
}

/// Scripts for Node beside these tests.
enum TypeScriptPeer {
    static func script(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers").appending(path: name)
    }
}
