// SPDX-License-Identifier: Apache-2.0

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Asks generated Java on behalf of {@code wire conform}: it converts JSON to messages and back, by reflection. For its marks see
 * Runtime.java, beside which it is complete.
 */
final class Adapter {
    private static final String LAYER_NAME = "";
    private static final Map<String, Object> TABLES = new LinkedHashMap<>();
    private static final String PREFIX = "Runtime$";

    private Adapter() {}

    /** Stands for the generated class. */
    static final class Wire extends Runtime {}

    // #region all
    // #region connection
    private static byte[] encoded(Wire.Message message, Wire.Header header, Wire.Sender sender) throws Wire.WireException {
        return connection.encode(message, header, sender);
    }

    private static Wire.Connection connection;

    private static Wire.Connection connection(Map<String, Object> request) throws Exception {
        Wire.Connection made = new Wire.Connection();
        // #region keys
        for (Map.Entry<String, Object> key : map(request.getOrDefault("keys", new LinkedHashMap<>())).entrySet()) {
            boolean isOfServer = key.getKey().startsWith("server."), isOfOne = isOfServer || key.getKey().startsWith("client.");
            Wire.Sender[] senders = isOfOne ? new Wire.Sender[] {isOfServer ? Wire.Sender.SERVER : Wire.Sender.CLIENT} : new Wire.Sender[0];
            made.setKey(key.getKey().substring(isOfOne ? 7 : 0), unhexed(key.getValue(), ""), senders);
        }
        // #endregion
        // #region program
        // #region each
        made.setLayer(LAYER_NAME, new Wire.Layer() {
            public byte[] open(byte[] bytes, Wire.Header header, int limit) throws Exception { throw new Wire.WireException("absent", "", -1); }

            public byte[] seal(byte[] content, Wire.Header header) throws Exception { throw new Wire.WireException("absent", "", -1); }
        });
        // #endregion
        // #endregion
        if (request.get("state") == null) return made;
        for (Object item : list(TABLES.get("states"))) {
            Object v = map(request.get("state")).get(map(item).get("name"));
            java.lang.reflect.Field member = made.getClass().getField((String) map(item).get("own"));
            if (v == null) continue;
            if (member.getType() == boolean.class) member.set(made, v.equals(true) || v.equals(BigInteger.ONE));
            else member.set(made, integer(v, member.getType(), !v.toString().startsWith("-"), true, "state"));
        }
        return made;
    }
    // #endregion
    // #region !connection
    //| /** It is used again for each packet, also after errors. */
    //| private static final Wire.PacketWriter WRITER = new Wire.PacketWriter();

    //| private static byte[] encoded(Wire.Message message, Wire.Header header, Wire.Sender sender) throws Wire.WireException {
        // #region sender
        //| Wire.encode(message, header, sender, WRITER);
        // #endregion
        // #region !sender
        //| Wire.encode(message, header, WRITER);
        // #endregion
        //| byte[] written = java.util.Arrays.copyOfRange(WRITER.bytes(), WRITER.offset(), WRITER.offset() + WRITER.count());
        // #region sender
        //| byte[] packet = Wire.encode(message, header, sender);
        // #endregion
        // #region !sender
        //| byte[] packet = Wire.encode(message, header);
        // #endregion
        //| if (!java.util.Arrays.equals(written, packet)) throw new IllegalStateException("a writer has made another packet");
        //| return packet;
    //| }
    // #endregion

    private static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;
        final String kind;
        final String path;

