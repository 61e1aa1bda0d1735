// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

/// Asks the generated Go about packets with layers: through its adapter, and by the programs in `Peers`.
@Suite(.enabled(if: GoTool.isWanted, "\(GoTool.absence)"), .aside)
struct LayeredGoTests {
    /// The program has no brotli, and a line of a random protocol does not say which layers its packet has.
    static let language = LayeredLanguage("Go", missing: ["brotli"]) { try run($0, $1) }

    private static var samples: [LayeredProtocol] { language.samples }

    /// Programs that answer for each protocol: building one takes seconds.
    private static let programs = Result { () throws -> (folder: URL, findings: String) in
        let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        for sample in samples + [.streams, names] {
            let description = try sample.translator().description
            let output = folder.appending(path: sample.name)
            try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
            for file in try GoGenerator(description, package: "main").files() + [GoGenerator(description).adapter()] {
                try Data(file.text.utf8).write(to: output.appending(path: file.path))
            }
            let own = "Layered\(sample.name).go"
            for peer in ["streams.go", "connected.go", "conversations.go", own] where GoPeer.exists(peer) {
                try FileManager.default.copyItem(at: GoPeer.file(peer), to: output.appending(path: "peer_" + peer))
            }
        }
        try Data("module example.com/layers\n\ngo 1.18\n".utf8).write(to: folder.appending(path: "go.mod"))
        try FileManager.default.createDirectory(at: folder.appending(path: "bin"), withIntermediateDirectories: true)
        let built = try GoTool.run(in: folder, ["build", "-o", "bin", "./..."])
        // Random schemas have conditions such as `a and a`, which are printed as they are.
        return (folder, try built + GoTool.run(in: folder, ["vet", "-bools=false", "./..."]))
    }

    @Test func `Go 1.18 builds all packages with layers, and go vet finds nothing`() throws {
        #expect(try Self.programs.get().findings == "")
    }

    @Test(arguments: samples)
    func `packages with layers are formatted as gofmt formats them`(sample: LayeredProtocol) throws {
        let description = try sample.translator().description
        let folder = try Self.programs.get().folder.appending(path: sample.name)
        for file in try GoGenerator(description, package: "main").files() + [GoGenerator(description).adapter()] {
            let formatted = try GoTool.formatted(folder.appending(path: file.path))
            #expect(Self.code(formatted) == Self.code(file.text))
        }
    }

    /// Returns the lines without comments, which `gofmt` formats as documentation.
    private static func code(_ text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false).filter {
            !$0.drop { $0 == "\t" }.hasPrefix("//")
        }
    }

    @Test(arguments: samples + [.streams])
    func `keystreams and states go on from packet to packet, wherever streams are split`(
        sample: LayeredProtocol
    ) throws {
        let differences = try LayeredConversation.differences(of: sample) { try Self.run($0, sample, "conversations") }
        #expect(differences == [], AdapterSamples.random.seedComment)
    }

    @Test func `refused packets move no keystreams, and keys begin them anew`() throws {
        #expect(try Self.run("", .ciphers, "keystreams") == "as expected\n")
    }

    @Test func `a part of a message sets no state`() throws {
        #expect(try Self.run("", .streams, "parts") == "as expected\n")
    }

    @Test func `a program gives layers, and what is over their limits takes no memory`() throws {
        #expect(try Self.run("", .bilibili, "layers") == "as expected\n")
    }

    @Test func `a threshold decides from how many bytes on a content is compressed`() throws {
        let minecraft = try #require(Self.samples.first { $0.name == "Minecraft" })
        #expect(try Self.run("", minecraft, "threshold") == "as expected\n")
    }

    private static func run(_ input: String, _ sample: LayeredProtocol, _ arguments: String...) throws -> String {
        let program = try programs.get().folder.appending(path: "bin").appending(path: sample.name)
        return try ProgramRun.output(of: program.path, arguments, input: input)
    }

    /// A protocol with the names of what layers need.
    private static let names = LayeredProtocol(
        name: "Names",
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
