// SPDX-License-Identifier: Apache-2.0

namespace Runtime {
    /// <summary>Asks functions of the runtime: each line has a word, and the bytes that it gets.</summary>
    internal static class Words {
        private static void Main() {
            for (string line; (line = System.Console.ReadLine()) != null;) {
                string[] parts = line.Split(' ');
                var b = new byte[parts[1].Length / 2];
                for (int i = 0; i < b.Length; i++) b[i] = System.Convert.ToByte(parts[1].Substring(2 * i, 2), 16);
                try {
                    System.Console.WriteLine(Answer(parts[0], b));
                } catch (WireException error) {
                    System.Console.WriteLine(error.Kind);
                }
            }
        }

        private static string Answer(string word, byte[] b) {
            var r = new Reader(b, 0, b.Length);
            switch (word) {
                case "varint": return r.Varint(5, "f").ToString();
                case "zigzag": return r.Zigzag(5, "f").ToString();
                case "f16": return ((long)(r.F16("f") * 16777216)).ToString();
                case "text":
                    byte[] text = System.Text.Encoding.UTF8.GetBytes(r.Text(b.Length, "f"));
                    return System.BitConverter.ToString(text).Replace("-", "").ToLowerInvariant();
                default:
                    string name = "";
                    foreach (string part in word.Split('_')) name += char.ToUpperInvariant(part[0]) + part.Substring(1);
                    const System.Reflection.BindingFlags Hidden = System.Reflection.BindingFlags.Static | System.Reflection.BindingFlags.NonPublic;
                    return typeof(Checksum).GetMethod(name, Hidden).Invoke(null, new object[] { b, 0, b.Length }).ToString();
            }
        }
    }
}
