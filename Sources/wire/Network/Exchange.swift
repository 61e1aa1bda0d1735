// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema
import WirelineTransport

/// One request to a server, and its reply.
struct Exchange {
    let endpoint: Endpoint
    let timeout: TimeSpan
    /// How the connection is made; its deadline is the exchange's.
    let configuration: ClientConfiguration
    let translator: PacketTranslator
    /// The packet.
    let request: [UInt8]
    let expectation: Expectation
    let console: Console

    /// Connects, sends the request and waits for the reply.
    ///
    /// - Returns: The reply in JSON.
    func run() async throws(CommandError) -> JSONValue {
        let deadline = MonotonicTime.now + timeout.duration
        let connection = try await connect()
        // Nobody else closes the connection, so that it is closed means that the time is over.
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

    /// Closes a connection before the program ends: with TLS the server is told, and does not miss anything.
    private func close(_ connection: PacketConnection) async {
        await connection.loop.run { connection.close() }
    }

    private func connect() async throws(CommandError) -> PacketConnection {
        let description = translator.description
        var configuration = configuration
        configuration.connectTimeout = timeout.duration
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

    /// The first packet that is the reply; a note says of each one before it that it is not.
    private func reply(on connection: PacketConnection) async throws(ConnectionError) -> ReceivedPacket {
        while let packet = try await connection.next() {
            if expectation.isMet(by: packet) { return packet }
            console.report(expectation.note(passingOver: packet))
        }
        throw .endedBeforeReply
    }

    /// How much there is of a packet that is not whole: `10 of 11 bytes`.
    private static func words(_ torn: (receivedByteCount: Int, byteCount: Int?)) -> String {
        let count = torn.byteCount ?? torn.receivedByteCount
        return (torn.byteCount == nil ? "" : "\(torn.receivedByteCount) of ")
            + (count == 1 ? "1 byte" : "\(count) bytes")
    }

    /// - Parameter fragment: How much of a packet had come when the time was over; nil where none had begun.
    private func failure(_ error: ConnectionError, fragment: String?) -> CommandError {
        switch error {
        case .transport(.closed):
            if let fragment {
                return .failure("no reply from \(endpoint) within \(timeout): only \(fragment) of a packet came")
            }
            let hint = expectation.name.map { "--expect names another message than \($0) to wait for" }
            return .failure("no reply from \(endpoint) within \(timeout)", hint: hint)
        case .endedBeforeReply: return .failure("\(endpoint) has ended the connection before it replied")
        case .codec(let fault) where fault.lookalike == .tls && configuration.tls == nil:
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

    /// What to do about a reply that is the request.
    private func echoHint(_ reply: ReceivedPacket) -> String? {
        guard [UInt8](copying: reply.bytes) == request else { return nil }
        let description = translator.description
        let sent = description.message(id: reply.id, from: .client)?.name
        return sent.map { "these are the bytes that were sent; --expect \($0) reads what a server returns unchanged" }
    }
}
