// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// What C# has for layers.
extension CSharpDialect {
    func respelled(_ text: String) -> String {
        let words = [
            (" throws WireException", ""), (" extends ", " : "), ("VARIADIC ", "params Sender[] "),
            ("(EXCEPTION)", "(System.Exception)"), ("(byte) ", "(byte)"), ("(int) ", "(int)"),
        ]
        let lines = words.reduce(text) { $0.replacing($1.0, with: $1.1) }.split(
            separator: "\n", omittingEmptySubsequences: false
        ).map(Self.respelled(line:))
        // These members are no functions here, and that of an array is none of ours.
        let members = [
            ("COPY(", "System.Buffer.BlockCopy("), ("MessageName()", "MessageName"), ("MessageId()", "MessageId"),
        ]
        return members.reduce(lines.joined(separator: "\n")) { $0.replacing($1.0, with: $1.1) }
    }

    private static let statements: Set<String> = ["if", "for", "while", "switch", "catch", "return"]
    private static let own = ["boolean": "bool", "String": "string", "instanceof": "is"]

    /// Returns a line in which functions and what programs see begin with a capital.
    private static func respelled(line: Substring) -> String {
        if let start = line.firstRange(of: "/** "), line.hasSuffix(" */") {
            return "\(line[..<start.lowerBound])/// <summary>\(line[start.upperBound...].dropLast(3))</summary>"
        }
        var result = ""
        var rest = line
        while let first = rest.first {
            if first == "\"" {
                let end = rest.dropFirst().firstIndex(of: "\"").map { rest.index(after: $0) } ?? rest.endIndex
                result += rest[..<end]
                rest = rest[end...]
                continue
            }
            if rest.hasPrefix("//") { return result + rest }
            let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            if word.isEmpty {
                if first == "~" { result += "Packets." } else if first != "‹", first != "›" { result.append(first) }
                rest = rest.dropFirst()
                continue
            }
            rest = rest[word.endIndex...]
            let isFunction = rest.first == "(" && !statements.contains(String(word))
            let isMember = rest.first == "›" || word == "length" && result.last == "."
            result += isFunction || isMember ? capitalized(String(word)) : own[String(word)] ?? String(word)
        }
        return result
    }

    func innerPacketsFacts(maximumDepth: Int) -> [String] {
        [
            "public override string MessageName { get { return null; } }",
            "public override ulong MessageId { get { return Id; } }",
            """
            /// <summary>Who sends the first message sends them all. Packets that hold too many others have none: they may hold themselves.</summary>
                internal override Sender? MessageSender {
                    get {
                        Message first = this;
                        for (int depth = 0; depth <= \(maximumDepth) && first is InnerPackets; depth++) {
                            Packet[] own = ((InnerPackets)first).Packets;
                            first = own == null || own.Length == 0 || own[0] == null ? null : own[0].Message;
                        }
                        return first == null || first is InnerPackets ? null : first.MessageSender;
                    }
                }
            """,
        ]
    }

    var layerInterface: String { RuntimeFile.cSharp.text("layer") }

    func transforms(for words: Set<String>) -> [String] {
        let regions: [(words: Set<String>, region: String)] = [
            (["zlib", "deflate", "gzip"], "inflating"), (["aes_ctr"], "counted"), (["aes_cbc"], "chained"),
            (["aes_ctr", "aes_cbc"], "aes"),
        ]
        return regions.filter { !words.isDisjoint(with: $0.words) }.map { RuntimeFile.cSharp.text($0.region) }
    }
}
