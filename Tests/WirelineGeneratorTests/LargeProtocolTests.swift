// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineGenerator
import WirelineSchema

struct LargeProtocolTests {
    /// Quadratic time runs for minutes here; a few seconds are enough.
    @Test(.timeLimit(.minutes(30))) func `ten thousand messages take time in proportion`() throws {
        let text = (0..<10_000).map { number in
            """
            message Cs_\(number) { uint32 a; String b; S\(number)[] c; }
            message Sc_\(number) { bool isGood; }
            struct S\(number) { uint8 a; }

            """
        }.joined()
        let file = SourceFile(path: "Large.wire", bytes: Array(text.utf8))
        let description = try #require(ProtocolDescription.check(name: "Large", files: [file]).description)
        let files = SwiftGenerator(description).files()
        #expect(files.map(\.path) == ["Large.wire.swift", "LargeProtocol.swift"])
        #expect(files[0].text.contains("typealias Reply = Sc_9999\n"))
    }
}
