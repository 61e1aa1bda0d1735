// SPDX-License-Identifier: Apache-2.0

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sends streams through a generated splitter, cut in many ways. Each line of input is a stream:
 * {"from":"client","state":null,"packets":["00…"],"ends":[0,15],"bad":"00…","seed":7}. The stream may end at the places of "ends".
 */
public class Streams {
    private static Method decode, push, next, finish;
    private static Class<?> splitter, connections;
    private static Object sender;
    private static Class<?> error;

    public static void main(String[] arguments) throws Exception {
        String name = arguments[0] + "$";
        Class<?> protocol = Class.forName(arguments[0]), senders = Class.forName(name + "Sender");
        splitter = Class.forName(name + "Splitter");
        error = Class.forName(name + "WireException");
        connections = null;
        for (Constructor<?> made : splitter.getConstructors()) if (made.getParameterCount() == 2) connections = made.getParameterTypes()[1];
        decode = (connections == null ? protocol : connections).getMethod("decode", byte[].class, int.class, int.class, senders);
        push = splitter.getMethod("push", byte[].class, int.class, int.class);
        next = splitter.getMethod("next");
        finish = splitter.getMethod("finish");
        int count = 0;
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line; (line = input.readLine()) != null; count++) {
            sender = senders.getEnumConstants()[line.contains("\"from\":\"server\"") ? 1 : 0];
            check(line);
        }
        System.out.println(count + " streams");
    }

    private static String member(String line, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(line);
        return matcher.find() ? matcher.group(1) : null;
    }

    private static List<String> words(String line, String pattern) {
        List<String> found = new ArrayList<>();
        Matcher matcher = Pattern.compile("\"?(\\w+)\"?").matcher(member(line, pattern));
        while (matcher.find()) found.add(matcher.group(1));
        return found;
    }

    /** A new connection with the states of a stream; null if the protocol has no states. */
    private static Object connection(String line) throws Exception {
        if (connections == null) return null;
        Object made = connections.getConstructor().newInstance();
        Matcher matcher = Pattern.compile("\"(\\w+)\":\"?(-?\\d+)").matcher(member(line, "\"state\":(\\{[^}]*\\})"));
        while (matcher.find()) {
            Field state = connections.getField(matcher.group(1));
            long number = new java.math.BigInteger(matcher.group(2)).longValue();
            if (state.getType() == boolean.class) state.setBoolean(made, number != 0);
            else if (state.getType() == int.class) state.setInt(made, (int) number);
            else state.setLong(made, number);
        }
        return made;
    }

    private static Object splitter(String line) throws Exception {
        if (connections == null) return splitter.getConstructor(sender.getClass()).newInstance(sender);
        return splitter.getConstructor(sender.getClass(), connections).newInstance(sender, connection(line));
    }

    private static byte[] bytes(String hex) {
        byte[] bytes = new byte[hex.length() / 2];
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
        return bytes;
    }

    private static void check(String line) throws Exception {
        List<String> packets = words(line, "\"packets\":\\[([^\\]]*)\\]"), ends = words(line, "\"ends\":\\[([^\\]]*)\\]");
        String bad = member(line, "\"bad\":\"(\\w+)\"");
        long seed = Long.parseLong(member(line, "\"seed\":(\\d+)"));
        byte[] all = bytes(String.join("", packets));
        List<String> expected = new ArrayList<>();
        Object connection = connection(line);
        for (int start = 0; start < all.length;) {
            Object packet = decode.invoke(connection, all, start, all.length - start, sender);
            expected.add(shown(packet));
            start += packet.getClass().getField("byteCount").getInt(packet);
        }
        require(expected.size() == packets.size());
        for (int cut = 0; cut < 3; cut++) {
            List<String> found = new ArrayList<>();
            Object whole = splitter(line);
            require(split(whole, all, cut, seed, found) == null && found.equals(expected));
            finish.invoke(whole);
            if (bad == null) continue;
            byte[] faulty = bytes(String.join("", packets) + bad);
            found.clear();
            Throwable failure = split(splitter(line), faulty, cut, seed, found);
            require(failure != null && found.equals(expected));
            Throwable direct = thrown(decode, connection, faulty, all.length, faulty.length - all.length, sender);
            require(failure.getMessage().equals(direct.getMessage()));
        }
        for (int end = 0; end <= all.length; end++) {
            Object cut = splitter(line);
            split(cut, Arrays.copyOf(all, end), 0, seed, new ArrayList<>());
            Throwable failure = thrown(finish, cut);
            if (ends.contains(String.valueOf(end))) require(failure == null);
            else require(failure != null && failure.getMessage().startsWith("end_of_stream"));
        }
    }

    /** What is thrown into the stream: whole, byte by byte, or in pieces of random lengths. Nothing may share the pieces. */
    private static Throwable split(Object splitter, byte[] all, int cut, long seed, List<String> found) throws Exception {
        long state = seed;
        List<Object> kept = new ArrayList<>();
        Throwable failure = null;
        for (int at = 0; at < all.length && failure == null;) {
            state = state * 48271 % 2147483647;
            int count = Math.min(cut == 0 ? all.length : cut == 1 ? 1 : (int) (state % 9), all.length - at);
            byte[] piece = Arrays.copyOfRange(all, at, at + count);
            at += count;
            push.invoke(splitter, piece, 0, count);
            Arrays.fill(piece, (byte) 0xEE);
            try {
                for (Object packet; (packet = next.invoke(splitter)) != null;) kept.add(packet);
            } catch (InvocationTargetException thrown) {
                failure = thrown.getCause();
                require(failure.getClass() == error);
                // It stays failed.
                require(thrown(next, splitter) == failure && thrown(finish, splitter) == failure);
            }
        }
        for (Object packet : kept) found.add(shown(packet));
        return failure;
    }

    private static Throwable thrown(Method method, Object object, Object... arguments) throws Exception {
        try {
            method.invoke(object, arguments);
            return null;
        } catch (InvocationTargetException thrown) {
            return thrown.getCause();
        }
    }

    private static void require(boolean good) { if (!good) throw new AssertionError(); }

    /** All members of a value, as text. */
    private static String shown(Object v) throws Exception {
        if (v == null || v instanceof Number || v instanceof Boolean || v instanceof String || v instanceof Map) return String.valueOf(v);
        StringBuilder text = new StringBuilder("(");
        if (v.getClass().isArray()) {
            for (int i = 0; i < Array.getLength(v); i++) text.append(shown(Array.get(v, i))).append(',');
        } else {
            text.append(v.getClass().getName());
            for (Field field : v.getClass().getFields()) text.append(',').append(field.getName()).append('=').append(shown(field.get(v)));
        }
        return text.append(')').toString();
    }
}
