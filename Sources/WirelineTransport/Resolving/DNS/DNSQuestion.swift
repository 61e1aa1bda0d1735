// SPDX-License-Identifier: Apache-2.0

/// What a DNS server is asked: the addresses of a name, of one family (RFC 1035 §4, RFC 3596). Bytes in, values out.
package struct DNSQuestion: Equatable, Sendable {
    package let name: DNSName
    package let family: AddressFamily

    package init(_ name: DNSName, _ family: AddressFamily) {
        self.name = name
        self.family = family
    }

    /// The number of the records that answer: AAAA or A.
    private var recordType: UInt16 { family == .ipv6 ? DNSRecordType.aaaa : DNSRecordType.a }

    /// The question as a message.
    ///
    ///     byte 0   number: tells its answer from others
    ///     byte 2   0x0100: look it up for me (RD)
    ///     byte 4   1 question, no answers, no authorities, nothing additional (2 bytes each)
    ///     byte 12  name, type (2 bytes), class (2 bytes): 1, the Internet
    package func query(number: UInt16) -> [UInt8] {
        let fields: [UInt16] = [number, 0x0100, 1, 0, 0, 0]
        return fields.flatMap(Self.bytes) + name.labels + [0] + Self.bytes(recordType) + Self.bytes(1)
    }

    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }

    /// Reads what a server has sent.
    ///
    /// - Throws: ``DNSError``, where that is no answer to this question; a forged one may be.
    package func reply(in message: [UInt8], number: UInt16) throws(DNSError) -> DNSReply {
        var reader = DNSReader(message)
        guard try reader.readInteger(as: UInt16.self) == number else { throw .mismatched }
        let flags = DNSFlags(rawValue: try reader.readInteger(as: UInt16.self))
        let questionCount = try reader.readInteger(as: UInt16.self)
        let answerCount = try reader.readInteger(as: UInt16.self)
        let authorityCount = try reader.readInteger(as: UInt16.self)
        _ = try reader.readInteger(as: UInt16.self)
        guard flags.contains(.response), flags.operation == 0 else { throw .mismatched }
        // Who refuses a question need not repeat it: to some servers the header is enough for that.
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
        // A server that neither looks names up for others nor has the name in its care only points to other servers.
        guard flags.contains(.looksUp) || flags.contains(.authoritative) else { return .notLookedUp }
        for _ in 0..<authorityCount { try records.read(&reader) }
        return .answer(ResolvedAddresses([], timeToLive: records.timeOfAbsence))
    }
}

/// What a server answers.
package enum DNSReply: Equatable, Sendable {
    /// The addresses; none where the name has none of this family.
    case answer(ResolvedAddresses)
    /// There is no such name (NXDOMAIN).
    case noSuchName
    /// The answer does not fit a datagram: it must be asked for over TCP.
    case truncated
    /// The server could not or would not, by its response code.
    case failed(code: UInt8)
    /// The server looks up no names for others.
    case notLookedUp
    /// What came over TCP is no answer, or names stand for one another in a circle.
    case unusable(DNSError)
}

extension DNSReply {
    /// What a response code means (RFC 1035 §4.1.1).
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

/// The second two bytes of a message.
private struct DNSFlags: OptionSet {
    let rawValue: UInt16

    static let response = DNSFlags(rawValue: 0x8000)
    static let authoritative = DNSFlags(rawValue: 0x0400)
    static let truncated = DNSFlags(rawValue: 0x0200)
    static let looksUp = DNSFlags(rawValue: 0x0080)

    var operation: UInt16 { rawValue >> 11 & 0xF }
    var code: UInt8 { UInt8(rawValue & 0xF) }
    /// Whether the server could not or would not answer. That there is no such name is an answer.
    var isFailure: Bool { code != 0 && code != 3 }
}
