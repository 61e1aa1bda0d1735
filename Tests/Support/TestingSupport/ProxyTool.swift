// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A proxy from Debian on loopback, with or without a name and a password; it ends when this object does.
///
/// It never changes, so `@unchecked Sendable` needs no lock.
public final class ProxyTool: @unchecked Sendable {
    /// The kind of proxy.
    public enum Kind: String, CaseIterable, Sendable {
        /// An HTTP proxy.
        case tinyproxy
        /// A SOCKS 5 proxy.
        case microsocks

        var path: String? { Peers.path(of: rawValue) }
    }

    /// Whether to run the tests that need them: both are installed, or `WIRELINE_REQUIRE_PEERS=1` requires them, so
    /// that their absence is a failure.
    public static let isWanted =
        Kind.allCases.allSatisfy { $0.path != nil }
        || Peers.areRequired

    /// The message of a test that is skipped.
    public static let absence = "tinyproxy or microsocks is not on the PATH: install tinyproxy-bin and microsocks"

    /// Its port on 127.0.0.1.
    public let port: UInt16
    private let process: Process
    private let folder: URL

    /// Starts it, and returns when it listens.
    ///
    /// - Parameter credentials: The only accepted name and password; nil: none are needed.
    public static func start(
        _ kind: Kind, credentials: (user: String, password: String)? = nil
    ) async throws -> ProxyTool {
        try await onThread { try ProxyTool(kind, credentials: credentials) }
    }

    private init(_ kind: Kind, credentials: (user: String, password: String)?) throws {
        guard let path = kind.path else { throw Failure(description: Self.absence) }
        folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A port in use ends the proxy, and another one is tried. From 32,768 on the system chooses ports, also for the
        // probe whether the proxy listens: the probe would find itself.
        for _ in 0..<20 {
            let (process, port) = (Process(), UInt16.random(in: 20_000..<32_768))
            guard !LocalPort.isListening(at: port) else { continue }
            process.executableURL = URL(filePath: path)
            switch kind {
            case .tinyproxy:
                let file = folder.appending(path: "configuration")
                let authorization = credentials.map { "BasicAuth \($0.user) \($0.password)\n" } ?? ""
                try "Port \(port)\nListen 127.0.0.1\nTimeout 600\nMaxClients 100\n\(authorization)"
                    .write(to: file, atomically: false, encoding: .utf8)
                process.arguments = ["-d", "-c", file.path()]
            case .microsocks:
                let authorization = credentials.map { ["-u", $0.user, "-P", $0.password] } ?? []
                process.arguments = ["-i", "127.0.0.1", "-p", "\(port)"] + authorization
            }
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
        throw Failure(description: "\(kind.rawValue) does not start")
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
