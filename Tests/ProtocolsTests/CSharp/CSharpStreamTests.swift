// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineGenerator

/// Gives streams and values to the generated files. The programs in `Peers` cut and merge the packets, and check what must hold.
@Suite(.enabled(if: CSharpTool.isWanted, "\(CSharpTool.absence)"), .aside)
struct CSharpStreamTests {
    private static func peer(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers").appending(path: name)
    }

    /// The program that tests the streams of any sample.
    private static let streams = Result { () throws -> URL in
        let scene = try CSharpLanguage.sample("Scene")
        let program = scene.program.deletingLastPathComponent().appending(path: "streams.exe")
        let findings = try CSharpTool.compile([peer("Streams.cs")], to: program)
        guard findings.isEmpty else { throw ProgramRun.Failure(description: findings) }
        return program
    }

    @Test(arguments: AdapterSamples.names)
    func `a stream has the same packets wherever it is split, and an error only after them`(name: String) throws {
        let sample = try CSharpLanguage.sample(name)
        let streams = try AdapterStreams(sample)
        let type = sample.module.deletingPathExtension().lastPathComponent
        let output = try CSharpTool.run(Self.streams.get(), [sample.program.path, type], input: streams.input)
        #expect(output == "\(streams.count) streams\n", AdapterSamples.random.seedComment)
        #expect(streams.count > 0 || sample.folder == nil)
    }

    @Test func `wrong values are refused, and a packet that comes byte by byte takes linear time`() throws {
        let features = try CSharpLanguage.sample("Features")
        let program = features.program.deletingLastPathComponent().appending(path: "values.exe")
        let modules = [features.module, try CSharpLanguage.sample("Scene").module]
        let findings = try CSharpTool.compile(modules + [Self.peer("Values.cs")], to: program)
        #expect(findings == "")
        let output = try CSharpTool.run(program)
        #expect(
            output == """
                null: wrong_type Cs_2.password
                low surrogate: invalid_utf8 Cs_2.password
                high surrogate: invalid_utf16 WideGrown.code
                no structure: wrong_type Deep.tree
                no list: wrong_type Deep.tree.branches
                too deep: too_deep Deep.tree.branches[0].branches[0].branches[0]
                too large: out_of_range Cs_1.u24
                NaN: quiet
                byte by byte: 2 packets

                """)
    }
}
