// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

typealias SceneRoom = Room<SceneProtocol>

/// A server whose connections all join one room, and clients of it.
struct RoomServer {
    let server: SceneServer
    let room: SceneRoom

    /// - Parameter group: The server's loops; nil: one loop that other tests do not keep busy.
    static func start(
        _ options: RoomOptions = RoomOptions(), on group: EventLoopGroup? = nil,
        configuration: ServerConfiguration = .patient
    ) async throws -> RoomServer {
        let room = SceneRoom("scene", options: options)
        let server = try await SceneServer.start(on: group, configuration: configuration) { client in
            room.join(client)
            while try await client.nextPacket() != nil {}
        }
        return RoomServer(server: server, room: room)
    }

    /// Connects clients, one after another, and waits until they are members.
    func connect(
        _ count: Int, configuration: ClientConfiguration = .patient
    ) async throws -> [RoomGuest] {
        var guests: [RoomGuest] = []
        for _ in 0..<count {
            let others = Set(room.members)
            let client = try await server.connect(configuration: configuration)
            guard try await eventually({ room.count > others.count }),
                let member = room.members.first(where: { !others.contains($0) })
            else { throw ConnectionError.transport(.timedOut) }
            guests.append(RoomGuest(client: client, member: member))
        }
        return guests
    }

    /// Connects a socket that reads nothing by itself, and waits until it is a member.
    func connectStopped() async throws -> RawSocket {
        let memberCount = room.count
        let socket = try RawSocket.connect(to: server.address.port, receiveBuffer: 4_096)
        guard try await eventually({ room.count > memberCount }) else { throw ConnectionError.transport(.timedOut) }
        return socket
    }

    /// A message with a number.
    static func line(_ number: Int, text: String = "") -> Sc_20001 {
        .entered(Cs_20001(sceneID: 1, line: UInt32(number), message: text))
    }
}

/// Both ends of a member's connection.
struct RoomGuest {
    let client: PacketClient<SceneProtocol>
    let member: ServerConnection<SceneProtocol>

    func lines(_ count: Int) async throws -> [Int] { try await client.lines(count) }

    func nextPacket() async throws -> ReceivedPacket? { try await client.nextPacket() }
}

extension PacketClient<SceneProtocol> {
    /// The numbers of the next messages.
    func lines(_ count: Int) async throws -> [Int] {
        var lines: [Int] = []
        while lines.count < count, let packet = try await nextPacket() {
            lines.append(Int(try packet.decode(Sc_20001.self).defaultCombat))
        }
        return lines
    }

    /// The numbers of all messages up to one with this number.
    func lines(upTo last: Int) async throws -> [Int] {
        var lines: [Int] = []
        while lines.last != last, let packet = try await nextPacket() {
            lines.append(Int(try packet.decode(Sc_20001.self).defaultCombat))
        }
        return lines
    }
}

extension RawSocket {
    /// Reads packets until one has this ID; returns the IDs and the first bytes of the payloads.
    func packets(upTo lastID: UInt64) throws -> [(id: UInt64, number: UInt8)] {
        var (bytes, packets): ([UInt8], [(id: UInt64, number: UInt8)]) = ([], [])
        var position = 0
        while packets.last?.id != lastID {
            let more = try receive()
            guard !more.isEmpty else { return packets }
            bytes += more
            let span = bytes.span.bytes
            var splitter = PacketSplitter(layout: .standard, maximumPacketByteCount: .max)
            while let bounds = try splitter.packet(in: span, at: position) {
                let packet = Packet(span, bounds, at: position)
                let payload = [UInt8](copying: packet.payload)
                packets.append((packet.id, payload.first ?? 0))
                position += bounds.packetByteCount
            }
        }
        return packets
    }
}
