// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineLayers
import WirelineSchema
import WirelineTransport

/// A call of a server on one connection: the messages to send, and what to do with the replies.
struct ServerCall {
    let endpoint: HostAndPort
    let timeout: TimeSpan
    /// The configuration of the connection. The call's timeout is also the connection's.
    let configuration: ClientConfiguration
    let translator: PacketTranslator
    let listening: Listening
    /// Whether the call is one request with its reply. Then the server's other messages are skipped, with a note.
    let isAlone: Bool
    /// The states of the connection at its start.
    let states: PacketStates
    let console: Console

    /// How long the call continues after the last reply.
    enum Listening: Equatable {
        case no
        case lasting(Duration)
        case forever
    }

    /// Sends the requests one after another, each after the reply to the one before, and prints the server's messages.
    func run(_ requests: CallRequests) async throws(CommandError) {
        let start = MonotonicTime.now
        let connection = try await connect()
        let conversation = Conversation(self, on: connection, requests, start: start)
        if listening != .no { Signals.takeOver { Task { await conversation.interrupt() } } }
        do throws(CommandError) {
            try await conversation.run()
        } catch {
            await close(connection)
            throw error
        }
        if await conversation.needsDelivery {
            await deliver(on: connection)
        } else {
            await close(connection)
        }
    }

    /// Closes the connection. With TLS, it first sends `close_notify`, so that the server sees no truncation.
    private func close(_ connection: PacketConnection) async {
        await connection.loop.run { connection.close() }
    }

    /// Waits until the server has read everything. It is needed if no reply has shown this.
    private func deliver(on connection: PacketConnection) async {
        connection.finish(within: timeout.duration)
        // An error means only that the server did not end its stream in time.
        _ = try? await connection.waitUntilEnd()
    }

    private func connect() async throws(CommandError) -> PacketConnection {
        let description = translator.description
        var configuration = configuration
        configuration.dialing.connectTimeout = timeout.duration
        endpoint.apply(to: &configuration.dialing)
        let recorder = TimelineRecorder()
        do throws(ConnectionError) {
            let connection = try await PacketConnection.connect(
                to: endpoint.host, port: endpoint.port, layout: description.layout,
                packetLimit: description.options.maximumPacketByteCount,
                configuration: configuration, recorder: recorder)
            let (states, layers) = (states, translator.layers)
            if translator.hasContent { await connection.loop.run { connection.setKeys(layers) } }
            if states != PacketStates() { await connection.loop.run { connection.setStates(states) } }
            return connection
        } catch {
            throw .cannotConnect(to: endpoint, error, within: timeout, recorder.timeline)
        }
    }
}

// MARK: Packets

extension ServerCall {
    func json(of reply: ReceivedPacket, to request: CallRequest) throws(CommandError) -> JSONValue {
        let lent = reply.lent
        do throws(CodecError) {
            if let name = request.expectation?.namedMessage, let json = try translator.decode(lent, asMessage: name) {
                return json
            }
            return try translator.decode(lent, from: .server)
        } catch {
            let what = isAlone ? "the reply of \(endpoint)" : "the reply of \(endpoint) to \(request.name)"
            throw .failure("\(what): \(error)", hint: echoHint(reply, request))
        }
    }

    func json(of packet: ReceivedPacket) throws(CommandError) -> JSONValue {
        do throws(CodecError) {
            return try translator.decode(packet.lent, from: .server)
        } catch {
            throw .failure("a message of \(endpoint): \(error)")
        }
    }

    /// Returns a hint if the reply equals the request; otherwise nil.
    private func echoHint(_ reply: ReceivedPacket, _ request: CallRequest) -> String? {
        // A packet that depends on states is encoded when it is sent, and its bytes are not kept.
        guard case .bytes(let sent) = request.packet, translator.description.layout.framed(reply.bytes) == sent else {
            return nil
        }
        let name = translator.description.message(id: reply.id, from: .client)?.name
        return name.map { "these are the bytes that were sent; --expect \($0) reads what a server returns unchanged" }
    }
}

// MARK: Errors

extension ServerCall {
    /// Returns the error for a reply that is late, or for a request that the server has not read in time.
    ///
    /// - Parameters:
    ///   - fragment: How much of a packet has arrived; nil means nothing.
    ///   - mayExpectOther: Whether `--expect` can name another reply.
    func timeoutFailure(of request: CallRequest, fragment: String?, mayExpectOther: Bool) -> CommandError {
        guard let expectation = request.expectation else {
            return .failure("\(endpoint) has not read \(request.name) within \(timeout)")
        }
        let missing = "no reply\(isAlone ? "" : " to \(request.name)") from \(endpoint) within \(timeout)"
        if let fragment { return .failure("\(missing): only \(fragment) of a packet came") }
        let name = mayExpectOther ? expectation.name : nil
        return .failure(missing, hint: name.map { "--expect names another message than \($0) to wait for" })
    }

    /// Returns the error for a connection that ended before a request was sent or before its reply arrived.
    ///
    /// - Parameter error: The connection's error; nil if the server has ended its stream after a whole packet.
    func endFailure(_ error: ConnectionError?, of request: CallRequest) -> CommandError {
        let isAwaited = request.expectation != nil
        if let error {
            let consequence = isAwaited ? "no reply to \(request.name)" : "\(request.name) was not sent"
            return failure(error, isAlone ? nil : consequence)
        }
        let reply = isAlone ? "it replied" : "it replied to \(request.name)"
        return endFailure(nil, "before \(isAwaited ? reply : "\(request.name) was sent")")
    }

    /// Returns the error for a connection that ended while no reply was awaited.
    ///
    /// - Parameter place: When it ended.
    func endFailure(_ error: ConnectionError?, _ place: String) -> CommandError {
        guard let error else { return .failure("\(endpoint) has ended the connection \(place)") }
        return failure(error, nil)
    }

    private func failure(_ error: ConnectionError, _ consequence: String?) -> CommandError {
        let text = (consequence.map { "\($0): " } ?? "") + "\(endpoint): \(error)"
        if case .codec(let fault) = error, fault.misdirectedProtocol == .tls, configuration.dialing.tls == nil {
            return .failure(text, hint: "with --tls, or --tls-ca FILE, the call speaks TLS")
        }
        return .failure(text)
    }
}
