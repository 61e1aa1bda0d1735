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

    var layerInterface: String {
        #"""
        /** A layer that the program gives, for what one side sends or both do. Any exception says that the bytes are damaged. */
        public interface Layer {
            /** What is inside of bytes; null if it is longer than the limit. */
            byte[] open(byte[] bytes, Header header, int limit) throws Exception;

            byte[] seal(byte[] content, Header header) throws Exception;
        }
        """#
    }

    func transforms(for words: Set<String>) -> [String] {
        var texts: [String] = []
        if !words.isDisjoint(with: ["zlib", "deflate", "gzip"]) { texts.append(JavaRuntime.inflating) }
        if words.contains("aes_ctr") { texts.append(JavaRuntime.counted) }
        if words.contains("aes_cbc") { texts.append(JavaRuntime.chained) }
        return texts + (words.isDisjoint(with: ["aes_ctr", "aes_cbc"]) ? [] : [JavaRuntime.aes])
    }
}

extension JavaRuntime {
    fileprivate static let inflating = #"""
        /** Where the last stream ended that was inflated. */
        private int after = 0;

        /** The content of a stream of deflate; no more than the limit is made. */
        private byte[] inflate(byte[] b, int from, int n) throws WireException {
            java.util.zip.Inflater inflater = new java.util.zip.Inflater(true);
            try {
                inflater.setInput(b, from, b.length - from);
                byte[] content = new byte[(int) Math.min(left + 1L, 4L * (b.length - from) + 64)];
                int count = 0;
                while (!inflater.finished()) {
                    if (count == content.length) content = java.util.Arrays.copyOf(content, (int) Math.min(left + 1L, 2L * count));
                    int made = inflater.inflate(content, count, content.length - count);
                    count += made;
                    if (count > left) throw refused("inflated_too_long", n);
                    if (made == 0 && !inflater.finished()) throw refused("invalid_layer", n);
                }
                after = b.length - inflater.getRemaining();
                return cut(content, 0, count);
            } catch (java.util.zip.DataFormatException error) {
                throw refused("invalid_layer", n);
            } finally {
                inflater.end();
            }
        }

        private byte[] deflate(byte[] b, int n) throws WireException {
            java.util.zip.Deflater deflater = new java.util.zip.Deflater(java.util.zip.Deflater.DEFAULT_COMPRESSION, true);
            try {
                deflater.setInput(b);
                deflater.finish();
                byte[] made = new byte[b.length / 2 + 64];
                int count = 0;
                while (!deflater.finished()) {
                    if (count == made.length) made = java.util.Arrays.copyOf(made, 2 * count);
                    count += deflater.deflate(made, count, made.length - count);
                }
                return cut(made, 0, count);
            } finally {
                deflater.end();
            }
        }
        """#

    fileprivate static let aes = #"""
        private static byte[] aes(String mode, int direction, byte[] key, byte[] start, byte[] b, int n) throws WireException {
            try {
                javax.crypto.Cipher cipher = javax.crypto.Cipher.getInstance("AES/" + mode + "/NoPadding");
                cipher.init(direction, new javax.crypto.spec.SecretKeySpec(key, "AES"), new javax.crypto.spec.IvParameterSpec(start));
                return cipher.doFinal(b);
            } catch (java.security.GeneralSecurityException error) {
                throw new WireException("layer_unavailable", layerNames[n], "this platform has no AES");
            }
        }
        """#

    fileprivate static let counted = #"""
        private static byte[] counted(byte[] key, byte[] start, byte[] b, int n) throws WireException {
            return aes("CTR", javax.crypto.Cipher.ENCRYPT_MODE, key, start, b, n);
        }
        """#

    fileprivate static let chained = #"""
        private static byte[] chained(boolean isSealing, byte[] key, byte[] start, byte[] b, int n) throws WireException {
            return aes("CBC", isSealing ? javax.crypto.Cipher.ENCRYPT_MODE : javax.crypto.Cipher.DECRYPT_MODE, key, start, b, n);
        }
        """#
}
