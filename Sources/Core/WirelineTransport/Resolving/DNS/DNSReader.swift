// SPDX-License-Identifier: Apache-2.0

/// Why a message is not an answer to the question.
package enum DNSError: Error, Equatable, Sendable {
    /// The bytes at `offset` violate RFC 1035, or the message ends there.
    case malformed(offset: Int)
    /// It is not a response, or one to another question.
    case mismatched
    /// There are too many aliases, or they form a circle.
    case tooManyAliases
}

struct DNSReader {
    /// The largest number of pointers in a name; servers use one.
    private static let jumpLimit = 32

    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads an unsigned integer, most significant byte first.
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
    ///     11 offset (14 bits)    the name continues there (RFC 1035 §4.1.4)
    ///
    /// A pointer must lead to before the start of the current part, and a name has at most 255 bytes. So reading ends
    /// soon.
    mutating func readName() throws(DNSError) -> DNSName {
        var name = DNSName()
        var rest = DNSReader(bytes)
        rest.offset = offset
        var partStart = offset
        var jumpCount = 0
        /// Where reading continues after the name, once that is known.
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
