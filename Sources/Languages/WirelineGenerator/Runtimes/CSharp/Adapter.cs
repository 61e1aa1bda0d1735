// SPDX-License-Identifier: Apache-2.0

using LIST = System.Collections.Generic.List<object>;
using MAP = System.Collections.Generic.Dictionary<string, object>;

// Asks generated C# on behalf of `wire conform`: it converts JSON to messages and back, by reflection. For its marks see Runtime.cs,
// beside which it is complete.
namespace Runtime {
    internal static class Adapter {
        private const string LAYER_NAME = "";
        private static readonly MAP Tables = new MAP();
        private const string Prefix = "Runtime.";

        // #region all
        // #region connection
        private static byte[] Encoded(Message message, Header header, Sender sender) {
            return Wire.Encode(message, header, sender, connection);
        }

        // #region program
        /// <summary>A layer that this program does not have.</summary>
        private sealed class Absent : Layer {
            public override byte[] Open(byte[] bytes, Header header, int limit) { throw new WireException("absent", "", -1); }

            public override byte[] Seal(byte[] content, Header header) { throw new WireException("absent", "", -1); }
        }

        // #endregion
        private static Connection connection;

        private static Connection MakeConnection(MAP request) {
            var made = new Connection();
            // #region keys
            foreach (System.Collections.Generic.KeyValuePair<string, object> key in Map(Member(request, "keys", new MAP()))) {
                bool isOfServer = key.Key.StartsWith("server.", System.StringComparison.Ordinal);
                bool isOfOne = isOfServer || key.Key.StartsWith("client.", System.StringComparison.Ordinal);
                Sender[] senders = isOfOne ? new[] {isOfServer ? Sender.Server : Sender.Client} : new Sender[0];
                made.SetKey(key.Key.Substring(isOfOne ? 7 : 0), Unhexed(key.Value, ""), senders);
            }
            // #endregion
            // #region program
            // #region each
            made.SetLayer(LAYER_NAME, new Absent());
            // #endregion
            // #endregion
            object states = Member(request, "state", null);
            if (states == null) return made;
            foreach (object item in List(Tables["states"])) {
                object v = Member(Map(states), (string)Map(item)["name"], null);
                System.Reflection.FieldInfo member = Field(made, Map(item)["own"]);
                if (v == null) continue;
                System.Type type = member.FieldType;
                if (type == typeof(bool)) member.SetValue(made, v.Equals(true) || v.ToString() == "1");
                else if (type.IsEnum) member.SetValue(made, System.Enum.ToObject(type, Integer(v, System.Enum.GetUnderlyingType(type), true, "state")));
                else member.SetValue(made, Integer(v, type, true, "state"));
            }
            return made;
        }
        // #endregion
        // #region !connection
        //| /// <summary>It is used again for each packet, also after errors.</summary>
        //| private static readonly PacketWriter Writer = new PacketWriter();

        //| private static byte[] Encoded(Message message, Header header, Sender sender) {
            // #region sender
            //| Wire.Encode(message, header, sender, Writer);
            // #endregion
            // #region !sender
            //| Wire.Encode(message, header, Writer);
            // #endregion
            //| var written = new byte[Writer.Count];
            //| System.Buffer.BlockCopy(Writer.Bytes, Writer.Offset, written, 0, written.Length);
            // #region sender
            //| byte[] packet = Wire.Encode(message, header, sender);
            // #endregion
            // #region !sender
            //| byte[] packet = Wire.Encode(message, header);
            // #endregion
            //| bool isSame = Hexed(written) == Hexed(packet);
            //| if (!isSame) throw new System.InvalidOperationException("a writer has made another packet");
            //| return packet;
        //| }
        // #endregion

        private sealed class Refused : System.Exception {
            internal readonly string Kind;
            internal readonly string Where;

            internal Refused(string kind, string where) : base(kind) {
                Kind = kind;
                Where = where;
            }
        }

