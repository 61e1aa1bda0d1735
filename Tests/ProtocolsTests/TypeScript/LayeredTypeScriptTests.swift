// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// Asks the generated TypeScript, through its adapter, about packets with layers.
@Suite(.enabled(if: TypeScriptTool.isWanted, "\(TypeScriptTool.absence)"), .aside)
struct LayeredTypeScriptTests {
    static let language = LayeredLanguage("TypeScript", run: run)

    @Test func `a program gives functions for layers, and gets packets in packets one by one`() throws {
        #expect(try Self.check(LayeredProtocol.bilibili, "layers.mjs") == "as expected\n")
    }

    @Test func `keystreams go on in both directions, wherever streams are cut`() throws {
        #expect(try Self.check(.ciphers, "keystreams.mjs") == "as expected\n")
    }

    @Test func `a part of a message sets no state`() throws {
        #expect(try Self.check(.streams, "parts.mjs") == "as expected\n")
    }

    @Test(arguments: ["ES2015", "ES2020"])
    func `the strictest settings of the compiler find nothing, without the libraries of browsers`(
        _ target: String
    ) throws {
        let modules = try LayeredModules.shared.get()
        #expect(modules.findings == "")
        let files = modules.modules.map(\.value.module)
        let findings = try TypeScriptTool.compile(files, target: target, libraries: target, isEmitted: false)
        #expect(findings == "")
    }

    @Test func `names of layers are taken only in modules with layers`() throws {
        let schema = "struct Layer { uint8 a; } message Cs_1 { Layer Packets; } const uint8 inner = 1;"
        let plain = try LayeredProtocol(name: "Plain", schema: schema, packets: []).translator().description
        #expect(try TypeScriptGenerator(plain).files()[0].text.contains("export interface Layer {\n  a: number;\n}\n"))
        let text = try TypeScriptGenerator(LayeredModules.names.translator().description).files()[0].text
        #expect(text.contains("export interface Layer_ {\n") && text.contains("export const inner_ = 1;\n"))
    }

    private static func run(_ input: String, _ sample: LayeredProtocol) throws -> String {
        try TypeScriptTool.run(LayeredModules.of(sample).adapter, input: input)
    }

    /// Runs a script beside these tests with a compiled module.
    private static func check(_ sample: LayeredProtocol, _ script: String) throws -> String {
        try TypeScriptTool.run(TypeScriptPeer.script(script), [LayeredModules.of(sample).compiled.path])
    }
}

/// The generated modules of all protocols with layers, compiled at once, with the adapters beside them.
private struct LayeredModules {
    struct Module {
        let module: URL
        let adapter: URL
        var compiled: URL { module.deletingPathExtension().appendingPathExtension("js") }
    }

    static let shared = Result { try LayeredModules() }

    private static let output = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)

    let modules: [String: Module]
    /// What the compiler says about them.
    let findings: String

    static func of(_ sample: LayeredProtocol) throws -> Module {
        try #require(shared.get().modules[sample.name])
    }

    private init() throws {
        atexit { try? FileManager.default.removeItem(at: LayeredModules.output) }
        try FileManager.default.createDirectory(at: Self.output, withIntermediateDirectories: true)
        var modules: [String: Module] = [:]
        for sample in LayeredProtocol.all + LayeredProtocol.random + [.streams, Self.names] {
            let generator = TypeScriptGenerator(try sample.translator().description)
            let (files, adapter) = try (generator.files(), generator.adapter())
            for file in files + [adapter] { try Data(file.text.utf8).write(to: Self.output.appending(path: file.path)) }
            modules[sample.name] = Module(
                module: Self.output.appending(path: files[0].path), adapter: Self.output.appending(path: adapter.path))
        }
        self.modules = modules
        findings = try TypeScriptTool.compile(modules.map(\.value.module), target: "ES2015")
    }

    /// A protocol with the names of what layers need, keys and layers whose names are members of all objects, and wide numbers.
    static let names = LayeredProtocol(
        name: "Names",
        schema: """
            packet {
                @length(rest) uint64 size;
                uint8 mode;
                @if(mode == 1) layer xor(constructor);
                @if(mode == 2) layer custom(toString);
                @if(mode == 3) layer custom(__proto__);
                @if(mode > 3) @length(content) uint64 header;
                @if(header != 0) layer zlib;
                @id uint64 part;
                @if(part == 9) packets;
            }
            struct Layer { uint8 a; }
            struct Packets { Layer work; }
            @id(1) @from(both) message Inner { Packets packets; }
            @id(2) @from(both) message Part { @since(2) uint8 open = 1; }
            const uint8 inner = 1;
            const uint8 seal = 1;
            const uint8 transforms = 1;
            """, packets: [])
}
