// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// Gives streams of packets to the generated `PacketSplitter`. The script `Peers/streams.mjs` cuts and merges them.
@Suite(.enabled(if: TypeScriptTool.isWanted, "\(TypeScriptTool.absence)"), .aside)
struct TypeScriptStreamTests {
    @Test(arguments: AdapterSamples.names)
    func `a stream has the same packets wherever it is torn, and an error only after them`(name: String) throws {
        let sample = try TypeScriptLanguage.sample(name)
        let streams = try AdapterStreams(sample)
        let output = try TypeScriptTool.run(
            TypeScriptPeer.script("streams.mjs"), [sample.compiledModule.path], input: streams.input)
        #expect(output == "\(streams.count) streams\n", AdapterSamples.random.seedComment)
        #expect(streams.count > 0 || sample.folder == nil)
    }

    @Test func `a packet of a mebibyte that comes byte by byte takes linear time`() throws {
        let output = try TypeScriptTool.run(
            TypeScriptPeer.script("bytewise.mjs"), [try TypeScriptLanguage.sample("Scene").compiledModule.path])
        #expect(output == "linear\n")
    }

    @Test func `half of a surrogate pair is refused by the name of its encoding`() throws {
        let output = try TypeScriptTool.run(
            TypeScriptPeer.script("surrogates.mjs"), [try TypeScriptLanguage.sample("Features").compiledModule.path])
        #expect(output == "invalid_utf16 WideGrown.code\ninvalid_utf8 Cs_2.password\n")
    }
}

/// Scripts for Node beside these tests.
enum TypeScriptPeer {
    static func script(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers").appending(path: name)
    }
}