        private static void Main() {
            System.Text.Encoding utf8 = new System.Text.UTF8Encoding(false);
            var input = new System.IO.StreamReader(System.Console.OpenStandardInput(), utf8);
            var output = new System.IO.StreamWriter(System.Console.OpenStandardOutput(), utf8);
            for (string line; (line = input.ReadLine()) != null;) {
                output.Write(Reply(line) + "\n");
                output.Flush();
            }
        }

        private static string Reply(string line) {
            var answer = new MAP();
            MAP request;
            try {
                request = Map(new Parser(line).Parsed());
            } catch (System.Exception) {
                answer["id"] = null;
                answer["reply"] = "skip";
                return Print(answer);
            }
            answer["id"] = Member(request, "id", null);
            try {
                Answer(request, answer);
            } catch (Refused error) {
                answer["reply"] = "error";
                answer["error"] = error.Kind;
                answer["field"] = error.Where;
            } catch (WireException error) {
                answer["reply"] = error.Kind == "absent" ? "skip" : "error";
                answer["error"] = error.Kind;
                if (error.Path != "") answer["field"] = error.Path;
                if (error.Offset >= 0) answer["offset"] = (decimal)error.Offset;
                answer["text"] = error.Message;
            }
            return Print(answer);
        }

        private static void Answer(MAP request, MAP answer) {
            Sender sender = "server".Equals(Member(request, "from", null)) ? Sender.Server : Sender.Client;
            // #region connection
            connection = MakeConnection(request);
            // #endregion
            if ("decode".Equals(Member(request, "ask", null))) {
                byte[] bytes = Unhexed(Member(request, "hex", ""), "");
                // #region connection
                Packet packet = Wire.Decode(bytes, sender, connection);
                // #endregion
                // #region !connection
                //| Packet packet = Wire.Decode(bytes, sender);
                // #endregion
                answer["reply"] = packet == null ? "more" : "ok";
                if (packet == null) return;
                answer["count"] = (decimal)packet.ByteCount;
                answer["line"] = Line(packet);
            } else if ("encode".Equals(Member(request, "ask", null))) {
                answer["reply"] = "ok";
                answer["hex"] = Hexed(Encode(Map(request["line"]), sender));
            } else {
                answer["reply"] = "skip";
            }
        }

        // Messages to JSON

        private static MAP Line(Packet packet) {
            MAP line = new MAP(), header = new MAP();
            line["message"] = packet.Message.MessageName;
            line["id"] = (decimal)packet.Message.MessageId;
            foreach (object item in List(Tables["header"])) {
                object value = Get(packet.Header, Map(item)["own"]);
                if (value != null) header[(string)Map(item)["name"]] = Show(Map(item)["type"], value);
            }
            line["header"] = header;
            // #region packets
            var group = packet.Message as InnerPackets;
            if (group != null) {
                var packets = new LIST();
                foreach (Packet inner in group.Packets) packets.Add(Line(inner));
                line["packets"] = packets;
                return line;
            }
            // #endregion
            var unknown = packet.Message as UnknownMessage;
            if (unknown != null) {
                line["payload"] = Hexed(unknown.Payload);
                return line;
            }
            MAP known = Known(packet.Message.MessageName);
            line["fields"] = Fields(List(known["fields"]), packet.Message);
            object trailing = known["trailing"] == null ? null : Get(packet.Message, known["trailing"]);
            if (trailing != null) line["trailing"] = Hexed((byte[])trailing);
            return line;
        }

        private static MAP Known(object name) {
            foreach (object item in List(Tables["messages"])) {
                if (Map(item)["name"].Equals(name) || Map(item)["other"].Equals(name)) return Map(item);
            }
            return null;
        }

        private static System.Reflection.FieldInfo Field(object of, object own) { return of.GetType().GetField((string)own); }

        private static object Get(object of, object own) { return Field(of, own).GetValue(of); }

