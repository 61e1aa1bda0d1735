// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTransport

/// Connections through proxies that follow a script, byte by byte.
@Suite(.ahead)
struct ProxyTests {
    private static let hello = Cs_20001(sceneID: 7, line: 2, message: "hi")

    /// Reads so many bytes.
    private static func receive(_ count: Int, from socket: RawSocket) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = try socket.receive(atMost: count - bytes.count)
            guard !more.isEmpty else { break }
            bytes += more
        }
        return bytes
    }

    private static func head(from socket: RawSocket) throws -> String {
        var bytes: [UInt8] = []
        while !bytes.ends(with: Array("\r\n\r\n".utf8)), let byte = try socket.receive(atMost: 1).first {
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Looks up no name.
    private static let noResolver = ClosureResolver { host, _ throws(TransportError) in
        throw .lookupFailed(host, reason: "nobody should have asked")
    }

    private static func connect(
        through proxy: Proxy, _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) async throws(ConnectionError) -> PacketClient<SceneProtocol> {
        var configuration = ClientConfiguration.patient
        configuration.dialing.proxy = proxy
        configuration.dialing.resolver = noResolver
        change(&configuration)
        return try await PacketClient.connect(
            to: "game.test", port: 9001, protocol: SceneProtocol.self, configuration: configuration)
    }

    @Test(arguments: [true, false], [1, 1_000])
    func `the server's bytes after the proxy's answer are not lost`(isHTTP: Bool, step: Int) async throws {
        let packets = try (0..<100).map { try packet(id: $0, payload: [UInt8](repeating: 1, count: Int($0))) }
        let seen = Seen<[UInt8]>()
        let actor = try PlayedProxy { socket in
            var answer: [UInt8] = []
            if isHTTP {
                seen.add(Array(try Self.head(from: socket).utf8))
                answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nVia: test\r\n\r\n".utf8)
            } else {
                seen.add(try Self.receive(3, from: socket))
                try socket.send([5, 0])
                seen.add(try Self.receive(16, from: socket))
                answer = [5, 0, 0, 3, 3, 0x61, 0x62, 0x63, 0, 80]
            }
            let bytes = answer + packets.joined()
            for start in stride(from: 0, to: bytes.count, by: step) {
                try socket.send(bytes[start..<min(start + step, bytes.count)])
            }
            // The client's output arrives, too.
            seen.add(try Self.receive(Self.hello.encoded().count, from: socket))
            socket.endOutput()
            socket.drain()
        }
        let proxy: Proxy =
            isHTTP ? .http(host: "127.0.0.1", port: actor.port) : .socks5(host: "127.0.0.1", port: actor.port)
        let client = try await Self.connect(through: proxy)
        try await client.send(Self.hello)
        for expected in packets { #expect(try await client.connection.nextBytes() == expected) }
        #expect(try await client.nextPacket() == nil)
        client.close()
        let asked =
            isHTTP
            ? [Array("CONNECT game.test:9001 HTTP/1.1\r\nHost: game.test:9001\r\n\r\n".utf8)]
            : [[5, 1, 0], [5, 1, 0, 3, 9] + Array("game.test".utf8) + [0x23, 0x29]]
        #expect(try await seen.first(asked.count + 1) == asked + [Self.hello.encoded()])
        #expect(client.connection.peerAddress.port == actor.port)

        let events = client.timeline.entries.map(\.event)
        let stages = events.filter { [.proxyBegan, .proxyEnded, .firstByte].contains($0) }
        #expect(stages == [.proxyBegan, .proxyEnded, .firstByte])
        #expect(client.timeline.host == "game.test")
    }

    @Test(
        arguments: [
            (Array("HTTP/1.1 407 Who?\r\n\r\n".utf8), .refused(status: 407, reason: "Who?")),
            (Array("SSH-2.0".utf8), .invalidAnswer(.notHTTP(firstBytes: Array("SSH-".utf8)))),
            (Array("HTTP/1.1 200 OK\r\n".utf8), .truncated), ([], .truncated),
        ] as [([UInt8], ProxyError)])
    func `an HTTP proxy's refusal is an error that gives the reason`(answer: [UInt8], error: ProxyError) async throws {
        let timelines = Seen<ConnectionTimeline>()
        let actor = try PlayedProxy { socket in
            _ = try Self.head(from: socket)
            try socket.send(answer)
            socket.endOutput()
            socket.drain()
        }
        await #expect(throws: ConnectionError.proxy(error)) {
            _ = try await Self.connect(through: .http(host: "127.0.0.1", port: actor.port)) {
                $0.dialing.timelineHandler = { timelines.add($0) }
            }
        }
        #expect(await timelines.first(1)[0].entries.last?.event == .closed(.proxy(error)))
    }

    @Test(
        arguments: [
            ([5, 0xFF], .noAcceptableMethod), ([5, 0, 5, 2], .notConnected(.notAllowed)),
            ([5, 0, 5, 5, 0, 1, 0, 0, 0, 0, 0, 0], .notConnected(.connectionRefused)), ([5, 0, 5], .truncated),
            (Array("HTTP/1.1 400".utf8), .notSOCKS5(firstBytes: Array("HT".utf8))),
        ] as [([UInt8], ProxyError)])
    func `a SOCKS proxy's refusal is an error that gives the reason`(answer: [UInt8], error: ProxyError) async throws {
        let actor = try PlayedProxy { socket in
            try socket.send(answer)
            socket.endOutput()
            socket.drain()
        }
        await #expect(throws: ConnectionError.proxy(error)) {
            _ = try await Self.connect(through: .socks5(host: "127.0.0.1", port: actor.port))
        }
    }

    @Test(arguments: [true, false])
    func `a proxy that accepts and then resets the connection causes a reset error`(isHTTP: Bool) async throws {
        // Either the accepting answer or the reset may be noticed first.
        for _ in 0..<20 {
            let actor = try PlayedProxy { socket in
                let isAgreed = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)
                try socket.send(isHTTP ? isAgreed : [5, 0, 5, 0, 0, 1, 127, 0, 0, 1, 0, 80])
                socket.resetWhenClosed()
            }
            await #expect(throws: ConnectionError.transport(.reset)) {
                let client = try await Self.connect(
                    through: isHTTP
                        ? .http(host: "127.0.0.1", port: actor.port) : .socks5(host: "127.0.0.1", port: actor.port))
                _ = try await client.nextPacket()
            }
        }
    }

    @Test func `a silent proxy times out, and a proxy's reset is an error`() async throws {
        let listener = try RawSocket.listen()
        let port = try listener.port()
        await #expect(throws: ConnectionError.transport(.timedOut)) {
            _ = try await Self.connect(through: .socks5(host: "127.0.0.1", port: port)) {
                $0.dialing.connectTimeout = .milliseconds(300)
            }
        }
        withExtendedLifetime(listener) {}

        // At its own listener, because the first one may still have the earlier connection in its queue.
        let other = try RawSocket.listen()
        let otherPort = try other.port()
        let connecting = Task { try await Self.connect(through: .http(host: "127.0.0.1", port: otherPort)) }
        let socket = try await onThread { try other.accept() }
        _ = try await onThread { try Self.receive(10, from: socket) }
        connecting.cancel()
        await #expect(throws: ConnectionError.cancelled) { _ = try await connecting.value }
        withExtendedLifetime(socket) {}

        let actor = try PlayedProxy { socket in
            _ = try Self.head(from: socket)
            socket.resetWhenClosed()
        }
        await #expect(throws: ConnectionError.transport(.reset)) {
            _ = try await Self.connect(through: .http(host: "127.0.0.1", port: actor.port))
        }
    }

    @Test func `invalid credentials and hosts are refused before connecting`() async throws {
        let credentials = Proxy.Credentials(user: "a:b", password: "")
        await #expect(throws: ConnectionError.proxy(.invalidCredentials)) {
            _ = try await Self.connect(through: .http(host: "unknown.invalid", port: 1, credentials: credentials))
        }
        var configuration = ClientConfiguration.patient
        configuration.dialing.proxy = .socks5(host: "unknown.invalid", port: 1)
        await #expect(throws: ConnectionError.proxy(.invalidHost)) {
            _ = try await PacketClient.connect(
                to: "", port: 1, protocol: SceneProtocol.self, configuration: configuration)
        }
    }

    @Test func `a proxy that does not listen is a network error`() async throws {
        let listener = try RawSocket.listen()
        let port = try listener.port()
        // A port that is in use and has no listener.
        let taken = try RawSocket.connect(to: port)
        let gone = try #require(try Self.localPort(of: taken))
        await #expect(throws: ConnectionError.transport(.refused)) {
            _ = try await Self.connect(through: .http(host: "127.0.0.1", port: gone))
        }
        withExtendedLifetime(taken) {}
    }

    private static func localPort(of socket: RawSocket) throws -> UInt16? { try socket.port() }
}
