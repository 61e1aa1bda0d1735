// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A note about a connection, or about bytes that one side has sent.
struct TrafficNote: CustomStringConvertible, Sendable {
    enum Kind: String, Sendable {
        /// About the connection.
        case note
        case packet
        /// A packet that the schema does not know, or not from this side.
        case unknown
        /// Bytes that break the schema, or the error that ended the connection.
        case fault
    }

    /// Consecutive bytes of a packet.
    struct Part: Equatable, Sendable {
        let offset: Int
        /// A prefix in hexadecimal, a space, the other bytes; or a word if they are hidden.
        let digits: String
        let path: String
        let text: String
        /// Whether the packet breaks the schema here.
        var isFault = false
    }

    /// The message of a packet. It pairs requests and replies.
    struct Message: Equatable, Sendable {
        let name: String
        /// The packet's `@sequence` number, if its header has one.
        let sequence: UInt64?
    }

    let kind: Kind
    let sender: Sender?
    let text: String
    var message: Message?
    /// The bytes of the packet and their meaning; empty if the note is not about a packet, or nobody wants them.
    var parts: [Part] = []
    /// The packet as it was sent; empty if a page cannot decode it again, or must not show a part of it.
    var packet: [UInt8] = []
    /// The states of the connection before that packet.
    var states = PacketStates()
    /// The time since the packet that this one answers.
    var replyTime: Duration?

    init(_ text: String, of sender: Sender? = nil) { self.init(.note, text, of: sender) }

    init(_ kind: Kind, _ text: String, of sender: Sender? = nil) {
        self.kind = kind
        self.sender = sender
        self.text = text
    }

    var description: String { sender.map { "\($0): \(text)" } ?? text }
}