        private static MAP Fields(LIST fields, object of) {
            var shown = new MAP();
            foreach (object item in fields) {
                object value = Get(of, Map(item)["own"]);
                if (value != null) shown[(string)Map(item)["name"]] = Show(Map(item)["type"], value);
            }
            return shown;
        }

        private static decimal Number(object v) {
            if (v is System.Enum) v = System.Convert.ChangeType(v, System.Enum.GetUnderlyingType(v.GetType()));
            return System.Convert.ToDecimal(v);
        }

        private static MAP Table(string name, object index) { return Map(List(Tables[name])[(int)Value(index)]); }

        private static object Show(object type, object v) {
            var kind = type as MAP;
            if (kind != null) {
                if (kind.ContainsKey("list")) {
                    var items = new LIST();
                    foreach (object item in (System.Array)v) items.Add(Show(kind["list"], item));
                    return items;
                }
                if (kind.ContainsKey("structure")) return Fields(List(Table("structures", kind["structure"])["fields"]), v);
                if (kind.ContainsKey("enum")) return CaseName(Table("enumerations", kind["enum"]), Number(v));
                if (kind.ContainsKey("flags")) return FlagNames(Table("flags", kind["flags"]), Number(v));
                return Arm(Table("unions", kind["union"]), v);
            }
            switch ((string)type) {
                case "integer": case "wide": return Number(v);
                case "float32": case "float64":
                    double number = System.Convert.ToDouble(v);
                    if (double.IsNaN(number)) return "NaN";
                    if (double.IsInfinity(number)) return number > 0 ? "Infinity" : "-Infinity";
                    return number;
                case "bytes": return System.Convert.ToBase64String((byte[])v);
                case "properties":
                    var shown = new MAP();
                    foreach (var pair in (System.Collections.Generic.List<System.Collections.Generic.KeyValuePair<string, string>>)v) shown[pair.Key] = pair.Value;
                    return shown;
                default: return v;
            }
        }

        private static object CaseName(MAP choice, decimal number) {
            foreach (object item in List(choice["cases"])) if (Value(Map(item)["value"]) == number) return Map(item)["name"];
            return number;
        }

        private static decimal Value(object v) { return decimal.Parse(v.ToString(), System.Globalization.CultureInfo.InvariantCulture); }

        /// <summary>The names of the masks that lie wholly inside and add a bit, and one number for the bits that are left.</summary>
        private static object FlagNames(MAP flags, decimal number) {
            ulong all = (ulong)number, left = all;
            var names = new LIST();
            foreach (object item in List(flags["cases"])) {
                ulong mask = (ulong)Value(Map(item)["value"]);
                if ((all & mask) != mask || (left & mask) == 0) continue;
                names.Add(Map(item)["name"]);
                left &= ~mask;
            }
            if (left != 0) names.Add((decimal)left);
            return names;
        }

        private static MAP Arm(MAP union, object v) {
            var shown = new MAP();
            foreach (object item in List(union["arms"])) {
                MAP arm = Map(item);
                if (v.GetType().FullName != Prefix + arm["own"]) continue;
                object value = null;
                if ("kept".Equals(arm["type"])) {
                    value = new MAP { { "tag", Show(union["tag"], Get(v, "Tag")) }, { "bytes", Show("bytes", Get(v, "Bytes")) } };
                } else if (arm["type"] != null) {
                    value = Show(arm["type"], Get(v, "Value"));
                }
                shown[(string)arm["name"]] = value;
            }
            return shown;
        }

        // JSON to messages

        private static byte[] Encode(MAP line, Sender sender) {
            Message message = Written(line);
            Header header = SetHeader(line);
            try {
                return Encoded(message, header, sender);
            } catch (WireException error) {
                throw new WireException(error.Kind, Named(error.Path, message), error.Offset);
            }
        }

