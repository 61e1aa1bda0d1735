// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// Asks the generated Java about packets with layers: through its adapter, and in conversations whose keystreams go on.
@Suite(.enabled(if: JavaTool.isWanted, "\(JavaTool.absence)"), .aside)
struct LayeredJavaTests {
    /// The programs have no brotli, and a line of a random protocol does not say which layers its packet has.
    static let language = LayeredLanguage("Java", missing: ["brotli"], run: run)

    private static var samples: [LayeredProtocol] { language.samples }

    private static let output = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)

    /// The compiled classes of all protocols, and those of the peers.
    private static let classes = Result { () throws -> (folder: URL, findings: String) in
        atexit { try? FileManager.default.removeItem(at: LayeredJavaTests.output) }
        for sample in samples + [.streams, .names] {
            let description = try sample.translator().description
            let own = output.appending(path: sample.name)
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
            for file in try JavaGenerator(description).files() + [JavaGenerator(description).adapter()] {
                try Data(file.text.utf8).write(to: own.appending(path: file.path))
            }
        }
        let peers = output.appending(path: "Peers")
        try FileManager.default.createDirectory(at: peers, withIntermediateDirectories: true)
        for name in ["Bilibili", "Ciphers", "Streams"] {
            let file = name + "Protocol.java"
            try FileManager.default.copyItem(
                at: output.appending(path: name).appending(path: file), to: peers.appending(path: file))
        }
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers")
        try FileManager.default.copyItem(
            at: source.appending(path: "Conversations.java"), to: peers.appending(path: "Conversations.java"))
        let names = (samples + [.streams, .names]).map(\.name) + ["Peers"]
        return (output, try JavaTool.compile(names.sorted().map { output.appending(path: $0) }))
    }

    @Test func `the compiler finds nothing with all its warnings`() throws {
        #expect(try Self.classes.get().findings == "")
    }

    @Test func `names of what opens layers are no others`() throws {
        let faults = try LayeredJudge(.names) { try Self.run($0, .names) }.exchanges()
        #expect(faults.prefix(3) == [], AdapterSamples.random.seedComment)
    }

    @Test(arguments: samples + [.streams])
    func `keystreams and states go on from packet to packet, wherever streams are split`(
        sample: LayeredProtocol
    ) throws {
        let folder = try Self.classes.get().folder
        let differences = try LayeredConversation.differences(of: sample) { input in
            try JavaTool.run(
                "Conversations", [sample.name + "Protocol"],
                paths: [folder.appending(path: sample.name), folder.appending(path: "Peers")], input: input)
        }
        #expect(differences == [], AdapterSamples.random.seedComment)
    }

    @Test func `a program gives layers and keys, and gets packets in packets one by one`() throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers/Layers.java")
        let folder = try Self.classes.get().folder.appending(path: "Peers")
        #expect(try JavaTool.run(source.path, paths: [folder]) == "as expected\n")
    }

    @Test(arguments: samples)
    func `a class with layers makes no code at run time`(sample: LayeredProtocol) throws {
        let text = try JavaGenerator(sample.translator().description).files()[0].text
        for word in ["java.lang.reflect", "Class.forName", "\nimport "] { #expect(!text.contains(word)) }
    }

    private static func run(_ input: String, _ sample: LayeredProtocol) throws -> String {
        let folder = try classes.get().folder.appending(path: sample.name)
        return try JavaTool.run(sample.name + "Conform", paths: [folder], input: input)
    }
}
