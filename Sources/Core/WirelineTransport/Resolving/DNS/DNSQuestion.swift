// SPDX-License-Identifier: Apache-2.0

/// A DNS question: the addresses of a name, of one family (RFC 1035 §4, RFC 3596). It performs no I/O.
package struct DNSQuestion: Equatable, Sendable {
    package let name: DNSName
    package let family: AddressFamily

    package init(_ name: DNSName, _ family: AddressFamily) {
        self.name = name
        self.family = family
    }

    /// AAAA or A.
    private var recordType: UInt16 { family == .ipv6 ? DNSRecordType.aaaa : DNSRecordType.a }

    /// The question as a message.
    ///
    ///     byte 0   number: identifies the answer
    ///     byte 2   0x0100: recursion desired (RD)
    ///     byte 4   1 question, no answers, no authorities, nothing additional (2 bytes each)
    ///     byte 12  name, type (2 bytes), class (2 bytes): 1, the Internet
    package func query(number: UInt16) -> [UInt8] {
        let fields: [UInt16] = [number, 0x0100, 1, 0, 0, 0]
        return fields.flatMap(Self.bytes) + name.labels + [0] + Self.bytes(recordType) + Self.bytes(1)
    }

    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }

    /// Reads a server's message.
    ///
    /// - Throws: ``DNSError`` if it is not an answer to this question; a forged message may look like one.
    package func reply(in message: [UInt8], number: UInt16) throws(DNSError) -> DNSReply {
        var reader = DNSReader(message)
        guard try reader.readInteger(as: UInt16.self) == number else { throw .mismatched }
        let flags = DNSFlags(rawValue: try reader.readInteger(as: UInt16.self))
        let questionCount = try reader.readInteger(as: UInt16.self)
        let answerCount = try reader.readInteger(as: UInt16.self)
        let authorityCount = try reader.readInteger(as: UInt16.self)
        _ = try reader.readInteger(as: UInt16.self)
        guard flags.contains(.response), flags.operation == 0 else { throw .mismatched }
        // A refusal need not repeat the question: some servers send only the header.
        if questionCount == 0, flags.isFailure { return .failed(code: flags.code) }
        guard questionCount == 1 else { throw .mismatched }
        guard try reader.readName() == name, try reader.readInteger(as: UInt16.self) == recordType,
            try reader.readInteger(as: UInt16.self) == DNSRecordType.internet
        else { throw .mismatched }
        if flags.contains(.truncated) { return .truncated }
        switch flags.code {
        case 0: break
        case 3: return .noSuchName
        case let code: return .failed(code: code)
        }
        var records = DNSRecords()
        for _ in 0..<answerCount { try records.read(&reader) }
        if let answer = try records.answer(to: name, family) { return .answer(answer) }
        // A server that neither recurses nor is authoritative only refers to other servers.
        guard flags.contains(.looksUp) || flags.contains(.authoritative) else { return .notLookedUp }
        for _ in 0..<authorityCount { try records.read(&reader) }
        return .answer(ResolvedAddresses([], timeToLive: records.timeOfAbsence))
    }
}

package enum DNSReply: Equatable, Sendable {
    /// The addresses; none if the name has none of this family.
    case answer(ResolvedAddresses)
    /// There is no such name (NXDOMAIN).
    case noSuchName
    /// The answer does not fit a datagram: ask again over TCP.
    case truncated
    /// The server could not or would not answer; `code` is its response code.
    case failed(code: UInt8)
    /// The server does not look up names for others.
    case notLookedUp
    /// The message over TCP is not an answer, or aliases form a circle.
    case unusable(DNSError)
}

extension DNSReply {
    /// The meaning of a response code (RFC 1035 §4.1.1).
    static func meaning(ofCode code: UInt8) -> String {
        switch code {
        case 1: "it does not understand the question (FORMERR)"
        case 2: "it could not find out (SERVFAIL)"
        case 4: "it does not answer such questions (NOTIMP)"
        case 5: "it does not answer us (REFUSED)"
        default: "response code \(code)"
        }
    }
}

/// Bytes 2 and 3 of a message.
private struct DNSFlags: OptionSet {
    let rawValue: UInt16

    static let response = DNSFlags(rawValue: 0x8000)
    static let authoritative = DNSFlags(rawValue: 0x0400)
    static let truncated = DNSFlags(rawValue: 0x0200)
    static let looksUp = DNSFlags(rawValue: 0x0080)

    var operation: UInt16 { rawValue >> 11 & 0xF }
    var code: UInt8 { UInt8(rawValue & 0xF) }
    /// "No such name" is an answer.
    var isFailure: Bool { code != 0 && code != 3 }
}