        /// <summary>A fault of the header, or of the packet as a whole, is one of the message that was to be written.</summary>
        private static string Named(string path, Message message) {
            // #region packets
            var group = message as InnerPackets;
            if (group != null && path.StartsWith("packets[", System.StringComparison.Ordinal)) {
                int end = path.IndexOf(']') + 1;
                int index = int.Parse(path.Substring(8, end - 9), System.Globalization.CultureInfo.InvariantCulture);
                string rest = Named(path.Substring(System.Math.Min(end + 1, path.Length)), group.Packets[index].Message);
                return path.Substring(0, end) + (rest == "" ? "" : "." + rest);
            }
            // #endregion
            string name = message.MessageName;
            if (name == null) return path;
            if (path == "") return name;
            bool isOfPacket = path.StartsWith("packet.", System.StringComparison.Ordinal) && name != "packet";
            return isOfPacket || path == "packets" || path == "opaque" ? name + "." + path : path;
        }

        private static Message Written(MAP line) {
            object name = Member(line, "message", null);
            // #region packets
            object inner = Member(line, "packets", null);
            if (name == null && inner != null) {
                var group = new InnerPackets();
                group.Id = (ulong)Integer(Member(line, "id", new Numeral("0")), typeof(ulong), true, "id");
                LIST items = List(inner);
                group.Packets = new Packet[items.Count];
                for (int i = 0; i < items.Count; i++) group.Packets[i] = new Packet(Written(Map(items[i])), SetHeader(Map(items[i])));
                return group;
            }
            // #endregion
            if (name == null) {
                var unknown = new UnknownMessage();
                unknown.Id = (ulong)Integer(Member(line, "id", new Numeral("0")), typeof(ulong), true, "id");
                unknown.Payload = Unhexed(Member(line, "payload", ""), "");
                return unknown;
            }
            MAP known = Known(name);
            if (known == null) throw new Refused("unknown_message", (string)name);
            var message = (Message)Made(known["own"]);
            Values(List(known["fields"]), Member(line, "fields", new MAP()), message, (string)name);
            object trailing = Member(line, "trailing", null);
            if (known["trailing"] != null && trailing != null) Field(message, known["trailing"]).SetValue(message, Unhexed(trailing, ""));
            return message;
        }

        private static object Made(object own) { return System.Activator.CreateInstance(typeof(WireException).Assembly.GetType(Prefix + own), true); }

        private static Header SetHeader(MAP line) {
            object name = Member(line, "message", null);
            string path = name == null ? "header." : name + ".header.";
            var header = new Header();
            if (Member(line, "header", null) == null) return header;
            MAP given = Map(line["header"]);
            foreach (object item in List(Tables["header"])) {
                var own = (string)Map(item)["name"];
                if (Map(item)["settable"].Equals(true) && given.ContainsKey(own)) Set(header, Map(item), given[own], path + own);
            }
            return header;
        }

        private static void Set(object of, MAP field, object v, string path) {
            System.Reflection.FieldInfo member = Field(of, field["own"]);
            member.SetValue(of, Read(field["type"], v, member.FieldType, path));
        }

        private static void Values(LIST fields, object v, object of, string path) {
            if (!(v is MAP)) throw new Refused("wrong_kind", path);
            var given = new MAP(Map(v));
            foreach (object item in fields) {
                MAP field = Map(item);
                var name = (string)field["name"];
                string place = path + "." + name;
                bool isThere = given.ContainsKey(name), isOptional = field["optional"].Equals(true);
                object value = Member(given, name, null);
                given.Remove(name);
                if (isThere && (value != null || !isOptional)) Set(of, field, value, place);
                else if (isOptional) of.GetType().GetField((string)field["own"]).SetValue(of, null);
                else if (!field["since"].Equals(true)) throw new Refused("missing", place);
            }
            if (given.Count > 0) throw new Refused("unknown_key", path);
        }

