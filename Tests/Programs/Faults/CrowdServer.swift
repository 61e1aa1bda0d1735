// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Goim
import TestingSupport
import Wireline
import WirelineTransport

/// Servers of packets and of WebSockets for a crowd of badly behaving clients, in a child process of this program.
///
/// A client orders a number of messages of a length: "40 x 8000". Everything else is sent back.
struct CrowdServer {
    private let packets: PacketServer<GoimProtocol>
    private let webSockets: WebSocketServer
    private let secure: PacketServer<GoimProtocol>?
    private let ends: CrowdEnds

    /// Serves until the standard input ends. For each line it prints an answer: `port websocket`, `port tls`,
    /// `counters`, or, for `drain MILLISECONDS`, how many milliseconds the drain took.
    ///
    /// - Parameters:
    ///   - limit: The memory limit of each server's connections, in bytes.
    ///   - identity: The folder of the server's certificate; `-` for a server without TLS.
    static func run(heldByteLimit limit: String, threadCount: String, identity: String) async throws {
        guard let limit = Int(limit), let threadCount = Int(threadCount) else { fail("no numbers", code: 2) }
        DescriptorLimit.raise()
        let server = try await CrowdServer(
            limit: limit, on: EventLoopGroup(threadCount: threadCount), identity == "-" ? nil : identity)
        say("\(server.packets.address.port)")
        while let line = readLine() { say(await server.answer(to: line)) }
    }

    private static func say(_ line: String) {
        print(line)
        flush()
    }

    private init(limit: Int, on group: EventLoopGroup, _ identity: String?) async throws {
        let ends = CrowdEnds()
        self.ends = ends
        var configuration = ServerConfiguration(
            listening: ListeningOptions(
                minimumRate: nil, minimumReadingRate: nil, heldByteLimit: limit, connectionEnded: ends.note),
            firstPacketTimeout: nil)
        configuration.limits.writeTimeout = nil
        packets = try await Self.servePackets(on: group, configuration, ends)
        var webSocketConfiguration = WebSocketServerConfiguration()
        webSocketConfiguration.listening.heldByteLimit = limit
        webSocketConfiguration.listening.minimumRate = nil
        webSocketConfiguration.listening.minimumReadingRate = nil
        webSocketConfiguration.listening.handshakeTimeout = nil
        webSocketConfiguration.listening.connectionEnded = ends.note
        webSocketConfiguration.handshake.deflate = WebSocketDeflate()
        webSocketConfiguration.limits.writeTimeout = nil
        webSockets = try await WebSocketServer.start(
            at: "127.0.0.1", port: 0, on: group, configuration: webSocketConfiguration
        ) { client in
            ends.handlerBegins()
            defer { ends.handlerEnds() }
            for try await message in client.messages {
                guard case .text(let text) = message, let order = CrowdOrder(text) else {
                    try await client.send(message)
                    continue
                }
                for number in 0..<order.count { try await client.send(order.body(number)) }
            }
        }
        secure = try await identity.asyncMap { folder in
            var configuration = configuration
            configuration.listening.handshakeTimeout = nil
            let files = TLSIdentity(
                certificateChain: .file(folder + "/certificate.pem"), privateKey: .file(folder + "/key.pem"))
            configuration.listening.tls = try TLSContext(.server(identity: files))
            return try await Self.servePackets(on: group, configuration, ends)
        }
    }

    private static func servePackets(
        on group: EventLoopGroup, _ configuration: ServerConfiguration, _ ends: CrowdEnds
    ) async throws -> PacketServer<GoimProtocol> {
        try await PacketServer.start(
            at: "127.0.0.1", port: 0, protocol: GoimProtocol.self, on: group, configuration: configuration
        ) { client in
            ends.handlerBegins()
            defer { ends.handlerEnds() }
            while let received = try await client.nextMessage() {
                guard case .changeRoom(let change) = received.message,
                    let order = CrowdOrder(change.room)
                else {
                    try await client.forward(received.packet)
                    continue
                }
                for number in 0..<order.count { try await client.send(Notification(body: order.body(number))) }
                try await client.reply(to: received, with: ChangeRoomReply())
            }
        }
    }

