// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// Asks the generated C# about packets with layers: through its adapter, and in conversations whose keystreams go on.
@Suite(.enabled(if: CSharpTool.isWanted, "\(CSharpTool.absence)"), .aside)
struct LayeredCSharpTests {
    /// The programs have no brotli, and a line of a random protocol does not say which layers its packet has.
    static let language = LayeredLanguage("C#", missing: ["brotli"], run: run)

    private static var samples: [LayeredProtocol] { language.samples }

    private static let output = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)

    /// The programs of all protocols, and those of the peers.
    private static let programs = Result { () throws -> (folder: URL, findings: String) in
        atexit { try? FileManager.default.removeItem(at: LayeredCSharpTests.output) }
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        var findings = ""
        for sample in samples + [.streams, .names] {
            let description = try sample.translator().description
            let files = try CSharpGenerator(description).files() + [CSharpGenerator(description).adapter()]
            for file in files { try Data(file.text.utf8).write(to: output.appending(path: file.path)) }
            findings += try CSharpTool.compile(
                files.map { output.appending(path: $0.path) }, to: program(sample.name, in: output))
        }
        findings += try CSharpTool.compile([peer("Conversations.cs")], to: program("Conversations", in: output))
        let modules = ["Bilibili", "Ciphers", "Streams"].map { output.appending(path: $0 + "Protocol.cs") }
        findings += try CSharpTool.compile(modules + [peer("Layers.cs")], to: program("Layers", in: output))
        return (output, findings)
    }

    private static func program(_ name: String, in folder: URL) -> URL { folder.appending(path: name + ".exe") }

    private static func peer(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers").appending(path: name)
    }

    @Test func `the compiler finds nothing with all its warnings`() throws {
        #expect(try Self.programs.get().findings == "")
    }

    @Test func `names of what opens layers are no others`() throws {
        let faults = try LayeredJudge(.names) { try Self.run($0, .names) }.exchanges()
        #expect(faults.prefix(3) == [], AdapterSamples.random.seedComment)
    }

    @Test(arguments: samples + [.streams])
    func `keystreams and states go on from packet to packet, wherever streams are split`(
        sample: LayeredProtocol
    ) throws {
        let folder = try Self.programs.get().folder
        let differences = try LayeredConversation.differences(of: sample) { input in
            try CSharpTool.run(
                Self.program("Conversations", in: folder),
                [Self.program(sample.name, in: folder).path, sample.name + "Protocol"], input: input)
        }
        #expect(differences == [], AdapterSamples.random.seedComment)
    }

    @Test func `a program gives layers and keys, and gets packets in packets one by one`() throws {
        let folder = try Self.programs.get().folder
        #expect(try CSharpTool.run(Self.program("Layers", in: folder)) == "as expected\n")
    }

    @Test(arguments: samples)
    func `a file with layers makes no code at run time`(sample: LayeredProtocol) throws {
        let text = try CSharpGenerator(sample.translator().description).files()[0].text
        for word in ["System.Reflection", "typeof", "dynamic", "Emit", "unsafe"] { #expect(!text.contains(word)) }
    }

    private static func run(_ input: String, _ sample: LayeredProtocol) throws -> String {
        try CSharpTool.run(program(sample.name, in: programs.get().folder), input: input)
    }
}
