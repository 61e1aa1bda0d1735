// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// Kills programs of tests that hang.
@Suite(.waiting)
struct DeadlineTests {
    /// A shell command, not yet running, and its output.
    private func program(_ line: String) -> (process: Process, output: FileHandle) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", line]
        process.standardOutput = output
        return (process, output.fileHandleForReading)
    }

    @Test func `a program that hangs is killed with its child processes, and named`() throws {
        // Both have the pipe open, and the test waits for its end.
        let (process, output) = program("echo begun; sleep 100000 & sleep 100000")
        let error = #expect(throws: (any Error).self) {
            try process.runToEnd(within: .milliseconds(200)) { output.readDataToEndOfFile() }
        }
        #expect(error.map { "\($0)" } == "sh had not ended after 0.2 seconds, and was killed")
        #expect(process.terminationReason == .uncaughtSignal)
    }

    @Test func `a program that ends by itself is left alone`() throws {
        let (process, output) = program("echo said")
        #expect(try process.runToEnd { output.readDataToEndOfFile() } == Data("said\n".utf8))
        #expect(process.terminationStatus == 0)
    }

    @Test func `a program in the background is killed as well if it hangs`() throws {
        let (process, output) = program("sleep 100000")
        try process.runWatched(within: .milliseconds(200))
        #expect(output.readDataToEndOfFile() == Data())
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
    }
}
