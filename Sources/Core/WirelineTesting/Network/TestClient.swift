// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
import WirelineTransport

/// A client on a ``TestNetwork``: a real `PacketClient`, whose messages wait until the test expects them.
///
/// Each call returns when the network is idle.
public final class TestClient<Definition: PacketProtocol>: Sendable {
    /// Its name in errors.
    public let name: String
    /// The network.
    public let network: TestNetwork
    /// The client itself, as a program has it.
    ///
    /// The test client takes all its messages. Its calls that wait need a clock that moves: see
    /// ``TestNetwork/run(within:fileID:line:_:)``.
    public let client: PacketClient<Definition>
    let inbox = Lock<Inbox>.Shared(Inbox())

    /// What has arrived and was not expected yet.
    struct Inbox: Sendable {
        var packets: [ReceivedPacket] = []
        var end: End?
    }

    /// How the connection ended.
    struct End: Sendable {
        /// nil: the server has ended its stream.
        let error: ConnectionError?
    }

    init(_ client: PacketClient<Definition>, named name: String, on network: TestNetwork) {
        self.client = client
        self.name = name
        self.network = network
        let inbox = inbox
        // It ends with the connection, which the client owns.
        Task(executorPreference: network.loop) { [connection = client.connection] in
            var end = End(error: nil)
            do throws(ConnectionError) {
                while let packet = try await connection.next() { inbox.withLock { $0.packets.append(packet) } }
            } catch {
                end = End(error: error)
            }
            inbox.withLock { $0.end = end }
            // As programs do when there is nothing left to read.
            connection.finish()
        }
    }

    // MARK: Sending

    /// Sends a message.
    ///
    /// - Throws: `ConnectionError`; ``TestFailure`` if it cannot be sent because the server reads nothing.
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

    /// Sends messages together: the server receives them in one piece, as far as the network delivers it so.
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

    /// Sends bytes as they are; they need not be a packet.
    public func send(bytes: [UInt8], fileID: String = #fileID, line: Int = #line) async throws {
        let client = client
        try await network.run("\(name) sends \(bytes.count) bytes", within: .zero, CodePlace(fileID, line)) {
            try await client.send(packet: bytes)
        }
    }

    /// Sends a request, and returns its reply.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - header: Header fields to set (default: none); the client chooses the sequence.
    ///   - limit: How far the clock may move until the reply comes (default: not at all).
    ///   - fileID: The file of the test, for the failure.
    ///   - line: The line of the test, for the failure.
    /// - Throws: `ConnectionError`; ``TestFailure`` if no reply comes.
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

    /// Ends the client's stream (half-close); it still receives.
    public func endOutput() async { await act { $0.endOutput() } }

    /// Closes the connection after everything was sent.
    public func finish() async { await act { $0.finish() } }

    /// Closes the connection at once.
    public func close() async { await act { $0.close() } }

    /// Resets the connection: both ends fail.
    public func reset() async { await act { $0.stream.memorySocket?.reset() } }

    /// Vanishes, as a phone without a network: nothing passes any more, and the server is not told.
    public func vanish() async { await act { $0.stream.memorySocket?.cut(true) } }

    /// Comes back after ``vanish()``: what was sent meanwhile arrives.
    public func comeBack() async { await act { $0.stream.memorySocket?.cut(false) } }

    /// Stops reading, so that the server's output begins to wait.
    public func pauseReading() async { await act { $0.stream.memorySocket?.isPaused = true } }

    /// Reads again after ``pauseReading()``.
    public func resumeReading() async { await act { $0.stream.memorySocket?.isPaused = false } }

    private func act(_ body: @escaping @Sendable (PacketConnection) -> Void) async {
        let connection = client.connection
        await network.loop.run { body(connection) }
        await network.settle()
    }
}
