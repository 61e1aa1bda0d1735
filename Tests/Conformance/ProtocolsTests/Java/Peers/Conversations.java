// SPDX-License-Identifier: Apache-2.0

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes part in conversations whose packets have layers. Each line of input is one: {"keys":{"session":"00ff"},"seed":7,"packets":
 * [{"from":"client","hex":"00…"}],"bad":{"from":"client","hex":"00…"}}. The packets are read one by one, and by splitters of both sides,
 * cut in many ways. What was read is written again, by a new connection; that is printed, and the error of the packet that ends it.
 */
public class Conversations {
    private static final Pattern PACKET = Pattern.compile("\"from\":\"(\\w+)\",\"hex\":\"(\\w*)\"");
    private static String protocol;
    private static Class<?> connections, senders, splitters, groups, error;

    public static void main(String[] arguments) throws Exception {
        protocol = arguments[0] + "$";
        connections = Class.forName(protocol + "Connection");
        senders = Class.forName(protocol + "Sender");
        splitters = Class.forName(protocol + "Splitter");
        error = Class.forName(protocol + "WireException");
        try {
            groups = Class.forName(protocol + "InnerPackets");
        } catch (ClassNotFoundException none) {
            groups = Void.class;
        }
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line; (line = input.readLine()) != null;) System.out.println(check(line));
    }

    private static byte[] bytes(String hex) {
        byte[] bytes = new byte[hex.length() / 2];
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
        return bytes;
    }

    private static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte x : bytes) text.append(String.format("%02x", x & 255));
        return text.toString();
    }

    private static Object sender(String name) { return senders.getEnumConstants()[name.equals("server") ? 1 : 0]; }

    private static Object connection(String line) throws Exception {
        Object made = connections.getConstructor().newInstance();
        Matcher key = Pattern.compile("\"(\\w+)\":\"(\\w+)\"").matcher(line.substring(0, line.indexOf('}')));
        while (key.find()) {
            Method set = connections.getMethod("setKey", String.class, byte[].class, Array.newInstance(senders, 0).getClass());
            set.invoke(made, key.group(1), bytes(key.group(2)), Array.newInstance(senders, 0));
        }
        return made;
    }

    private static Object get(Object of, String name) throws Exception { return of.getClass().getField(name).get(of); }

    private static Object decode(Object connection, byte[] bytes, int offset, int count, Object sender) throws Exception {
        Method decode = connections.getMethod("decode", byte[].class, int.class, int.class, senders);
        return decode.invoke(connection, bytes, offset, count, sender);
    }

    /** What a value has, so that two can be compared. */
    private static String show(Object v) throws Exception {
        if (v == null || v instanceof Number || v instanceof Boolean || v instanceof String) return String.valueOf(v);
        StringBuilder text = new StringBuilder(v.getClass().getSimpleName());
        if (v.getClass().isArray()) {
            for (int i = 0; i < Array.getLength(v); i++) text.append(show(Array.get(v, i))).append(',');
            return text.toString();
        }
        for (Field field : v.getClass().getFields()) text.append(field.getName()).append('=').append(show(field.get(v))).append(';');
        return text.toString();
    }

    private static void flatten(Object packet, List<String> found) throws Exception {
        Object message = get(packet, "message");
        if (!groups.isInstance(message)) {
            found.add(show(packet));
            return;
        }
        Object inner = get(message, "packets");
        for (int i = 0; i < Array.getLength(inner); i++) flatten(Array.get(inner, i), found);
    }

    private static void require(boolean good, String what) { if (!good) throw new IllegalStateException(what); }

    /** Both sides' splitters of one connection get the packets in their order, in pieces of at most so many bytes. */
    private static Object[] split(String line, List<String[]> packets, List<String> found, int most, Random random) throws Exception {
        Object own = connection(line);
        Object[] both = new Object[2];
        for (int i = 0; i < 2; i++) both[i] = splitters.getConstructor(senders, connections).newInstance(senders.getEnumConstants()[i], own);
        Method push = splitters.getMethod("push", byte[].class, int.class, int.class), next = splitters.getMethod("next");
        for (String[] packet : packets) {
            Object splitter = both[packet[0].equals("server") ? 1 : 0];
            byte[] bytes = bytes(packet[1]);
            for (int p = 0, count; p < bytes.length; p += count) {
                count = Math.min(bytes.length - p, 1 + random.nextInt(most));
                push.invoke(splitter, bytes, p, count);
                for (Object each; (each = next.invoke(splitter)) != null;) found.add(show(each));
            }
        }
        return both;
    }

    private static String failure(Object splitter, String function) throws Exception {
        try {
            splitters.getMethod(function).invoke(splitter);
            return null;
        } catch (InvocationTargetException thrown) {
            Throwable fault = thrown.getCause();
            require(error.isInstance(fault), String.valueOf(fault));
            return get(fault, "kind") + "," + get(fault, "path") + "," + get(fault, "offset");
        }
    }

    private static String check(String line) throws Exception {
        List<String[]> packets = new ArrayList<>();
        List<String> written = new ArrayList<>(), expected = new ArrayList<>();
        String[] bad = null;
        Matcher matcher = PACKET.matcher(line);
        while (matcher.find()) {
            String[] packet = {matcher.group(1), matcher.group(2)};
            if (line.startsWith("\"bad\":{", Math.max(0, matcher.start() - 7))) bad = packet;
            else packets.add(packet);
        }
        Object reader = connection(line), writer = connection(line);
        for (String[] packet : packets) {
            byte[] bytes = bytes(packet[1]);
            // A packet that has not arrived whole changes nothing of the connection.
            require(decode(reader, bytes, 0, bytes.length - 1, sender(packet[0])) == null, "a packet that was cut");
            byte[] around = new byte[bytes.length + 2];
            System.arraycopy(bytes, 0, around, 1, bytes.length);
            Object whole = decode(reader, around, 1, around.length - 1, sender(packet[0]));
            require(get(whole, "byteCount").equals(bytes.length), "the bytes of a packet");
            flatten(whole, expected);
            Class<?> message = Class.forName(protocol + "Message"), header = Class.forName(protocol + "Header");
            Object again = connections.getMethod("encode", message, header, senders)
                .invoke(writer, get(whole, "message"), get(whole, "header"), sender(packet[0]));
            written.add(hex((byte[]) again));
        }
        String seed = line.replaceFirst(".*\"seed\":(\\d+).*", "$1");
        for (int most : new int[] {1, 1 << 20, 9}) {
            List<String> found = new ArrayList<>();
            Object[] both = split(line, packets, found, most, new Random(Long.parseLong(seed)));
            require(found.equals(expected), "other packets: " + found + " instead of " + expected);
            if (bad == null) {
                require(failure(both[0], "finish") == null && failure(both[1], "finish") == null, "the end of a stream");
                continue;
            }
            Object splitter = both[bad[0].equals("server") ? 1 : 0];
            byte[] bytes = bytes(bad[1]);
            splitters.getMethod("push", byte[].class, int.class, int.class).invoke(splitter, bytes, 0, bytes.length);
            String fault = failure(splitter, "next");
            require(fault != null && fault.equals(failure(splitter, "finish")), "a splitter stays failed");
            if (most == 1) written.add(fault);
        }
        return String.join(" ", written);
    }
}
