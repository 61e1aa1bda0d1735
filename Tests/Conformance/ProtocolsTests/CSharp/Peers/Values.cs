// SPDX-License-Identifier: Apache-2.0

#pragma warning disable 618

using System;
using System.Diagnostics;
using System.Linq;
using Features;

/// <summary>Gives wrong values to the generated classes of Features, and a long packet to the splitter of Scene.</summary>
public static class Values {
    public static void Main() {
        var hidden = new Hidden { Password = null };
        Refuse("null", hidden);
        hidden.Password = "\udc00";
        Refuse("low surrogate", hidden);
        Refuse("high surrogate", new WideGrown { Code = "a\ud800" });
        Refuse("no structure", new Deep { Tree = null });
        Refuse("no list", new Deep { Tree = new Tree { Branches = null } });
        var deep = new Deep();
        Tree inner = deep.Tree;
        for (int i = 0; i < 3; i++) {
            inner.Branches = new[] { new Tree() };
            inner = inner.Branches[0];
        }
        Refuse("too deep", deep);
        Refuse("too large", new Cs_1 { U24 = 1 << 24 });
        byte[] written = FeaturesProtocol.Encode(new Cs_1 { F64 = BitConverter.Int64BitsToDouble(unchecked((long)0xFFF0000000000001)) });
        bool isQuiet = written.SequenceEqual(FeaturesProtocol.Encode(new Cs_1 { F64 = BitConverter.Int64BitsToDouble(0x7FF8000000000000) }));
        Console.WriteLine("NaN: " + (isQuiet ? "quiet" : "its bits"));
        Bytewise();
    }

    private static void Refuse(string what, Message message) {
        try {
            FeaturesProtocol.Encode(message);
            Console.WriteLine(what + ": nothing is refused");
        } catch (WireException error) {
            Console.WriteLine(what + ": " + error.Kind + " " + error.Path + (error.Offset == -1 ? "" : " at " + error.Offset));
        }
    }

    /// <summary>Without linear time this takes minutes.</summary>
    private static void Bytewise() {
        byte[] packet = Scene.SceneProtocol.Encode(new Scene.UnknownMessage { Id = 9999, Payload = new byte[1000000] });
        var splitter = new Scene.PacketSplitter(Scene.Sender.Client);
        int found = 0;
        var watch = Stopwatch.StartNew();
        for (int i = 0; i < 2 * packet.Length; i++) {
            splitter.Push(packet, i % packet.Length, 1);
            if (splitter.Next() != null) found++;
        }
        splitter.Finish();
        Console.WriteLine("byte by byte: " + found + " packets" + (watch.Elapsed.TotalSeconds < 20 ? "" : ", slowly"));
    }
}
