// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Testing
import TestingSupport

/// Files that are not regular files.
@Suite(.aside)
struct FileKindTests {
    @Test func `Ctrl-C ends a command that waits for a pipe`() async throws {
        let workspace = try Workspace()
        let path = workspace.folder.path + "/input"
        #expect(mkfifo(path, 0o600) == 0)
        let process = workspace.process(["decode", "--capture", "input"])
        try process.runWatched()
        // It can be opened for writing once the command has opened it for reading.
        var descriptor: Int32 = -1
        let isOpen = try await eventually {
            descriptor = open(path, O_WRONLY | O_NONBLOCK)
            return descriptor >= 0
        }
        #expect(isOpen)
        kill(process.processIdentifier, SIGINT)
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
        close(descriptor)
    }

    @Test(arguments: [
        ("generate markdown --out .", "Scene.md"), ("diff --write-lock target Protocols/Scene", "target"),
        ("conform --junit target", "target"),
    ])
    func `a file is written through a symbolic link`(words: String, name: String) throws {
        let workspace = try Workspace([
            "Protocols/Scene/Scene.wire": sceneSchema, "Protocols/Scene/Vectors/a.hex": packetHex,
            "Protocols/Scene/Vectors/a.json": packetLine,
        ])
        let outcome = try workspace.shell("echo old > other; ln -s other \(name); wire \(words) && readlink \(name)")
        #expect(outcome.status == 0 && outcome.output.hasSuffix("other\n"), "\(outcome)")
        let text = try workspace.read("other")
        #expect(text.contains("Scene") && !text.contains("old"))
    }
}
