// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import Wireline

/// Connections that do nothing, announce much and send little, or send and read nothing.
struct Stalling {
    let handler: String
    let count: Int

    func run(_ findings: Findings) async throws {
        let packet = try PacketLayout.standard.encode(id: 1, payload: [UInt8](repeating: 7, count: 1_000).span.bytes)
        let isTask = handler == "task"
        try await measure("are idle after a packet", limit: isTask ? 2_560 : 1_024, findings) { stream in
            stream.write(packet)
        }
        // A header that announces 1 MiB, and what fits an Ethernet frame.
        try await measure("announce 1 MiB and stall", limit: 8_192, findings) { stream in
            stream.write([0x00, 0x10, 0x00, 0x00, 0x00, 0x01] + [UInt8](repeating: 7, count: 1_400))
        }
        // What the server has read, what it keeps to be sent, and a block's room for both.
        let deaf = Array(repeating: packet, count: 300).flatMap { $0 }
        try await measure("read nothing", limit: 512 * 1_024, findings) { stream in
            stream.write(deaf)
        }
    }

    /// Looks at a server that has seen nothing else.
    private func measure(
        _ what: String, limit: Int, _ findings: Findings, _ send: @escaping @Sendable (ByteStream) -> Void
    ) async throws {
        let server = try ServerProcess(handler: handler)
        // What the server needs once, it has after this.
        try await connect(100, to: server, { $0.write([0]) })
        try await server.waitUntilIdle()
        let before = try server.memory()
        var memory = 0
        try await connect(count, to: server, send) { memory = max(0, try server.memory() - before) }
        let each = memory * 1_024 / count
        findings.check(
            each <= limit,
            "\(count) connections that \(what): \(each) bytes each (limit \(limit)), \(memory / 1_024) MiB")
        try await server.stop(findings)
    }

    /// Opens connections, sends on each of them, and closes them.
    private func connect(
        _ count: Int, to server: ServerProcess, _ send: @escaping @Sendable (ByteStream) -> Void,
        then body: () throws -> Void = {}
    ) async throws {
        let loop = try EventLoopGroup.shared.loops[0]
        var streams: [ByteStream] = []
        for _ in 0..<count {
            let stream = try await ByteStream.connect(to: server.address, on: loop, timeout: .seconds(60))
            try await loop.run { () throws(TransportError) in
                try stream.start(Mute())
                send(stream)
                stream.flush()
            }
            streams.append(stream)
        }
        // An answer to a late packet shows that the server has come to those before it.
        for _ in 0..<3 { try await askOnce(server) }
        try body()
        let opened = streams
        await loop.run { for stream in opened { stream.reset() } }
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
private final class Mute: ByteStreamHandler {
    func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream) {}
    func outputDrained(_ stream: ByteStream) {}
    func endOfStream(_ stream: ByteStream) {}
    func failed(_ stream: ByteStream, _ error: TransportError) {}
}
