// SPDX-License-Identifier: Apache-2.0

/// Why a datagram or a stream's message is no answer to a question.
package enum DNSError: Error, Equatable, Sendable {
    /// What stands at `offset` is not what RFC 1035 says, or the message ends there.
    case malformed(offset: Int)
    /// It is no response, or one to another question.
    case mismatched
    /// Names stand for names for too long, or in a circle.
    case tooManyAliases
}

/// Reads a DNS message from its beginning.
struct DNSReader {
    /// How often a name may go on elsewhere: in the messages of servers it does so once.
    private static let jumpLimit = 32

    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Takes bytes as a number, the most significant first.
    mutating func readInteger<Number: FixedWidthInteger>(as type: Number.Type) throws(DNSError) -> Number {
        try readBytes(MemoryLayout<Number>.size).reduce(0) { $0 << 8 | Number($1) }
    }

    mutating func readBytes(_ byteCount: Int) throws(DNSError) -> ArraySlice<UInt8> {
        guard byteCount <= bytes.count - offset else { throw .malformed(offset: bytes.count) }
        defer { offset += byteCount }
        return bytes[offset..<(offset + byteCount)]
    }

    /// Reads a name.
    ///
    ///     length  label …        0: the end
    ///     11 offset (14 bits)    the rest stands there (RFC 1035 §4.1.4)
    ///
    /// The rest of a name may only stand in front of where the part before it begins, and a name is never longer than
    /// 255 bytes: following it comes to an end, and soon.
    mutating func readName() throws(DNSError) -> DNSName {
        var name = DNSName()
        var rest = DNSReader(bytes)
        rest.offset = offset
        var partStart = offset
        var jumpCount = 0
        /// Where reading goes on behind the name, once that is known.
        var next: Int?
        while true {
            let start = rest.offset
            let length = Int(try rest.readInteger(as: UInt8.self))
            switch length >> 6 {
            case 0:
                guard length > 0 else {
                    offset = next ?? rest.offset
                    return name
                }
                guard name.append(try rest.readBytes(length)) else { throw .malformed(offset: start) }
            case 3:
                let target = (length & 0x3F) << 8 | Int(try rest.readInteger(as: UInt8.self))
                jumpCount += 1
                guard target < partStart, jumpCount <= Self.jumpLimit else { throw .malformed(offset: start) }
                next = next ?? rest.offset
                partStart = target
                rest.offset = target
            default: throw .malformed(offset: start)
            }
        }
    }
}
