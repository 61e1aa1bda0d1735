// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineLanguage
import WirelineSchema

@testable import wire

struct ConformanceRunTests {
    /// The vectors cannot all be made, so this ends only if the run makes them one by one and stops counting.
    @Test func `after an interruption, only a limited number of checks is counted, and no result is kept`() async throws
    {
        let file = SourceFile(path: "A.wire", bytes: Array("message Cs_1 { uint64 number; }".utf8))
        let description = try #require(ProtocolDescription.check(name: "A", files: [file]).description)
        let maker = VectorMaker(of: description, count: 1 << 40, seed: 1)
        let interruption = Interruption()
        let run = ConformanceRun(
            title: "A", vectors: ConformanceVectors(inFiles: [], maker: maker, sender: nil),
            cases: { vector in
                (0..<1_000).map { number in
                    ConformanceCase(vector, "\(number)") { () async throws(CommandError) in
                        if number == 2 { interruption.request() }
                        return .passed
                    }
                }
            }, expectedFailures: .none, isWhole: true, isVerbose: false, interruption: interruption)
        let tally = try await run.tally(keepsResults: false, Console())
        #expect(run.summary(of: tally) == "A: 2 checks: 2 passed")
        #expect(tally.results.isEmpty)
        #expect(tally.textOfMissed == "interrupted: over 100000 checks were not made")
    }
}
