// SPDX-License-Identifier: Apache-2.0

using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Text.RegularExpressions;

/// <summary>
/// Sends streams through a generated splitter, cut in many ways. Each line of input is a stream:
/// {"from":"client","state":null,"packets":["00…"],"ends":[0,15],"bad":"00…","seed":7}. The stream may end at the places of "ends".
/// </summary>
public static class StreamPeer {
    private static MethodInfo decode, push, next, finish;
    private static Type splitter, connections, error;
    private static object sender;

    public static void Main(string[] arguments) {
        Assembly assembly = Assembly.GetExecutingAssembly();
        Type protocol = assembly.GetTypes().First(type => type.Name == arguments[0]);
        Func<string, Type> named = name => assembly.GetType(protocol.Namespace + "." + name);
        Type senders = named("Sender");
        splitter = named("PacketSplitter");
        error = named("WireException");
        connections = splitter.GetConstructors()[0].GetParameters().Select(parameter => parameter.ParameterType).ElementAtOrDefault(1);
        Type[] taken = { typeof(byte[]), typeof(int), typeof(int), senders, connections };
        decode = protocol.GetMethod("Decode", taken.Where(type => type != null).ToArray());
        push = splitter.GetMethod("Push");
        next = splitter.GetMethod("Next");
        finish = splitter.GetMethod("Finish");
        int count = 0;
        for (string line; (line = Console.In.ReadLine()) != null; count++) {
            sender = Enum.ToObject(senders, line.Contains("\"from\":\"server\"") ? 1 : 0);
            Check(line);
        }
        Console.WriteLine(count + " streams");
    }

    private static List<string> Words(string line, string pattern) {
        return Regex.Matches(Regex.Match(line, pattern).Groups[1].Value, "\\w+").Cast<Match>().Select(match => match.Value).ToList();
    }

    /// <summary>A new connection with the states of a stream; null if the protocol has no states.</summary>
    private static object Connection(string line) {
        if (connections == null) return null;
        object made = Activator.CreateInstance(connections);
        foreach (Match state in Regex.Matches(Regex.Match(line, "\"state\":(\\{[^}]*\\})").Value, "\"(\\w+)\":\"?(-?\\d+)")) {
            FieldInfo field = connections.GetField(state.Groups[1].Value, BindingFlags.Public | BindingFlags.Instance | BindingFlags.IgnoreCase);
            decimal number = decimal.Parse(state.Groups[2].Value);
            field.SetValue(made, field.FieldType.IsEnum ? Enum.ToObject(field.FieldType, (long)number) : Convert.ChangeType(number, field.FieldType));
        }
        return made;
    }

    private static object Splitter(string line) {
        return connections == null ? Activator.CreateInstance(splitter, sender) : Activator.CreateInstance(splitter, sender, Connection(line));
    }

    private static object[] Taken(byte[] bytes, int start, object connection) {
        object[] all = { bytes, start, bytes.Length - start, sender, connection };
        return connections == null ? all.Take(4).ToArray() : all;
    }

    private static byte[] Bytes(string hex) { return Enumerable.Range(0, hex.Length / 2).Select(i => Convert.ToByte(hex.Substring(2 * i, 2), 16)).ToArray(); }

    private static void Check(string line) {
        List<string> packets = Words(line, "\"packets\":\\[([^\\]]*)\\]"), ends = Words(line, "\"ends\":\\[([^\\]]*)\\]");
        Match bad = Regex.Match(line, "\"bad\":\"(\\w+)\"");
        long seed = long.Parse(Regex.Match(line, "\"seed\":(\\d+)").Groups[1].Value);
        byte[] all = Bytes(string.Concat(packets));
        var expected = new List<string>();
        object connection = Connection(line);
        for (int start = 0; start < all.Length;) {
            object packet = decode.Invoke(null, Taken(all, start, connection));
            expected.Add(Shown(packet));
            start += (int)packet.GetType().GetField("ByteCount").GetValue(packet);
        }
        Require(expected.Count == packets.Count);
        for (int cut = 0; cut < 3; cut++) {
            var found = new List<string>();
            object whole = Splitter(line);
            Require(Split(whole, all, cut, seed, found) == null && found.SequenceEqual(expected));
            finish.Invoke(whole, null);
            if (!bad.Success) continue;
            byte[] faulty = Bytes(string.Concat(packets) + bad.Groups[1].Value);
            found.Clear();
            Exception failure = Split(Splitter(line), faulty, cut, seed, found);
            Require(failure != null && found.SequenceEqual(expected));
            Exception direct = Thrown(decode, null, Taken(faulty, all.Length, connection));
            Require(failure.Message == direct.Message);
        }
        for (int end = 0; end <= all.Length; end++) {
            object cut = Splitter(line);
            Split(cut, all.Take(end).ToArray(), 0, seed, new List<string>());
            Exception failure = Thrown(finish, cut);
            if (ends.Contains(end.ToString())) Require(failure == null);
            else Require(failure != null && failure.Message.StartsWith("end_of_stream", StringComparison.Ordinal));
        }
    }

    /// <summary>What is thrown into the stream: whole, byte by byte, or in pieces of random lengths. Nothing may share the pieces.</summary>
    private static Exception Split(object made, byte[] all, int cut, long seed, List<string> found) {
        long state = seed;
        var kept = new List<object>();
        Exception failure = null;
        for (int at = 0; at < all.Length && failure == null;) {
            state = state * 48271 % 2147483647;
            int count = Math.Min(cut == 0 ? all.Length : cut == 1 ? 1 : (int)(state % 9), all.Length - at);
            byte[] piece = all.Skip(at).Take(count).ToArray();
            at += count;
            push.Invoke(made, new object[] { piece, 0, count });
            for (int i = 0; i < count; i++) piece[i] = 0xEE;
            try {
                for (object packet; (packet = next.Invoke(made, null)) != null;) kept.Add(packet);
            } catch (TargetInvocationException thrown) {
                failure = thrown.InnerException;
                Require(failure.GetType() == error);
                // It stays failed.
                Require(Thrown(next, made) == failure && Thrown(finish, made) == failure);
            }
        }
        found.AddRange(kept.Select(Shown));
        return failure;
    }

    private static Exception Thrown(MethodInfo method, object of, params object[] arguments) {
        try {
            method.Invoke(of, arguments);
            return null;
        } catch (TargetInvocationException thrown) {
            return thrown.InnerException;
        }
    }

    private static void Require(bool good) { if (!good) throw new InvalidOperationException(); }

    /// <summary>All members of a value, as text.</summary>
    private static string Shown(object v) {
        if (v == null || v is string || v.GetType().IsPrimitive || v is Enum) return Convert.ToString(v);
        var text = new StringBuilder("(");
        var items = v as System.Collections.IEnumerable;
        if (items != null) {
            foreach (object item in items) text.Append(item is KeyValuePair<string, string> ? item.ToString() : Shown(item)).Append(',');
            return text.Append(')').ToString();
        }
        text.Append(v.GetType().Name);
        foreach (FieldInfo field in v.GetType().GetFields()) text.Append(',').Append(field.Name).Append('=').Append(Shown(field.GetValue(v)));
        return text.Append(')').ToString();
    }
}
