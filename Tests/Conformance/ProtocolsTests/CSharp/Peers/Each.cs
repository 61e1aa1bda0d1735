// SPDX-License-Identifier: Apache-2.0

using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;

/// <summary>
/// Runs programs one after another. Each line of input is one: what it reads, what it writes, its class and its arguments, with tabs
/// between.
/// </summary>
public static class Each {
    [DllImport("libc")]
    private static extern int open(string path, int flags);

    [DllImport("libc")]
    private static extern int dup2(int old, int other);

    public static void Main() {
        foreach (string line in Console.In.ReadToEnd().Split(new[] {'\n'}, StringSplitOptions.RemoveEmptyEntries)) {
            string[] words = line.Split('\t');
            File.WriteAllText(words[1], "");
            // Adapters open the descriptors themselves.
            dup2(open(words[0], 0), 0);
            dup2(open(words[1], 1), 1);
            Console.SetIn(new StreamReader(Console.OpenStandardInput()));
            Console.SetOut(new StreamWriter(Console.OpenStandardOutput()) {AutoFlush = true});
            // A protocol may have a class with the name of a peer, which has no namespace.
            MethodInfo main = Assembly.GetExecutingAssembly().GetTypes().Where(type => type.Name == words[2])
                .OrderBy(type => type.Namespace == null ? 0 : 1).First()
                .GetMethod("Main", BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic);
            try {
                main.Invoke(null, main.GetParameters().Length == 0 ? null : new object[] {words.Skip(3).ToArray()});
            } catch (TargetInvocationException failure) {
                Console.WriteLine(failure.InnerException);
            }
        }
    }
}
