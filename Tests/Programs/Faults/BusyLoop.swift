// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Goim
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// Clients that keep a server's only loop busy with cheap input: another client must still be served.
///
/// `Tests/Programs/Benchmarks` measures the delay, on a quiet machine and optimized. Here a delay is wrong only if no slow
/// machine can explain it.
enum BusyLoop {
    private static let attackerCount = 8
    private static let time = Duration.seconds(2)
    private static let mostDelay = Duration.seconds(2)

    static func look(_ look: Look) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let hasTLS = OpenSSLTool.isWanted && (try? TLSAvailability.check()) != nil
        if hasTLS { try await onThread { try CertificateAuthority("root").makeServer(in: folder) } }
        let crowd = try await Crowd(
            heldByteLimit: 64 << 20, threadCount: 1, identity: hasTLS ? folder.path : "-")
        let packets = try Array(repeatElement(CrowdPeer.message("short", by: .packets), count: 4_096).joined())
        let messages = Array(repeatElement(CrowdPeer.frame(0x81, [0x79]), count: 16_384).joined())
        var attacks: [(name: String, Attack)] = [
            ("short packets", Attack(crowd.packetPort, nil, packets)),
            ("short messages", Attack(crowd.webSocketPort, .webSocket, messages)),
            ("messages that inflate", Attack(crowd.webSocketPort, .compressedWebSocket, try inflatingMessage())),
            ("messages to compress", Attack(crowd.webSocketPort, .compressedWebSocket, compressibleMessage())),
        ]
        if hasTLS, let port = UInt16(try await crowd.answer(to: "port tls")) {
            attacks.append(("TLS handshakes", Attack(port, hello: try await clientHello())))
        } else {
            look.check(true, "SKIPPED: TLS handshakes (no OpenSSL)")
        }
        for (name, attack) in attacks {
            for _ in 0..<attackerCount { attack.begin() }
            let delays = try await onThread { try Self.delays(at: crowd.packetPort) }
            attack.stop()
            let worst = delays.last ?? time
            look.checkInTime(
                worst < mostDelay && attack.count > 0,
                "\(name) of \(attackerCount) clients: \(delays.count) others' echoes took \(delays[delays.count / 2]) "
                    + "in the middle, \(worst) at most (\(attack.count) times)")
        }
        // The attackers have reset their connections; the server continues.
        let isQuiet = try await eventually(within: .seconds(60)) { try await crowd.counters().heldByteCount == 0 }
        look.check(isQuiet, "when they have gone nothing is held for them")
    }

    /// How long each echo takes, in ascending order.
    static func delays(at port: UInt16) throws -> [Duration] {
        let socket = try RawSocket.connect(to: port)
        let packet = try CrowdPeer.message("victim", by: .packets)
        var delays: [Duration] = []
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end || delays.count < 3 {
            let start = ContinuousClock.now
            try socket.send(packet)
            var byteCount = 0
            while byteCount < packet.count {
                let bytes = try socket.receive(atMost: packet.count - byteCount)
                guard !bytes.isEmpty else {
                    fail("the server ends the connection of a client that sends little", code: 1)
                }
                byteCount += bytes.count
            }
            delays.append(ContinuousClock.now - start)
            // A client that asks now and then, and does not flood the server.
            Thread.sleep(forTimeInterval: 0.002)
        }
        return delays.sorted()
    }

    // MARK: Cheap input

    /// A frame of 4 MiB of zeros, which zlib has made a thousand times smaller.
    private static func inflatingMessage() throws -> [UInt8] {
        var request = WebSocketRequest(try WebSocketURL("ws://127.0.0.1/"))
        request.deflate = WebSocketDeflate()
        var client = try WebSocketClientHandshake(request)
        var policy = WebSocketHandshakePolicy()
        policy.deflate = WebSocketDeflate()
        var server = try WebSocketServerHandshake(policy)
        _ = try server.receive(client.request.span.bytes)
        try server.answer(.accept())
        _ = try client.receive(server.takeOutput().span.bytes)
        var engine = WebSocketEngine(.client, agreement: client.agreement)
        _ = try engine.send([UInt8](repeating: 0, count: 4 << 20).span.bytes, as: .binary)
        var frame: [UInt8] = []
        engine.takeOutput { bytes in
            bytes.withUnsafeBytes { frame = Array($0) }
            return frame.count
        }
        return frame
    }

    private static func compressibleMessage() -> [UInt8] {
        CrowdPeer.frame(0x82, Array(CrowdOrder(count: 1, byteCount: 1 << 19).body(0).utf8))
    }

    // MARK: TLS

    /// The first bytes of a client's handshake, which any server answers with a signature.
    private static func clientHello() async throws -> [UInt8] {
        let listener = try RawSocket.listen()
        var configuration = ClientConfiguration()
        configuration.dialing.tls = try TLSContext(.client())
        let port = try listener.port()
        async let client = PacketClient.connect(
            to: "127.0.0.1", port: port, protocol: GoimProtocol.self, configuration: configuration)
        let hello = try await onThread { try listener.accept().receive() }
        _ = try? await client
        return hello
    }
}

/// Threads that send the same bytes again and again.
private final class Attack: Sendable {
    private struct State {
        var isStopped = false
        var count = 0
        var sockets: [RawSocket] = []
    }

    private let port: UInt16
    private let request: [UInt8]?
    private let bytes: [UInt8]
    /// Whether each repetition uses a new connection.
    private let reconnects: Bool
    private let state = Lock(State())

    init(_ port: UInt16, _ carrier: CrowdPeer.Carrier?, _ bytes: [UInt8]) {
        (self.port, self.bytes, reconnects) = (port, bytes, false)
        request = carrier.flatMap { CrowdPeer.request($0) }
    }

    init(_ port: UInt16, hello: [UInt8]) {
        (self.port, bytes, reconnects, request) = (port, hello, true, nil)
    }

    /// How many times the bytes were sent.
    var count: Int { state.withLock { $0.count } }

    /// Adds one more attacking client. Its threads have a lower priority than the one that measures.
    func begin() {
        Thread.detachNewThread {
            setpriority(__priority_which_t(0), 0, 19)
            while let socket = self.connect(), self.reconnects { self.shakeHands(on: socket) }
        }
    }

    func stop() {
        let sockets = state.withLock { state in
            state.isStopped = true
            defer { state.sockets = [] }
            return state.sockets
        }
        for socket in sockets { socket.reset() }
    }

    private func connect() -> RawSocket? {
        guard let socket = try? RawSocket.connect(to: port) else { return nil }
        let isStopped = state.withLock { state in
            if !reconnects { state.sockets.append(socket) }
            return state.isStopped
        }
        guard !isStopped else {
            socket.reset()
            return nil
        }
        if !reconnects { flood(socket) }
        return socket
    }

    /// Sends, and reads what comes back, until the connection ends.
    private func flood(_ socket: RawSocket) {
        do {
            if let request {
                try socket.send(request)
                _ = try socket.head()
            }
        } catch { return }
        Thread.detachNewThread {
            setpriority(__priority_which_t(0), 0, 19)
            socket.drain()
        }
        while (try? socket.send(bytes)) != nil { state.withLock { $0.count += 1 } }
    }

    private func shakeHands(on socket: RawSocket) {
        guard (try? socket.send(bytes)) != nil, (try? socket.receive()) != nil else { return }
        socket.reset()
        state.withLock { $0.count += 1 }
    }
}
