// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Checks what a program sees of layers: those that it gives, their limits, keys, and packets in packets. */
public class Layers {
    /** Takes the place of brotli: each byte is there twice. */
    private static class Doubling implements BilibiliProtocol.Layer {
        public byte[] open(byte[] bytes, BilibiliProtocol.Header header, int limit) throws Exception {
            byte[] content = new byte[bytes.length / 2];
            for (int i = 0; i < bytes.length; i++) {
                content[i / 2] = bytes[i];
                if (bytes[i] != bytes[i / 2 * 2]) throw new IllegalArgumentException("damaged");
            }
            return content.length <= limit ? content : null;
        }

        public byte[] seal(byte[] content, BilibiliProtocol.Header header) {
            byte[] bytes = new byte[2 * content.length];
            for (int i = 0; i < bytes.length; i++) bytes[i] = content[i / 2];
            return bytes;
        }
    }

    interface Step { Object run() throws Exception; }

    private static void require(boolean good, String what) { if (!good) throw new IllegalStateException(what); }

    private static void refused(String expected, Step step) throws Exception {
        String found;
        try {
            found = String.valueOf(step.run());
        } catch (java.io.IOException error) {
            found = error.getMessage();
        }
        require(found.equals(expected), found + " instead of " + expected);
    }

    private static BilibiliProtocol.Connection connection(BilibiliProtocol.Layer layer) throws Exception {
        BilibiliProtocol.Connection made = new BilibiliProtocol.Connection();
        made.setLayer("brotli", layer);
        return made;
    }

    private static BilibiliProtocol.Packet note(String body, int version) {
        BilibiliProtocol.Notification note = new BilibiliProtocol.Notification();
        note.body = body;
        BilibiliProtocol.Header header = new BilibiliProtocol.Header();
        header.version = version;
        return new BilibiliProtocol.Packet(note, header);
    }

    private static BilibiliProtocol.Packet group(int version, BilibiliProtocol.Packet... packets) {
        BilibiliProtocol.InnerPackets group = new BilibiliProtocol.InnerPackets();
        group.id = 5;
        group.packets = packets;
        BilibiliProtocol.Header header = new BilibiliProtocol.Header();
        header.version = version;
        return new BilibiliProtocol.Packet(group, header);
    }

    private static void packets() throws Exception {
        BilibiliProtocol.Packet whole = group(3, note("a", 1), group(2, note("b", 1), note("c", 1)));
        refused("packet.brotli: layer_unavailable: give it with setLayer", () -> BilibiliProtocol.encode(whole.message, whole.header));
        byte[] sealed = connection(new Doubling()).encode(whole.message, whole.header);
        byte[] twice = Arrays.copyOf(sealed, 2 * sealed.length);
        System.arraycopy(sealed, 0, twice, sealed.length, sealed.length);
        for (int size : new int[] {1, 7, 1000}) {
            BilibiliProtocol.Splitter splitter = new BilibiliProtocol.Splitter(BilibiliProtocol.Sender.SERVER, connection(new Doubling()));
            List<String> found = new ArrayList<>();
            for (int p = 0; p < twice.length; p += size) {
                splitter.push(twice, p, Math.min(size, twice.length - p));
                for (BilibiliProtocol.Packet packet; (packet = splitter.next()) != null;) found.add(((BilibiliProtocol.Notification) packet.message).body);
            }
            splitter.finish();
            require(found.equals(Arrays.asList("a", "b", "c", "a", "b", "c")), found.toString());
        }
        byte[] damaged = sealed.clone();
        damaged[damaged.length - 1] ^= 1;
        refused("packet.brotli: invalid_layer", () -> connection(new Doubling()).decode(damaged, BilibiliProtocol.Sender.SERVER));
        refused("packet.brotli: inflated_too_long", () -> connection(new Doubling() {
            @Override public byte[] open(byte[] bytes, BilibiliProtocol.Header header, int limit) { return null; }
        }).decode(sealed, BilibiliProtocol.Sender.SERVER));
        refused("packet.brotli: inflated_too_long", () -> connection(new Doubling() {
            @Override public byte[] open(byte[] bytes, BilibiliProtocol.Header header, int limit) { return new byte[limit + 1]; }
        }).decode(sealed, BilibiliProtocol.Sender.SERVER));
        refused("packets: presence", () -> connection(new Doubling()).encode(group(1).message, group(1).header));
        refused("layer.zlib: unknown_layer", () -> {
            new BilibiliProtocol.Connection().setLayer("zlib", new Doubling());
            return null;
        });
        BilibiliProtocol.Packet own = group(2, note("a", 1));
        ((BilibiliProtocol.InnerPackets) own.message).packets[0] = own;
        refused("packets[0].packets[0].packets[0].packets[0]: too_deep", () -> BilibiliProtocol.encode(own.message, own.header));
        BilibiliProtocol.Packet deep = group(2, group(2, group(2, group(2, group(2)))));
        refused("packets[0].packets[0].packets[0].packets[0]: too_deep", () -> BilibiliProtocol.encode(deep.message, deep.header));
    }

