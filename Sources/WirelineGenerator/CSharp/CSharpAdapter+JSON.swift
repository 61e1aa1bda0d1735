// SPDX-License-Identifier: Apache-2.0

extension CSharpAdapter {
    /// What reads and prints JSON.
    static let json = #"""
        // JSON, in which integers have all digits

        private static MAP Map(object v) { return (MAP)v; }

        private static LIST List(object v) { return (LIST)v; }

        private static object Member(MAP map, string name, object usual) {
            object value;
            return map.TryGetValue(name, out value) ? value : usual;
        }

        private sealed class Parser {
            private readonly string text;
            private int p = 0;

            internal Parser(string all) { text = all; }

            private char Peek() {
                while (text[p] <= ' ') p++;
                return text[p];
            }

            private bool Next(char mark) {
                if (Peek() != mark) return false;
                p++;
                return true;
            }

            internal object Parsed() {
                char c = Peek();
                if (c == '{') {
                    var members = new MAP();
                    for (p++; !Next('}'); Next(',')) {
                        string key = String();
                        if (!Next(':')) throw new System.FormatException();
                        members[key] = Parsed();
                    }
                    return members;
                }
                if (c == '[') {
                    var items = new LIST();
                    for (p++; !Next(']'); Next(',')) items.Add(Parsed());
                    return items;
                }
                if (c == '"') return String();
                int from = p;
                while (p < text.Length && "{}[],: \t\r\n".IndexOf(text[p]) < 0) p++;
                string word = text.Substring(from, p - from);
                if (word == "null") return null;
                if (word == "true" || word == "false") return word == "true";
                if (word.IndexOfAny(new[] { '.', 'e', 'E' }) < 0 && word.Length < 28) return Value(word);
                return Float(word);
            }

            private string String() {
                if (!Next('"')) throw new System.FormatException();
                var value = new System.Text.StringBuilder();
                for (char c; (c = text[p++]) != '"';) {
                    if (c != '\\') {
                        value.Append(c);
                        continue;
                    }
                    c = text[p++];
                    int escape = "bfnrt".IndexOf(c);
                    if (c == 'u') {
                        value.Append((char)System.Convert.ToUInt16(text.Substring(p, 4), 16));
                        p += 4;
                    } else {
                        value.Append(escape < 0 ? c : "\b\f\n\r\t"[escape]);
                    }
                }
                return value.ToString();
            }
        }

        private static string Print(object v) {
            var text = new System.Text.StringBuilder();
            Print(v, text);
            return text.ToString();
        }

        private static void Print(object v, System.Text.StringBuilder text) {
            if (v is MAP) {
                string mark = "{";
                foreach (var member in Map(v)) {
                    text.Append(mark);
                    mark = ",";
                    Print(member.Key, text);
                    text.Append(':');
                    Print(member.Value, text);
                }
                text.Append(mark == "{" ? "{}" : "}");
            } else if (v is LIST) {
                string mark = "[";
                foreach (object item in List(v)) {
                    text.Append(mark);
                    mark = ",";
                    Print(item, text);
                }
                text.Append(mark == "[" ? "[]" : "]");
            } else if (v is string || v is decimal && System.Math.Abs((decimal)v) > 9007199254740991m) {
                text.Append('"');
                foreach (char c in System.Convert.ToString(v, System.Globalization.CultureInfo.InvariantCulture)) {
                    if (c < ' ' || c == '"' || c == '\\') text.Append("\\u").Append(((int)c).ToString("x4"));
                    else text.Append(c);
                }
                text.Append('"');
            } else if (v is double) {
                text.Append(Digits((double)v));
            } else {
                text.Append(v == null ? "null" : v is bool ? ((bool)v ? "true" : "false") : System.Convert.ToString(v, System.Globalization.CultureInfo.InvariantCulture));
            }
        }
        """#
}
