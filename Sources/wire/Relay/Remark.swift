// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A remark about a connection, or about what one side has sent.
struct Remark: CustomStringConvertible, Sendable {
    enum Kind: String, Sendable {
        /// About the connection.
        case note
        case packet
        /// A packet that the schema does not know, or not from this side.
        case unknown
        /// Something that breaks the schema, or ended the connection.
        case fault
    }

    /// A run of a packet's bytes.
    struct Part: Equatable, Sendable {
        let offset: Int
        /// The bytes in hexadecimal: a prefix, a space, the other bytes; or a word if they are hidden.
        let digits: String
        let path: String
        let text: String
        /// Whether the packet breaks the schema here.
        var isFault = false
    }

    /// The message of a packet, by which requests and replies find each other.
    struct Message: Equatable, Sendable {
        let name: String
        /// The packet's `@sequence` number, if its header has one.
        let sequence: UInt64?
    }

    let kind: Kind
    let sender: Sender?
    let text: String
    var message: Message?
    /// The packet's bytes and their meaning, if the remark is about a packet and somebody may want to see them.
    var parts: [Part] = []
    /// The packet as it was sent; empty if a page cannot decode it again, or must not show a part of it.
    var packet: [UInt8] = []
    /// The states of the connection before that packet.
    var states = PacketStates()
    /// The time since the packet that this one answers.
    var replyTime: Duration?

    /// Makes a note.
    init(_ text: String, of sender: Sender? = nil) { self.init(.note, text, of: sender) }

    init(_ kind: Kind, _ text: String, of sender: Sender? = nil) {
        self.kind = kind
        self.sender = sender
        self.text = text
    }

    var description: String { sender.map { "\($0): \(text)" } ?? text }
}
