// SPDX-License-Identifier: Apache-2.0

using System;
using System.Collections.Generic;
using System.IO;
using System.IO.Compression;
using System.Linq;
using Bilibili;

/// <summary>Checks what a program sees of layers: those that it gives, their limits, keys, and packets in packets.</summary>
public static class Layers {
    /// <summary>Takes the place of brotli: each byte is there twice.</summary>
    private sealed class Doubling : Layer {
        internal Func<byte[], int, byte[]> Opening = (bytes, limit) => {
            byte[] content = bytes.Where((x, i) => i % 2 == 0).ToArray();
            for (int i = 0; i < bytes.Length; i++) if (bytes[i] != content[i / 2]) throw new InvalidOperationException("damaged");
            return content.Length <= limit ? content : null;
        };

        public override byte[] Open(byte[] bytes, Header header, int limit) { return Opening(bytes, limit); }

        public override byte[] Seal(byte[] content, Header header) { return content.SelectMany(x => new[] {x, x}).ToArray(); }
    }

    private static void Require(bool good, string what) { if (!good) throw new InvalidOperationException(what); }

    private static void Refused(string expected, Action step) {
        string found = "nothing";
        try {
            step();
        } catch (WireException error) {
            found = error.Message;
        } catch (Ciphers.WireException error) {
            found = error.Message;
        }
        Require(found == expected, found + " instead of " + expected);
    }

    private static Connection Made(Doubling layer) {
        var made = new Connection();
        made.SetLayer("brotli", layer);
        return made;
    }

    private static Packet Note(string body, Form version) { return new Packet(new Notification { Body = body }, new Header { Version = version }); }

    private static Packet Group(Form version, params Packet[] packets) {
        return new Packet(new InnerPackets { Id = 5, Packets = packets }, new Header { Version = version });
    }

    private static void InPackets() {
        Packet whole = Group(Form.Brotli, Note("a", Form.Plain), Group(Form.Zlib, Note("b", Form.Plain), Note("c", Form.Plain)));
        Refused("packet.brotli: layer_unavailable: give it with SetLayer", () => BilibiliProtocol.Encode(whole.Message, whole.Header));
        byte[] encoded = BilibiliProtocol.Encode(whole.Message, whole.Header, Sender.Server, Made(new Doubling()));
        byte[] twice = encoded.Concat(encoded).ToArray();
        foreach (int size in new[] {1, 7, 1000}) {
            var splitter = new PacketSplitter(Sender.Server, Made(new Doubling()));
            var found = new List<string>();
            for (int p = 0; p < twice.Length; p += size) {
                splitter.Push(twice, p, Math.Min(size, twice.Length - p));
                for (Packet packet; (packet = splitter.Next()) != null;) found.Add(((Notification)packet.Message).Body);
            }
            splitter.Finish();
            Require(string.Join("", found) == "abcabc", string.Join("", found));
        }
        byte[] damaged = encoded.ToArray();
        damaged[damaged.Length - 1] ^= 1;
        Refused("packet.brotli: invalid_layer", () => BilibiliProtocol.Decode(damaged, Sender.Server, Made(new Doubling())));
        foreach (Func<byte[], int, byte[]> opening in new Func<byte[], int, byte[]>[] {(bytes, limit) => null, (bytes, limit) => new byte[limit + 1]}) {
            Refused("packet.brotli: inflated_too_long", () => BilibiliProtocol.Decode(encoded, Sender.Server, Made(new Doubling { Opening = opening })));
        }
        Packet plain = Group(Form.Plain);
        Refused("packets: presence", () => BilibiliProtocol.Encode(plain.Message, plain.Header));
        Refused("layer.zlib: unknown_layer", () => new Connection().SetLayer("zlib", new Doubling()));
        Packet own = Group(Form.Zlib, Note("a", Form.Plain));
        ((InnerPackets)own.Message).Packets[0] = own;
        Refused("packets[0].packets[0].packets[0].packets[0]: too_deep", () => BilibiliProtocol.Encode(own.Message, own.Header));
        Packet deep = Group(Form.Zlib, Group(Form.Zlib, Group(Form.Zlib, Group(Form.Zlib, Group(Form.Zlib)))));
        Refused("packets[0].packets[0].packets[0].packets[0]: too_deep", () => BilibiliProtocol.Encode(deep.Message, deep.Header));
    }

    /// <summary>A packet of a few kilobytes that would become much is refused at the limit, and what follows a stream is told.</summary>
    private static void Inflating() {
        byte[] bomb = Compressed(new byte[64 << 20], new byte[4]);
        long before = GC.GetTotalMemory(true);
        Refused("packet.zlib: inflated_too_long", () => BilibiliProtocol.Decode(bomb, Sender.Server));
        // The limit is 4 MiB; the room for it doubles.
        Require(GC.GetTotalMemory(false) - before < 14 << 20, "the memory of a bomb");
        byte[] sum = {0, 0, 0, 1};
        Require(BilibiliProtocol.Decode(Compressed(new byte[0], sum), Sender.Server).Message is InnerPackets, "no packets");
        Refused("packet.zlib: trailing_bytes", () => BilibiliProtocol.Decode(Compressed(new byte[0], sum.Concat(new byte[1]).ToArray()), Sender.Server));
        Refused("packet.zlib: trailing_bytes", () => BilibiliProtocol.Decode(Compressed(new byte[0], sum.Concat(new byte[99]).ToArray()), Sender.Server));
        Refused("packet.zlib: invalid_layer", () => BilibiliProtocol.Decode(Compressed(new byte[0], new byte[99]), Sender.Server));
        Refused("packet.zlib: invalid_layer", () => BilibiliProtocol.Decode(Compressed(new byte[0], new byte[3]), Sender.Server));
    }

