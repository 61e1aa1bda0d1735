// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import CNetwork
internal import Foundation
internal import Scene
internal import Wireline

/// The servers. Each runs in a process of its own, on one thread for I/O.
enum FanOutServer: String, CaseIterable {
    /// Plain C: one shared buffer, one write for each member.
    case limit = "c-epoll"
    /// The same program: its distance from 1 is the error of the others.
    case control = "c-epoll, again"
    /// A room, and a task for each member.
    case wireline = "wireline-room"
    /// A room, and a closure for each member.
    case batchWireline = "wireline-room-batch"

    /// Serves until the process is ended.
    func run() throws {
        signal(SIGTERM) { _ in _exit(0) }
        switch self {
        case .limit, .control: exit(network_serve_fan_out())
        case .wireline: runUntilEnded(serveRoom)
        case .batchWireline: runUntilEnded(serveRoomInBatches)
        }
    }
}

private func serveRoom() async throws {
    let room = Room<SceneProtocol>()
    let server = try await PacketServer.start(
        at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, on: EventLoopGroup.shared
    ) { client in
        room.join(client)
        while let packet = try await client.nextPacket() { room.send(packet: [UInt8](copying: packet.bytes)) }
    }
    await announce(server)
}

private func serveRoomInBatches() async throws {
    let room = Room<SceneProtocol>()
    let server = try await PacketServer.startBatched(
        at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, on: EventLoopGroup.shared
    ) { client in
        room.join(client)
        return { batch in while let packet = try batch.next() { room.send(packet: [UInt8](copying: packet.bytes)) } }
    }
    await announce(server)
}

private func announce(_ server: PacketServer<SceneProtocol>) async {
    print("listening on \(server.address)")
    fflush(nil)
    await server.waitUntilShutDown()
}

/// Keeps the main thread out of the way, so that it costs nothing.
private func runUntilEnded(_ server: @escaping @Sendable () async throws -> Void) -> Never {
    Task {
        do {
            try await server()
        } catch {
            note("\(error)")
        }
        exit(1)
    }
    while true { pause() }
}
