// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

extension Language {
    /// TypeScript, compiled to modules of ECMAScript.
    static let typeScript: Language = Language(
        name: "TypeScript", directory: "TypeScript", absence: TypeScriptTool.isWanted ? nil : TypeScriptTool.absence,
        lacksBrotli: false, files: { try TypeScriptGenerator($0).files() },
        adapter: { try TypeScriptGenerator($0).adapter() }, backEnd: "typescript",
        compile: compile, programs: [.adapter, .streams], job: nodeJob,
        peer: { name, samples in
            ProgramJob(typeScript.peerFile(name).path, samples.map(\.compiledModule.path))
        },
        checks: [
            LanguageCheck(
                "a packet of a mebibyte that comes byte by byte takes linear time", "bytewise.mjs", ["Scene"],
                "linear\n"),
            LanguageCheck(
                "half of a surrogate pair is refused by the name of its encoding", "surrogates.mjs", ["Features"],
                "invalid_utf16 WideGrown.code\ninvalid_utf8 Cs_2.password\n"),
            LanguageCheck(
                "a program gives functions for layers, and gets packets in packets one by one", "layers.mjs",
                ["Bilibili"]),
            LanguageCheck(
                "keystreams go on in both directions, wherever streams are cut", "keystreams.mjs", ["Ciphers"]),
            LanguageCheck("a part of a message sets no state", "parts.mjs", ["Streams"]),
        ],
        page: LanguagePage(
            name: "GeneratedTypeScript.md", fence: "ts", commentCount: 10,
            file: { GeneratedFile(path: "page.ts", text: $0.joined(separator: "\n")) },
            job: { ProgramJob($0.folder.appending(path: "page/page.js").path) }),
        objections: { sample in
            let code = try String(contentsOf: sample.compiledModule, encoding: .utf8)
            var objections = ["eval(", "Function("].filter(code.contains)
            if code.contains(/(?m)^import\b/) { objections.append("import") }
            // A type says which values are that wide; a structure that no message uses has a type, and no code.
            let isWide = sample.files[0].text.contains(/[:|] bigint\b/)
            let hasWideNumbers = code.contains(/\bBigInt\(/)
            if hasWideNumbers && !isWide || sample.name == "Features" && !hasWideNumbers { objections.append("BigInt") }
            return objections
        })

    /// The JavaScript of pages, which does what the compiler makes of TypeScript. Node checks it when it runs.
    static let javaScript: Language = Language(
        name: "JavaScript", directory: "TypeScript", absence: TypeScriptTool.isWanted ? nil : TypeScriptTool.absence,
        hasLayeredSamples: false, lacksBrotli: false, files: { [try TypeScriptGenerator($0).script()] },
        adapter: { try TypeScriptGenerator($0).adapter() }, backEnd: "typescript",
        programs: [.adapter], job: nodeJob,
        peer: { name, _ in ProgramJob(name) },
        objections: { sample in
            let script = sample.files[0].text
            // It has no types, no marks, and nothing that ends it.
            let decode = /export function decode\(bytes, side, start = 0(, connection = new Connection\(\))?\) \{/
            return script.matches(of: /[‹›«»]|<\/|<!|\]\]>|\beval\(|\bFunction\(/).map { String($0.output) }
                + (script.contains(decode) ? [] : ["no function decode"])
        })

    @Sendable private static func nodeJob(
        _ program: LanguageSample.Program, _ sample: LanguageCode.Sample
    ) -> ProgramJob {
        program == .streams
            ? ProgramJob(typeScript.peerFile("streams.mjs").path, [sample.compiledModule.path])
            : ProgramJob(sample.adapter.path)
    }

    /// The strictest settings find nothing, also on platforms without the libraries of browsers; and the page is another kind of
    /// module.
    @Sendable private static func compile(_ code: LanguageCode) throws -> String {
        let few = code.representativeSamples.map(\.module)
        var findings = try TypeScriptTool.compile(code.samples.map(\.module), target: "ES2015")
        for target in Depth.isDeep ? ["ES2015", "ES2020"] : ["ES2015"] {
            findings += try TypeScriptTool.compile(few, target: target, libraries: target, isEmitted: false)
        }
        // What the examples use of Node, whose own types are a package.
        let node = """
            declare module "node:zlib" {
              export function inflateSync(b: Uint8Array, options: { maxOutputLength: number }): Uint8Array;
              export function deflateSync(b: Uint8Array): Uint8Array;
            }
            """
        let types = code.folder.appending(path: "node.d.ts")
        try Data(node.utf8).write(to: types)
        return try findings
            + TypeScriptTool.compile(
                [code.folder.appending(path: "page.ts"), types], target: "ES2015", module: "CommonJS",
                output: code.folder.appending(path: "page"))
    }
}

extension LanguageCode.Sample {
    /// The module of ECMAScript that the compiler makes of the generated one.
    var compiledModule: URL { module.deletingPathExtension().appendingPathExtension("js") }
}

extension LayeredProtocol {
    /// Keys and layers whose names are members of all objects, and the names of what layers need, with wide numbers.
    static let objectNames = LayeredProtocol(
        name: "ObjectNames",
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