        private static object Read(object type, object v, System.Type target, string path) {
            target = System.Nullable.GetUnderlyingType(target) ?? target;
            var kind = type as MAP;
            if (kind != null) {
                if (kind.ContainsKey("list")) {
                    if (!(v is LIST)) throw new Refused("wrong_kind", path);
                    LIST items = List(v);
                    System.Array array = System.Array.CreateInstance(target.GetElementType(), items.Count);
                    for (int i = 0; i < items.Count; i++) array.SetValue(Read(kind["list"], items[i], target.GetElementType(), path + "[" + i + "]"), i);
                    return array;
                }
                if (kind.ContainsKey("structure")) {
                    MAP structure = Table("structures", kind["structure"]);
                    object made = Made(structure["own"]);
                    Values(List(structure["fields"]), v, made, path);
                    return made;
                }
                if (kind.ContainsKey("enum")) return Named(Table("enumerations", kind["enum"]), v, target, path);
                if (kind.ContainsKey("flags")) {
                    if (!(v is LIST)) throw new Refused("wrong_kind", path);
                    ulong bits = 0;
                    foreach (object item in List(v)) bits |= (ulong)Number(Named(Table("flags", kind["flags"]), item, target, path));
                    return System.Enum.ToObject(target, bits);
                }
                return Union(Table("unions", kind["union"]), v, path);
            }
            switch ((string)type) {
                case "integer": case "wide": return Integer(v, target, "wide".Equals(type), path);
                case "float32": case "float64": return Floating(v, target == typeof(float), path);
                case "bytes":
                    try {
                        return System.Convert.FromBase64String((string)v);
                    } catch (System.FormatException) {
                        throw new Refused("invalid_base64", path);
                    }
                case "boolean": if (v is bool) return v; break;
                case "string": if (v is string) return v; break;
                case "properties": if (v is MAP) return Pairs(Map(v), path); break;
            }
            throw new Refused("wrong_kind", path);
        }

        private static object Pairs(MAP v, string path) {
            var pairs = new System.Collections.Generic.List<System.Collections.Generic.KeyValuePair<string, string>>();
            foreach (var pair in v) {
                if (!(pair.Value is string)) throw new Refused("wrong_kind", path);
                pairs.Add(new System.Collections.Generic.KeyValuePair<string, string>(pair.Key, (string)pair.Value));
            }
            return pairs;
        }

        private static object Floating(object v, bool isShort, string path) {
            double number;
            if ("NaN".Equals(v)) number = double.NaN;
            else if ("Infinity".Equals(v)) number = double.PositiveInfinity;
            else if ("-Infinity".Equals(v)) number = double.NegativeInfinity;
            else if (v is Numeral) number = Float(v.ToString());
            else throw new Refused("wrong_kind", path);
            if (double.IsInfinity(isShort ? (float)number : number) && !(v is string)) throw new Refused("number_too_large", path);
            if (isShort) return (float)number;
            return number;
        }

        private static object Named(MAP choice, object v, System.Type target, string path) {
            System.Type held = target.IsEnum ? System.Enum.GetUnderlyingType(target) : target;
            foreach (object item in List(choice["cases"])) {
                if (Map(item)["name"].Equals(v)) return System.Enum.ToObject(target, Integer(Map(item)["value"], held, true, path));
            }
            if (v is string && !IsInteger(v)) throw new Refused("unknown_name", path);
            return System.Enum.ToObject(target, Integer(v, held, choice["wide"].Equals(true), path));
        }

        private static object Union(MAP union, object v, string path) {
            if (!(v is MAP) || Map(v).Count != 1) throw new Refused("not_one_arm", path);
            foreach (object item in List(union["arms"])) {
                MAP arm = Map(item);
                if (!Map(v).ContainsKey((string)arm["name"])) continue;
                object value = Map(v)[(string)arm["name"]], made = Made(arm["own"]);
                string place = path + "." + arm["name"];
                if (arm["type"] == null && value != null) throw new Refused("wrong_kind", place);
                if (arm["type"] == null) return made;
                if (!"kept".Equals(arm["type"])) {
                    Field(made, "Value").SetValue(made, Read(arm["type"], value, Field(made, "Value").FieldType, place));
                    return made;
                }
                if (!(value is MAP)) throw new Refused("wrong_kind", place);
                Field(made, "Tag").SetValue(made, Read(union["tag"], Member(Map(value), "tag", null), Field(made, "Tag").FieldType, place + ".tag"));
                Field(made, "Bytes").SetValue(made, Read("bytes", Member(Map(value), "bytes", null), typeof(byte[]), place + ".bytes"));
                return made;
            }
            throw new Refused("unknown_key", path);
        }

