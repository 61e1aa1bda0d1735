// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Goim
import TestingSupport
import Wireline

/// Networks that fail, in their own network namespace: an address that drops everything, a line that fails, and a slow
/// line.
enum Namespace {
    /// No machine has this address: the neighbour that its packets are sent to does not exist.
    private static let deadAddress = "10.9.9.9"

    /// Runs the checks in a child process with such a namespace, if that is allowed.
    static func look(_ findings: Findings) async throws {
        let missing = ["unshare", "ip", "tc"].filter { path(of: $0) == nil }
        guard missing.isEmpty, let ip = path(of: "ip") else {
            let isRequired = ProcessInfo.processInfo.environment["WIRELINE_REQUIRE_PEERS"] == "1"
            let tools = missing.joined(separator: ", ")
            return findings.check(!isRequired, "SKIPPED: networks that fail (no \(tools): install iproute2)")
        }
        guard try await run("unshare", ["-rn", "true"], isQuiet: true) == 0 else {
            return findings.check(true, "SKIPPED: networks that fail (the kernel allows no network namespaces here)")
        }
        // Foundation needs a working loopback device before it can start a process.
        let status = try await run(
            "unshare",
            ["-rn", "sh", "-c", "\"$1\" link set lo up && exec \"$0\" --in-namespace", Child.ownPath.path, ip])
        findings.check(status == 0, "all of it in a network namespace")
    }

    private static func path(of tool: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (folders + ["/usr/sbin", "/sbin"]).map { $0 + "/" + tool }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs a program and waits for its end, without Foundation, which needs a working loopback device.
    private static func run(_ tool: String, _ arguments: [String], isQuiet: Bool = false) async throws -> Int32 {
        guard let path = path(of: tool) else { fail("there is no \(tool)", code: 1) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if isQuiet { posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) }
        let words = ([path] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        var process = pid_t()
        let status = posix_spawn(&process, path, &actions, nil, words + [nil], environ)
        guard status == 0 else { fail("\(path): \(String(cString: strerror(status)))", code: 1) }
        let child = process
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var status: Int32 = 0
                while waitpid(child, &status, 0) < 0, errno == EINTR {}
                continuation.resume(returning: status)
            }
        }
    }

    /// Runs a line as a command of `ip` or `tc`.
    private static func have(_ line: String) async throws {
        let words = line.split(separator: " ").map(String.init)
        guard try await run(words[0], Array(words.dropFirst())) == 0 else { fail("cannot: \(line)", code: 1) }
    }

    // MARK: Inside

    static func lookInside(_ findings: Findings) async throws {
        try await have("ip link add wire0 type veth peer name wire1")
        try await have("ip addr add 10.9.9.1/24 dev wire0")
        for end in ["wire0", "wire1"] { try await have("ip link set \(end) up") }
        try await have("ip neigh add \(deadAddress) lladdr 02:00:00:00:00:09 dev wire0 nud permanent")
        let remembering = RememberingServer()
        let server = try await remembering.start()
        let endpoint = ServerEndpoint("127.0.0.1", port: server.address.port)
        try await lookAtDeadAddress(endpoint, findings)
        try await lookAtDeadAnswer(server.address, findings)
        try await lookAtDeadLine(endpoint, remembering, findings)
        await server.shutDown()
        try await Look.look(findings, lookAtSlowLine)
    }

    private static func lookAtDeadAddress(_ endpoint: ServerEndpoint, _ findings: Findings) async throws {
        var configuration = PacketSessionConfiguration.eager
        configuration.client.dialing.connectTimeout = .milliseconds(500)
        let start = ContinuousClock.now
        var error: ConnectionError?
        do throws(ConnectionError) {
            _ = try await PacketClient.connect(
                to: deadAddress, port: 1, protocol: GoimProtocol.self, configuration: configuration.client)
        } catch let thrown {
            error = thrown
        }
        let time = ContinuousClock.now - start
        findings.check(
            error == .transport(.timedOut) && time < .seconds(10),
            "an address that swallows everything has timed out after \(time); it may take 0.5 s")

        // The timeout covers both endpoints; after it both are tried again.
        configuration.client.dialing.connectTimeout = .seconds(5)
        let session = try PacketSession.start(
            to: [ServerEndpoint(deadAddress, port: 1), endpoint], protocol: GoimProtocol.self,
            configuration: configuration)
        let watch = Watch(session)
        let count = await watch.state(behind: 0) { $0 == .ready }
        let states = await watch.states.first(count)
        let isNext = if case .connecting(endpoint: 1, attempt: _)? = states.dropLast(2).last { true } else { false }
        findings.check(
            states.first == .connecting(endpoint: 0, attempt: 1) && isNext && states.dropLast().last == .loggingIn,
            "a session goes on to its next endpoint")
        session.end()
    }

