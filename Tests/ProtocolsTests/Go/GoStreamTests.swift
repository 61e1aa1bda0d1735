// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// Gives streams and values to the generated package. The files in `Peers` cut and merge the packets, and check what must hold.
@Suite(.enabled(if: GoTool.isWanted, "\(GoTool.absence)"), .aside)
struct GoStreamTests {
    private static func run(_ name: String, _ question: String, input: String = "") throws -> String {
        try ProgramRun.output(of: GoLanguage.sample(name).goProgram.path, [question], input: input)
    }

    @Test(arguments: AdapterSamples.names)
    func `a stream has the same packets wherever it is split, and an error only after them`(name: String) throws {
        let sample = try GoLanguage.sample(name)
        let streams = try AdapterStreams(sample)
        let output = try Self.run(name, "streams", input: streams.input)
        #expect(output == "\(streams.count) streams\n", AdapterSamples.random.seedComment)
        #expect(streams.count > 0 || sample.folder == nil)
    }

    @Test func `a packet of a mebibyte that comes byte by byte takes linear time`() throws {
        #expect(try Self.run("Scene", "bytewise") == "linear\n")
    }

    @Test func `wrong values are refused, nothing of them is changed, and secrets are not printed`() throws {
        #expect(try Self.run("Features", "values") == "as expected\n")
    }
}
