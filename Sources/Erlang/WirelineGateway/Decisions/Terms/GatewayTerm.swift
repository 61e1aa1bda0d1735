// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// A client's message as the bytes of a term, without a version byte.
package struct MessageTerm: Equatable, Sendable {
    /// The record, or `{unknown, Id, Payload}`.
    package let term: [UInt8]
    /// The map of the header fields that a sender can set; nil if there are none.
    package let header: [UInt8]?

    package init(term: [UInt8], header: [UInt8]? = nil) {
        self.term = term
        self.header = header
    }

    /// The bytes that count for limits.
    package var byteCount: Int { term.count + (header?.count ?? 0) }
}

/// A message of the gateway to a process.
package enum GatewayTerm: Equatable, Sendable {
    /// `{wireline, open, Client, Info}`.
    case open(ErlangPID, ClientSnapshot)
    /// `{wireline, resume, Client, Info}`.
    case resume(ErlangPID, ClientSnapshot)
    /// `{wireline, Client, Message}`. With a number or a header, `Meta` follows.
    case message(ErlangPID, MessageTerm, number: UInt64?)
    /// `{wireline, close, Client, Reason}`.
    case close(ErlangPID, reason: ErlangTerm)
    /// `{wireline, error, Client, Error}`.
    case error(ErlangPID, ErlangTerm)
    /// `{wireline, drain, Node, Milliseconds}`.
    case drain(ErlangAtom, milliseconds: Int64)

    /// The bytes of the term, without a version byte.
    ///
    /// - Throws: ``ErlangError`` if a process gave a reason that cannot be written.
    package func content(limits: ErlangTermLimits = ErlangTermLimits()) throws(ErlangError) -> [UInt8] {
        let term: ErlangTerm
        switch self {
        case .open(let client, let info):
            term = .tuple("wireline", "open", .pid(client), .map(info.term))
        case .resume(let client, let info):
            term = .tuple("wireline", "resume", .pid(client), .map(info.term))
        case .close(let client, let reason):
            term = .tuple("wireline", "close", .pid(client), reason)
        case .error(let client, let error):
            term = .tuple("wireline", "error", .pid(client), error)
        case .drain(let node, let milliseconds):
            term = .tuple("wireline", "drain", .atom(node), .integer(milliseconds))
        case .message(let client, let message, let number):
            return try Self.content(client, message, number)
        }
        return try term.content(limits: limits)
    }

    private static let wireline = ErlangTermWriter.encoded(atom: "wireline")
    private static let number = ErlangTermWriter.encoded(atom: "number")
    private static let header = ErlangTermWriter.encoded(atom: "header")
    /// An upper bound for the bytes around nearly all messages.
    static let headByteCount = 96

    /// The message's own bytes are copied without reading them.
    private static func content(
        _ client: ErlangPID, _ message: MessageTerm, _ number: UInt64?
    ) throws(ErlangError) -> [UInt8] {
        let metaCount = (number == nil ? 0 : 1) + (message.header == nil ? 0 : 1)
        var writer = ErlangTermWriter()
        writer.reserve(message.byteCount + headByteCount)
        writer.writeTuple(count: metaCount == 0 ? 3 : 4)
        writer.writeEncoded(wireline)
        try writer.write(.pid(client))
        writer.writeEncoded(message.term)
        guard metaCount > 0 else { return writer.bytes }
        writer.writeMap(count: metaCount)
        if let number {
            writer.writeEncoded(Self.number)
            writer.writeUnsigned(number)
        }
        if let header = message.header {
            writer.writeEncoded(Self.header)
            writer.writeEncoded(header)
        }
        return writer.bytes
    }
}
