// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// What C# has for layers.
extension CSharpDialect {
    func respelled(_ text: String) -> String {
        let words = [
            (" throws WireException", ""), (" extends ", " : "), ("boolean", "bool"), ("String", "string"),
            (".length", ".Length"), ("instanceof", "is"), ("VARIADIC ", "params Sender[] "),
            ("EXCEPTION", "System.Exception"), ("(byte) ", "(byte)"), ("(int) ", "(int)"),
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
            result += isFunction || result.isEmpty == false && rest.first == "›" ? capitalized(String(word)) : String(word)
        }
        return result
    }

    var innerPacketsFacts: [String] {
        [
            "public override string MessageName { get { return null; } }",
            "public override ulong MessageId { get { return Id; } }",
            """
            /// <summary>Who sends the first packet sends them all.</summary>
                internal override Sender? MessageSender {
                    get {
                        bool isKnown = Packets != null && Packets.Length > 0 && Packets[0] != null && Packets[0].Message != null;
                        return isKnown ? Packets[0].Message.MessageSender : null;
                    }
                }
            """,
        ]
    }

    var layerInterface: String {
        #"""
        /// <summary>A layer that the program gives, for what one side sends or both do. Any exception says that the bytes are damaged.</summary>
        public interface ILayer {
            /// <summary>What is inside of bytes; null if it is longer than the limit.</summary>
            byte[] Open(byte[] bytes, Header header, int limit);

            byte[] Seal(byte[] content, Header header);
        }
        """#
    }

    func transforms(for words: Set<String>) -> [String] {
        var texts: [String] = []
        if !words.isDisjoint(with: ["zlib", "deflate", "gzip"]) { texts.append(CSharpRuntime.inflating) }
        if words.contains("aes_ctr") { texts.append(CSharpRuntime.counted) }
        if words.contains("aes_cbc") { texts.append(CSharpRuntime.chained) }
        return texts + (words.isDisjoint(with: ["aes_ctr", "aes_cbc"]) ? [] : [CSharpRuntime.aes])
    }
}

extension CSharpRuntime {
    static let inflating = ""
    static let counted = ""
    static let chained = ""
    static let aes = ""
}
