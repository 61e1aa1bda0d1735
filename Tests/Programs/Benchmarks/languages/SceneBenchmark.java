// SPDX-License-Identifier: Apache-2.0

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.Callable;

/**
 * Compares the generated class of Scene with code written by hand. Prints CASE IMPLEMENTATION NANOSECONDS a line.
 *
 * <p>The other code uses ByteBuffer, and makes an array for each packet. It checks what a packet of this message must be: its length
 * and its ID, whether it has arrived whole, the ranges of the numbers, and that nothing is missing or left over. Text that is no UTF-8 is
 * replaced. It makes no header.
 */
public final class SceneBenchmark {
    private static long nanoseconds;
    private static Object last;

    public static void main(String[] arguments) throws Exception {
        nanoseconds = Long.parseLong(arguments[0]) * 1_000_000;
        for (int size : new int[] {16, 1024}) {
            SceneProtocol.Sc_20001 message = new SceneProtocol.Sc_20001();
            message.res = 1;
            message.sceneId = 70000;
            message.pos = 2;
            message.status = 10;
            message.type = 3;
            message.defaultCombat = 4000000000L;
            char[] text = new char[size];
            Arrays.fill(text, 'x');
            message.message = new String(text);
            byte[] packet = SceneProtocol.encode(message);
            require(Arrays.equals(packet, encodeByHand(message)), "both write the same bytes");
            require(isSame(message, decodeByHand(packet, 0, packet.length)), "both read the same message");
            require(
                isSame(message, (SceneProtocol.Sc_20001) SceneProtocol.decode(packet, SceneProtocol.Sender.SERVER).message),
                "both read the same message");
            measure("encode_" + size, "wireline", () -> SceneProtocol.encode(message));
            measure("encode_" + size, "by hand", () -> encodeByHand(message));
            measure("decode_" + size, "wireline", () -> SceneProtocol.decode(packet, SceneProtocol.Sender.SERVER));
            measure("decode_" + size, "by hand", () -> decodeByHand(packet, 0, packet.length));
        }
    }

    private static void measure(String name, String implementation, Callable<Object> work) throws Exception {
        for (long count = 1; ; ) {
            long start = System.nanoTime();
            for (long i = 0; i < count; i++) last = work.call();
            long elapsed = System.nanoTime() - start;
            // The first runs are compiled on the way.
            if (elapsed >= nanoseconds && count > 20_000 || elapsed >= 50 * nanoseconds) {
                System.out.println(name + "\t" + implementation + "\t" + (double) elapsed / count);
                return;
            }
            count = Math.max(2 * count, (long) (count * Math.min(100, nanoseconds * 1.1 / Math.max(elapsed, 1000))));
        }
    }

    private static byte[] encodeByHand(SceneProtocol.Sc_20001 m) {
        byte[] text = m.message.getBytes(StandardCharsets.UTF_8);
        inRange(m.res, 255);
        inRange(m.sceneId, 0xFFFFFFFFL);
        inRange(m.pos, 255);
        inRange(m.status, 255);
        inRange(m.type, 255);
        inRange(m.defaultCombat, 0xFFFFFFFFL);
        inRange(text.length, 65535);
        ByteBuffer buffer = ByteBuffer.allocate(20 + text.length);
        buffer.putInt(20 + text.length).putShort((short) 20001).put((byte) m.res).putInt((int) m.sceneId);
        buffer.put((byte) m.pos).put((byte) m.status).put((byte) m.type).putInt((int) m.defaultCombat);
        buffer.putShort((short) text.length).put(text);
        return buffer.array();
    }

    private static void inRange(long value, long most) {
        if (value < 0 || value > most) throw new IllegalArgumentException("out of range");
    }

    private static SceneProtocol.Sc_20001 decodeByHand(byte[] bytes, int offset, int count) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes, offset, count);
        if (count < 6) return null;
        int length = buffer.getInt();
        if (length < 6 || length > 1048576) throw new IllegalArgumentException("length");
        if (count < length) return null;
        buffer.limit(offset + length);
        if ((buffer.getShort() & 0xFFFF) != 20001) throw new IllegalArgumentException("id");
        SceneProtocol.Sc_20001 m = new SceneProtocol.Sc_20001();
        m.res = buffer.get() & 0xFF;
        m.sceneId = buffer.getInt() & 0xFFFFFFFFL;
        m.pos = buffer.get() & 0xFF;
        m.status = buffer.get() & 0xFF;
        m.type = buffer.get() & 0xFF;
        m.defaultCombat = buffer.getInt() & 0xFFFFFFFFL;
        int textCount = buffer.getShort() & 0xFFFF;
        if (textCount != buffer.remaining()) throw new IllegalArgumentException("text");
        m.message = new String(bytes, buffer.position(), textCount, StandardCharsets.UTF_8);
        return m;
    }

    private static boolean isSame(SceneProtocol.Sc_20001 a, SceneProtocol.Sc_20001 b) {
        return a.res == b.res && a.sceneId == b.sceneId && a.pos == b.pos && a.status == b.status && a.type == b.type
            && a.defaultCombat == b.defaultCombat && a.message.equals(b.message);
    }

    private static void require(boolean isTrue, String what) {
        if (!isTrue) throw new AssertionError(what);
    }
}
