// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
import WirelineTransport

/// A client on a ``TestNetwork``: a real `PacketClient`. The messages it receives wait until the test expects them.
///
/// Each call returns when the network is idle.
public final class TestClient<Definition: PacketProtocol>: Sendable {
    /// The client's name in errors.
    public let name: String
    /// The network.
    public let network: TestNetwork
    /// The client, as a program has it.
    ///
    /// The test client takes all its messages. Calls of it that wait need a clock that moves: see
    /// ``TestNetwork/run(within:fileID:line:_:)``.
    public let client: PacketClient<Definition>
    let inbox = Lock<Inbox>.Shared(Inbox())

    /// The messages that have arrived and that no expectation has taken.
    struct Inbox: Sendable {
        var packets: [ReceivedPacket] = []
        var end: End?
    }

    struct End: Sendable {
        /// nil if the server has ended its stream.
        let error: ConnectionError?
    }

    init(_ client: PacketClient<Definition>, named name: String, on network: TestNetwork) {
        self.client = client
        self.name = name
        self.network = network
        let inbox = inbox
        // Nobody awaits this task. It ends with the connection, which the client owns.
        Task(executorPreference: network.loop) { [connection = client.connection] in
            var end = End(error: nil)
            do throws(ConnectionError) {
                while let packet = try await connection.next() { inbox.withLock { $0.packets.append(packet) } }
            } catch {
                end = End(error: error)
            }
            inbox.withLock { $0.end = end }
            // Closes this side, too, as programs do at the end of the stream.
            connection.finish()
        }
    }

    // MARK: Sending

    /// Sends a message.
    ///
    /// - Throws: `ConnectionError`; ``TestFailure`` if the message cannot be sent because the server does not read.
    public func send<Message: ClientMessage>(
        _ message: Message, header: PacketHeader = [:], fileID: String = #fileID, line: Int = #line
    ) async throws where Message.Definition == Definition {
        let client = client
        try await network.run(
            "\(name) sends \(MessageText.line(message))", within: .zero, CodePlace(fileID, line)
        ) {
            try await client.send(message, header: header)
        }
    }

    /// Sends messages in one write. The server reads them in one piece, unless ``TestNetwork/delivery-swift.property``
    /// splits it.
    public func sendTogether(
        _ messages: any ClientMessage..., fileID: String = #fileID, line: Int = #line
    ) async throws {
        let connection = client.connection
        guard !Definition.layout.hasContent else {
            let bytes = try await network.loop.run { () throws(ConnectionError) in
                try connection.sealTogether(messages)
            }
            return try await send(bytes: bytes, fileID: fileID, line: line)
        }
        var context = await network.loop.run { connection.sentContext }
        var bytes: [UInt8] = []
        for message in messages {
            bytes += try message.encoded(in: context)
            Definition.layout.apply(type(of: message).messageID, from: .client, to: &context.states)
        }
        try await send(bytes: bytes, fileID: fileID, line: line)
    }

    /// Sends bytes unchanged. They need not be a valid packet.
    public func send(bytes: [UInt8], fileID: String = #fileID, line: Int = #line) async throws {
        let client = client
        try await network.run("\(name) sends \(bytes.count) bytes", within: .zero, CodePlace(fileID, line)) {
            try await client.send(packet: bytes)
        }
    }

    /// Sends a request and returns its reply.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - header: Header fields to set (default: none). The client chooses the sequence number.
    ///   - limit: How far the clock may move until the reply arrives (default: not at all).
    ///   - fileID: The file of the test, for the failure.
    ///   - line: The line of the test, for the failure.
    /// - Throws: `ConnectionError`; ``TestFailure`` if no reply arrives.
    public func request<Request: ClientMessage & RequestMessage>(
        _ request: Request, header: PacketHeader = [:], within limit: Duration = .zero, fileID: String = #fileID,
        line: Int = #line
    ) async throws -> Request.Reply where Request.Definition == Definition {
        let client = client
        return try await network.run(
            "\(name) requests \(MessageText.line(request))", within: limit, CodePlace(fileID, line)
        ) {
            try await client.request(request, header: header)
        }
    }

    // MARK: A peer's behaviour

    /// Ends the client's stream (half-close). The client still receives.
    public func endOutput() async { await act { $0.endOutput() } }

    /// Closes the connection after all output was sent.
    public func finish() async { await act { $0.finish() } }

    /// Closes the connection without waiting until all output was sent.
    public func close() async { await act { $0.close() } }

    /// Resets the connection. Both ends get an error.
    public func reset() async { await act { $0.stream.memorySocket?.reset() } }

    /// Stops all traffic of the connection without telling the server, as a phone does that loses its network.
    public func vanish() async { await act { $0.stream.memorySocket?.cut(true) } }

    /// Restores the traffic after ``vanish()``. Everything that was sent in between arrives.
    public func comeBack() async { await act { $0.stream.memorySocket?.cut(false) } }

    /// Stops reading, so that the server's output queues up.
    public func pauseReading() async { await act { $0.stream.memorySocket?.isPaused = true } }

    /// Continues reading after ``pauseReading()``.
    public func resumeReading() async { await act { $0.stream.memorySocket?.isPaused = false } }

    private func act(_ body: @escaping @Sendable (PacketConnection) -> Void) async {
        let connection = client.connection
        await network.loop.run { body(connection) }
        await network.settle()
    }
}
