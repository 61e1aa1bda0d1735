// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Other implementations of WebSockets, as programs that tests run: `Peers/peer.py` and `Peers/peer.js`.
public enum WebSocketPeer: String, CaseIterable, Sendable, CustomStringConvertible {
    /// Python's `websockets`.
    case python
    /// Node's `ws`.
    case node

    public var description: String { rawValue }

    /// The installed ones; all of them if `WIRELINE_REQUIRE_PEERS=1` requires them, so that an absence is a failure.
    public static let wanted = allCases.filter {
        $0.program != nil || Peers.areRequired
    }

    /// The message if one is missing.
    public static let absence =
        "a WebSocket peer is missing: install python3-websockets and node-ws (\(missing.joined(separator: ", ")))"

    /// The names of those that are missing.
    public static let missing = allCases.filter { $0.program == nil }.map(\.rawValue)

    private var words: (program: String, check: [String], script: String) {
        switch self {
        case .python: ("python3", ["-c", "import websockets"], "peer.py")
        case .node: ("node", ["-e", "require('ws')"], "peer.js")
        }
    }

    private static let programs = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.find()) })
    private var program: URL? { Self.programs[self] ?? nil }

    /// A Node that is not the system's own does not search the folder of the system's packages.
    private static let environment = ProcessInfo.processInfo.environment.merging(["NODE_PATH": "/usr/share/nodejs"]) {
        "\($0):\($1)"
    }

    /// The first program on the PATH that has the library: there may be several Pythons.
    private func find() -> URL? {
        Peers.paths(of: words.program).map { URL(filePath: $0) }.first { hasLibrary($0) }
    }

    private func hasLibrary(_ program: URL) -> Bool {
        let process = Process()
        process.executableURL = program
        process.environment = Self.environment
        process.arguments = words.check
        process.standardError = FileHandle.nullDevice
        guard (try? process.runToEnd()) != nil else { return false }
        return process.terminationStatus == 0
    }

    /// A process that will run the peer.
    public func process(_ arguments: [String]) throws -> Process {
        guard let program else { throw Absent() }
        let process = Process()
        process.executableURL = program
        process.environment = Self.environment
        process.arguments =
            [Checkout.url("Tests/Core/WirelineTests/WebSocket/Peers/\(words.script)").path] + arguments
        return process
    }

    private struct Absent: Error, CustomStringConvertible {
        var description: String { WebSocketPeer.absence }
    }
}

/// A server that is one of the peers; it ends with the value.
public final class WebSocketPeerServer {
    private let process: Process
    private let input = Pipe()
    public let port: UInt16

    public init(_ peer: WebSocketPeer, _ arguments: [String]) throws {
        process = try peer.process(["server"] + arguments)
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.runWatched()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines)) else { throw DidNotListen() }
        self.port = port
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private struct DidNotListen: Error {}
}