        Refused(String kind, String path) {
            super(kind);
            this.kind = kind;
            this.path = path;
        }
    }

    public static void main(String[] arguments) throws Exception {
        java.io.BufferedReader input = new java.io.BufferedReader(new java.io.InputStreamReader(System.in, StandardCharsets.UTF_8));
        java.io.PrintStream output = new java.io.PrintStream(System.out, false, "UTF-8");
        for (String line; (line = input.readLine()) != null;) {
            output.print(reply(line) + "\n");
            output.flush();
        }
    }

    private static String reply(String line) throws Exception {
        Map<String, Object> answer = new LinkedHashMap<>();
        Map<String, Object> request;
        try {
            request = map(new Parser(line).parsed());
        } catch (RuntimeException error) {
            answer.put("id", null);
            answer.put("reply", "skip");
            return print(answer);
        }
        answer.put("id", request.get("id"));
        try {
            answer(request, answer);
        } catch (Refused error) {
            answer.put("reply", "error");
            answer.put("error", error.kind);
            answer.put("field", error.path);
        } catch (Wire.WireException error) {
            answer.put("reply", error.kind.equals("absent") ? "skip" : "error");
            answer.put("error", error.kind);
            if (!error.path.isEmpty()) answer.put("field", error.path);
            if (error.offset >= 0) answer.put("offset", BigInteger.valueOf(error.offset));
            answer.put("text", error.getMessage());
        }
        return print(answer);
    }

    private static void answer(Map<String, Object> request, Map<String, Object> answer) throws Exception {
        Wire.Sender sender = "server".equals(request.get("from")) ? Wire.Sender.SERVER : Wire.Sender.CLIENT;
        // #region connection
        connection = connection(request);
        // #endregion
        if ("decode".equals(request.get("ask"))) {
            // #region connection
            Wire.Packet packet = connection.decode(unhexed(request.getOrDefault("hex", ""), ""), sender);
            // #endregion
            // #region !connection
            //| Wire.Packet packet = Wire.decode(unhexed(request.getOrDefault("hex", ""), ""), sender);
            // #endregion
            answer.put("reply", packet == null ? "more" : "ok");
            if (packet == null) return;
            answer.put("count", BigInteger.valueOf(packet.byteCount));
            answer.put("line", line(packet));
        } else if ("encode".equals(request.get("ask"))) {
            answer.put("reply", "ok");
            answer.put("hex", hexed(encode(map(request.get("line")), sender)));
        } else {
            answer.put("reply", "skip");
        }
    }

    // Messages to JSON

    private static Map<String, Object> line(Wire.Packet packet) throws Exception {
        Map<String, Object> line = new LinkedHashMap<>(), header = new LinkedHashMap<>();
        line.put("message", packet.message.messageName());
        line.put("id", unsigned(packet.message.messageId()));
        for (Object item : list(TABLES.get("header"))) {
            Object value = get(packet.header, (String) map(item).get("own"));
            if (value != null) header.put((String) map(item).get("name"), show(map(item).get("type"), value));
        }
        line.put("header", header);
        // #region packets
        if (packet.message instanceof Wire.InnerPackets) {
            List<Object> packets = new ArrayList<>();
            for (Wire.Packet inner : ((Wire.InnerPackets) packet.message).packets) packets.add(line(inner));
            line.put("packets", packets);
            return line;
        }
        // #endregion
        if (packet.message instanceof Wire.UnknownMessage) {
            line.put("payload", hexed(((Wire.UnknownMessage) packet.message).payload));
            return line;
        }
        Map<String, Object> known = message(packet.message.messageName());
        line.put("fields", fields(list(known.get("fields")), packet.message));
        byte[] trailing = known.get("trailing") == null ? null : (byte[]) get(packet.message, (String) known.get("trailing"));
        if (trailing != null) line.put("trailing", hexed(trailing));
        return line;
    }

    private static Map<String, Object> message(Object name) {
        for (Object item : list(TABLES.get("messages"))) {
            if (map(item).get("name").equals(name) || map(item).get("other").equals(name)) return map(item);
        }
        return null;
    }

    private static Object get(Object of, String own) throws Exception { return of.getClass().getField(own).get(of); }

    private static Map<String, Object> fields(List<Object> fields, Object of) throws Exception {
        Map<String, Object> shown = new LinkedHashMap<>();
        for (Object item : fields) {
            Object value = get(of, (String) map(item).get("own"));
            if (value != null) shown.put((String) map(item).get("name"), show(map(item).get("type"), value));
        }
        return shown;
    }

    private static BigInteger unsigned(long v) { return new BigInteger(Long.toUnsignedString(v)); }

    private static BigInteger number(Object v, boolean isUnsigned) {
        long number = ((Number) v).longValue();
        return isUnsigned ? unsigned(number) : BigInteger.valueOf(number);
    }

    private static Map<String, Object> table(String name, Object index) { return map(list(TABLES.get(name)).get(((BigInteger) index).intValue())); }

    private static Object show(Object type, Object v) throws Exception {
        if (type instanceof Map) {
            Map<String, Object> kind = map(type);
            if (kind.containsKey("list")) {
                List<Object> items = new ArrayList<>();
                for (int i = 0; i < java.lang.reflect.Array.getLength(v); i++) items.add(show(kind.get("list"), java.lang.reflect.Array.get(v, i)));
                return items;
            }
            if (kind.containsKey("structure")) return fields(list(table("structures", kind.get("structure")).get("fields")), v);
            if (kind.containsKey("enum")) return caseName(table("enumerations", kind.get("enum")), v);
            if (kind.containsKey("flags")) return flagNames(table("flags", kind.get("flags")), v);
            return arm(table("unions", kind.get("union")), v);
        }
        if (type.equals("integer") || type.equals("wide") || type.equals("unsigned")) return number(v, type.equals("unsigned"));
        if (type.equals("float32") || type.equals("float64")) {
            double number = ((Number) v).doubleValue();
            return Double.isNaN(number) || Double.isInfinite(number) ? Double.toString(number) : (Object) number;
        }
        return type.equals("bytes") ? Base64.getEncoder().encodeToString((byte[]) v) : v;
    }

    private static Object caseName(Map<String, Object> choice, Object v) {
        BigInteger number = number(v, choice.get("unsigned").equals(true));
        for (Object item : list(choice.get("cases"))) if (new BigInteger(map(item).get("value").toString()).equals(number)) return map(item).get("name");
        return number;
    }

    /** The names of the masks that lie wholly inside and add a bit, and one number for the bits that are left. */
    private static Object flagNames(Map<String, Object> flags, Object v) {
        BigInteger left = number(v, flags.get("unsigned").equals(true)), all = left;
        List<Object> names = new ArrayList<>();
        for (Object item : list(flags.get("cases"))) {
            BigInteger mask = new BigInteger(map(item).get("value").toString());
            if (!all.and(mask).equals(mask) || left.and(mask).signum() == 0) continue;
            names.add(map(item).get("name"));
            left = left.andNot(mask);
        }
        if (left.signum() != 0) names.add(left);
        return names;
    }

    private static Object arm(Map<String, Object> union, Object v) throws Exception {
        Map<String, Object> shown = new LinkedHashMap<>();
        for (Object item : list(union.get("arms"))) {
            Map<String, Object> arm = map(item);
            if (!v.getClass().getName().equals(PREFIX + arm.get("own"))) continue;
            Object value = null;
            if ("kept".equals(arm.get("type"))) {
                Map<String, Object> kept = new LinkedHashMap<>();
                kept.put("tag", show(union.get("tag"), get(v, "tag")));
                kept.put("bytes", show("bytes", get(v, "bytes")));
                value = kept;
            } else if (arm.get("type") != null) {
                value = show(arm.get("type"), get(v, "value"));
            }
            shown.put((String) arm.get("name"), value);
        }
        return shown;
    }

    // JSON to messages

    private static byte[] encode(Map<String, Object> line, Wire.Sender sender) throws Exception {
        Wire.Message message = written(line);
        Wire.Header header = header(line);
        try {
            return encoded(message, header, sender);
        } catch (Wire.WireException error) {
            throw new Wire.WireException(error.kind, named(error.path, message), error.offset);
        }
    }

    /** A fault of the header, or of the packet as a whole, is one of the message that was to be written. */
    private static String named(String path, Wire.Message message) {
        // #region packets
        if (message instanceof Wire.InnerPackets && path.startsWith("packets[")) {
            int end = path.indexOf(']') + 1;
            int index = Integer.parseInt(path.substring(8, end - 1));
            String rest = named(path.substring(Math.min(end + 1, path.length())), ((Wire.InnerPackets) message).packets[index].message);
            return path.substring(0, end) + (rest.isEmpty() ? "" : "." + rest);
        }
        // #endregion
        String name = message.messageName();
        if (name == null) return path;
        if (path.isEmpty()) return name;
        boolean isOfPacket = path.equals("packets") || path.equals("opaque") || path.startsWith("packet.") && !name.equals("packet");
        return isOfPacket ? name + "." + path : path;
    }

    private static Wire.Message written(Map<String, Object> line) throws Exception {
        Object name = line.get("message");
        // #region packets
        if (name == null && line.get("packets") != null) {
            Wire.InnerPackets group = new Wire.InnerPackets();
            group.id = (Long) integer(line.getOrDefault("id", BigInteger.ZERO), long.class, true, true, "id");
            List<Object> items = list(line.get("packets"));
            group.packets = new Wire.Packet[items.size()];
            for (int i = 0; i < group.packets.length; i++) group.packets[i] = new Wire.Packet(written(map(items.get(i))), header(map(items.get(i))));
            return group;
        }
        // #endregion
        if (name == null) {
            Wire.UnknownMessage unknown = new Wire.UnknownMessage();
            unknown.id = (Long) integer(line.getOrDefault("id", BigInteger.ZERO), long.class, true, true, "id");
            unknown.payload = unhexed(line.getOrDefault("payload", ""), "");
            return unknown;
        }
        Map<String, Object> known = message(name);
        if (known == null) throw new Refused("unknown_message", (String) name);
        Wire.Message message = (Wire.Message) made(known.get("own"));
        values(list(known.get("fields")), line.getOrDefault("fields", new LinkedHashMap<>()), message, (String) name);
        if (known.get("trailing") != null && line.get("trailing") != null) {
            message.getClass().getField((String) known.get("trailing")).set(message, unhexed(line.get("trailing"), ""));
        }
        return message;
    }

    private static Object made(Object own) throws Exception { return Class.forName(PREFIX + own).getDeclaredConstructor().newInstance(); }

    private static Wire.Header header(Map<String, Object> line) throws Exception {
        String path = line.get("message") == null ? "header." : line.get("message") + ".header.";
        Wire.Header header = new Wire.Header();
        if (line.get("header") == null) return header;
        Map<String, Object> given = map(line.get("header"));
        for (Object item : list(TABLES.get("header"))) {
            String name = (String) map(item).get("name");
            if (map(item).get("settable").equals(true) && given.containsKey(name)) set(header, map(item), given.get(name), path + name);
        }
        return header;
    }

    private static void set(Object of, Map<String, Object> field, Object v, String path) throws Exception {
        java.lang.reflect.Field member = of.getClass().getField((String) field.get("own"));
        member.set(of, read(field.get("type"), v, member.getType(), path));
    }

    private static void values(List<Object> fields, Object v, Object of, String path) throws Exception {
        if (!(v instanceof Map)) throw new Refused("wrong_kind", path);
        Map<String, Object> given = new LinkedHashMap<>(map(v));
        for (Object item : fields) {
            Map<String, Object> field = map(item);
            String name = (String) field.get("name"), place = path + "." + name;
            boolean isThere = given.containsKey(name), isOptional = field.get("optional").equals(true);
            Object value = given.remove(name);
            if (isThere && (value != null || !isOptional)) set(of, field, value, place);
            else if (isOptional) of.getClass().getField((String) field.get("own")).set(of, null);
            else if (!field.get("since").equals(true)) throw new Refused("missing", place);
        }
        if (!given.isEmpty()) throw new Refused("unknown_key", path);
    }

    private static Object read(Object type, Object v, Class<?> target, String path) throws Exception {
        if (type instanceof Map) {
            Map<String, Object> kind = map(type);
            if (kind.containsKey("list")) {
                if (!(v instanceof List)) throw new Refused("wrong_kind", path);
                List<Object> items = list(v);
                Object array = java.lang.reflect.Array.newInstance(target.getComponentType(), items.size());
                for (int i = 0; i < items.size(); i++) {
                    java.lang.reflect.Array.set(array, i, read(kind.get("list"), items.get(i), target.getComponentType(), path + "[" + i + "]"));
                }
                return array;
            }
            if (kind.containsKey("structure")) {
                Map<String, Object> structure = table("structures", kind.get("structure"));
                Object made = made(structure.get("own"));
                values(list(structure.get("fields")), v, made, path);
                return made;
            }
            if (kind.containsKey("enum")) return named(table("enumerations", kind.get("enum")), v, target, path);
            if (kind.containsKey("flags")) {
                if (!(v instanceof List)) throw new Refused("wrong_kind", path);
                Map<String, Object> flags = table("flags", kind.get("flags"));
                long bits = 0;
                for (Object item : list(v)) bits |= ((Number) named(flags, item, target, path)).longValue();
                return narrowed(bits, target);
            }
            return union(table("unions", kind.get("union")), v, path);
        }
        switch ((String) type) {
            case "integer": case "wide": case "unsigned": return integer(v, target, type.equals("unsigned"), !type.equals("integer"), path);
            case "float32": case "float64": return floating(v, type.equals("float32"), path);
            case "bytes":
                try {
                    return Base64.getDecoder().decode((String) v);
                } catch (IllegalArgumentException error) {
                    throw new Refused("invalid_base64", path);
                }
            case "boolean": if (v instanceof Boolean) return v; else break;
            case "string": if (v instanceof String) return v; else break;
            case "properties": if (v instanceof Map) return v; else break;
            default: break;
        }
        throw new Refused("wrong_kind", path);
    }

    private static Object floating(Object v, boolean isShort, String path) throws Refused {
        if (!(v instanceof BigInteger) && !(v instanceof Digits) && !"NaN".equals(v) && !"Infinity".equals(v) && !"-Infinity".equals(v)) throw new Refused("wrong_kind", path);
        double number = Double.parseDouble(v.toString());
        if (Double.isInfinite(isShort ? (float) number : number) && !(v instanceof String)) throw new Refused("number_too_large", path);
        if (isShort) return (float) number;
        return number;
    }

    private static Object named(Map<String, Object> choice, Object v, Class<?> target, String path) throws Refused {
        boolean isUnsigned = choice.get("unsigned").equals(true);
        for (Object item : list(choice.get("cases"))) {
            if (map(item).get("name").equals(v)) return narrowed(new BigInteger(map(item).get("value").toString()).longValue(), target);
        }
        if (v instanceof String && !((String) v).matches(INTEGER)) throw new Refused("unknown_name", path);
        return integer(v, target, isUnsigned, choice.get("wide").equals(true), path);
    }

    private static Object union(Map<String, Object> union, Object v, String path) throws Exception {
        if (!(v instanceof Map) || map(v).size() != 1) throw new Refused("not_one_arm", path);
        Map.Entry<String, Object> given = map(v).entrySet().iterator().next();
        String place = path + "." + given.getKey();
        for (Object item : list(union.get("arms"))) {
            Map<String, Object> arm = map(item);
            if (!arm.get("name").equals(given.getKey())) continue;
            Object made = made(arm.get("own"));
            if (arm.get("type") == null && given.getValue() != null) throw new Refused("wrong_kind", place);
            if (arm.get("type") == null) return made;
            if (!"kept".equals(arm.get("type"))) {
                java.lang.reflect.Field member = made.getClass().getField("value");
                member.set(made, read(arm.get("type"), given.getValue(), member.getType(), place));
                return made;
            }
            if (!(given.getValue() instanceof Map)) throw new Refused("wrong_kind", place);
            Map<String, Object> kept = map(given.getValue());
            java.lang.reflect.Field tag = made.getClass().getField("tag");
            tag.set(made, read(union.get("tag"), kept.get("tag"), tag.getType(), place + ".tag"));
            made.getClass().getField("bytes").set(made, read("bytes", kept.get("bytes"), byte[].class, place + ".bytes"));
            return made;
        }
        throw new Refused("unknown_key", path);
    }

    private static Object narrowed(long v, Class<?> target) { return target == int.class || target == Integer.class ? (Object) (int) v : (Object) v; }

    private static final String INTEGER = "-?(0|[1-9][0-9]*)";

    /**
     * An integer; if its type has more than 53 bits, it may be a string in JSON. None is beyond 128 bits. What the member cannot hold is
     * refused here.
     */
    private static Object integer(Object v, Class<?> target, boolean isUnsigned, boolean isWide, String path) throws Refused {
        if (!(v instanceof BigInteger) && !(v instanceof Digits) && !(isWide && v instanceof String)) throw new Refused("wrong_kind", path);
        if (!v.toString().matches(INTEGER)) throw new Refused("not_an_integer", path);
        BigInteger number = new BigInteger(v.toString());
        if (number.bitLength() > 127) throw new Refused("number_too_large", path);
        boolean isInt = target == int.class || target == Integer.class;
        boolean isHeld = isUnsigned ? number.signum() >= 0 && number.bitLength() <= 64 : number.bitLength() <= (isInt ? 31 : 63);
        if (!isHeld) throw new Refused("out_of_range", path);
        return narrowed(number.longValue(), target);
    }

    private static byte[] unhexed(Object v, String path) throws Refused {
        String text = v.toString();
        if (!text.matches("([0-9a-fA-F]{2})*")) throw new Refused("wrong_kind", path);
        byte[] bytes = new byte[text.length() / 2];
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) Integer.parseInt(text.substring(2 * i, 2 * i + 2), 16);
        return bytes;
    }

    private static String hexed(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte x : bytes) text.append(String.format("%02x", x & 255));
        return text.toString();
    }

    // JSON, in which objects keep the order of their members, and integers all digits

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object v) { return (Map<String, Object>) v; }

    @SuppressWarnings("unchecked")
    private static List<Object> list(Object v) { return (List<Object>) v; }

    /** A number that is no integer, as JSON has it; or -0, whose sign is that of a float. */
    private static final class Digits {
        private final String text;

        Digits(String text) { this.text = text; }

        @Override
        public String toString() { return text; }
    }

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
            Double.parseDouble(word);
            return word.matches(INTEGER) && !word.equals("-0") ? new BigInteger(word) : new Digits(word);
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
    // #endregion
}
