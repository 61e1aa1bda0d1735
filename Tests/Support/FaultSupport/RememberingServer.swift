// SPDX-License-Identifier: Apache-2.0

public import Goim
public import Wireline
import WirelineCodec
import WirelineTransport

/// A server of goim's protocol that takes each message once, as ``DeliveryPolicy/exactlyOnce`` requires: it remembers
/// the sequence number of each login's last message.
///
/// It answers a login and a change of room. For a new room it first sends a notification, and then the answer.
public final class RememberingServer: Sendable {
    private struct Account {
        var lastSequence: UInt64 = 0
        var rooms: [String] = []
    }

    private let accounts = Lock<[String: Account]>([:])
    /// The connections so far.
    public let connections = LiveObjects<PacketConnection>()

    public init() {}

    /// The rooms of a login, in the order in which they were taken.
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
        while let received = try await client.nextMessage() {
            switch received.message {
            case .authentication(let authentication):
                login = authentication.body
                try await client.reply(to: received, with: AuthenticationReply(body: "{}"))
            case .changeRoom(let change):
                let sequence = UInt64(try received.header["Sequence"] ?? 0)
                if take(change.room, sequence, of: login) {
                    try await client.send(Notification(body: "moved to " + change.room))
                }
                try await client.reply(to: received, with: ChangeRoomReply())
            case .heartbeat:
                try await client.reply(to: received, with: HeartbeatReply(popularity: 1))
            default: break
            }
        }
    }

    /// - Returns: False for a repeated message.
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
    /// Without timeouts, for machines that do many other things at the same time.
    static var patient: ServerConfiguration {
        var configuration = ServerConfiguration(
            listening: ListeningOptions(minimumRate: nil, minimumReadingRate: nil), firstPacketTimeout: nil)
        configuration.limits.writeTimeout = nil
        return configuration
    }
}

extension PacketSessionConfiguration {
    /// Reconnects almost at once, and retries without end.
    public static let eager = PacketSessionConfiguration(
        client: ClientConfiguration(
            dialing: DialingOptions(connectTimeout: .seconds(500)), requestTimeout: .seconds(500),
            limits: ConnectionLimits(writeTimeout: nil)),
        reconnect: ReconnectPolicy(baseDelay: .milliseconds(1), maximumDelay: .milliseconds(10), retryLimit: nil),
        loginTimeout: .seconds(500))
}

/// The whole packets in bytes that may end inside a packet.
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