    /// <summary>A packet with a stream of zlib, and these bytes after what was compressed.</summary>
    private static byte[] Compressed(byte[] content, byte[] trailer) {
        var made = new MemoryStream();
        made.Write(new byte[] {0, 0, 0, 0, 0, 16, 0, 2, 0, 0, 0, 5, 0, 0, 0, 0, 0x78, 0x9C}, 0, 18);
        if (content.Length == 0) made.Write(new byte[] {3, 0}, 0, 2);
        else using (var stream = new DeflateStream(made, CompressionMode.Compress, true)) stream.Write(content, 0, content.Length);
        made.Write(trailer, 0, trailer.Length);
        byte[] packet = made.ToArray();
        for (int i = 0; i < 4; i++) packet[i] = (byte)(packet.Length >> 24 - 8 * i);
        return packet;
    }

    private static Ciphers.Connection MadeForCiphers() {
        var made = new Ciphers.Connection();
        made.SetKey("StreamKey", new byte[] {1, 2, 3});
        made.SetKey("blockKey", new byte[32]);
        made.SetKey("blockStart", new byte[16]);
        made.SetKey("counterKey", new byte[24]);
        made.SetKey("counterStart", Enumerable.Repeat((byte)255, 16).ToArray());
        return made;
    }

    private static Ciphers.Packet Say(string text) { return new Ciphers.Packet(new Ciphers.Say { Text = text }, new Ciphers.Header { Streamed = true }); }

    private static byte[] Send(Ciphers.Connection from, Ciphers.Packet packet) {
        return Ciphers.CiphersProtocol.Encode(packet.Message, packet.Header, Ciphers.Sender.Client, from);
    }

    private static string Received(Ciphers.Connection by, byte[] packet) {
        var say = Ciphers.CiphersProtocol.Decode(packet, Ciphers.Sender.Client, by).Message as Ciphers.Say;
        return say == null ? null : say.Text;
    }

    private static void Keystreams() {
        Ciphers.Connection writer = MadeForCiphers(), reader = MadeForCiphers();
        Require(Received(reader, Send(writer, Say("one"))) == "one", "one");
        // A packet that fails moves no keystream, neither when it is written nor when it is read.
        var group = new Ciphers.InnerPackets { Id = 9, Packets = new[] {Say("ok"), Say(new string('x', 70000))} };
        Refused("packets[1].Say.text: too_long", () => Send(writer, new Ciphers.Packet(group, new Ciphers.Header { Kind = Ciphers.Kind.Group })));
        byte[] second = Send(writer, Say("two"));
        for (int i = 0; i < second.Length; i++) {
            byte[] damaged = second.ToArray();
            damaged[i] ^= 64;
            Ciphers.Packet packet = null;
            try {
                packet = Ciphers.CiphersProtocol.Decode(damaged, Ciphers.Sender.Client, reader);
            } catch (Ciphers.WireException error) {
                Require(error.Kind != "", "an error");
            }
            Require(packet == null, "a damaged packet");
        }
        Require(Received(reader, second) == "two", "two");
        // A key that is set again begins its keystream anew, for one side or for both.
        writer.SetKey("StreamKey", new byte[] {1, 2, 3}, Ciphers.Sender.Server);
        Require(Received(reader, Send(writer, Say("three"))) == "three", "three");
        writer.SetKey("StreamKey", new byte[] {1, 2, 3}, Ciphers.Sender.Client);
        reader.SetKey("StreamKey", new byte[] {1, 2, 3});
        Require(Received(reader, Send(writer, Say("four"))) == "four", "four");
        writer.SetKey("StreamKey", new byte[] {1, 2, 3});
        // With another keystream the ID, which is inside of the layers, is one that the schema does not have.
        Require(Received(reader, Send(writer, Say("five"))) == null, "five");
        Refused("key.streamKey: unknown_key", () => writer.SetKey("streamKey", new byte[3]));
        Refused("key.blockKey: wrong_key", () => writer.SetKey("blockKey", new byte[17]));
        Refused("packet.counterKey: layer_unavailable: give its key with SetKey", () => Send(new Ciphers.Connection(), Say("")));
    }

    /// <summary>A part of a message, which is not read, sets no state, whatever its ID.</summary>
    private static void Parts() {
        Streams.Connection sender = new Streams.Connection(), receiver = new Streams.Connection();
        var part = new Streams.UnknownMessage { Id = 2, Payload = new byte[] {1, 2} };
        byte[] packet = Streams.StreamsProtocol.Encode(part, new Streams.Header { Kind = 8 }, Streams.Sender.Client, sender);
        Require(Streams.StreamsProtocol.Decode(packet, Streams.Sender.Client, receiver).Message is Streams.UnknownMessage, "a part");
        Require(sender.Phase == 0 && receiver.Phase == 0, "a state of a part");
        packet = Streams.StreamsProtocol.Encode(new Streams.Pause(), null, Streams.Sender.Client, sender);
        Require(Streams.StreamsProtocol.Decode(packet, Streams.Sender.Client, receiver).Message is Streams.Pause, "a message");
        Require(sender.Phase == 1 && receiver.Phase == 1, "a state of a message");
    }

    public static void Main() {
        InPackets();
        Inflating();
        Keystreams();
        Parts();
        Console.WriteLine("as expected");
    }
}