    /// A host name whose first address drops everything.
    private static func lookAtDeadAnswer(_ server: SocketAddress, _ findings: Findings) async throws {
        let dead = try SocketAddress(ipAddress: deadAddress, port: server.port)
        var configuration = PacketSessionConfiguration.eager.client
        configuration.dialing.resolver = ClosureResolver { _, family in
            ResolvedAddresses(family == .ipv4 ? [dead, server] : [])
        }
        let client = try await PacketClient.connect(
            to: "game.test", port: server.port, protocol: GoimProtocol.self, configuration: configuration)
        let timeline = client.timeline
        let events = timeline.entries.map(\.event).filter { event in
            switch event {
            case .attemptBegan, .attemptFailed, .connected: true
            default: false
            }
        }
        findings.check(
            events == [.attemptBegan(dead), .attemptBegan(server), .connected(server)],
            "a name that leads there first: connected at \(timeline.entries.last.map { "\($0.time)" } ?? "no time")")
        client.close()
    }

    /// A connection whose packets are suddenly dropped, and later no longer dropped.
    private static func lookAtDeadLine(
        _ endpoint: ServerEndpoint, _ remembering: RememberingServer, _ findings: Findings
    ) async throws {
        var configuration = PacketSessionConfiguration.eager
        configuration.client.dialing.connectTimeout = .milliseconds(500)
        let session = try PacketSession.start(
            to: [endpoint], protocol: GoimProtocol.self, configuration: configuration,
            conventions: .beating(every: .milliseconds(200), timeout: .milliseconds(500))
        ) { login in _ = try await login.client.request(Authentication(body: "dead")) }
        let watch = Watch(session)
        let rooms = (1...40).map { "\($0)" }
        var sent = try await session.move(to: rooms[..<20])
        findings.check(await sent.areConfirmed(), "a line carries messages")
        var stateCount = watch.states.count
        try await have("tc qdisc replace dev lo root pfifo limit 0")
        let start = ContinuousClock.now
        sent += try await session.move(to: rooms[20...])
        stateCount = await watch.findSilence(behind: stateCount, since: start, findings, "it goes dead")
        await watch.end(by: .timedOut, behind: stateCount)
        try await have("tc qdisc del dev lo root")
        findings.check(await sent.areConfirmed(), "it carries again, and every message is confirmed")
        findings.check(remembering.rooms(of: "dead") == rooms, "each was taken once, in order")
        session.end()
    }

    /// An upload that takes far longer than a heartbeat's timeout.
    private static func lookAtSlowLine(_ look: Look) async throws {
        let remembering = RememberingServer()
        let server = try await remembering.start()
        // With packets of the usual size, not the 64 KiB of a loopback device.
        try await have("ip link set lo mtu 1500")
        try await have("tc qdisc replace dev lo root tbf rate 4mbit burst 16kb latency 500ms")
        var configuration = PacketSessionConfiguration.eager
        configuration.outbound.byteCount = 4 << 20
        let session = try PacketSession.start(
            to: [ServerEndpoint("127.0.0.1", port: server.address.port)], protocol: GoimProtocol.self,
            configuration: configuration,
            conventions: .beating(every: .milliseconds(200), timeout: .milliseconds(800))
        ) { login in _ = try await login.client.request(Authentication(body: "slow")) }
        let watch = Watch(session)
        // The server's notification of each room is as long, and is read.
        let reading = Task { for try await _ in session.messages {} }
        let rooms = (1...20).map { "\($0)" + String(repeating: "x", count: 100_000) }
        let start = ContinuousClock.now
        let isConfirmed = try await session.move(to: rooms).areConfirmed()
        let time = ContinuousClock.now - start
        let causes = await watch.causes
        look.check(
            isConfirmed && remembering.rooms(of: "slow") == rooms, "2 MB over a line of 4 Mbit/s took \(time)")
        look.checkInTime(causes == [], "they took one connection: \(causes)")
        session.end()
        try await reading.value
        try await have("tc qdisc del dev lo root")
        await server.shutDown()
    }
}
