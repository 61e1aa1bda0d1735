// SPDX-License-Identifier: Apache-2.0

import Foundation

/// HAProxy on loopback, which passes connections on to a server with a header of the PROXY protocol; it ends when this
/// object does.
///
/// It never changes, so `@unchecked Sendable` needs no lock.
public final class HAProxyTool: @unchecked Sendable {
    private static let path = Peers.path(of: "haproxy")

    /// Whether to run the tests that need it: it is installed, or `WIRELINE_REQUIRE_PEERS=1` requires it, so that its
    /// absence is a failure.
    public static let isWanted = path != nil || Peers.areRequired

    /// The message of a test that is skipped.
    public static let absence = "haproxy is not installed"

    /// Its port on 127.0.0.1.
    public let port: UInt16
    private let process: Process
    private let folder: URL

    /// Starts it, and returns when it listens.
    ///
    /// - Parameters:
    ///   - target: The server in HAProxy's notation: `127.0.0.1:9001`, or `unix@/run/game.sock`.
    ///   - option: `send-proxy` (version 1), `send-proxy-v2`, and more.
    public static func start(to target: String, _ option: String) async throws -> HAProxyTool {
        try await onThread { try HAProxyTool(target, option) }
    }

    private init(_ target: String, _ option: String) throws {
        guard let path = Self.path else { throw Failure(description: Self.absence) }
        folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "configuration")
        // As in ProxyTool: a port in use ends it, and another one is tried.
        for _ in 0..<20 {
            let (process, port) = (Process(), UInt16.random(in: 20_000..<32_768))
            guard !LocalPort.isListening(at: port) else { continue }
            try """
            global
                maxconn 100
            defaults
                mode tcp
                timeout connect 600s
                timeout client 600s
                timeout server 600s
            listen game
                bind 127.0.0.1:\(port)
                server game \(target) \(option)

            """.write(to: file, atomically: false, encoding: .utf8)
            process.executableURL = URL(filePath: path)
            process.arguments = ["-db", "-f", file.path()]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.runWatched()
            if LocalPort.waitUntilListening(process, port) {
                (self.process, self.port) = (process, port)
                return
            }
            process.waitUntilExit()
        }
        throw Failure(description: "haproxy does not start")
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
