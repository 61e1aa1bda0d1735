// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import TestingSupport
import WirelineTLS

/// The log of secrets; that tshark reads a capture with it is a test of `wire`.
@Suite(.enabled(if: OpenSSLTool.isWanted, "\(OpenSSLTool.absence)"))
struct KeyLogTests {
    let certificates: Certificates
    private let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)

    init() throws {
        certificates = try Certificates.made.get()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    private func mode(_ name: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int ?? 0
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `both sides log the same secrets`(version: TLSVersion) throws {
        var client = certificates.clientConfiguration()
        client.maximumVersion = version
        var server = certificates.serverConfiguration()
        let (clientLines, serverLines) = (Lines(), Lines())
        client.keyLog = clientLines.log
        // The context of a further host logs too.
        server.identitiesByName = ["server.test": TLSIdentity(certificates.server)]
        server.keyLog = serverLines.log
        try Pair(client, server).exchange()
        let kinds = Set(clientLines.all.compactMap { $0.split(separator: " ").first.map(String.init) })
        let expected: Set =
            version == .tls12
            ? ["CLIENT_RANDOM"]
            : [
                "CLIENT_HANDSHAKE_TRAFFIC_SECRET", "SERVER_HANDSHAKE_TRAFFIC_SECRET", "CLIENT_TRAFFIC_SECRET_0",
                "SERVER_TRAFFIC_SECRET_0",
            ]
        #expect(kinds.isSuperset(of: expected))
        #expect(Set(clientLines.all) == Set(serverLines.all))
    }

    @Test func `a new file has mode 0600, and an existing one is continued`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for _ in 0..<2 {
            var client = certificates.clientConfiguration()
            client.keyLog = try .file(path("keys"))
            try Pair(client, certificates.serverConfiguration()).exchange()
        }
        #expect(try mode("keys") == 0o600)
        let lines = try String(contentsOfFile: path("keys"), encoding: .utf8).split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("CLIENT_TRAFFIC_SECRET_0 ") } == 2)
    }

    @Test func `a link, a file that others can read, a folder and a pipe are refused`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data().write(to: folder.appending(path: "open"))
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path("open"))
        try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("target"))
        #expect(mkfifo(path("pipe"), 0o600) == 0)
        #expect(throws: TLSError.unusableKeyLog(path: path("link"), code: ELOOP)) {
            _ = try TLSKeyLog.file(path("link"))
        }
        #expect(!FileManager.default.fileExists(atPath: path("target")))
        #expect(throws: TLSError.exposedKeyLog(path: path("open"))) { _ = try TLSKeyLog.file(path("open")) }
        #expect(throws: TLSError.unusableKeyLog(path: folder.path, code: EISDIR)) {
            _ = try TLSKeyLog.file(folder.path)
        }
        #expect(throws: TLSError.unusableKeyLog(path: path("pipe"), code: ENXIO)) {
            _ = try TLSKeyLog.file(path("pipe"))
        }
        #expect(throws: TLSError.unusableKeyLog(path: path("none/keys"), code: ENOENT)) {
            _ = try TLSKeyLog.file(path("none/keys"))
        }
    }

    @Test func `the file is closed with the last context that has it`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        var client = certificates.clientConfiguration()
        client.keyLog = try .file(path("keys"))
        var context: TLSContext? = try TLSContext(client)
        client.keyLog = nil
        #expect(isOpen("keys"))
        try context?.replace(with: client)
        #expect(!isOpen("keys"))
        context = nil
    }

    /// Whether this process has the file open.
    private func isOpen(_ name: String) -> Bool {
        let links = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return links.contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0))?.hasSuffix(
                folder.lastPathComponent + "/" + name) == true
        }
    }

    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        var log: TLSKeyLog { TLSKeyLog { line in self.lines.withLock { $0.append(line) } } }
    }
}
