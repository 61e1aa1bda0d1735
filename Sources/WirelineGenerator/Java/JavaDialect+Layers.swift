// SPDX-License-Identifier: Apache-2.0

/// What Java has for layers.
extension JavaDialect {
    func respelled(_ text: String) -> String {
        let words = [
            ("internal readonly ", "final "), ("static readonly ", "static final "),
            ("private readonly ", "private final "), ("internal sealed class ", "static final class "),
            ("public sealed class ", "public static final class "), ("internal override ", "@Override "),
            ("internal ", ""), ("‹", ""), ("›", ""), ("~", ""), ("COPY(", "System.arraycopy("),
            ("VARIADIC ", "Sender... "), ("(EXCEPTION)", "(Exception error)"),
        ]
        return words.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    func innerPacketsFacts(maximumDepth: Int) -> [String] {
        [
            "@Override public String messageName() { return null; }",
            "@Override public long messageId() { return id; }",
            """
            /** Who sends the first message sends them all. Packets that hold too many others have none: they may hold themselves. */
                @Override Sender messageSender() {
                    Message first = this;
                    for (int depth = 0; depth <= \(maximumDepth) && first instanceof InnerPackets; depth++) {
                        Packet[] own = ((InnerPackets) first).packets;
                        first = own == null || own.length == 0 || own[0] == null ? null : own[0].message;
                    }
                    return first == null || first instanceof InnerPackets ? null : first.messageSender();
                }
            """,
        ]
    }

    var layerInterface: String { RuntimeFile.java.text("layer") }

    func transforms(for words: Set<String>) -> [String] {
        let regions: [(words: Set<String>, region: String)] = [
            (["zlib", "deflate", "gzip"], "inflating"), (["aes_ctr"], "counted"), (["aes_cbc"], "chained"),
            (["aes_ctr", "aes_cbc"], "aes"),
        ]
        return regions.filter { !words.isDisjoint(with: $0.words) }.map { RuntimeFile.java.text($0.region) }
    }
}
