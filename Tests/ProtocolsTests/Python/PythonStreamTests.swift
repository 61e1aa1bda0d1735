// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// Gives streams and values to the generated module. The scripts in `Peers` cut and merge the packets, and check what must hold.
@Suite(.enabled(if: PythonInterpreter.isWanted, "\(PythonInterpreter.absence)"), .aside)
struct PythonStreamTests {
    @Test(arguments: AdapterSamples.names)
    func `a stream has the same packets wherever it is split, and an error only after them`(name: String) throws {
        let sample = try PythonLanguage.sample(name)
        let streams = try AdapterStreams(sample)
        let output = try PythonInterpreter.run(
            PythonPeer.script("streams.py"), [sample.module.path], input: streams.input)
        #expect(output == "\(streams.count) streams\n", AdapterSamples.random.seedComment)
        #expect(streams.count > 0 || sample.folder == nil)
    }

    @Test func `a packet of a mebibyte that comes byte by byte takes linear time`() throws {
        let output = try PythonInterpreter.run(
            PythonPeer.script("bytewise.py"), [try PythonLanguage.sample("Scene").module.path])
        #expect(output == "linear\n")
    }

    @Test func `wrong values are refused, nothing of them is changed, and secrets are not printed`() throws {
        let modules = try ["Scene", "Features", "Headers"].map { try PythonLanguage.sample($0).module.path }
        let output = try PythonInterpreter.run(PythonPeer.script("values.py"), modules)
        #expect(output == "as expected\n")
    }
}
