// SPDX-License-Identifier: Apache-2.0

using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Text.RegularExpressions;

/// <summary>
/// Takes part in conversations whose packets have layers. Each line of input is one: {"keys":{"session":"00ff"},"seed":7,"packets":
/// [{"from":"client","hex":"00…"}],"bad":{"from":"client","hex":"00…"}}. The packets are read one by one, and by splitters of both sides,
/// cut in many ways. What was read is written again, by a new connection; that is printed, and the error of the packet that ends it.
/// </summary>
public static class Conversations {
    private static Type connections, senders, splitters, groups, error;
    private static MethodInfo decode, encode, push, next, finish;

    public static void Main(string[] arguments) {
        Assembly assembly = Assembly.GetExecutingAssembly();
        Type protocol = assembly.GetTypes().First(type => type.Name == arguments[0]);
        Func<string, Type> named = name => assembly.GetType(protocol.Namespace + "." + name);
        connections = named("Connection");
        senders = named("Sender");
        splitters = named("PacketSplitter");
        groups = named("InnerPackets");
        error = named("WireException");
        decode = protocol.GetMethod("Decode", new[] {typeof(byte[]), typeof(int), typeof(int), senders, connections});
        encode = protocol.GetMethods().First(method => method.Name == "Encode" && method.ReturnType == typeof(byte[]));
        push = splitters.GetMethod("Push");
        next = splitters.GetMethod("Next");
        finish = splitters.GetMethod("Finish");
        for (string line; (line = Console.In.ReadLine()) != null;) Console.WriteLine(Check(line));
    }

    private static byte[] Bytes(string hex) { return Enumerable.Range(0, hex.Length / 2).Select(i => Convert.ToByte(hex.Substring(2 * i, 2), 16)).ToArray(); }

    private static string Hex(byte[] bytes) { return BitConverter.ToString(bytes).Replace("-", "").ToLowerInvariant(); }

    private static object Sender(string name) { return Enum.ToObject(senders, name == "server" ? 1 : 0); }

    private static object Connection(string line) {
        object made = Activator.CreateInstance(connections);
        foreach (Match key in Regex.Matches(line.Substring(0, line.IndexOf('}')), "\"(\\w+)\":\"(\\w+)\"")) {
            object[] taken = {key.Groups[1].Value, Bytes(key.Groups[2].Value), Array.CreateInstance(senders, 0)};
            connections.GetMethod("SetKey").Invoke(made, taken);
        }
        return made;
    }

    private static object Get(object of, string name) { return of.GetType().GetField(name).GetValue(of); }

    /// <summary>What a value has, so that two can be compared.</summary>
    private static string Show(object v) {
        if (v == null) return "null";
        var array = v as Array;
        if (array != null) return "[" + string.Join(",", array.Cast<object>().Select(Show)) + "]";
        if (v.GetType().IsPrimitive || v.GetType().IsEnum || v is string) return v.ToString();
        IEnumerable<string> fields = v.GetType().GetFields().Select(field => field.Name + "=" + Show(field.GetValue(v)));
        return v.GetType().Name + "{" + string.Join(";", fields) + "}";
    }

    private static void Flatten(object packet, List<string> found) {
        object message = Get(packet, "Message");
        if (groups == null || !groups.IsInstanceOfType(message)) found.Add(Show(packet));
        else foreach (object inner in (Array)Get(message, "Packets")) Flatten(inner, found);
    }

    private static void Require(bool good, string what) { if (!good) throw new InvalidOperationException(what); }

    /// <summary>Both sides' splitters of one connection get the packets in their order, in pieces of at most so many bytes.</summary>
    private static object[] Split(string line, List<string[]> packets, List<string> found, int most, Random random) {
        object own = Connection(line);
        object[] both = new[] {"client", "server"}.Select(name => Activator.CreateInstance(splitters, Sender(name), own)).ToArray();
        foreach (string[] packet in packets) {
            object splitter = both[packet[0] == "server" ? 1 : 0];
            byte[] bytes = Bytes(packet[1]);
            for (int p = 0, count; p < bytes.Length; p += count) {
                count = Math.Min(bytes.Length - p, random.Next(1, most + 1));
                push.Invoke(splitter, new object[] {bytes, p, count});
                for (object each; (each = next.Invoke(splitter, null)) != null;) found.Add(Show(each));
            }
        }
        return both;
    }

    private static string Failure(object splitter, MethodInfo function) {
        try {
            function.Invoke(splitter, null);
            return null;
        } catch (TargetInvocationException thrown) {
            object fault = thrown.InnerException;
            Require(error.IsInstanceOfType(fault), fault.ToString());
            return Get(fault, "Kind") + "," + Get(fault, "Path") + "," + Get(fault, "Offset");
        }
    }

    private static string Check(string line) {
        var packets = new List<string[]>();
        List<string> written = new List<string>(), expected = new List<string>();
        string[] bad = null;
        foreach (Match match in Regex.Matches(line, "(\"bad\":)?\\{\"from\":\"(\\w+)\",\"hex\":\"(\\w*)\"")) {
            string[] packet = {match.Groups[2].Value, match.Groups[3].Value};
            if (match.Groups[1].Success) bad = packet;
            else packets.Add(packet);
        }
        object reader = Connection(line), writer = Connection(line);
        foreach (string[] packet in packets) {
            byte[] bytes = Bytes(packet[1]);
            // A packet that has not arrived whole changes nothing of the connection.
            object cut = decode.Invoke(null, new[] {bytes, 0, bytes.Length - 1, Sender(packet[0]), reader});
            Require(cut == null, "a packet that was cut");
            var around = new byte[bytes.Length + 2];
            bytes.CopyTo(around, 1);
            object whole = decode.Invoke(null, new[] {around, 1, around.Length - 1, Sender(packet[0]), reader});
            Require(Get(whole, "ByteCount").Equals(bytes.Length), "the bytes of a packet");
            Flatten(whole, expected);
            object again = encode.Invoke(null, new[] {Get(whole, "Message"), Get(whole, "Header"), Sender(packet[0]), writer});
            written.Add(Hex((byte[])again));
        }
        int seed = int.Parse(Regex.Match(line, "\"seed\":(\\d+)").Groups[1].Value);
        foreach (int most in new[] {1, 1 << 20, 9}) {
            var found = new List<string>();
            object[] both = Split(line, packets, found, most, new Random(seed));
            Require(found.SequenceEqual(expected), "other packets: " + string.Join(" ", found) + " instead of " + string.Join(" ", expected));
            if (bad == null) {
                Require(Failure(both[0], finish) == null && Failure(both[1], finish) == null, "the end of a stream");
                continue;
            }
            object splitter = both[bad[0] == "server" ? 1 : 0];
            byte[] bytes = Bytes(bad[1]);
            push.Invoke(splitter, new object[] {bytes, 0, bytes.Length});
            string fault = Failure(splitter, next);
            Require(fault != null && fault == Failure(splitter, finish), "a splitter stays failed");
            if (most == 1) written.Add(fault);
        }
        return string.Join(" ", written);
    }
}
