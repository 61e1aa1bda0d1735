// SPDX-License-Identifier: Apache-2.0

/// A term, a text or a message that is refused.
@nonexhaustive
public enum ErlangError: Error, Equatable, Sendable {
    // MARK: Terms that are read

    /// `needed` bytes were wanted at `offset`, `available` were left.
    case truncated(needed: Int, available: Int, offset: Int)
    /// The bytes at `offset` are not a term.
    case invalidTerm(ErlangTermFault, offset: Int)
    /// The term at `offset` is nested more deeply than this.
    case tooDeep(limit: Int, offset: Int)
    /// The term has more parts than this; `offset` is the position of the first part too many.
    case tooManyTerms(limit: Int, offset: Int)
    /// The integer at `offset` has more bytes than this.
    case integerTooLong(limit: Int, offset: Int)
    /// The term has more bytes than this, or a compressed one would have.
    case termTooLong(limit: Int)

    // MARK: Terms that are written

    /// The term cannot be written, because Erlang would refuse it.
    case unwritableTerm(ErlangTermFault)
    /// The term to write is nested more deeply than this.
    case unwritableDepth(limit: Int)

    // MARK: Text

    /// The text is not a term in Erlang's syntax; `offset` is the position of the fault, in bytes of UTF-8.
    case invalidText(ErlangTextFault, offset: Int)

    // MARK: Nodes

    /// epmd answered with something else than its protocol allows.
    case invalidAnswer(EPMDFault)
    /// The handshake with another node failed.
    case handshake(ErlangHandshakeFault)
    /// A connected node broke the protocol, or a message to it would.
    case distribution(ErlangDistributionFault)
}

extension ErlangError {
    /// Where the fault is, in bytes from the beginning; nil if it is in no bytes.
    public var offset: Int? {
        switch self {
        case .truncated(_, _, let offset), .invalidTerm(_, let offset), .tooDeep(_, let offset),
            .tooManyTerms(_, let offset), .integerTooLong(_, let offset), .invalidText(_, let offset):
            offset
        case .termTooLong, .unwritableTerm, .unwritableDepth, .invalidAnswer, .handshake, .distribution: nil
        }
    }
}

/// Why bytes are not a term, or why a term cannot be written.
public enum ErlangTermFault: Equatable, Sendable {
    /// The first byte is not 131, the version of the format.
    case version(UInt8)
    /// The byte is not the tag of any term that travels between nodes.
    case unknownTag(UInt8)
    /// An atom is expected here, such as the node of a process, and another tag stands here.
    case notAnAtom(UInt8)
    /// An atom has more than 255 characters.
    case atomTooLong
    /// An atom is not UTF-8.
    case invalidUTF8
    /// A float is a NaN or infinite; Erlang has neither.
    case notFinite
    /// A float in the old format, which is text, is not a number.
    case floatText
    /// The last byte of a bit string has more than 8 bits, or 0.
    case bitCount(UInt8)
    /// A reference has no word, or more than 5.
    case wordCount(Int)
    /// A map has the same key twice.
    case duplicateKey
    /// A number in a function's description is out of range.
    case function
    /// A compressed term came, but this reader accepts none.
    case compressed
    /// A compressed term is damaged, or has another number of bytes than it announces.
    case damagedCompression
    /// So many bytes stand after the term.
    case trailingBytes(Int)
}

/// Why a text is not a term.
public enum ErlangTextFault: Equatable, Sendable {
    /// The text ends inside a term.
    case incomplete
    /// Another character is expected here.
    case unexpectedCharacter
    /// A variable, which only a program has.
    case variable
    /// A word of the language, such as `end`, which is an atom only in quotes.
    case reservedWord
    /// A number is not written as Erlang writes one, or is too large.
    case number
    /// An escape in a quoted text is not one of Erlang's.
    case escape
    /// An atom has more than 255 characters.
    case atomTooLong
    /// A part of a binary does not fit: its value, its size or its type.
    case segment
    /// A map has the same key twice.
    case duplicateKey
    /// Terms are nested more deeply than this reader goes.
    case tooDeep
    /// A function that a module does not export, which cannot be written as text.
    case function
    /// Text stands after the term.
    case trailingText
}

/// How epmd's answer is wrong.
public enum EPMDFault: Equatable, Sendable {
    /// The answer begins with this byte, which is that of another answer.
    case tag(UInt8)
    /// The connection ended before the answer was complete.
    case truncated
    /// The answer has more bytes than this.
    case tooLong(limit: Int)
    /// Bytes follow the answer.
    case trailingBytes
    /// A line of the list of names is not `name NAME at port PORT`.
    case line
    /// The port is 0.
    case port
}

/// Why a handshake between nodes failed.
public enum ErlangHandshakeFault: Equatable, Sendable {
    /// The connection ended after our proof: the other node has another cookie.
    case cookieRefused
    /// The other node's proof is wrong: it has another cookie.
    case wrongCookie
    /// The connection ended before the handshake did.
    case ended
    /// The other node does not allow the connection, or lacks what we need.
    case notAllowed
    /// Both nodes have begun to connect, and the other node's connection is the one that stays.
    case simultaneous
    /// A connection to the other node is up already, and we chose to keep it.
    case alive
    /// The answer has another status than a node's.
    case status
    /// The other node speaks TLS (`-proto_dist inet_tls`), and we do not.
    case tls
    /// A message is longer than any that a node sends.
    case tooLong(limit: Int)
    /// A message is none that a node sends at this point.
    case malformed
    /// The other node's name is none that a node may have.
    case name
    /// The other node has our own name.
    case ownName
    /// The node that answered is not the one that we wanted.
    case otherNode
    /// The other node lacks these flags, which we need.
    case missingFlags(UInt64)
    /// The other node's creation is 0.
    case creation
}

/// How a connected node broke the protocol.
public enum ErlangDistributionFault: Equatable, Sendable {
    /// A packet has more bytes than this.
    case packetTooLong(limit: Int)
    /// A packet begins with this byte, which is not that of the agreed form.
    case header(UInt8)
    /// A packet refers to an atom cache, which was not agreed.
    case atomCache
    /// A fragment is out of order: sequence or count 0, a gap, a second beginning, or the continuation of nothing.
    case fragment
    /// More messages than this wait for fragments.
    case tooManyFragmentedMessages(limit: Int)
    /// All messages that wait for fragments have more bytes than this.
    case fragmentsTooLong(limit: Int)
    /// A control message is none that nodes send.
    case control
    /// The sender is a process of another node than the one that speaks.
    case foreignSender
    /// The receiver is a process of another node than the connected one.
    case foreignReceiver
    /// What was sent to a process group is none of pg's messages.
    case processGroup
}
