// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A note about a connection, or about bytes that one side has sent.
struct TrafficNote: CustomStringConvertible, Sendable {
    enum Kind: String, Sendable {
        /// The remark is about the connection.
        case note
        case packet
        /// The schema has no such packet, or none of this side.
        case unknown
        /// The bytes do not match the schema, or an error has ended the connection.
        case fault
    }

    struct Part: Equatable, Sendable {
        let offset: Int
        /// The first bytes in hexadecimal, a space and the others; or a word if the bytes are hidden.
        let digits: String
        let path: String
        let text: String
        /// Whether the packet does not match the schema here.
        var isFault = false
    }

    /// The message in a packet, by which requests and replies are paired.
    struct Message: Equatable, Sendable {
        let name: String
        /// The packet's `@sequence` number; nil if its header has none.
        let sequence: UInt64?
    }

    let kind: Kind
    let sender: Sender?
    let text: String
    var message: Message?
    /// The bytes of the packet and their meaning. Empty if the note is not about a packet or nobody uses the parts.
    var parts: [Part] = []
    /// The bytes of the packet as they were sent. Empty if a page cannot decode them, or must not show some of them.
    var packet: [UInt8] = []
    /// The states of the connection before the packet.
    var states = PacketStates()
    /// The time since the request that the packet answers; nil if it answers none.
    var replyTime: Duration?

    init(_ text: String, of sender: Sender? = nil) { self.init(.note, text, of: sender) }

    init(_ kind: Kind, _ text: String, of sender: Sender? = nil) {
        self.kind = kind
        self.sender = sender
        self.text = text
    }

    var description: String { sender.map { "\($0): \(text)" } ?? text }
}
