// SPDX-License-Identifier: Apache-2.0

using System;
using System.Diagnostics;
using System.Linq;
using System.Text;
using Scene;

/// <summary>
/// Compares the generated classes of Scene with code written by hand. Prints CASE IMPLEMENTATION NANOSECONDS a line.
/// The other code makes an array for each packet. It checks what a packet of this message must be: its length and its ID, whether it has
/// arrived whole, and that nothing is missing or left over. Text that is no UTF-8 is replaced. It makes no header.
/// </summary>
public static class SceneBenchmark
{
    private static double seconds;
    /// <summary>What was made last, so that no compiler leaves the work out.</summary>
    public static object Last;

    public static void Main(string[] arguments)
    {
        seconds = double.Parse(arguments[0]) / 1000;
        foreach (int size in new[] { 16, 1024 })
        {
            var message = new Sc_20001
            {
                Res = 1, SceneId = 70000, Pos = 2, Status = 10, Type = 3, DefaultCombat = 4000000000,
                Message = new string('x', size),
            };
            byte[] packet = SceneProtocol.Encode(message);
            Require(packet.SequenceEqual(EncodeByHand(message)), "both write the same bytes");
            Require(IsSame(message, DecodeByHand(packet, 0, packet.Length)), "both read the same message");
            Require(IsSame(message, (Sc_20001)Decode(packet).Message), "both read the same message");
            Measure("encode_" + size, "wireline", () => SceneProtocol.Encode(message));
            Measure("encode_" + size, "by hand", () => EncodeByHand(message));
            Measure("decode_" + size, "wireline", () => Decode(packet));
            Measure("decode_" + size, "by hand", () => DecodeByHand(packet, 0, packet.Length));
        }
    }

    private static Packet Decode(byte[] packet)
    {
        return SceneProtocol.Decode(packet, 0, packet.Length, Sender.Server);
    }

    private static void Measure(string name, string implementation, Func<object> work)
    {
        for (long count = 1; ; )
        {
            var watch = Stopwatch.StartNew();
            for (long i = 0; i < count; i++) Last = work();
            double elapsed = watch.Elapsed.TotalSeconds;
            if (elapsed >= seconds)
            {
                Console.WriteLine(name + "\t" + implementation + "\t" + elapsed / count * 1e9);
                return;
            }
            count = Math.Max(count + 1, (long)(count * Math.Min(100, seconds * 1.1 / Math.Max(elapsed, 1e-6))));
        }
    }

    private static byte[] EncodeByHand(Sc_20001 m)
    {
        int count = Encoding.UTF8.GetByteCount(m.Message);
        if (count > 65535) throw new ArgumentException("text");
        var b = new byte[20 + count];
        Put4(b, 0, (uint)b.Length);
        Put2(b, 4, 20001);
        b[6] = m.Res;
        Put4(b, 7, m.SceneId);
        b[11] = m.Pos;
        b[12] = m.Status;
        b[13] = m.Type;
        Put4(b, 14, m.DefaultCombat);
        Put2(b, 18, count);
        Encoding.UTF8.GetBytes(m.Message, 0, m.Message.Length, b, 20);
        return b;
    }

    private static void Put2(byte[] b, int at, int value)
    {
        b[at] = (byte)(value >> 8);
        b[at + 1] = (byte)value;
    }

    private static void Put4(byte[] b, int at, uint value)
    {
        b[at] = (byte)(value >> 24);
        b[at + 1] = (byte)(value >> 16);
        b[at + 2] = (byte)(value >> 8);
        b[at + 3] = (byte)value;
    }

    private static Sc_20001 DecodeByHand(byte[] b, int start, int available)
    {
        if (available < 6) return null;
        uint length = Get4(b, start);
        if (length < 6 || length > 1048576) throw new ArgumentException("length");
        if (available < length) return null;
        if (Get2(b, start + 4) != 20001) throw new ArgumentException("id");
        if (length < 20) throw new ArgumentException("fields");
        int count = Get2(b, start + 18);
        if (count != length - 20) throw new ArgumentException("text");
        return new Sc_20001
        {
            Res = b[start + 6], SceneId = Get4(b, start + 7), Pos = b[start + 11], Status = b[start + 12],
            Type = b[start + 13], DefaultCombat = Get4(b, start + 14),
            Message = Encoding.UTF8.GetString(b, start + 20, count),
        };
    }

    private static int Get2(byte[] b, int at)
    {
        return b[at] << 8 | b[at + 1];
    }

    private static uint Get4(byte[] b, int at)
    {
        return (uint)b[at] << 24 | (uint)b[at + 1] << 16 | (uint)b[at + 2] << 8 | b[at + 3];
    }

    private static bool IsSame(Sc_20001 a, Sc_20001 b)
    {
        return a.Res == b.Res && a.SceneId == b.SceneId && a.Pos == b.Pos && a.Status == b.Status && a.Type == b.Type
            && a.DefaultCombat == b.DefaultCombat && a.Message == b.Message;
    }

    private static void Require(bool isTrue, string what)
    {
        if (!isTrue) throw new InvalidOperationException(what);
    }
}
