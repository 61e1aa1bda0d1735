// SPDX-License-Identifier: Apache-2.0

public import Wireline
public import WirelineCodec

/// The messages that a test expects a client to receive. Each expectation takes the next message, in the order of
/// arrival.
///
/// If another message arrives, or none, the call throws a ``TestFailure``. It says what was expected and what was
/// received.
extension TestClient {
    /// Expects a message that is equal to the given one.
    ///
    /// - Parameters:
    ///   - expected: The message.
    ///   - limit: How far the clock may move until the message arrives (default: not at all).
    ///   - fileID: The file of the test, for the failure.
    ///   - line: The line of the test, for the failure.
    public func expect<Message: ServerMessage>(
        _ expected: Message, within limit: Duration = .zero, fileID: String = #fileID, line: Int = #line
    ) async throws where Message.Definition == Definition {
        let place = CodePlace(fileID, line)
        let packet = try await next(MessageText.line(expected), within: limit, place)
        guard packet.id == Message.messageID else { throw unexpectedPacket(MessageText.line(expected), packet, place) }
        let message = try decode(Message.self, packet, place)
        guard message != expected else { return }
        throw TestFailure(
            place, "\(name) expected \(Message.messageName), but fields differ",
            MessageText.difference(expected: expected, received: message) + waitingText)
    }

    /// Expects a message of a type, with any content, and returns it.
    @discardableResult
    public func expect<Message: ServerMessage>(
        _ type: Message.Type, within limit: Duration = .zero, fileID: String = #fileID, line: Int = #line
    ) async throws -> Message where Message.Definition == Definition {
        let place = CodePlace(fileID, line)
        let packet = try await next(Message.messageName, within: limit, place)
        guard packet.id == Message.messageID else { throw unexpectedPacket(Message.messageName, packet, place) }
        return try decode(type, packet, place)
    }

    /// Expects a message of any type, and returns it with its header.
    public func expectMessage(
        within limit: Duration = .zero, fileID: String = #fileID, line: Int = #line
    ) async throws -> ReceivedMessage<Definition.FromServer> {
        let place = CodePlace(fileID, line)
        let packet = try await next("a message", within: limit, place)
        do {
            return try ReceivedMessage(packet)
        } catch {
            throw TestFailure(
                place, "\(name) received \(text(of: packet)), which does not match the schema", ["\(error)"])
        }
    }

    /// Expects that no message arrives and that the connection stays open.
    ///
    /// - Parameters:
    ///   - duration: How far the clock moves during the check (default: not at all).
    ///   - fileID: The file of the test, for the failure.
    ///   - line: The line of the test, for the failure.
    public func expectNothing(
        for duration: Duration = .zero, fileID: String = #fileID, line: Int = #line
    ) async throws {
        if duration > .zero { await network.advance(by: duration) } else { await network.settle() }
        let (packets, end) = inbox.withLock { ($0.packets, $0.end) }
        let place = CodePlace(fileID, line)
        guard packets.isEmpty else {
            throw TestFailure(place, "\(name) expected nothing, but received", packets.map { text(of: $0) })
        }
        if let end { throw TestFailure(place, "\(name) expected nothing, but the connection \(Self.text(of: end))") }
    }

    /// Expects the end of the connection, after all messages were taken.
    ///
    /// - Parameters:
    ///   - limit: How far the clock may move until the end (default: not at all).
    ///   - fileID: The file of the test, for the failure.
    ///   - line: The line of the test, for the failure.
    /// - Returns: The error that ended the connection; nil if the server has ended its stream after a whole packet.
    @discardableResult
    public func expectEnd(
        within limit: Duration = .zero, fileID: String = #fileID, line: Int = #line
    ) async throws -> ConnectionError? {
        let place = CodePlace(fileID, line)
        let inbox = inbox
        _ = await network.wait(within: limit) { inbox.withLock { $0.end != nil || !$0.packets.isEmpty } }
        let (packets, end) = inbox.withLock { ($0.packets, $0.end) }
        guard packets.isEmpty else {
            throw TestFailure(place, "\(name) expected the end, but received", packets.map { text(of: $0) })
        }
        guard let end else {
            throw TestFailure(
                place,
                "\(name) expected the end, but the connection is open: the network is idle"
                    + (await network.idleNote()))
        }
        return end.error
    }

    /// Whether the connection has not ended yet.
    public var isOpen: Bool { inbox.withLock { $0.end == nil } }

    /// Drops all messages that have arrived and that no expectation has taken.
    public func skipAll() async {
        await network.settle()
        inbox.withLock { $0.packets = [] }
    }

    // MARK: Details

    private func next(_ expected: String, within limit: Duration, _ place: CodePlace) async throws -> ReceivedPacket {
        let inbox = inbox
        _ = await network.wait(within: limit) { inbox.withLock { $0.end != nil || !$0.packets.isEmpty } }
        let packet = inbox.withLock { $0.packets.isEmpty ? nil : $0.packets.removeFirst() }
        if let packet { return packet }
        if let end = inbox.withLock({ $0.end }) {
            throw TestFailure(place, "\(name) expected \(expected), but the connection \(Self.text(of: end))")
        }
        throw TestFailure(
            place,
            "\(name) expected \(expected), but nothing came: the network is idle"
                + (await network.idleNote()))
    }

    private func unexpectedPacket(_ expected: String, _ packet: ReceivedPacket, _ place: CodePlace) -> TestFailure {
        TestFailure(place, "\(name) expected \(expected), but received", [text(of: packet)] + waitingText)
    }

    private func decode<Message: ServerMessage>(
        _ type: Message.Type, _ packet: ReceivedPacket, _ place: CodePlace
    ) throws(TestFailure) -> Message {
        do throws(CodecError) {
            return try packet.decode(type)
        } catch {
            throw TestFailure(
                place, "\(name) received a \(Message.messageName) that does not match the schema", ["\(error)"])
        }
    }

    private var waitingText: [String] {
        let packets = inbox.withLock(\.packets)
        return packets.isEmpty ? [] : ["then came"] + packets.map { "  " + text(of: $0) }
    }

    private func text(of packet: ReceivedPacket) -> String {
        MessageText.line(packet, of: Definition.messageTypes(from: .server))
    }

    private static func text(of end: End) -> String {
        end.error.map { "has ended: \($0)" } ?? "was ended by the server"
    }
}
