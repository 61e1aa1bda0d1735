// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import CNetwork
internal import Foundation
internal import LayeredLoad
internal import Scene
internal import Synchronization
internal import Wireline
internal import WirelineTLS
internal import WirelineWebSocket

/// What the server shows with TLS, in files of PEM.
struct DelayIdentity {
    let certificate: String
    let key: String

    init(in folder: String) {
        (certificate, key) = ("\(folder)/certificate.pem", "\(folder)/key.pem")
    }

    /// Makes a new one; false, and a note, where that is not possible.
    static func make(in folder: String) -> Bool {
        let identity = DelayIdentity(in: folder)
        var failure = network_failure()
        guard network_has_tls(&failure) else {
            note("no handshakes: there is no OpenSSL")
            return false
        }
        let made = try? Command.output(of: [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=benchmark", "-addext", "subjectAltName=IP:127.0.0.1", "-out", identity.certificate,
            "-keyout", identity.key,
        ])
        if made == nil { note("no handshakes: there is no tool `openssl`") }
        return made != nil
    }
}

/// Serves packets, WebSockets and TLS on one loop, until the process is ended.
func serve(_ identity: DelayIdentity?) -> Never {
    signal(SIGTERM) { _ in _exit(0) }
    Task {
        do {
            try await listen(identity)
        } catch {
            note("\(error)")
        }
        exit(1)
    }
    while true { pause() }
}

private func listen(_ identity: DelayIdentity?) async throws {
    var webSockets = WebSocketServerConfiguration()
    webSockets.handshake.deflate = WebSocketDeflate()
    let messages = try await WebSocketServer.start(
        at: "127.0.0.1", port: 0, on: EventLoopGroup.shared, configuration: webSockets
    ) { client in
        while let message = try await client.receive() { try await client.send(message) }
    }
    print("websocket on \(messages.address)")
    try await listenForLoads()
    if let identity {
        let files = TLSIdentity(certificateChain: .file(identity.certificate), privateKey: .file(identity.key))
        let secure = try await echo(
            ServerConfiguration(listening: ListeningOptions(tls: TLSContext(.server(identity: files)))))
        print("tls on \(secure.address)")
    }
    let packets = try await echo(ServerConfiguration())
    print("listening on \(packets.address)")
    fflush(nil)
    await packets.waitUntilShutDown()
}

/// Listens at the ports for single loads.
private func listenForLoads() async throws {
    print("layered on \(try await echo(ServerConfiguration(), LayeredLoadProtocol.self).address)")
    // It has little memory, for packets that stay incomplete.
    var tight = ServerConfiguration()
    tight.listening.heldByteLimit = 8 << 20
    print("tight on \(try await echo(tight).address)")
    var refusing = ServerConfiguration()
    refusing.listening.connectionLimitPerAddress = 1
    print("refusing on \(try await echo(refusing).address)")
    let started = Mutex<PacketServer<SceneProtocol>?>(nil)
    let crowd = try await PacketServer.start(
        at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, on: EventLoopGroup.shared
    ) { client in
        while try await client.nextPacket() != nil {
            let server = started.withLock { $0 }
            let answer = Sc_20001(
                res: 1, sceneID: 7, pos: 0, status: 0, type: 0, defaultCombat: 0, message: "to all")
            try await server?.broadcast(answer)
        }
    }
    started.withLock { $0 = crowd }
    print("crowd on \(crowd.address)")
    let operations = try await OperationsListener.start(at: "127.0.0.1", port: 0, watching: crowd)
    print("metrics on \(operations.address)")
}

private func echo(_ configuration: ServerConfiguration) async throws -> PacketServer<SceneProtocol> {
    try await echo(configuration, SceneProtocol.self)
}

private func echo<Definition: PacketProtocol>(
    _ configuration: ServerConfiguration, _ protocol: Definition.Type
) async throws -> PacketServer<Definition> {
    try await PacketServer.start(
        at: "127.0.0.1", port: 0, protocol: Definition.self, on: EventLoopGroup.shared, configuration: configuration
    ) { client in
        while let packet = try await client.nextPacket() { try await client.forward(packet) }
    }
}

