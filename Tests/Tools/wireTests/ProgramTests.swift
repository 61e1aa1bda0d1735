// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import wire

/// Programs that `wire` runs, such as git.
struct ProgramTests {
    @Test func `a program may print more errors than its pipe holds, before and after its output`() throws {
        let script = "head -c 1000000 /dev/zero >&2; echo text; head -c 1000000 /dev/zero >&2; exit 3"
        let result = try System.run("sh", ["-c", script], outputLimit: 1 << 24)
        #expect(result.output == Array("text\n".utf8))
        #expect(result.errors.count == 2_000_000)
        #expect(result.status == 3)
    }

    @Test func `a program that prints more than the limit is ended`() throws {
        #expect(throws: (any Error).self) {
            try System.run("sh", ["-c", "while :; do echo more; done"], outputLimit: 1_000)
        }
    }
}
