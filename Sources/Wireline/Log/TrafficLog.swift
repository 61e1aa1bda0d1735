// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineTransport

/// Is handed every message that connections send and receive, and how they begin and end.
///
///     configuration.log = TrafficLog(of: SceneProtocol.self) { print($0) }
///
///     127.0.0.1:9001: sent Cs_20001 {length: 15, id: 20001} sceneID: 7, line: 2, message: "hi"
///
/// Values of `@sensitive` fields are in none of its texts, wherever they stand; of what the schema does not know, only the
/// size is. Each message is read once more for the log: a connection that has one is slower, and one that has none loses
/// nothing.
public struct TrafficLog: Sendable {
    /// Something that has happened on a connection.
    public struct Entry: Sendable {
        /// Where the connection leads.
        public let peerAddress: SocketAddress
        /// What has happened.
        public let event: Event
    }

    /// What can happen on a connection.
    @nonexhaustive
    public enum Event: Sendable {
        /// The connection is there; TLS, where there is any, comes next.
        case opened
        /// A packet, or a WebSocket's message, has been handed over to be sent.
        case sent(Message)
        /// A packet, or a WebSocket's message, was taken of what has come.
        case received(Message)
        /// So many bytes that are no packet have been handed over to be sent.
        case sentOther(byteCount: Int)
        /// The connection has ended; the text says why, nil after a clean end.
        case ended(String?)
    }

    /// A packet or a message, as far as it may be shown.
    public struct Message: Sendable {
        /// The message's name in the schema; nil where it has none with this ID. What kind of message it is, in a log of
        /// WebSockets (``TrafficLog/init(showsContent:_:)``).
        public let name: String?
        /// The message's ID; 0 where the layout has none.
        public let id: UInt64
        /// How many bytes the packet has, or the message's content.
        public let byteCount: Int
        /// The fields of the packet's header and trailer.
        public let header: PacketHeader
        private let makeFields: @Sendable () -> String

        /// The fields as text: `sceneID: 7, line: 2, message: "hi"`; of what the schema does not know the number of bytes,
        /// and of what it says otherwise where it does so. It is made whenever it is asked for; long values are cut off.
        public var fields: String { makeFields() }

        init(
            name: String?, id: UInt64, byteCount: Int, header: PacketHeader, fields: @escaping @Sendable () -> String
        ) {
            self.name = name
            self.id = id
            self.byteCount = byteCount
            self.header = header
            makeFields = fields
        }
    }

    /// What a message is called, and its fields.
    package struct Description: Sendable {
        let name: String
        let fields: @Sendable () -> String

        package init(name: String, fields: @escaping @Sendable () -> String) {
            self.name = name
            self.fields = fields
        }
    }

    /// Reads a message of a sender; nil where it is not known.
    package typealias Reader = @Sendable (borrowing Packet, Sender) throws(CodecError) -> Description?

    private let read: Reader
    let showsUnknownBytes: Bool
    private let record: @Sendable (Entry) -> Void

    /// Makes a log of a protocol's messages.
    ///
    /// - Parameters:
    ///   - protocol: What is spoken, such as `SceneProtocol.self`.
    ///   - showsUnknownBytes: Whether the bytes of messages are shown that the schema does not know (default: no, for who
    ///     knows what is in them).
    ///   - record: Is handed each entry, on the connection's loop: it must not block, nor use the connection.
    public init<Definition: PacketProtocol>(
        of protocol: Definition.Type, showsUnknownBytes: Bool = false, _ record: @escaping @Sendable (Entry) -> Void
    ) {
        self.init(showsUnknownBytes: showsUnknownBytes, record) { packet, sender throws(CodecError) in
            guard let message = try Definition.message(in: packet, from: sender) else { return nil }
            return Description(name: type(of: message).messageName) { FieldText(of: message).text }
        }
    }

    /// Makes a log of WebSockets whose messages are no packets.
    ///
    ///     configuration.log = TrafficLog(showsContent: true) { print($0) }
    ///
    ///     127.0.0.1:9002: received text 5 bytes "hello"
    ///
    /// A message's name is `text` or `binary`, or `part of text`, `last part of text` and so on where it is sent or taken in
    /// parts; `close` is what one side has said when it closed, which is always shown. Pings are not logged.
    ///
    /// - Parameters:
    ///   - showsContent: Whether content is shown, the beginning of long one (default: no, only how many bytes it has, for
    ///     who knows what is in it).
    ///   - record: Is handed each entry, on the connection's loop: it must not block, nor use the connection.
    public init(showsContent: Bool = false, _ record: @escaping @Sendable (Entry) -> Void) {
        self.init(showsUnknownBytes: showsContent, record) { _, _ in nil }
    }

    /// Makes a log of messages that something else reads.
    package init(
        showsUnknownBytes: Bool = false, _ record: @escaping @Sendable (Entry) -> Void, reading read: @escaping Reader
    ) {
        self.read = read
        self.showsUnknownBytes = showsUnknownBytes
        self.record = record
    }

    func record(_ event: Event, of peer: SocketAddress) {
        record(Entry(peerAddress: peer, event: event))
    }

    /// What may be shown of a packet.
    package func message(in packet: borrowing Packet, from sender: Sender, _ layout: PacketLayout) -> Message {
        let payload = packet.payload
        let header = (try? layout.header(of: packet)) ?? PacketHeader()
        var name: String?
        var fields: @Sendable () -> String
        do throws(CodecError) {
            if let description = try read(packet, sender) {
                name = description.name
                fields = description.fields
            } else {
                let text = FieldText(ofUnknown: payload, showsBytes: showsUnknownBytes).text
                fields = { text }
            }
        } catch {
            // Its ID is known: the path of the fault begins with its name.
            name = error.path.split(separator: ".").first.map(String.init)
            fields = { error.shownText }
        }
        return Message(name: name, id: packet.id, byteCount: packet.bytes.byteCount, header: header, fields: fields)
    }
}

extension TrafficLog.Entry: CustomStringConvertible {
    /// One line for people.
    public var description: String { "\(peerAddress): \(event)" }
}

extension TrafficLog.Event: CustomStringConvertible {
    /// What has happened, in a few words.
    public var description: String {
        switch self {
        case .opened: "opened"
        case .sent(let message): "sent \(message)"
        case .received(let message): "received \(message)"
        case .sentOther(let byteCount): "sent \(byteCount) bytes that are no packet"
        case .ended(nil): "ended"
        case .ended(let cause?): "ended: \(cause)"
        }
    }
}

extension TrafficLog.Message: CustomStringConvertible {
    /// The name, the header and the fields.
    public var description: String {
        let header = header.fields.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
        return [name ?? "unknown ID \(id)", header.isEmpty ? "" : "{\(header)}", fields].filter { !$0.isEmpty }
            .joined(separator: " ")
    }
}

extension CodecError {
    /// The error without any value or byte that has come: they may be those of a field that is not to be shown.
    package var shownText: String {
        let place = offset.map { " at offset \($0)" } ?? ""
        guard path.isEmpty else { return "\(path): not what the schema says\(place)" }
        return switch reason {
        case .packetTooLong, .lengthTooSmall, .lengthMismatch, .wrongConstant, .endOfStream, .wrongMessage:
            CodecError(reason, offset: offset).description
        default: "not what the schema says\(place)"
        }
    }
}

extension ConnectionError {
    var shownText: String {
        switch self {
        case .codec(let error): error.shownText
        // The bytes may be a packet's.
        case .tls(.notTLS): "the peer does not speak TLS"
        case .webSocket(.notHTTP): "the peer does not speak HTTP"
        default: description
        }
    }
}
