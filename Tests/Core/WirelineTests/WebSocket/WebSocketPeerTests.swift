// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// WebSockets with other implementations as peers, in both directions, with and without compression and TLS.
@Suite(
    .enabled(
        if: !WebSocketPeer.wanted.isEmpty && OpenSSLTool.isWanted,
        Comment(rawValue: WebSocketPeer.absence + "; " + OpenSSLTool.absence)),
    .aside)
struct WebSocketPeerTests {
    private let certificates: LocalCertificates

    init() throws {
        certificates = try LocalCertificates.made.get()
    }

    struct Way: Sendable, CustomStringConvertible {
        let isCompressed: Bool
        let isSecure: Bool

        static let all = [false, true].flatMap { isSecure in
            [false, true].map { Way(isCompressed: $0, isSecure: isSecure) }
        }

        var word: String { isCompressed ? "DEFLATE" : "PLAIN" }
        var deflate: WebSocketDeflate? { isCompressed ? WebSocketDeflate() : nil }
        var description: String { (isSecure ? "wss " : "ws ") + word }
    }

    @Test(
        .enabled(
            if: WebSocketPeer.missing.isEmpty || WebSocketPeer.wanted.count == WebSocketPeer.allCases.count,
            Comment(rawValue: WebSocketPeer.absence)))
    func `all peers are installed`() {
        #expect(WebSocketPeer.missing == [])
    }

    @Test(arguments: WebSocketPeer.wanted, Way.all)
    func `other implementations' clients talk to our server`(peer: WebSocketPeer, way: Way) async throws {
        let ends = WebSocketEnds()
        let tls = try way.isSecure ? certificates.serverContext() : nil
        let server = try await WebSocketServer.echo(
            ends.configure {
                $0.listening.tls = tls
                $0.handshake.deflate = way.deflate
            })
        let folder = try Folder()
        let authority = try folder.write(certificates.root.own.certificate, to: "root.pem")
        let process = try peer.process(
            ["client", way.word, server.url(isSecure: way.isSecure)] + (way.isSecure ? [authority] : []))
        let output = try await onThread { try Self.output(of: process) }
        #expect(output == "fine\n")
        #expect(await ends.first(1) == ["clean"])
        await server.shutDown()
    }

    @Test(arguments: WebSocketPeer.wanted, Way.all)
    func `our client talks to other implementations' servers`(peer: WebSocketPeer, way: Way) async throws {
        let folder = try Folder()
        let files = try [
            folder.write(certificates.server.chain, to: "chain.pem"),
            folder.write(certificates.server.key, to: "key.pem"),
        ]
        let server = try WebSocketPeerServer(peer, [way.word] + (way.isSecure ? files : []))
        let pinned = try certificates.clientContext { $0.pins = try TLSPins([certificates.server.keyHash]) }
        let client = try await WebSocketClient.connect(
            to: way.isSecure ? "wss://localhost:\(server.port)/" : "ws://127.0.0.1:\(server.port)/",
            configuration: .patient {
                $0.dialing.tls = pinned
                $0.deflate = way.deflate
            })
        #expect(client.compresses == way.isCompressed)
        var random = SeededGenerator.forThisRun()
        for byteCount in [0, 1, 125, 126, 127, 65_535, 65_536, 65_537, 1_000_000, 4 << 20] {
            let text = WebSocketMessage.text(String(repeating: "ü", count: byteCount / 2))
            let content = random.bytes(byteCount)
            for message in [text, .binary(content)] {
                try await client.send(message)
                let isSame = try await client.receive() == message
                #expect(isSame, "\(byteCount) bytes")
            }
        }
        try await client.sendMessage(as: .text) { message in
            for part in ["Gr", "", "ü", "ße"] { try await message.send(part) }
        }
        #expect(try await client.receive() == .text("Grüße"))
        #expect(try await client.ping(timeout: .seconds(600)) > .zero)
        let end = try await client.close(code: WebSocketCloseCode(rawValue: 4_321), reason: "genug")
        #expect(end.cause == .closedHere)
        #expect(end.received?.code == WebSocketCloseCode(rawValue: 4_321))
    }

    @Test(arguments: WebSocketPeer.wanted)
    func `a session moves to the next server when another implementation's server ends`(
        peer: WebSocketPeer
    ) async throws {
        var first: WebSocketPeerServer? = try WebSocketPeerServer(peer, ["DEFLATE"])
        let second = try WebSocketPeerServer(peer, ["PLAIN"])
        let ports = try [#require(first).port, second.port]
        let session = try WebSocketSession.start(
            to: ports.map { try WebSocketURL("ws://127.0.0.1:\($0)/") },
            configuration: .patient {
                $0.client.deflate = WebSocketDeflate()
                $0.client.limits.heartbeat = HeartbeatPolicy(interval: .milliseconds(10), timeout: .seconds(600))
            }
        ) { login in
            try await login.client.send("login \(login.number)")
            #expect(try await login.client.receive() == .text("login \(login.number)"))
        }
        var messages = session.messages.makeAsyncIterator()
        try await session.send("one")
        #expect(try await messages.next() == .text("one"))
        let isAnswered = try await eventually { await session.roundTrips.count > 0 }
        #expect(isAnswered)
        let states = session.states
        first = nil
        var isBack = false
        for await state in states {
            if case .waiting = state { isBack = true }
            if state == .ready, isBack { break }
        }
        try await session.send([1, 2, 3])
        #expect(try await messages.next() == .binary([1, 2, 3]))
        #expect(await session.drain(within: .seconds(600)) == .byUs)
        #expect(try await messages.next() == nil)
    }

    /// Runs a process, and returns what it prints.
    private static func output(of process: Process) throws -> String {
        let pipe = Pipe()
        process.standardOutput = pipe
        let data = try process.runToEnd { try pipe.fileHandleForReading.readToEnd() ?? Data() }
        return String(decoding: data, as: UTF8.self)
    }
}

/// A folder for files of a test; removed with the value.
private final class Folder {
    private let url = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// - Returns: The file's path.
    func write(_ text: String, to name: String) throws -> String {
        let file = url.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file.path
    }
}
