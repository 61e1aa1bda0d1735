// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

extension Language {
    /// Go, whose samples are packages of one program: linking a program for each of them takes longer than all else.
    static let go: Language = Language(
        name: "Go", directory: "Go", absence: GoTool.isWanted ? nil : GoTool.absence, hasFolders: true,
        files: { try GoGenerator($0, package: "sample").files() },
        adapter: { description in
            let file = try GoGenerator(description).adapter()
            return GeneratedFile(
                path: file.path, text: inPackage(file.text).replacing("func main()", with: "func SampleMain()"))
        },
        backEnd: "go",
        compile: build,
        job: { program, sample in
            switch program {
            case .adapter: ask(sample)
            case .streams: ask(sample, "streams")
            case .conversations: ask(sample, "conversations")
            }
        },
        peer: { name, samples in ask(samples[0], name) },
        checks: [
            LanguageCheck(
                "a packet of a mebibyte that comes byte by byte takes linear time", "bytewise", ["Scene"], "linear\n"),
            LanguageCheck(
                "wrong values are refused, nothing of them is changed, and secrets are not printed", "values",
                ["Features"]),
            LanguageCheck("refused packets move no keystreams, and keys begin them anew", "keystreams", ["Ciphers"]),
            LanguageCheck("a part of a message sets no state", "parts", ["Streams"]),
            LanguageCheck(
                "a program gives layers, and what is over their limits takes no memory", "layers", ["Bilibili"]),
            LanguageCheck(
                "a threshold decides from how many bytes on a content is compressed", "threshold", ["Minecraft"]),
        ],
        page: LanguagePage(
            name: "GeneratedGo.md", fence: "go", commentCount: 8,
            file: { GeneratedFile(path: "page/main.go", text: $0.joined(separator: "\n") + "\n") },
            job: { ProgramJob($0.folder.appending(path: "bin/page").path) }),
        objections: { sample in
            let text = sample.files[0].text
            let imports = text.split(separator: "\n").filter { $0.hasPrefix("\t\"") }
            let known: Set<Substring> = [
                "bytes", "encoding/binary", "hash/adler32", "hash/crc32", "math", "strconv", "strings",
                "unicode/utf16", "unicode/utf8",
            ]
            // Layers need more.
            let unknown =
                sample.source.layers == nil ? imports.filter { !known.contains($0.dropFirst(2).dropLast()) } : []
            return unknown.map(String.init) + ["panic("].filter(text.contains)
        })

    /// Go 1.18 builds all packages and the examples of the page; `go vet` finds nothing, and `gofmt` changes nothing.
    @Sendable private static func build(_ code: LanguageCode) throws -> String {
        try Data("module example.com/samples\n\ngo 1.18\n".utf8).write(to: code.folder.appending(path: "go.mod"))
        for sample in code.samples {
            // What a test asks of all samples is a part of each package, and of one sample a part of that one.
            let isConnected = sample.source.layers != nil || sample.source.description.layout.hasStates
            var peers = ["streams.go", isConnected ? "connected.go" : "unconnected.go"]
            if sample.source.layers == nil {
                peers.append(sample.name + ".go")
            } else {
                peers += ["conversations.go", "Layered\(sample.name).go"]
            }
            for peer in peers.map(go.peerFile) where FileManager.default.fileExists(atPath: peer.path) {
                let text = inPackage(try String(contentsOf: peer, encoding: .utf8))
                try Data(text.utf8).write(to: sample.folder.appending(path: "peer_" + peer.lastPathComponent))
            }
        }
        try Data(program(of: code.samples.map(\.name)).utf8).write(to: code.folder.appending(path: "main.go"))
        let page = code.folder.appending(path: "page")
        for (name, package) in [("Scene", "scene"), ("PostgreSQL", "postgres"), ("KeyedGame", "keyed")] {
            let description = try code.sample(name).source.description
            let folder = page.appending(path: package)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for file in try GoGenerator(description, package: package).files() {
                try Data(file.text.utf8).write(to: folder.appending(path: file.path))
            }
        }
        try Data("module example.com/game\n\ngo 1.18\n".utf8).write(to: page.appending(path: "go.mod"))
        let bin = code.folder.appending(path: "bin")
        try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
        // Random schemas have conditions such as `a and a`, which are printed as they are.
        let unoptimized = "-gcflags=./...=-N -l"
        return try GoTool.run(in: code.folder, ["build", unoptimized, "-ldflags=-s -w", "-o", "bin/samples", "."])
            + GoTool.run(in: code.folder, ["vet", unoptimized, "-bools=false", "./..."])
            + GoTool.run(in: page, ["build", "-o", bin.appending(path: "page").path, "."])
            + GoTool.formatDifferences(code.files, isWhole: false)
            + GoTool.formatDifferences([page.appending(path: "main.go")], isWhole: true)
    }

    private static func inPackage(_ text: String) -> String {
        text.replacing("package main\n", with: "package sample\n", maxReplacements: 1)
    }

    /// Returns a program that runs the adapter of a sample, or asks it a question.
    private static func program(of names: [String]) -> String {
        """
        package main

        import (
        \t"os"
        \(names.map { "\t\($0) \"example.com/samples/\($0)\"\n" }.joined()))

        func main() {
        \tswitch os.Args[1] {
        \(names.map { "\tcase \"\($0)\":\n\t\trun(\($0).SampleMain, \($0).SampleAsk)\n" }.joined())\t}
        }

        func run(main func(), ask func(string)) {
        \tif len(os.Args) > 2 {
        \t\task(os.Args[2])
        \t} else {
        \t\tmain()
        \t}
        }

        """
    }

    private static func ask(_ sample: LanguageCode.Sample, _ question: String...) -> ProgramJob {
        let program = sample.folder.deletingLastPathComponent().appending(path: "bin/samples")
        return ProgramJob(program.path, [sample.name] + question)
    }
}

extension LayeredProtocol {
    /// The names of what layers need in Go.
    static let goNames = LayeredProtocol(
        name: "GoNames",
        schema: """
            packet {
                @length(rest) uint64 size;
                uint8 mode;
                @if(mode == 1) layer xor(Connection);
                @if(mode == 2) layer custom(Layer);
                @if(mode > 3) @length(content) uint8 counted;
                @if(counted != 0) layer zlib;
                @id uint64 part;
                @if(part == 9) packets;
            }
            struct Layer { uint8 a; }
            struct Packets { Layer work; }
            struct Connection { uint8 SetKey; uint8 Threshold; uint8 Layers; uint8 streams; uint8 keys; }
            enum Section : uint8 { part = 0; counter = 1; work = 2; }
            @id(1) @from(both) message Inner { string text; }
            @id(2) @from(both) message Part { Packets packets; @since(2) uint8 open = 1; }
            @id(3) @from(both) message Deflater { Connection connection; Section section; }
            const uint8 SetKey = 1;
            const uint8 seal = 1;
            const uint8 sync = 1;
            """, packets: [])
}
