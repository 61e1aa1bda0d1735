// SPDX-License-Identifier: Apache-2.0

extension JavaAdapter {
    /// What reads and prints JSON.
    static let json = #"""
        // JSON, in which objects keep the order of their members, and integers all digits

        @SuppressWarnings("unchecked")
        private static Map<String, Object> map(Object v) { return (Map<String, Object>) v; }

        @SuppressWarnings("unchecked")
        private static List<Object> list(Object v) { return (List<Object>) v; }

        private static final class Parser {
            private final String text;
            private int p;

            Parser(String text) { this.text = text; }

            private char peek() {
                while (text.charAt(p) <= ' ') p++;
                return text.charAt(p);
            }

            private boolean next(char mark) {
                if (peek() != mark) return false;
                p++;
                return true;
            }

            Object parsed() {
                char c = peek();
                if (c == '{') {
                    Map<String, Object> members = new LinkedHashMap<>();
                    for (p++; !next('}'); next(',')) {
                        String key = string();
                        if (!next(':')) throw new IllegalArgumentException("no JSON");
                        members.put(key, parsed());
                    }
                    return members;
                }
                if (c == '[') {
                    List<Object> items = new ArrayList<>();
                    for (p++; !next(']'); next(',')) items.add(parsed());
                    return items;
                }
                if (c == '"') return string();
                int from = p;
                while (p < text.length() && "{}[],: \t\r\n".indexOf(text.charAt(p)) < 0) p++;
                String word = text.substring(from, p);
                if (word.equals("null")) return null;
                if (word.equals("true") || word.equals("false")) return word.equals("true");
                return word.matches("-?[0-9]+") ? new BigInteger(word) : (Object) Double.valueOf(word);
            }

            private String string() {
                if (!next('"')) throw new IllegalArgumentException("no JSON");
                StringBuilder value = new StringBuilder();
                for (char c; (c = text.charAt(p++)) != '"';) {
                    if (c != '\\') {
                        value.append(c);
                        continue;
                    }
                    c = text.charAt(p++);
                    int escape = "bfnrt".indexOf(c);
                    if (c == 'u') {
                        value.append((char) Integer.parseInt(text.substring(p, p + 4), 16));
                        p += 4;
                    } else {
                        value.append(escape < 0 ? c : "\b\f\n\r\t".charAt(escape));
                    }
                }
                return value.toString();
            }
        }

        private static final BigInteger SAFE = BigInteger.ONE.shiftLeft(53).subtract(BigInteger.ONE);

        private static String print(Object v) {
            StringBuilder text = new StringBuilder();
            print(v, text);
            return text.toString();
        }

        private static void print(Object v, StringBuilder text) {
            if (v instanceof Map) {
                String mark = "{";
                for (Map.Entry<String, Object> member : map(v).entrySet()) {
                    text.append(mark);
                    mark = ",";
                    print(member.getKey(), text);
                    text.append(':');
                    print(member.getValue(), text);
                }
                text.append(mark.equals("{") ? "{}" : "}");
            } else if (v instanceof List) {
                String mark = "[";
                for (Object item : list(v)) {
                    text.append(mark);
                    mark = ",";
                    print(item, text);
                }
                text.append(mark.equals("[") ? "[]" : "]");
            } else if (v instanceof String || v instanceof BigInteger && ((BigInteger) v).abs().compareTo(SAFE) > 0) {
                text.append('"');
                for (char c : v.toString().toCharArray()) {
                    if (c < ' ' || c == '"' || c == '\\') text.append(String.format("\\u%04x", (int) c));
                    else text.append(c);
                }
                text.append('"');
            } else {
                text.append(v);
            }
        }
        """#
}