        private static bool IsInteger(object v) { return System.Text.RegularExpressions.Regex.IsMatch(v.ToString(), "^-?(0|[1-9][0-9]*)\\z"); }

        /// <summary>
        /// An integer; if its type has more than 53 bits, it may be a string in JSON. None is beyond 128 bits. What the member cannot hold
        /// is refused here.
        /// </summary>
        private static object Integer(object v, System.Type target, bool isWide, string path) {
            if (!(v is Numeral) && !(isWide && v is string)) throw new Refused("wrong_kind", path);
            if (!IsInteger(v)) throw new Refused("not_an_integer", path);
            string magnitude = v.ToString().TrimStart('-');
            string most = magnitude == v.ToString() ? "170141183460469231731687303715884105727" : "170141183460469231731687303715884105728";
            if (magnitude.Length > most.Length || magnitude.Length == most.Length && string.CompareOrdinal(magnitude, most) > 0) throw new Refused("number_too_large", path);
            try {
                return System.Convert.ChangeType(Value(v), target);
            } catch (System.OverflowException) {
                throw new Refused("out_of_range", path);
            }
        }

        private static byte[] Unhexed(object v, string path) {
            var text = (string)v;
            if (!System.Text.RegularExpressions.Regex.IsMatch(text, "^([0-9a-fA-F]{2})*$")) throw new Refused("wrong_kind", path);
            var bytes = new byte[text.Length / 2];
            for (int i = 0; i < bytes.Length; i++) bytes[i] = System.Convert.ToByte(text.Substring(2 * i, 2), 16);
            return bytes;
        }

        private static string Hexed(byte[] bytes) { return System.BitConverter.ToString(bytes).Replace("-", "").ToLowerInvariant(); }

        // JSON, in which integers have all digits

        private static MAP Map(object v) { return (MAP)v; }

        private static LIST List(object v) { return (LIST)v; }

        private static object Member(MAP map, string name, object usual) {
            object value;
            return map.TryGetValue(name, out value) ? value : usual;
        }

        /// <summary>A number as JSON has it.</summary>
        private sealed class Numeral {
            private readonly string text;

            internal Numeral(string all) { text = all; }

            public override string ToString() { return text; }
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
                bool isNumber = System.Text.RegularExpressions.Regex.IsMatch(word, "^-?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?\\z");
                if (!isNumber) throw new System.FormatException();
                return new Numeral(word);
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

        private sealed class Big {
            private readonly System.Collections.Generic.List<uint> parts = new System.Collections.Generic.List<uint>();

            internal bool IsZero { get { return parts.Count == 0; } }

            /// <summary>this * factor + addend</summary>
            internal Big Scale(uint factor, uint addend = 0) {
                ulong carry = addend;
                for (int i = 0; i < parts.Count; i++) {
                    carry += (ulong)parts[i] * factor;
                    parts[i] = (uint)carry;
                    carry >>= 32;
                }
                if (carry > 0) parts.Add((uint)carry);
                return this;
            }

            /// <summary>Divides by a number, and returns the remainder.</summary>
            internal uint Divide(uint divisor) {
                ulong rest = 0;
                for (int i = parts.Count - 1; i >= 0; i--) {
                    rest = rest << 32 | parts[i];
                    parts[i] = (uint)(rest / divisor);
                    rest %= divisor;
                }
                Trim();
                return (uint)rest;
            }

