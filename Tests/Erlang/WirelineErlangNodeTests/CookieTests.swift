// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WirelineErlang

/// Where cookies may come from.
struct CookieTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)

    /// Starts a node with a cookie of a file.
    private func start(_ content: String, mode: Int = 0o400) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "cookie").path
        let isMade = FileManager.default.createFile(
            atPath: path, contents: Data(content.utf8), attributes: [.posixPermissions: mode])
        try #require(isMade)
        var configuration = ErlangNodeConfiguration()
        configuration.portMapper = .none
        let node = try await ErlangNode.start("tool@127.0.0.1", cookie: .file(path), configuration: configuration)
        await node.stop()
    }

    @Test(arguments: ["secret", "secret\n", "open sesame\r\n \n"])
    func `a file with a cookie is read`(content: String) async throws { try await start(content) }

    @Test(arguments: [
        "", "\n", "\nsecret", "two\nlines", "\u{7}", "é", String(repeating: "a", count: 256),
        String(repeating: "a ", count: 999),
    ])
    func `a file with something else is refused`(content: String) async throws {
        await #expect(throws: ErlangNodeError.cookie(.invalid)) { try await start(content) }
    }

    @Test(arguments: [0o440, 0o404, 0o666])
    func `a file that others may read is refused`(mode: Int) async throws {
        let error = await #expect(throws: ErlangNodeError.self) { try await start("secret", mode: mode) }
        guard case .cookie(.exposed) = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    @Test func `a file that is not there is named, and no description has the cookie`() async throws {
        let path = folder.appending(path: "nothing").path
        await #expect(throws: ErlangNodeError.cookie(.unreadable(path: path, code: ENOENT))) {
            try await ErlangNode.start("tool@127.0.0.1", cookie: .file(path))
        }
        #expect(!"\(ErlangCookieSource.text("secret"))".contains("secret"))
        #expect(Mirror(reflecting: ErlangCookieSource.text("secret")).children.isEmpty)
    }
}
