// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema
import WirelineTransport

/// A request to a server, and its reply.
struct ServerCall {
    let endpoint: HostAndPort
    let timeout: TimeSpan
    /// The configuration of the connection; the call's timeout applies to it, too.
    let configuration: ClientConfiguration
    let translator: PacketTranslator
    /// The packet to send.
    let request: [UInt8]
    let expectation: Expectation
    let console: Console

    /// Connects, sends the request and waits for the reply.
    ///
    /// - Returns: The reply as JSON.
    func run() async throws(CommandError) -> JSONValue {
        let deadline = MonotonicTime.now + timeout.duration
        let connection = try await connect()
        // Only the timer closes the connection, so a closed connection means that the timeout has ended.
        let fragment = Lock<String?>(nil)
        connection.loop.execute {
            connection.loop.schedule(at: deadline) {
                fragment.withLock { $0 = connection.tornPacket.map(Self.words) }
                connection.close()
            }
        }
        let reply: ReceivedPacket
        do throws(ConnectionError) {
            try await connection.send(packet: request)
            reply = try await self.reply(on: connection)
        } catch {
            await close(connection)
            throw failure(error, fragment: fragment.withLock(\.self))
        }
        await close(connection)
        do throws(CodecError) {
            return try json(of: reply)
        } catch {
            throw .failure("the reply of \(endpoint): \(error)", hint: echoHint(reply))
        }
    }

    /// Closes a connection before the program ends; with TLS, the server is notified, so it sees no truncation.
    private func close(_ connection: PacketConnection) async {
        await connection.loop.run { connection.close() }
    }

    private func connect() async throws(CommandError) -> PacketConnection {
        let description = translator.description
        var configuration = configuration
        configuration.dialing.connectTimeout = timeout.duration
        let recorder = TimelineRecorder()
        do throws(ConnectionError) {
            return try await PacketConnection.connect(
                to: endpoint.host, port: endpoint.port, layout: description.layout,
                packetLimit: description.options.maximumPacketByteCount,
                configuration: configuration, recorder: recorder)
        } catch {
            throw .cannotConnect(to: endpoint, error, within: timeout, recorder.timeline)
        }
    }

    /// Returns the first packet that is the reply, and prints a note for each packet before it.
    private func reply(on connection: PacketConnection) async throws(ConnectionError) -> ReceivedPacket {
        while let packet = try await connection.next() {
            if expectation.isMet(by: packet) { return packet }
            console.report(expectation.note(passingOver: packet))
        }
        throw .endedBeforeReply
    }

    /// Returns how much of a partial packet has arrived: `10 of 11 bytes`.
    private static func words(_ torn: (receivedByteCount: Int, byteCount: Int?)) -> String {
        let count = torn.byteCount ?? torn.receivedByteCount
        return (torn.byteCount == nil ? "" : "\(torn.receivedByteCount) of ")
            + (count == 1 ? "1 byte" : "\(count) bytes")
    }

    /// - Parameter fragment: How much of a packet had arrived at the timeout; nil if nothing had.
    private func failure(_ error: ConnectionError, fragment: String?) -> CommandError {
        switch error {
        case .transport(.closed):
            if let fragment {
                return .failure("no reply from \(endpoint) within \(timeout): only \(fragment) of a packet came")
            }
            let hint = expectation.name.map { "--expect names another message than \($0) to wait for" }
            return .failure("no reply from \(endpoint) within \(timeout)", hint: hint)
        case .endedBeforeReply: return .failure("\(endpoint) has ended the connection before it replied")
        case .codec(let fault) where fault.lookalike == .tls && configuration.dialing.tls == nil:
            return .failure("\(endpoint): \(error)", hint: "with --tls, or --tls-ca FILE, the call speaks TLS")
        default: return .failure("\(endpoint): \(error)")
        }
    }

    private func json(of packet: ReceivedPacket) throws(CodecError) -> JSONValue {
        let lent = packet.lent
        if expectation.isNamed, let name = expectation.name, let json = try translator.decode(lent, asMessage: name) {
            return json
        }
        return try translator.decode(lent, from: .server)
    }

    /// Returns a hint for a reply that equals the request.
    private func echoHint(_ reply: ReceivedPacket) -> String? {
        guard [UInt8](copying: reply.bytes) == request else { return nil }
        let description = translator.description
        let sent = description.message(id: reply.id, from: .client)?.name
        return sent.map { "these are the bytes that were sent; --expect \($0) reads what a server returns unchanged" }
    }
}
