// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// The runtimes of generated code are files that the tools of their languages accept, with all features at once.
@Suite(.aside)
struct RuntimeFileTests {
    /// A runtime or an adapter, and the tool that looks at it.
    struct Runtime: Sendable, CustomTestStringConvertible {
        let path: String
        /// The file beside which it is complete; empty if it is by itself.
        var other = ""
        let absence: String?
        /// Returns what the tool says about a copy of the file, which stands with the other one in a folder of its own; nothing if
        /// it accepts it.
        let findings: @Sendable (_ copy: URL) throws -> String

        var testDescription: String { path }

        static let all =
            languages + adapters
            + ["HTML/tool.mjs", "HTML/search.js", "TypeScript/adapter.mjs"].map { path in
                Runtime(path: path, absence: TypeScriptTool.isWanted ? nil : TypeScriptTool.absence) { copy in
                    try TypeScriptTool.check(copy)
                }
            }

        private static let languages =
            [
                Runtime(path: "Java/Runtime.java", absence: JavaTool.isWanted ? nil : JavaTool.absence) { copy in
                    try JavaTool.compile([copy.deletingLastPathComponent()])
                },
                Runtime(path: "CSharp/Runtime.cs", absence: CSharpTool.isWanted ? nil : CSharpTool.absence) { copy in
                    try CSharpTool.compile([copy], to: copy.appendingPathExtension("dll"))
                },
                Runtime(path: "Cpp/runtime.hpp", absence: CppTool.isWanted ? nil : CppTool.absence) { copy in
                    try CppTool.check([copy])
                },
                Runtime(path: "Go/runtime.go", absence: GoTool.isWanted ? nil : GoTool.absence) { copy in
                    try GoTool.check(copy)
                },
                Runtime(path: "Rust/runtime.rs", absence: RustTool.isWanted ? nil : RustTool.absence) { copy in
                    try RustTool.compile(copy, to: copy.appendingPathExtension("rlib"), isProgram: false)
                },
                Runtime(
                    path: "Erlang/runtime.erl", absence: ErlangInterpreter.isWanted ? nil : ErlangInterpreter.absence
                ) { copy in
                    try ErlangInterpreter.compile(copy)
                },
                Runtime(
                    path: "TypeScript/runtime.ts", absence: TypeScriptTool.isWanted ? nil : TypeScriptTool.absence
                ) { copy in
                    try TypeScriptTool.checkTypes(of: copy)
                },
            ]
            + ["Lua/runtime.lua", "Lua/adapter.lua", "Wireshark/runtime.lua"].map { path in
                Runtime(path: path, absence: LuaTool.wanted.isEmpty ? "no Lua is on the PATH" : nil) { copy in
                    try LuaTool.check(copy)
                }
            }
            + ["Python/runtime.py", "Python/adapter.py"].map { path in
                Runtime(
                    path: path,
                    absence: PythonInterpreter.hasTypeChecker ? nil : PythonInterpreter.absenceOfTypeChecker
                ) { copy in
                    try PythonInterpreter.checkTypes(of: [copy], below: copy.deletingLastPathComponent())
                }
            }

        private static let adapters = [
            Runtime(
                path: "Java/Adapter.java", other: "Java/Runtime.java",
                absence: JavaTool.isWanted ? nil : JavaTool.absence
            ) { copy in
                try JavaTool.compile([copy.deletingLastPathComponent()])
            },
            Runtime(
                path: "CSharp/Adapter.cs", other: "CSharp/Runtime.cs",
                absence: CSharpTool.isWanted ? nil : CSharpTool.absence
            ) { copy in
                let runtime = copy.deletingLastPathComponent().appending(path: "Runtime.cs")
                return try CSharpTool.compile([copy, runtime], to: copy.appendingPathExtension("dll"))
            },
            Runtime(
                path: "Cpp/adapter.cpp", other: "Cpp/runtime.hpp",
                absence: CppTool.isWanted ? nil : CppTool.absence
            ) { copy in
                try CppTool.check([copy])
            },
            Runtime(
                path: "Go/adapter.go", other: "Go/runtime.go", absence: GoTool.isWanted ? nil : GoTool.absence
            ) { copy in
                try GoTool.check(copy, with: ["runtime.go"])
            },
            Runtime(
                path: "Rust/adapter.rs", other: "Rust/runtime.rs", absence: RustTool.isWanted ? nil : RustTool.absence
            ) { copy in
                try RustTool.compile(copy, to: copy.appendingPathExtension("out"))
            },
            Runtime(
                path: "Erlang/adapter.erl", absence: ErlangInterpreter.isWanted ? nil : ErlangInterpreter.absence
            ) { copy in
                try ErlangInterpreter.compile(copy)
            },
        ]
    }

    private static let absences = Runtime.all.compactMap(\.absence)
    private static let sources = Checkout.url("Sources/Languages/WirelineGenerator/Runtimes")

    @Test(.enabled(if: absences.isEmpty, "\(absences.joined(separator: "; "))"))
    func `no tool that looks at runtimes is missing`() {}

    @Test(arguments: Runtime.all.filter { $0.absence == nil })
    func `a runtime alone is accepted with all warnings`(runtime: Runtime) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for path in [runtime.path, runtime.other] where !path.isEmpty {
            let file = Self.sources.appending(path: path)
            try FileManager.default.copyItem(at: file, to: folder.appending(path: file.lastPathComponent))
        }
        let copy = folder.appending(path: URL(filePath: runtime.path).lastPathComponent)
        #expect(try runtime.findings(copy) == "")
    }
}
