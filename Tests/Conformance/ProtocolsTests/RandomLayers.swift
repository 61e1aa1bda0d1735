// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineCodec
import WirelineSchema

extension LayeredProtocol {
    /// Protocols with random layers: any transforms in any order, with fields and the ID at any depth, and a count of the
    /// content.
    static let random: [LayeredProtocol] = {
        var random = AdapterSamples.random
        return (0..<6).compactMap { number in
            for _ in 0..<100 {
                let schema = RandomLayers(using: &random).schema
                let file = SourceFile(path: "Random\(number)/a.wire", bytes: Array(schema.utf8))
                guard ProtocolDescription.check(name: "Random\(number)", files: [file]).description != nil else {
                    continue
                }
                let plain = LayeredProtocol(
                    name: "Random\(number)", schema: schema, keys: RandomLayers.keys(of: schema), packets: [])
                guard let translator = try? plain.translator() else { continue }
                let packets = RandomLayers.packets.filter { packet in
                    guard let line = try? JSONValue(parsing: packet.line) else { return false }
                    return (try? translator.encode(line: line, from: packet.sender)) != nil
                }
                // Without packets there would be nothing to ask.
                guard !packets.isEmpty else { continue }
                return LayeredProtocol(name: plain.name, schema: schema, keys: plain.keys, packets: packets)
            }
            return nil
        }
    }()
}

/// A random schema with layers.
private struct RandomLayers {
    private(set) var schema: String

    private static let keys = [
        "word": "0102030405", "stream": "a0a1a2", "block": "000102030405060708090a0b0c0d0e0f",
        "start": "fffffffffffffffffffffffffffffffe",
    ]

    /// Returns the keys that a schema names.
    static func keys(of schema: String) -> [String: String] {
        keys.filter { schema.contains("\($0.key))") || schema.contains("\($0.key),") }
    }

    /// Without brotli, which few languages have: what needs it, only the samples by hand say.
    private static let kinds = [
        "zlib", "deflate", "gzip", "xor(word)", "rc4(stream)", "aes_ctr(block, start)",
        "aes_ctr(block, vector)", "aes_cbc(block, start)", "aes_cbc(block, vector)",
    ]

    init(using random: inout SeededGenerator) {
        func maybe(_ line: String) -> [String] { Bool.random(using: &random) ? [line] : [] }
        let count = Int.random(in: 1...4, using: &random)
        let identifier = Int.random(in: 0...count, using: &random)
        let hasPackets = Bool.random(using: &random)
        let sizes = ["@length(rest) uint16", "@length(packet) uint32", "@length(rest) @max_bytes(3) varint"]
        var lines = ["\(sizes.randomElement(using: &random)!) size;", "uint8 mode;", "@size(16) bytes vector;"]
        let counter = Bool.random(using: &random) ? Int.random(in: 0..<count, using: &random) : nil
        let ids = ["uint8", "uint16", "varint"]
        let id = "@id \(ids.randomElement(using: &random)!) id;"
        for (number, kind) in Self.kinds.shuffled(using: &random).prefix(count).enumerated() {
            if number == identifier { lines.append(id) }
            if number == counter {
                let condition = ["", "@if(mode < 64) ", "@if(mode & 1) "].randomElement(using: &random)!
                lines.append(condition + "@length(content) uint16 length;")
            }
            lines += maybe("uint8 before\(number);")
            let conditions = [
                "mode & \(1 << number)", "mode != \(number)", "not nested",
                number == counter ? "length != 0" : "mode < 200",
            ]
            let condition = conditions.randomElement(using: &random)!
            let isAlways = !hasPackets && Int.random(in: 0..<3, using: &random) == 0
            lines.append((isAlways ? "" : "@if(\(condition)) ") + "layer \(kind);")
            lines += maybe("@if(mode & \(1 << number)) uint16 after\(number);")
        }
        if identifier == count { lines.append(id) }
        if hasPackets { lines.append("@if(mode & 64) packets;") }
        lines += maybe("@if(mode & 128) opaque;")
        lines += maybe("payload;\n@checksum(crc32, size..payload) uint32 check;")
        schema = """
            \(Bool.random(using: &random) ? "option byte_order = little;" : "")
            packet {
            \(lines.joined(separator: "\n"))
            }
            @id(1) @from(both) message Say { string text; }
            @id(2) @from(both) message Sum { uint32 a; bool b; @rest uint16[] c; }
            """
    }

    /// Packets of which each schema has some.
    static let packets = Sender.allCases.flatMap { sender in
        let messages = [
            #"{"message":"Say","header":{"mode":%},"fields":{"text":"hello hello hello"}}"#,
            #"{"message":"Sum","header":{"mode":%},"fields":{"a":1,"b":true,"c":[2,3]}}"#,
        ]
        let plain = [0, 1, 2, 3, 5, 10, 15].flatMap { mode in messages.map { $0.replacing("%", with: "\(mode)") } }
        let inner = plain.prefix(3).joined(separator: ",")
        let groups = [64, 65, 66, 69, 79].map { mode in
            #"{"message":null,"id":9,"header":{"mode":\#(mode)},"packets":[\#(inner)]}"#
        }
        let nested = #"{"message":null,"id":9,"header":{"mode":64},"packets":[\#(groups[0]),\#(groups[1])]}"#
        let sealed = [128, 129, 131, 143].map { #"{"message":null,"id":7,"header":{"mode":\#($0)},"payload":"00ff"}"# }
        return (plain + groups + [nested] + sealed).map { LayeredProtocol.SamplePacket(sender, $0) }
    }
}
