// SPDX-License-Identifier: Apache-2.0

public import Goim
public import Wireline
import WirelineTransport

/// A server of goim's that takes each message once, as ``DeliveryPolicy/exactlyOnce`` asks of it: it remembers the last
/// number of each login's messages.
///
/// It answers a login and a change of room, and tells of a room that it has not had before; that comes before the answer.
public final class RememberingServer: Sendable {
    private struct Account {
        var lastSequence: UInt64 = 0
        var rooms: [String] = []
    }

    private let accounts = Lock<[String: Account]>([:])
    /// The connections that there have been.
    public let connections = LiveObjects<PacketConnection>()

    public init() {}

    /// The rooms of a login's, in the order in which they were taken.
    public func rooms(of login: String) -> [String] { accounts.withLock { $0[login]?.rooms ?? [] } }

    public func start(at port: UInt16 = 0) async throws -> PacketServer<GoimProtocol> {
        try await PacketServer.start(
            at: "127.0.0.1", port: port, protocol: GoimProtocol.self,
            configuration: .patient
        ) { client in
            self.connections.add(client.connection)
            try await self.serve(client)
        }
    }

    private func serve(_ client: ServerConnection<GoimProtocol>) async throws {
        var login = ""
        for try await message in client.messages {
            switch message {
            case .message(let authentication as Authentication, let packet):
                login = authentication.body
                try await client.reply(to: packet, with: AuthenticationReply(body: "{}"))
            case .message(let change as ChangeRoom, let packet):
                let sequence = UInt64(try message.header["Sequence"] ?? 0)
                if take(change.room, sequence, of: login) {
                    try await client.send(Notification(body: "moved to " + change.room))
                }
                try await client.reply(to: packet, with: ChangeRoomReply())
            case .message(is Heartbeat, let packet):
                try await client.reply(to: packet, with: HeartbeatReply(popularity: 1))
            default: break
            }
        }
    }

    /// - Returns: False for what it has had.
    private func take(_ room: String, _ sequence: UInt64, of login: String) -> Bool {
        accounts.withLock { accounts in
            guard sequence > accounts[login, default: Account()].lastSequence else { return false }
            accounts[login, default: Account()].lastSequence = sequence
            accounts[login, default: Account()].rooms.append(room)
            return true
        }
    }
}

extension ServerConfiguration {
    /// Without deadlines, for machines that do many other things at the same time.
    static var patient: ServerConfiguration {
        var configuration = ServerConfiguration(firstPacketTimeout: nil, minimumRate: nil)
        configuration.limits.writeTimeout = nil
        return configuration
    }
}

extension PacketSessionConfiguration {
    /// Connects again almost at once, and for as long as it takes.
    public static let eager = PacketSessionConfiguration(
        client: ClientConfiguration(
            connectTimeout: .seconds(500), requestTimeout: .seconds(500), limits: ConnectionLimits(writeTimeout: nil)),
        reconnect: ReconnectPolicy(baseDelay: .milliseconds(1), maximumDelay: .milliseconds(10), retryLimit: nil),
        loginTimeout: .seconds(500))
}

/// The packets that are whole in bytes that were cut somewhere.
public func wholePackets(in bytes: [UInt8], _ layout: PacketLayout) throws -> [[UInt8]] {
    var splitter = PacketSplitter(layout: layout, maximumPacketByteCount: 1 << 20)
    var packets: [[UInt8]] = []
    var position = 0
    while let bounds = try splitter.packet(in: bytes.span.bytes, at: position) {
        packets.append(Array(bytes[position..<position + bounds.packetByteCount]))
        position += bounds.packetByteCount
    }
    return packets
}
