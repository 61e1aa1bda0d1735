// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineTransport

/// A log that receives all messages of connections, and their beginnings and ends.
///
///     configuration.log = TrafficLog(of: SceneProtocol.self) { print($0) }
///
///     127.0.0.1:9001 #1: sent Cs_20001 {length: 15, id: 20001} sceneID: 7, line: 2, message: "hi"
///
/// Its texts never contain the value of a `@sensitive` field. For messages that the schema does not know, it shows only
/// the size. The log decodes each message once more, so a connection with a log is slower. A connection without a log
/// has no cost.
public struct TrafficLog: Sendable {
    /// An event on a connection.
    public struct Entry: Sendable {
        /// The peer's address.
        public let peerAddress: SocketAddress
        /// The connection's number, by which the entries of one connection can be found.
        ///
        /// The connections of a process are numbered from 1 in the order of their making, clients' and servers'
        /// together, and no number is used again.
        public let connectionID: UInt64
        /// The event.
        public let event: Event
    }

    /// The events of a connection.
    @nonexhaustive
    public enum Event: Sendable {
        /// The connection is open. TLS, if there is any, comes next.
        case opened
        /// A packet, or a WebSocket message, was given to the connection to send.
        case sent(Message)
        /// A packet, or a WebSocket message, was taken from the input.
        case received(Message)
        /// This many bytes that are not packets were given to the connection to send.
        case sentOther(byteCount: Int)
        /// The connection has ended; the text is the reason, nil after a clean end.
        case ended(String?)
    }

    /// The part of a packet or message that may be shown.
    public struct Message: Sendable {
        /// The message's name in the schema; nil if the schema does not know the ID.
        ///
        /// In a log of WebSockets it is the kind of message (``TrafficLog/init(showsContent:_:)``).
        public let name: String?
        /// The message's ID; 0 if the layout has none.
        public let id: UInt64
        /// The number of bytes of the packet, or of the message's content.
        public let byteCount: Int
        /// The fields of the packet's header and trailer.
        public let header: PacketHeader
        private let makeFields: @Sendable () -> String

        /// The fields as text: `sceneID: 7, line: 2, message: "hi"`.
        ///
        /// If the schema does not know the message, it is the number of bytes. If the message does not match the
        /// schema, it is the place of the fault and what is wrong there, without received values. The text is made on
        /// each call; long values are cut off.
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

    package struct Description: Sendable {
        let name: String
        let fields: @Sendable () -> String

        package init(name: String, fields: @escaping @Sendable () -> String) {
            self.name = name
            self.fields = fields
        }
    }

    /// Decodes a message; returns nil if it is unknown.
    package typealias Reader = @Sendable (borrowing Packet, Sender) throws(CodecError) -> Description?

    private let read: Reader
    let showsUnknownBytes: Bool
    private let record: @Sendable (Entry) -> Void

    /// Makes a log of a protocol's messages.
    ///
    /// - Parameters:
    ///   - protocol: The protocol, such as `SceneProtocol.self`.
    ///   - showsUnknownBytes: Whether the bytes of unknown messages are shown (default: no, because they may contain
    ///     anything).
    ///   - record: Receives each entry, on the connection's loop. It must not block, nor use the connection.
    public init<Definition: PacketProtocol>(
        of protocol: Definition.Type, showsUnknownBytes: Bool = false, _ record: @escaping @Sendable (Entry) -> Void
    ) {
        let types = Dictionary(
            uniqueKeysWithValues: Sender.allCases.map { side in
                (side, Dictionary(Definition.messageTypes(from: side).map { ($0.messageID, $0) }) { first, _ in first })
            })
        self.init(showsUnknownBytes: showsUnknownBytes, record) { packet, sender throws(CodecError) in
            guard let message = try types[sender]?[packet.id]?.init(payloadOf: packet) else { return nil }
            return Description(name: type(of: message).messageName) { FieldText(of: message).text }
        }
    }

    /// Makes a log of WebSockets whose messages are not packets.
    ///
    ///     configuration.log = TrafficLog(showsContent: true) { print($0) }
    ///
    ///     127.0.0.1:9002 #1: received text 5 bytes "hello"
    ///
    /// A message's name is `text` or `binary`. If it is sent or taken in parts, the name is `part of text`,
    /// `last part of text` and so on. `close` has the code and the reason of a side that closed; the log always shows
    /// it. Pings are not logged.
    ///
    /// - Parameters:
    ///   - showsContent: Whether content is shown; long content is cut off (default: no, only the number of bytes,
    ///     because content may contain anything).
    ///   - record: Receives each entry, on the connection's loop. It must not block, nor use the connection.
    public init(showsContent: Bool = false, _ record: @escaping @Sendable (Entry) -> Void) {
        self.init(showsUnknownBytes: showsContent, record) { _, _ in nil }
    }

    package init(
        showsUnknownBytes: Bool = false, _ record: @escaping @Sendable (Entry) -> Void, reading read: @escaping Reader
    ) {
        self.read = read
        self.showsUnknownBytes = showsUnknownBytes
        self.record = record
    }

    func record(_ event: Event, of peer: SocketAddress, _ connectionID: UInt64) {
        record(Entry(peerAddress: peer, connectionID: connectionID, event: event))
    }

    /// The part of a packet that may be shown.
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
            // The ID is known: the error's path begins with the message's name.
            name = error.path.split(separator: ".").first.map(String.init)
            fields = { error.shownText }
        }
        return Message(name: name, id: packet.id, byteCount: packet.bytes.byteCount, header: header, fields: fields)
    }
}

extension TrafficLog.Entry: CustomStringConvertible {
    /// The entry in one line: `127.0.0.1:9001 #3: opened`.
    public var description: String { "\(peerAddress) #\(connectionID): \(event)" }
}

extension TrafficLog.Event: CustomStringConvertible {
    /// The event in a few words.
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

extension ConnectionError {
    var shownText: String {
        switch self {
        case .codec(let error): error.shownText
        // The bytes may belong to a packet.
        case .tls(.notTLS): "the peer does not speak TLS"
        case .webSocket(.notHTTP): "the peer does not speak HTTP"
        default: description
        }
    }
}
