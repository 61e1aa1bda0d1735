// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

struct GenerateTests {
    static let languages =
        "swift or erlang or erlang-adapter or typescript or typescript-adapter or lua or lua-adapter or python "
        + "or python-adapter or java or java-adapter or csharp or csharp-adapter or go or go-adapter or cpp or cpp-adapter "
        + "or rust or rust-adapter or wireshark or html or markdown"
    static let paths = "out/deep/Scene.wire.swift\nout/deep/SceneProtocol.swift\n"

    @Test func `files are written to the chosen folder, and listed`() throws {
        let workspace = try Workspace()
        #expect(try workspace.wire("generate", "swift", "--out", "out/deep") == .success(Self.paths))
        #expect(try workspace.read("out/deep/Scene.wire.swift").contains("public struct Cs_20001:"))
        #expect(
            try workspace.read("out/deep/SceneProtocol.swift").contains("SceneProtocol: WirelineCodec::PacketProtocol"))
    }

    @Test func `unchanged files are not written again, and changed files are`() throws {
        let workspace = try Workspace()
        #expect(try workspace.wire("generate", "swift", "--out=out/deep/").output == Self.paths)
        let before = try workspace.read("out/deep/SceneProtocol.swift")
        try workspace.write("changed", to: "out/deep/SceneProtocol.swift")
        let line = """
            touch -d 2001-02-03 out/deep/*.swift
            wire generate swift --out out/deep > /dev/null
            find out -name '*.swift' -newermt 2002-01-01
            """
        #expect(try workspace.shell(line) == .success("out/deep/SceneProtocol.swift\n"))
        #expect(try workspace.read("out/deep/SceneProtocol.swift") == before)
    }

    @Test func `Erlang output is a module and its header file`() throws {
        let workspace = try Workspace()
        let outcome = try workspace.wire("generate", "erlang", "--out", "out")
        #expect(outcome == .success("out/scene_protocol.erl\nout/scene_protocol.hrl\n"))
        #expect(try workspace.read("out/scene_protocol.erl").contains("-module(scene_protocol)."))
        #expect(try workspace.read("out/scene_protocol.hrl").contains("-record(cs_20001, {"))
    }

    @Test func `TypeScript output is one module, and its adapter a script beside it`() throws {
        let workspace = try Workspace()
        let module = try workspace.wire("generate", "typescript", "--out", "src/net")
        #expect(module == .success("src/net/scene_protocol.ts\n"))
        #expect(try workspace.read("src/net/scene_protocol.ts").contains("export interface Cs_20001 {"))
        let adapter = try workspace.wire("generate", "typescript-adapter", "--out", "build")
        #expect(adapter == .success("build/scene_conform.mjs\n"))
        #expect(try workspace.read("build/scene_conform.mjs").contains("./scene_protocol.js"))
    }

    @Test func `Lua output is one module, and its adapter a script beside it`() throws {
        let workspace = try Workspace()
        let module = try workspace.wire("generate", "lua", "--out", "src/net")
        #expect(module == .success("src/net/scene_protocol.lua\n"))
        #expect(try workspace.read("src/net/scene_protocol.lua").contains("write.Cs_20001 = function(m, h)"))
        let adapter = try workspace.wire("generate", "lua-adapter", "--out", "build")
        #expect(adapter == .success("build/scene_conform.lua\n"))
        #expect(try workspace.read("build/scene_conform.lua").contains("scene_protocol.lua"))
    }

    @Test func `Python output is one module, and its adapter a script beside it`() throws {
        let workspace = try Workspace()
        let module = try workspace.wire("generate", "python", "--out", "src/net")
        #expect(module == .success("src/net/scene_protocol.py\n"))
        #expect(try workspace.read("src/net/scene_protocol.py").contains("class Cs_20001:"))
        let adapter = try workspace.wire("generate", "python-adapter", "--out", "build")
        #expect(adapter == .success("build/scene_conform.py\n"))
        #expect(try workspace.read("build/scene_conform.py").contains("import scene_protocol as wire"))
    }

    @Test func `Java output is one class, and its adapter a program beside it`() throws {
        let workspace = try Workspace()
        let module = try workspace.wire("generate", "java", "--out", "src")
        #expect(module == .success("src/SceneProtocol.java\n"))
        #expect(try workspace.read("src/SceneProtocol.java").contains("class Cs_20001 extends Message {"))
        let packaged = try workspace.wire("generate", "java-adapter", "--out", "src", "--package", "com.example.net")
        #expect(packaged == .success("src/com/example/net/SceneConform.java\n"))
        #expect(try workspace.read("src/com/example/net/SceneConform.java").contains("package com.example.net;"))
    }

    @Test func `C# output is one file, and its adapter a program beside it`() throws {
        let workspace = try Workspace()
        let module = try workspace.wire("generate", "csharp", "--out", "src", "--package", "Example.Net")
        #expect(module == .success("src/SceneProtocol.cs\n"))
        #expect(try workspace.read("src/SceneProtocol.cs").contains("namespace Example.Net {"))
        let adapter = try workspace.wire("generate", "csharp-adapter", "--out", "build")
        #expect(adapter == .success("build/SceneConform.cs\n"))
        #expect(try workspace.read("build/SceneConform.cs").contains("namespace Scene {"))
    }

    @Test func `C++ output is a header, and its adapter a program beside it`() throws {
        let workspace = try Workspace()
        let module = try workspace.wire("generate", "cpp", "--out", "src", "--package", "game::net")
        #expect(module == .success("src/scene_protocol.hpp\n"))
        #expect(try workspace.read("src/scene_protocol.hpp").contains("namespace game::net {"))
        let adapter = try workspace.wire("generate", "cpp-adapter", "--out", "build")
        #expect(adapter == .success("build/scene_conform.cpp\n"))
        #expect(try workspace.read("build/scene_conform.cpp").contains("namespace wire = scene;"))
        let refused = try workspace.wire("generate", "cpp", "--out", "src", "--package", "a.b")
        #expect(refused.status == 2 && refused.errors.contains("--package NAME needs words with :: between them"))
    }

    @Test(arguments: ["python", "swift"])
    func `a package for a language without packages is refused`(_ language: String) throws {
        let outcome = try Workspace().wire("generate", language, "--out", "out", "--package", "net")
        #expect(outcome.status == 2 && outcome.errors.contains("--package NAME does not go with \(language)"))
    }

    @Test(arguments: ["", "com..net", "a/b", "1st", "com.example."])
    func `a package that is no name is refused`(_ package: String) throws {
        let outcome = try Workspace().wire("generate", "java", "--out", "out", "--package", package)
        #expect(outcome.status == 2 && outcome.errors.contains("--package NAME needs words with points between them"))
    }

    @Test(
        arguments: ["erlang", "typescript", "lua", "python", "java", "csharp", "cpp", "go", "rust"], ["", "-adapter"])
    func `each language has protocols with layers`(_ language: String, _ suffix: String) throws {
        let schema = "packet { @length(rest) uint16 size; @id uint8 id; layer zlib; }\n@id(0) @from(both) message A {}"
        let outcome = try Workspace(["P/a.wire": schema]).wire(
            "generate", language + suffix, "--out", "out", "--protocol", "P")
        #expect(outcome.status == 0 && outcome.output.hasPrefix("out/") && outcome.errors == "")
    }

    @Test func `only some languages take the name of a package`() throws {
        let outcome = try Workspace().wire("generate", "typescript", "--out", "out", "--package", "net")
        #expect(outcome.status == 2)
    }

    @Test(arguments: [("html", "Scene.html", "<h1>Scene</h1>"), ("markdown", "Scene.md", "# Scene\n")])
    func `documentation output is one file`(_ format: String, _ file: String, _ title: String) throws {
        let workspace = try Workspace()
        #expect(try workspace.wire("generate", format, "--out", "out") == .success("out/\(file)\n"))
        let text = try workspace.read("out/\(file)")
        #expect(text.contains(title) && text.contains("message-Sc_20001"))
    }

    @Test func `a dissector is one file of output`() throws {
        let workspace = try Workspace()
        let outcome = try workspace.wire("generate", "wireshark", "--out", "out")
        let note = """
            note: the dissector and its filter are called scene; this loads it for a server's port 9001:
              wireshark -X lua_script:out/scene.lua -o scene.server_ports:9001
            to load it always, copy it to the folder that Help > About Wireshark > Folders calls Personal Lua Plugins

            """
        #expect(outcome == Outcome(status: 0, output: "out/scene.lua\n", errors: note))
        #expect(try workspace.read("out/scene.lua").contains(#"filter = "cs_20001""#))
    }

    @Test(arguments: [
        ("generate swift", "error: --out DIR is missing\n"),
        ("generate --out out", "error: LANGUAGE is missing: it is \(languages)\n"),
        ("generate swfit --out out", "error: LANGUAGE is \(languages), not `swfit`\nhelp: did you mean `swift`?\n"),
    ])
    func `an incomplete call exits with 2`(_ words: String, _ errors: String) throws {
        let outcome = try Workspace().shell("wire " + words)
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix(errors))
    }

    @Test func `the error for a folder that cannot be created has the system's reason`() throws {
        let workspace = try Workspace(["Protocols/Scene/Scene.wire": sceneSchema, "file": ""])
        let outcome = try workspace.wire("generate", "swift", "--out", "file/out")
        let errors = "error: cannot make the folder file/out: Not a directory\n"
        #expect(outcome == Outcome(status: 1, output: "", errors: errors))
    }

    @Test func `no file is written for a protocol with errors`() throws {
        let workspace = try Workspace(["P/a.wire": CheckTests.broken])
        let outcome = try workspace.wire("generate", "swift", "--out", "out", "--protocol", "P")
        #expect(outcome.status == 1)
        #expect(try workspace.shell("ls -d out").status != 0)
    }
}