    private func answer(to line: String) async -> String {
        let words = line.split(separator: " ")
        switch (words.first, words.last) {
        case ("port", "websocket"): return "\(webSockets.address.port)"
        case ("port", "tls"): return "\(secure?.address.port ?? 0)"
        case ("drain", let word?): return await drain(within: .milliseconds(Int(word) ?? 0))
        default: return await counters()
        }
    }

    private func drain(within timeout: Duration) async -> String {
        let start = ContinuousClock.now
        async let first: Void = packets.shutDown(within: timeout)
        async let second: Void = webSockets.shutDown(within: timeout)
        _ = await (first, second)
        return "\((ContinuousClock.now - start) / .milliseconds(1))"
    }

    private func counters() async -> String {
        let (left, right) = await (packets.counters(), webSockets.counters())
        let sum = { (count: (ServerCounters) -> Int) in "\(count(left) + count(right))" }
        let ends = ends.counts
        let numbers = [
            sum(\.connectionCount), "\(ends.handlerCount)", sum(\.heldByteCount), sum(\.traffic.pendingByteCount),
            sum(\.traffic.unreadByteCount), sum(\.traffic.waitingSenderCount), sum(\.noRoomConnectionCount),
            "\(ends.cleanCount)", sum(\.compressionByteCount),
        ]
        let failures = ends.failures.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return (numbers + failures).joined(separator: " ")
    }
}

/// Counts the handlers and the ends of connections of a ``CrowdServer``.
private final class CrowdEnds: Sendable {
    struct Counts {
        var handlerCount = 0
        var cleanCount = 0
        var failures: [String: Int] = [:]
    }

    private let state = Lock(Counts())

    var counts: Counts { state.withLock { $0 } }

    func handlerBegins() { state.withLock { $0.handlerCount += 1 } }

    func handlerEnds() { state.withLock { $0.handlerCount -= 1 } }

    /// Counts the end of a connection.
    @Sendable
    func note(_ peer: SocketAddress, _ failure: (any Error)?) {
        state.withLock { counts in
            if let failure {
                counts.failures[Self.name(failure), default: 0] += 1
            } else {
                counts.cleanCount += 1
            }
        }
    }

    private static func name(_ error: any Error) -> String {
        switch error as? ConnectionError {
        case .transport(.reset): "reset"
        case .transport(.closed): "closed"
        case .transport(.timedOut): "timedOut"
        case .transport: "transport"
        case .cancelled: "cancelled"
        case .noRoom: "noRoom"
        case .webSocketEnded: "webSocketEnded"
        case let other?: Mirror(reflecting: other).children.first?.label ?? "\(other)"
        case nil: "\(type(of: error))"
        }
    }
}

/// A client's order to a ``CrowdServer``.
struct CrowdOrder {
    /// The largest message that can be ordered.
    private static let largestByteCount = 1 << 19

    let count: Int
    let byteCount: Int

    init(count: Int, byteCount: Int) {
        (self.count, self.byteCount) = (count, byteCount)
    }

    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 3, words[1] == "x", let count = Int(words[0]), let byteCount = Int(words[2]),
            byteCount <= Self.largestByteCount
        else { return nil }
        self.init(count: count, byteCount: byteCount)
    }

    var text: String { "\(count) x \(byteCount)" }

    /// Digits that zlib can hardly compress, longer than its window.
    private static let digits: [UInt8] = {
        var random = SeededGenerator(seed: 1)
        return (0..<largestByteCount).map { _ in 0x30 + UInt8(truncatingIfNeeded: random.next()) & 0x3F }
    }()

    /// The text of the message with a number.
    func body(_ number: Int) -> String {
        let start = number * 7_919 % (Self.largestByteCount - byteCount + 1)
        return String(decoding: Self.digits[start..<start + byteCount], as: UTF8.self)
    }
}

extension Optional {
    fileprivate func asyncMap<Value>(_ body: (Wrapped) async throws -> Value) async throws -> Value? {
        guard let wrapped = self else { return nil }
        return try await body(wrapped)
    }
}
