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

    var layerInterface: String {
        #"""
        /// <summary>A layer that the program gives, for what one side sends or both do. Any exception says that the bytes are damaged.</summary>
        public abstract class Layer {
            /// <summary>What is inside of bytes; null if it is longer than the limit.</summary>
            public abstract byte[] Open(byte[] bytes, Header header, int limit);

            public abstract byte[] Seal(byte[] content, Header header);
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
    fileprivate static let inflating = #"""
        /// <summary>Bytes for a stream: some at once, the others one by one, so that it is known where the stream ends among them.</summary>
        private sealed class Pieces : System.IO.Stream {
            private readonly byte[] b;
            private readonly int together;
            private int p;
            /// <summary>Whether the last read asked for more bytes than there are.</summary>
            internal bool isOver = false;

            internal Pieces(byte[] bytes, int from, int end) {
                b = bytes;
                p = from;
                together = end;
            }

            public override bool CanRead { get { return true; } }

            public override bool CanSeek { get { return false; } }

            public override bool CanWrite { get { return false; } }

            public override long Length { get { return b.Length; } }

            public override long Position { get { return p; } set { throw new System.NotSupportedException(); } }

            public override void Flush() {}

            public override int Read(byte[] buffer, int offset, int count) {
                int n = System.Math.Min(count, p < together ? together - p : System.Math.Min(1, b.Length - p));
                if (p == b.Length) isOver = true;
                System.Buffer.BlockCopy(b, p, buffer, offset, n);
                p += n;
                return n;
            }

            public override long Seek(long offset, System.IO.SeekOrigin origin) { throw new System.NotSupportedException(); }

            public override void SetLength(long value) { throw new System.NotSupportedException(); }

            public override void Write(byte[] buffer, int offset, int count) { throw new System.NotSupportedException(); }
        }

        /// <summary>Where the last stream ended that was inflated.</summary>
        private int after = 0;

        /// <summary>The content of a stream of deflate; no more than the limit is made.</summary>
        private byte[] Inflate(byte[] b, int from, int n) {
            // No more than eight bytes follow a whole stream.
            int together = System.Math.Max(from, b.Length - 10);
            int size = (int)System.Math.Min(left + 1L, 4L * (b.Length - from) + 64);
            byte[] content = Inflated(b, from, together, size, n);
            // A full buffer makes some platforms ask for bytes after the stream. One that has room tells where the stream ends.
            if (content.Length >= size) content = Inflated(b, from, together, content.Length + 1, n);
            return together == from || after > together ? content : Inflated(b, from, from, content.Length + 1, n);
        }

        private byte[] Inflated(byte[] b, int from, int together, int size, int n) {
            var pieces = new Pieces(b, from, together);
            var content = new byte[size];
            int count = 0;
            try {
                using (var stream = new System.IO.Compression.DeflateStream(pieces, System.IO.Compression.CompressionMode.Decompress)) {
                    for (int made = 1; made > 0; count += made) {
                        if (count == content.Length) System.Array.Resize(ref content, (int)System.Math.Min(left + 1L, 2L * count));
                        pieces.isOver = false;
                        made = stream.Read(content, count, content.Length - count);
                        if (count + made > left) throw Refused("inflated_too_long", n);
                    }
                }
            } catch (System.IO.InvalidDataException) {
                throw Refused("invalid_layer", n);
            } catch (System.IO.IOException) {
                throw Refused("invalid_layer", n);
            }
            if (pieces.isOver) throw Refused("invalid_layer", n);
            after = (int)pieces.Position;
            return Cut(content, 0, count);
        }

        private static byte[] Deflate(byte[] b, int n) {
            // Nothing at all would be written of no bytes.
            if (b.Length == 0) return new byte[] {3, 0};
            using (var made = new System.IO.MemoryStream()) {
                using (var stream = new System.IO.Compression.DeflateStream(made, System.IO.Compression.CompressionMode.Compress, true)) {
                    stream.Write(b, 0, b.Length);
                }
                return made.ToArray();
            }
        }
        """#

    fileprivate static let aes = #"""
        private static byte[] Blocks(System.Security.Cryptography.CipherMode mode, bool isSealing, byte[] key, byte[] start, byte[] b) {
            using (System.Security.Cryptography.Aes aes = System.Security.Cryptography.Aes.Create()) {
                aes.Mode = mode;
                aes.Padding = System.Security.Cryptography.PaddingMode.None;
                aes.Key = key;
                aes.IV = start;
                using (System.Security.Cryptography.ICryptoTransform blocks = isSealing ? aes.CreateEncryptor() : aes.CreateDecryptor()) {
                    return blocks.TransformFinalBlock(b, 0, b.Length);
                }
            }
        }
        """#

    fileprivate static let counted = #"""
        private static byte[] Counted(byte[] key, byte[] start, byte[] b, int n) {
            var counters = new byte[(b.Length + 15) / 16 * 16];
            var next = Cut(start, 0, 16);
            for (int p = 0; p < counters.Length; p += 16) {
                System.Buffer.BlockCopy(next, 0, counters, p, 16);
                for (int i = 15; i >= 0 && ++next[i] == 0; i--) {}
            }
            byte[] made = Blocks(System.Security.Cryptography.CipherMode.ECB, true, key, start, counters);
            for (int i = 0; i < b.Length; i++) made[i] ^= b[i];
            return Cut(made, 0, b.Length);
        }
        """#

    fileprivate static let chained = #"""
        private static byte[] Chained(bool isSealing, byte[] key, byte[] start, byte[] b, int n) {
            return Blocks(System.Security.Cryptography.CipherMode.CBC, isSealing, key, start, b);
        }
        """#
}