/// A server in a process of its own.
final class DelayServer {
    private let process = Process()
    private let output = Pipe()
    private var ports: [String: UInt16] = [:]
    /// If this is a proxy: the server that it relays to.
    private let other: DelayServer?
    /// If this is a gateway: where its backends are.
    private let cluster: ErlangCluster?

    /// Starts the server that a load is for, on the processors of the thread that asks.
    ///
    /// - Returns: Nil, and a note, where something is missing that it needs.
    static func start(for load: DelayLoad, in folder: URL, _ options: DelayOptions) throws -> DelayServer? {
        if load == .script { return try options.wire.map { try scripts($0, in: folder) } ?? absent(load) }
        if load == .relay { return try options.wire.map { try relay($0) } ?? absent(load) }
        if load == .owned || load == .parked {
            return try options.wire.map { try gateway($0, for: load, in: folder, options) } ?? absent(load)
        }
        if load == .handshakes, !DelayIdentity.make(in: folder.path) { return nil }
        return try DelayServer([
            CommandLine.arguments[0], "--serve", load == .handshakes ? folder.path : "-",
        ])
    }

    private static func absent(_ load: DelayLoad) -> DelayServer? {
        note(
            "no row \(load.rawValue): build `wire` with `swift build -c release --product wire`, or name it with --wire"
        )
        return nil
    }

    private static func scripts(_ wire: String, in folder: URL) throws -> DelayServer {
        let scene = Machine.packageDirectory.appending(path: "../../../Protocols/Scene").standardized.path
        let script = folder.appending(path: "echo.script")
        try Data("on any { echo; }\n".utf8).write(to: script)
        return try DelayServer([
            wire, "serve", "127.0.0.1:0", "--protocol", scene, "--script", script.path, "--threads", "1",
        ])
    }

    /// Starts a server, and a proxy that relays to it.
    private static func relay(_ wire: String) throws -> DelayServer {
        let server = try DelayServer([CommandLine.arguments[0], "--serve", "-"])
        let scene = Machine.packageDirectory.appending(path: "../../../Protocols/Scene").standardized.path
        return try DelayServer(
            [
                wire, "proxy", "--listen", "127.0.0.1:0", "--to", "127.0.0.1:\(try server.port("listening"))",
                "--protocol", scene,
            ], behind: server)
    }

    /// Starts a gateway, and a node whose processes own clients or hang.
    private static func gateway(
        _ wire: String, for load: DelayLoad, in folder: URL, _ options: DelayOptions
    ) throws -> DelayServer? {
        guard (try? Command.output(of: ["which", "escript", "epmd"])) != nil else {
            try noteAbsence("no row \(load.rawValue)", "there is no Erlang (Debian: erlang-base)")
            return nil
        }
        let scene = Machine.packageDirectory.appending(path: "../../../Protocols/Scene").standardized.path
        let cookie = folder.appending(path: "cookie").path
        let privately = [FileAttributeKey.posixPermissions: 0o600]
        FileManager.default.createFile(atPath: cookie, contents: Data(ErlangCluster.cookie.utf8), attributes: privately)
        let cluster = try ErlangCluster()
        let node = "backend@127.0.0.1"
        let counts = options.isSmoke ? ["10", "100"] : ["1000", "100000"]
        let command = [
            wire, "gateway", "--protocol", scene, "--name", "gateway@127.0.0.1", "--cookie-file", cookie,
            "--listen", "tcp://127.0.0.1:0", "--group", "crowd", "--node", node, "--accept", "1s", "--park", "10m",
            "--first", "0s", "--epmd", "127.0.0.1:\(cluster.epmdPort)", "--metrics", "127.0.0.1:0",
        ]
        do {
            if load == .parked {
                _ = try cluster.start(node, "hanging_backend.escript", counts)
            } else {
                _ = try cluster.start(node, "echoing_backend.escript")
            }
            return try DelayServer(command, beside: cluster, until: "ready\n")
        } catch {
            cluster.stop()
            throw error
        }
    }