    /** A packet of a few kilobytes that would become much: it is refused at the limit, without the memory for it. */
    private static void bomb() throws Exception {
        byte[] zeros = new byte[64 << 20];
        java.util.zip.Deflater deflater = new java.util.zip.Deflater();
        deflater.setInput(zeros);
        deflater.finish();
        byte[] made = new byte[1 << 18];
        int count = deflater.deflate(made);
        require(deflater.finished(), "a bomb");
        byte[] packet = new byte[16 + count];
        packet[1] = (byte) (packet.length >> 16);
        packet[2] = (byte) (packet.length >> 8);
        packet[3] = (byte) packet.length;
        packet[5] = 16;
        packet[7] = 2;
        packet[11] = 5;
        System.arraycopy(made, 0, packet, 16, count);
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        refused("packet.zlib: inflated_too_long", () -> BilibiliProtocol.decode(packet, BilibiliProtocol.Sender.SERVER));
        long used = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
        // The limit is 4 MiB; the room for it doubles.
        require(used < 12 << 20, used + " bytes");
    }

    private static CiphersProtocol.Connection ciphers() throws Exception {
        CiphersProtocol.Connection made = new CiphersProtocol.Connection();
        made.setKey("StreamKey", new byte[] {1, 2, 3});
        made.setKey("blockKey", new byte[32]);
        made.setKey("blockStart", new byte[16]);
        made.setKey("counterKey", new byte[24]);
        byte[] start = new byte[16];
        Arrays.fill(start, (byte) 255);
        made.setKey("counterStart", start);
        return made;
    }

    private static CiphersProtocol.Packet say(String text) {
        CiphersProtocol.Say say = new CiphersProtocol.Say();
        say.text = text;
        CiphersProtocol.Header header = new CiphersProtocol.Header();
        header.streamed = true;
        return new CiphersProtocol.Packet(say, header);
    }

    private static byte[] send(CiphersProtocol.Connection from, CiphersProtocol.Packet packet) throws Exception {
        return from.encode(packet.message, packet.header, CiphersProtocol.Sender.CLIENT);
    }

    private static Object received(CiphersProtocol.Connection by, byte[] packet) throws Exception {
        CiphersProtocol.Message message = by.decode(packet, CiphersProtocol.Sender.CLIENT).message;
        return message instanceof CiphersProtocol.Say ? ((CiphersProtocol.Say) message).text : null;
    }

    private static void keystreams() throws Exception {
        CiphersProtocol.Connection writer = ciphers(), reader = ciphers();
        require(received(reader, send(writer, say("one"))).equals("one"), "one");
        // A packet that fails moves no keystream, neither when it is written nor when it is read.
        CiphersProtocol.InnerPackets group = new CiphersProtocol.InnerPackets();
        group.id = 9;
        group.packets = new CiphersProtocol.Packet[] {say("ok"), say(new String(new char[70000]))};
        CiphersProtocol.Header header = new CiphersProtocol.Header();
        header.kind = CiphersProtocol.Kind.GROUP;
        refused("packets[1].Say.text: too_long", () -> send(writer, new CiphersProtocol.Packet(group, header)));
        byte[] second = send(writer, say("two"));
        for (int i = 0; i < second.length; i++) {
            byte[] damaged = second.clone();
            damaged[i] ^= 64;
            CiphersProtocol.Packet packet = null;
            try {
                packet = reader.decode(damaged, CiphersProtocol.Sender.CLIENT);
            } catch (CiphersProtocol.WireException error) {
                require(!error.kind.isEmpty(), "an error");
            }
            require(packet == null, "a damaged packet");
        }
        require(received(reader, second).equals("two"), "two");
        // A key that is set again begins its keystream anew, for one side or for both.
        writer.setKey("StreamKey", new byte[] {1, 2, 3}, CiphersProtocol.Sender.SERVER);
        require(received(reader, send(writer, say("three"))).equals("three"), "three");
        writer.setKey("StreamKey", new byte[] {1, 2, 3}, CiphersProtocol.Sender.CLIENT);
        reader.setKey("StreamKey", new byte[] {1, 2, 3});
        require(received(reader, send(writer, say("four"))).equals("four"), "four");
        writer.setKey("StreamKey", new byte[] {1, 2, 3});
        // With another keystream the ID, which is inside of the layers, is one that the schema does not have.
        require(received(reader, send(writer, say("five"))) == null, "five");
        refused("key.streamKey: unknown_key", () -> {
            writer.setKey("streamKey", new byte[3]);
            return null;
        });
        refused("key.blockKey: wrong_key", () -> {
            writer.setKey("blockKey", new byte[17]);
            return null;
        });
        refused("packet.counterKey: layer_unavailable: give its key with setKey", () -> send(new CiphersProtocol.Connection(), say("")));
    }

    /** A part of a message, which is not read, sets no state, whatever its ID. */
    private static void parts() throws Exception {
        StreamsProtocol.Connection sender = new StreamsProtocol.Connection(), receiver = new StreamsProtocol.Connection();
        StreamsProtocol.UnknownMessage part = new StreamsProtocol.UnknownMessage();
        part.id = 2;
        part.payload = new byte[] {1, 2};
        StreamsProtocol.Header header = new StreamsProtocol.Header();
        header.kind = 8;
        byte[] packet = sender.encode(part, header, StreamsProtocol.Sender.CLIENT);
        require(receiver.decode(packet, StreamsProtocol.Sender.CLIENT).message instanceof StreamsProtocol.UnknownMessage, "a part");
        require(sender.phase == 0 && receiver.phase == 0, "a state of a part");
        packet = sender.encode(new StreamsProtocol.Pause(), null, StreamsProtocol.Sender.CLIENT);
        require(receiver.decode(packet, StreamsProtocol.Sender.CLIENT).message instanceof StreamsProtocol.Pause, "a message");
        require(sender.phase == 1 && receiver.phase == 1, "a state of a message");
    }

    public static void main(String[] arguments) throws Exception {
        packets();
        bomb();
        keystreams();
        parts();
        System.out.println("as expected");
    }
}
