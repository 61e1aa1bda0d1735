// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import Wireline

/// Connections that do nothing, announce much and send little, or send and read nothing.
struct Stalling {
    let handler: String
    let count: Int

    /// How many clients send until the server stops reading: each fills several megabytes of the system's buffers.
    private static let mostFloods = 100

    func run(_ findings: Findings) async throws {
        let packet = try PacketLayout.standard.encode(id: 1, payload: [UInt8](repeating: 7, count: 1_000).span.bytes)
        let isTask = handler == "task"
        try await measure("are idle after a packet", limit: isTask ? 2_560 : 1_024, findings) {
            Mute($0, saying: packet)
        }
        // A header that announces 1 MiB, and as many bytes as fit an Ethernet frame.
        let beginning = [0x00, 0x10, 0x00, 0x00, 0x00, 0x01] + [UInt8](repeating: 7, count: 1_400)
        try await measure("announce 1 MiB and stall", limit: 8_192, findings) { Mute($0, saying: beginning) }
        // What the server has read, its queued output, and a block for both.
        let deaf = Array(repeating: packet, count: 300).flatMap { $0 }
        let limit = 512 * 1_024
        try await measure("send 300 KB and read nothing", limit: limit, findings) { Mute($0, saying: deaf) }
        let long = try PacketLayout.standard.encode(id: 1, payload: [UInt8](repeating: 7, count: 60_000).span.bytes)
        try await measure("send until they are not taken any more", limit: limit, findings) { Flood($0, of: long) }
    }

    /// Measures a server that has had no other clients.
    private func measure<Client: StallingClient>(
        _ what: String, limit: Int, _ findings: Findings, _ make: @escaping @Sendable (ByteStream) -> Client
    ) async throws {
        let server = try ServerProcess(handler: handler)
        // The server has its one-time allocations after this.
        try await connect(100, to: server, { Mute($0, saying: [0]) })
        try await server.waitUntilIdle()
        let before = try server.memory()
        let count = Client.self == Flood.self ? min(count, Self.mostFloods) : count
        var memory = 0
        try await connect(count, to: server, make) { clients in
            try await waitUntilStalled(clients, findings)
            memory = max(0, try server.memory() - before)
        }
        let each = memory * 1_024 / count
        findings.check(
            each <= limit,
            "\(count) connections that \(what): \(each) bytes each (limit \(limit)), \(memory / 1_024) MiB")
        try await server.stop(findings)
    }

    /// Opens connections, lets each of them send, and closes them.
    private func connect<Client: StallingClient>(
        _ count: Int, to server: ServerProcess, _ make: @escaping @Sendable (ByteStream) -> Client,
        then body: ([Client]) async throws -> Void = { _ in }
    ) async throws {
        let loop = try EventLoopGroup.shared.loops[0]
        var clients: [Client] = []
        for _ in 0..<count {
            let stream = try await ByteStream.connect(to: server.address, on: loop, timeout: .seconds(60))
            clients.append(
                try await loop.run { () throws(TransportError) in
                    let client = make(stream)
                    try stream.start(client)
                    client.send()
                    return client
                })
        }
        // An answer to a late packet shows that the server has handled those before it.
        for _ in 0..<3 { try await askOnce(server) }
        try await body(clients)
        let opened = clients
        await loop.run { for client in opened { client.stream.reset() } }
    }

    /// Waits until the server reads no more from clients that send as much as they can.
    private func waitUntilStalled(_ clients: [some StallingClient], _ findings: Findings) async throws {
        guard let floods = clients as? [Flood], let loop = floods.first?.stream.loop else { return }
        var (sentByteCount, quietCount) = (UInt64(0), 0)
        while quietCount < 20 {
            try await Task.sleep(for: .milliseconds(50))
            let sum = await loop.run { floods.reduce(0) { $0 + $1.stream.sentByteCount } }
            quietCount = sum == sentByteCount ? quietCount + 1 : 0
            sentByteCount = sum
        }
        let stalledCount = await loop.run { floods.count { $0.stream.isOutputStalled } }
        findings.check(
            stalledCount == floods.count,
            "\(stalledCount) of \(floods.count) are not read from any more, after \(sentByteCount >> 20) MiB")
    }

    private func askOnce(_ server: ServerProcess) async throws {
        let connection = try await PacketConnection.connect(
            to: server.address.ipAddress, port: server.address.port, layout: .standard, packetLimit: 1 << 20)
        let packet = try PacketLayout.standard.encode(id: 2, payload: [1, 2, 3].span.bytes)
        try await connection.send(packet: packet)
        guard let answer = try await connection.next(), [UInt8](copying: answer.bytes) == packet else {
            fail("the server answers wrongly", code: 1)
        }
        connection.close()
    }
}

/// A client that never reads.
private protocol StallingClient: ByteStreamHandler, Sendable {
    var stream: ByteStream { get }

    func send()
}

extension StallingClient {
    func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream) {}
    func endOfStream(_ stream: ByteStream) {}
    func failed(_ stream: ByteStream, _ error: TransportError) {}
}

/// It sends once.
private final class Mute: StallingClient {
    let stream: ByteStream
    private let bytes: [UInt8]

    init(_ stream: ByteStream, saying bytes: [UInt8]) {
        self.stream = stream
        self.bytes = bytes
    }

    func send() {
        stream.write(bytes)
        stream.flush()
    }

    func outputDrained(_ stream: ByteStream) {}
}

/// It sends until its output is stalled.
private final class Flood: StallingClient {
    let stream: ByteStream
    private let bytes: [UInt8]
    /// Far more than all buffers in both directions hold: a server that reads so much buffers it without limit.
    private static let most: UInt64 = 64 << 20

    init(_ stream: ByteStream, of bytes: [UInt8]) {
        self.stream = stream
        self.bytes = bytes
    }

    func send() {
        while stream.isOpen, !stream.isOutputStalled, stream.sentByteCount < Self.most {
            stream.write(bytes)
            stream.flush()
        }
    }

    func outputDrained(_ stream: ByteStream) { send() }
}