    /// - Parameter last: What the server prints when it has named its ports.
    private init(
        _ command: [String], behind other: DelayServer? = nil, beside cluster: ErlangCluster? = nil,
        until last: String = "listening on "
    ) throws {
        (self.other, self.cluster) = (other, cluster)
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardOutput = output
        try process.run()
        var text = ""
        while !text.contains(last) || !text.hasSuffix("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw DelayFailure(description: "the server does not listen: \(command)") }
            text += String(decoding: data, as: UTF8.self)
        }
        // What it prints later is read and dropped. A proxy shows each packet, and stops relaying while nobody reads that.
        let rest = output.fileHandleForReading
        Thread.detachNewThread {
            setpriority(__priority_which_t(0), 0, 19)
            while !rest.availableData.isEmpty {}
        }
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            // For example: metrics on http://127.0.0.1:9100/metrics
            let digits = line.split(separator: ":").last?.prefix(while: \.isNumber)
            if let name = words.first, let port = digits.flatMap({ UInt16($0) }) { ports[String(name)] = port }
        }
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        other?.stop()
        cluster?.stop()
    }

    /// How long a client waits for its echoes meanwhile.
    func delays(under load: DelayLoad, from count: Int, for seconds: Double) throws -> Delays {
        let victim =
            switch load {
            case .newcomers: try Victim(port: port("listening"), asking: .firstEcho)
            case .parked: try Victim(port: port("metrics"), asking: .health)
            case .owned: try Victim(port: port("listening"), saying: Payloads.unknownPacket)
            default: try Victim(port: port("listening"))
            }
        // It has been a client before the others come.
        _ = try victim.delays(for: 0.1)
        // Long enough to keep the loop busy, but not when only the bytes are looked at.
        let attack = try attack(load, count, longByteCount: seconds < 1 ? 256 << 10 : 6 << 20)
        defer { attack.stop() }
        // All of them have begun.
        Thread.sleep(forTimeInterval: min(1, seconds / 4))
        let delays = try victim.delays(for: seconds)
        if let failure = attack.failure { throw DelayFailure(description: "\(load.rawValue): \(failure)") }
        return Delays(delays)
    }

    private func port(_ name: String) throws -> UInt16 {
        guard let port = ports[name] else { throw DelayFailure(description: "the server has no port `\(name)`") }
        return port
    }

    private func attack(_ load: DelayLoad, _ count: Int, longByteCount: Int) throws -> Attack {
        switch load {
        case .none: Attack()
        case .packets, .script, .relay, .newcomers:
            Attack.flood(try port("listening"), count, Payloads.packets, afterHandshake: nil)
        case .shortMessages:
            Attack.flood(try port("websocket"), count, Payloads.shortMessages, afterHandshake: Payloads.request)
        case .inflating:
            Attack.flood(
                try port("websocket"), count, try Payloads.compressed(), afterHandshake: Payloads.compressingRequest,
                mayBeEnded: true)
        case .deflating:
            Attack.flood(
                try port("websocket"), count, Payloads.incompressible(), afterHandshake: Payloads.compressingRequest,
                mayBeEnded: true)
        case .handshakes: Attack.handshakes(try port("tls"), count)
        case .sealing:
            Attack.flood(try port("layered"), count, try Payloads.long(.zlib, longByteCount), afterHandshake: nil)
        case .sealingBrotli:
            Attack.flood(try port("layered"), count, try Payloads.long(.brotli, longByteCount), afterHandshake: nil)
        case .bundles: Attack.flood(try port("layered"), count, try Payloads.bundle(), afterHandshake: nil)
        case .torn:
            Attack.flood(
                try port("tight"), count, Payloads.megabyte, afterHandshake: nil, mayBeEnded: true,
                torn: Payloads.megabyte.count * 9 / 10)
        case .owned:
            Attack.flood(try port("listening"), count, Payloads.repeated(Payloads.unknownPacket), afterHandshake: nil)
        case .broadcast: Attack.crowd(try port("crowd"), count, asking: Payloads.packet)
        case .metrics: Attack.crowd(try port("crowd"), count, asking: Payloads.metricsRequest, at: try port("metrics"))
        case .refused: Attack.refusals(try port("refusing"), count)
        case .parked: Attack.silence(try port("listening"), count)
        }
    }
}

struct DelayFailure: Error, CustomStringConvertible {
    let description: String
}
