// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// The functions of runtimes by themselves, each asked by a program in its own language: `words` beside these tests.
@Suite(.aside)
struct RuntimeWordTests {
    /// Checksums of the bytes that catalogs of CRCs use, numbers, text and floats, and what is right. A float is told in units of
    /// 2⁻²⁴, which are whole numbers.
    private static let table = """
        crc32 313233343536373839 3421780262
        crc32c 313233343536373839 3808858755
        adler32 313233343536373839 152961502
        crc16_arc 313233343536373839 47933
        crc16_modbus 313233343536373839 19255
        crc16_kermit 313233343536373839 8585
        crc16_x25 313233343536373839 36974
        crc16_ccitt_false 313233343536373839 10673
        crc16_xmodem 313233343536373839 12739
        sum8 ff0203 4
        xor8 ff0f01 241
        varint 00 0
        varint 7f 127
        varint 8001 128
        varint ffffffff0f 4294967295
        varint 8000 varint_not_shortest
        varint 80 truncated
        varint ffffffffff01 varint_too_long
        zigzag 00 0
        zigzag 01 -1
        zigzag feffffff0f 2147483647
        zigzag ffffffff0f -2147483648
        text e282acf09f9880 e282acf09f9880
        text c080 invalid_utf8
        text eda080 invalid_utf8
        text f4908080 invalid_utf8
        text e282 invalid_utf8
        f16 0000 0
        f16 0001 1
        f16 03ff 1023
        f16 0400 1024
        f16 3c00 16777216
        f16 7bff 1098974756864
        f16 c000 -33554432
        """.split(separator: "\n").map { $0.split(separator: " ") }

    private static let runtimes = Checkout.url("Sources/Languages/WirelineGenerator/Runtimes")

    /// A runtime and the program that asks it.
    struct Item: Sendable, CustomTestStringConvertible {
        let language: Language
        let runtime: String
        let program: String
        /// Compiles both in a folder, and returns what the program prints.
        let run: @Sendable (_ folder: URL, _ runtime: URL, _ program: URL, _ input: String) throws -> String

        var testDescription: String { runtime }

        static let all =
            [
                Item(language: .python, runtime: "Python/runtime.py", program: "words.py") {
                    _, runtime, program, input in
                    try PythonInterpreter.run(program, [runtime.path], input: input)
                },
                Item(language: .erlang, runtime: "Erlang/runtime.erl", program: "words.escript") {
                    _, runtime, program, input in
                    try ProgramRun.output(
                        of: ErlangInterpreter.path ?? "escript", [program.path, runtime.path], input: input)
                },
                Item(language: .java, runtime: "Java/Runtime.java", program: "Words.java") {
                    folder, runtime, program, input in
                    try copy([runtime, program], to: folder)
                    return try JavaTool.compile([folder]) + JavaTool.run("Words", paths: [folder], input: input)
                },
                Item(language: .cSharp, runtime: "CSharp/Runtime.cs", program: "Words.cs") {
                    folder, runtime, program, input in
                    let made = folder.appending(path: "words.exe")
                    return try CSharpTool.compile([runtime, program], to: made, main: "Runtime.Words")
                        + CSharpTool.run(made, input: input)
                },
                Item(language: .cpp, runtime: "Cpp/runtime.hpp", program: "words.cpp") {
                    folder, runtime, program, input in
                    try copy([runtime, program], to: folder)
                    let (source, made) = (
                        folder.appending(path: "words.cpp").path, folder.appending(path: "words").path
                    )
                    return try CppTool.compile([["g++"] + CppTool.warnings + ["-o", made, source]])
                        + ProgramRun.output(of: made, [], input: input)
                },
                Item(language: .go, runtime: "Go/runtime.go", program: "words.go") { folder, runtime, program, input in
                    try copy([program], to: folder)
                    let text = try String(contentsOf: runtime, encoding: .utf8)
                    try Data(text.replacing("\npackage runtime\n", with: "\npackage main\n").utf8)
                        .write(to: folder.appending(path: "runtime.go"))
                    return try GoTool.run(in: folder, ["build", "-o", "words", "runtime.go", "words.go"])
                        + ProgramRun.output(of: folder.appending(path: "words").path, [], input: input)
                },
                Item(language: .rust, runtime: "Rust/runtime.rs", program: "words.rs") {
                    folder, runtime, program, input in
                    let (source, made) = (folder.appending(path: "main.rs"), folder.appending(path: "words"))
                    try join([runtime, program], to: source)
                    return try RustTool.compile(source, to: made) + ProgramRun.output(of: made.path, [], input: input)
                },
                Item(language: .typeScript, runtime: "TypeScript/runtime.ts", program: "words.ts") {
                    folder, runtime, program, input in
                    let source = folder.appending(path: "words.ts")
                    try join([runtime, program], to: source)
                    // A module need not use all of the runtime.
                    let findings = try TypeScriptTool.compile([source], target: "ES2020", module: "CommonJS")
                        .split(separator: "\n").filter { !$0.contains("error TS6") }
                    return try findings.joined()
                        + TypeScriptTool.run(folder.appending(path: "words.js"), input: input)
                },
            ]
            + LuaTool.wanted.map { name in
                Item(language: .lua, runtime: "Lua/runtime.lua", program: "words.lua") { _, runtime, program, input in
                    try LuaTool.run(name, program, [runtime.path], input: input)
                }
            }

        private static func copy(_ files: [URL], to folder: URL) throws {
            for file in files {
                try FileManager.default.copyItem(at: file, to: folder.appending(path: file.lastPathComponent))
            }
        }

        private static func join(_ files: [URL], to file: URL) throws {
            try Data(files.map { try String(contentsOf: $0, encoding: .utf8) }.joined().utf8).write(to: file)
        }
    }

    @Test(arguments: Item.all.filter { $0.language.absence == nil })
    func `the functions of a runtime return what is right`(item: Item) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let input = Self.table.map { "\($0[0]) \($0[1])\n" }.joined()
        let output = try item.run(
            folder, Self.runtimes.appending(path: item.runtime), item.language.peerFile(item.program), input)
        #expect(output.split(separator: "\n") == Self.table.map { $0[2] })
    }
}