            internal int CompareTo(Big other) {
                if (parts.Count != other.parts.Count) return parts.Count.CompareTo(other.parts.Count);
                int i = parts.Count - 1;
                while (i >= 0 && parts[i] == other.parts[i]) i--;
                return i < 0 ? 0 : parts[i].CompareTo(other.parts[i]);
            }

            internal void Subtract(Big other) {
                long carry = 0;
                for (int i = 0; i < parts.Count; i++) {
                    carry += (long)parts[i] - (i < other.parts.Count ? other.parts[i] : 0);
                    parts[i] = (uint)carry;
                    carry >>= 32;
                }
                Trim();
            }

            private void Trim() { while (parts.Count > 0 && parts[parts.Count - 1] == 0) parts.RemoveAt(parts.Count - 1); }
        }

        private static double Float(string word) {
            bool isNegative = word[0] == '-';
            int mark = word.IndexOfAny(new[] { 'e', 'E' });
            int exponent = 0, count = 0;
            if (mark >= 0 && !int.TryParse(word.Substring(mark + 1), out exponent)) exponent = word[mark + 1] == '-' ? -1000000000 : 1000000000;
            Big above = new Big(), below = new Big().Scale(1, 1);
            bool isFraction = false;
            foreach (char c in mark < 0 ? word : word.Substring(0, mark)) {
                if (c == '.') isFraction = true;
                if (c < '0' || c > '9') continue;
                above.Scale(10, (uint)(c - '0'));
                if (isFraction) exponent--;
                if (!above.IsZero) count++;
            }
            double result = 0;
            // The number is below 10 to this sum, and not below a tenth of that.
            if (!above.IsZero && exponent + count > -400) result = exponent + count > 400 ? double.PositiveInfinity : Nearest(above, below, exponent);
            return isNegative ? -result : result;
        }

        // The float that is nearest to above / below * 10 to the exponent.
        private static double Nearest(Big above, Big below, int exponent) {
            for (; exponent > 0; exponent--) above.Scale(10);
            for (; exponent < 0; exponent++) below.Scale(10);
            int power = 0;
            for (; above.CompareTo(below) >= 0; power++) below.Scale(2);
            for (; above.CompareTo(below) < 0; power--) above.Scale(2);
            if (power > 1023) return double.PositiveInfinity;
            // Below 2 to the -1022, a float has fewer bits.
            int bitCount = System.Math.Min(53, power + 1075);
            if (bitCount < 0) return 0;
            long digits = 0;
            for (int i = 0; i < bitCount; i++) {
                digits *= 2;
                if (above.CompareTo(below) >= 0) {
                    above.Subtract(below);
                    digits++;
                }
                above.Scale(2);
            }
            int rest = above.CompareTo(below);
            if (rest > 0 || rest == 0 && digits % 2 == 1) digits++;
            long biased = bitCount == 53 ? (long)(power + 1022) << 52 : 0;
            return System.BitConverter.Int64BitsToDouble(biased + digits);
        }

        // All digits that a float has.
        private static string Digits(double v) {
            long bits = System.BitConverter.DoubleToInt64Bits(v);
            int biased = (int)(bits >> 52 & 0x7FF);
            ulong digits = (ulong)bits & 0xFFFFFFFFFFFFF | (biased > 0 ? 0x10000000000000UL : 0);
            if (digits == 0) return bits < 0 ? "-0.0" : "0.0";
            int power = System.Math.Max(biased, 1) - 1075, exponent = 0;
            for (; digits % 2 == 0; power++) digits /= 2;
            Big number = new Big().Scale(1, (uint)(digits >> 32)).Scale(65536).Scale(65536, (uint)digits);
            for (; power > 0; power--) number.Scale(2);
            for (; power < 0; power++, exponent--) number.Scale(5);
            string text = "";
            while (!number.IsZero) text = number.Divide(10) + text;
            return (bits < 0 ? "-" : "") + text + "E" + exponent;
        }
        // #endregion
    }
}
