// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Goim
import TestingSupport
import Wireline
import WirelineTransport

/// A room of 5,000 members of which 100 read nothing: the others get everything, other clients are served, and memory
/// stays within the limits.
enum RoomCrowd {
    private static let (memberCount, stoppedCount) = (5_000, 100)
    private static let (sendCount, byteCount) = (500, 64)
    private static let pendingByteCount = 64 << 10
    private static let fillerByteCount = 16 << 10
    private static let mostDelay = Duration.seconds(2)
    /// What blocks may take in addition to the bytes in them, and what 5,000 busy connections need, in KiB.
    private static let slack = 32 << 10

    static func look(_ look: Look) async throws {
        let child = try await onThread { try Child("--room") }
        let sockets = try await stop(child)
        let clients = try await join(child)
        let isComplete = try await eventually(within: .seconds(120)) {
            let counters = try await numbers(child, "counters")
            return counters[0] == memberCount && counters[5] == stoppedCount
        }
        look.check(isComplete, "\(memberCount) members, \(stoppedCount) of which read nothing")
        // The connections are idle again.
        let memory = try ProcessFigures(of: child.id).memory()
        let readings = clients.map { client in Task { try await read(client) } }
        let watching = Task { try await onThread { try BusyLoop.delays(at: child.port) } }
        _ = try await numbers(child, "send")
        var completeCount = 0
        for reading in readings where try await reading.value { completeCount += 1 }
        _ = try await eventually(within: .seconds(10)) { try await numbers(child, "counters")[3] == 0 }
        look.check(
            completeCount == clients.count, "\(completeCount) of \(clients.count) members get \(sendCount) messages")
        let worst = try await watching.value.last ?? .seconds(100)
        look.checkInTime(worst < mostDelay, "a client of the same loop waits for at most \(worst) meanwhile")
        let counters = try await numbers(child, "counters")
        // How much the system takes for those who read nothing is its own affair, and changes under load.
        look.check(
            counters[1] >= sendCount * clients.count && counters[1] + counters[2] == sendCount * memberCount
                && counters[2] > 0,
            "\(counters[1]) messages delivered, \(counters[2]) dropped, none lost")
        look.check(
            counters[3] == 0 && counters[4] <= stoppedCount * (pendingByteCount + fillerByteCount + 100),
            "\(counters[4]) bytes wait for those who read nothing, and none in the room")
        let growth = try ProcessFigures(of: child.id).memory() - memory
        look.check(growth < slack, "the server's memory grows by \(growth) KiB")
        for client in clients { client.close() }
        for socket in sockets { socket.reset() }
        let isEmpty = try await eventually(within: .seconds(60)) { try await numbers(child, "counters").first == 0 }
        look.check(isEmpty, "all members are gone with their connections")
    }

    private static func numbers(_ child: Child, _ line: String) async throws -> [Int] {
        try await onThread { try child.answer(to: line) }.split(separator: " ").compactMap { Int($0) }
    }

    /// Connects the members that read nothing. The server fills their buffers.
    private static func stop(_ child: Child) async throws -> [RawSocket] {
        let order = try ChangeRoom(room: "stopped").encoded()
        return try await onThread {
            try (0..<stoppedCount).map { _ in
                let socket = try RawSocket.connect(to: child.port, receiveBuffer: 4_096)
                try socket.send(order)
                return socket
            }
        }
    }

    /// Connects the members that read.
    private static func join(_ child: Child) async throws -> [PacketClient<GoimProtocol>] {
        let group = try EventLoopGroup(threadCount: 1)
        var clients: [PacketClient<GoimProtocol>] = []
        for _ in stoppedCount..<memberCount {
            let client = try await PacketClient.connect(
                to: "127.0.0.1", port: child.port, protocol: GoimProtocol.self, on: group)
            try await client.send(ChangeRoom(room: "member"))
            clients.append(client)
        }
        return clients
    }

    /// - Returns: Whether all messages have come, in order.
    private static func read(_ client: PacketClient<GoimProtocol>) async throws -> Bool {
        for number in 0..<sendCount {
            guard let packet = try await client.nextPacket(),
                try packet.decode(Notification.self).body == body(number)
            else { return false }
        }
        return true
    }

    private static func body(_ number: Int) -> String {
        let text = "\(number) "
        return text + String(repeating: "x", count: byteCount - text.utf8.count)
    }

    // MARK: The server, in a child process

    /// Serves on one loop until the standard input ends. `send` sends all messages to the room; `counters` prints the
    /// members, the messages delivered and dropped, the bytes that wait in the room and at connections, and the tasks that
    /// wait to send.
    static func serve() async throws {
        DescriptorLimit.raise()
        let room = Room<GoimProtocol>()
        var configuration = ServerConfiguration(firstPacketTimeout: nil)
        configuration.listening.backlog = 4_096
        configuration.limits.pendingByteCount = pendingByteCount
        configuration.limits.writeTimeout = nil
        let server = try await PacketServer.start(
            at: "127.0.0.1", port: 0, protocol: GoimProtocol.self, on: EventLoopGroup(threadCount: 1),
            configuration: configuration
        ) { client in
            while let received = try await client.nextMessage() {
                guard case .changeRoom(let change) = received.message else { continue }
                switch change.room {
                case "member": room.join(client)
                case "stopped":
                    room.join(client)
                    try await fill(client)
                default: try await client.forward(received.packet)
                }
            }
        }
        say("\(server.address.port)")
        while let line = readLine() {
            if line == "send" {
                for number in 0..<sendCount { try room.send(Notification(body: body(number))) }
            }
            let (counters, traffic) = (await room.counters(), await server.counters().traffic)
            let numbers = [
                counters.memberCount, counters.deliveredCount, counters.droppedCount, counters.pendingByteCount,
                traffic.pendingByteCount, traffic.waitingSenderCount,
            ]
            say(numbers.map(String.init).joined(separator: " "))
        }
    }

    /// Sends to a client that reads nothing, until nothing more can be sent and the task waits.
    private static func fill(_ client: ServerConnection<GoimProtocol>) async throws {
        let filler = try Notification(body: String(repeating: "x", count: fillerByteCount)).encoded()
        while true { try await client.send(packet: filler) }
    }

    private static func say(_ line: String) {
        print(line)
        flush()
    }
}
