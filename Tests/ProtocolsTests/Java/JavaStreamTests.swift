// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineGenerator

/// Gives streams and values to the generated classes. The programs in `Peers` cut and merge the packets, and check what must hold.
@Suite(.enabled(if: JavaTool.isWanted, "\(JavaTool.absence)"), .aside)
struct JavaStreamTests {
    /// The compiled peers: one that knows no protocol, and one that knows Features and Scene.
    private static let peers = Result { () throws -> URL in
        let features = try JavaLanguage.sample("Features")
        let peers = features.folderOfModule.deletingLastPathComponent().appending(path: "Peers")
        try FileManager.default.createDirectory(at: peers, withIntermediateDirectories: true)
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers")
        for name in ["Streams.java", "Values.java"] {
            try FileManager.default.copyItem(at: source.appending(path: name), to: peers.appending(path: name))
        }
        for file in try features.files + JavaLanguage.sample("Scene").files {
            try Data(file.text.utf8).write(to: peers.appending(path: file.path))
        }
        let findings = try JavaTool.compile([peers])
        guard findings.isEmpty else { throw ProgramRun.Failure(description: findings) }
        return peers
    }

    @Test(arguments: AdapterSamples.names)
    func `a stream has the same packets wherever it is split, and an error only after them`(name: String) throws {
        let sample = try JavaLanguage.sample(name)
        let streams = try AdapterStreams(sample)
        let output = try JavaTool.run(
            "Streams", [sample.moduleName], paths: [sample.folderOfModule, Self.peers.get()], input: streams.input)
        #expect(output == "\(streams.count) streams\n", AdapterSamples.random.seedComment)
        #expect(streams.count > 0 || sample.folder == nil)
    }

    @Test func `wrong values are refused, and a packet that comes byte by byte takes linear time`() throws {
        let output = try JavaTool.run("Values", paths: [Self.peers.get()])
        #expect(
            output == """
                null: wrong_type Cs_2.password
                low surrogate: invalid_utf8 Cs_2.password
                high surrogate: invalid_utf16 WideGrown.code
                no structure: wrong_type Deep.tree
                no list: wrong_type Deep.tree.branches
                too deep: too_deep Deep.tree.branches[0].branches[0].branches[0]
                too large: out_of_range Cs_1.u8
                NaN: quiet
                byte by byte: 2 packets

                """)
    }
}
