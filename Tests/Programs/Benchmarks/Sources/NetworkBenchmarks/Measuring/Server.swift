// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import CNetwork
internal import Foundation

/// A row of the tables: a program that follows the contract in `CNetwork.h`.
struct Server {
    let name: String
    let command: [String]
    /// What it shows where it speaks TLS; nil where it cannot.
    private let identity: ServerIdentity?
    private let speaksWebSocket: Bool

    var usesTLS: Bool { identity != nil }

    private static let limits: [OwnServer] = [.epoll, .webSocketEpoll]

    /// Whether ratios are to it.
    var isLimit: Bool { Self.limits.contains { $0.rawValue == name } }

    /// The limits once more: what is measured of the same program again says how far the other rows can be trusted.
    static func controls(_ identity: ServerIdentity?) -> [Server] {
        limits.map { Server($0, identity, name: "\($0.rawValue), again") }
    }

    /// All servers that can run here, the limit first.
    ///
    /// - Parameter identity: The certificate that they show; without, there is no TLS.
    static func all(_ identity: ServerIdentity?) throws -> [Server] {
        let own = OwnServer.allCases.filter { !OwnServer.faulty.contains($0) }.map { Server($0, identity) }
        return try own
            + ScriptServer.allCases.compactMap { script in
                try script.command.map {
                    Server(name: script.rawValue, command: $0, speaksWebSocket: script.speaksWebSocket)
                }
            }
    }

    private init(name: String, command: [String], identity: ServerIdentity? = nil, speaksWebSocket: Bool = false) {
        self.name = name
        self.command = command
        self.identity = identity
        self.speaksWebSocket = speaksWebSocket
    }

    init(_ own: OwnServer, _ identity: ServerIdentity?, name: String? = nil) {
        self.init(
            name: name ?? own.rawValue, command: [CommandLine.arguments[0], "--serve", own.rawValue],
            identity: own.speaksTLS ? identity : nil, speaksWebSocket: own.speaksWebSocket)
    }

    /// What is sent through a WebSocket is also sent to these, in packets: a message's price is told beside a packet's.
    static let ofPacketsBesideWebSockets: [OwnServer] = [.epoll, .asyncWireline]

    func measures(_ scenario: Scenario) -> Bool {
        if scenario.usesWebSocket {
            return speaksWebSocket || Self.ofPacketsBesideWebSockets.contains { $0.rawValue == name }
        }
        if name == OwnServer.roomWireline.rawValue { return scenario == .idle }
        return !speaksWebSocket && (usesTLS || !scenario.usesTLS)
    }

    /// - Parameters:
    ///   - description: `NAME=COMMAND`, the command's words separated by spaces.
    ///   - speaksWebSocket: Whether it is a server of WebSockets.
    init(description: String, speaksWebSocket: Bool = false) throws(BadUsage) {
        let parts = description.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw BadUsage(description: "`\(description)` is not NAME=COMMAND") }
        self.init(
            name: parts[0], command: parts[1].split(separator: " ").map(String.init), speaksWebSocket: speaksWebSocket)
    }

    /// Runs the program on a processor, lends it while it listens, and sees it end well.
    func running<Result>(
        on processor: Int32, usesTLS: Bool = false, _ body: (UnsafePointer<network_server>) throws -> Result
    ) throws -> Result {
        var process = network_server()
        process.uses_tls = usesTLS
        process.uses_websocket = speaksWebSocket
        var failure = network_failure()
        let files = identity.map { ["--certificate", $0.certificate, "--key", $0.key] } ?? []
        let words = (command + (usesTLS ? files : [])).map { strdup($0) }
        defer {
            for word in words { free(word) }
        }
        guard network_start(words.map { UnsafePointer($0) } + [nil], processor, &process, &failure) else {
            throw failure.error(of: name)
        }
        let result: Result
        do {
            result = try body(&process)
        } catch {
            _ = network_stop(&process, &failure)
            throw error
        }
        guard network_stop(&process, &failure) else { throw failure.error(of: name) }
        return result
    }
}
