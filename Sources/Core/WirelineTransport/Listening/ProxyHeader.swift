// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A proxy's data about a connection that it passes on.
///
/// Source: HAProxy's "The PROXY protocol, Versions 1 & 2" (proxy-protocol.txt, Willy Tarreau).
package struct ProxyHeader: Equatable, Sendable {
    /// The address of the client. nil: the proxy speaks for itself, as in a health check (`LOCAL`), or does not know it
    /// (`UNKNOWN`, `AF_UNSPEC`).
    package var source: SocketAddress?
    /// The address that the client connected to; nil as ``source``.
    package var destination: SocketAddress?

    package init(source: SocketAddress? = nil, destination: SocketAddress? = nil) {
        self.source = source
        self.destination = destination
    }
}

/// Reads a header of the PROXY protocol, version 1 or 2, from bytes that are cut anywhere.
///
/// It never asks for a byte after the header. So the bytes after it, such as TLS, stay in the system.
package struct ProxyHeaderParser: Sendable {
    /// The longest line of version 1, its end included.
    private static let lineLimit = 107
    /// The shortest header of both versions: version 1 has the line `PROXY UNKNOWN`.
    private static let leastByteCount = 15
    /// The first bytes of version 2, up to and including the length of the other bytes.
    private static let fixedByteCount = 16
    private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    private static let word = Array("PROXY ".utf8)

    private var bytes: [UInt8] = []
    private var failure: ProxyHeaderError?
    private let byteCountLimit: Int

    /// - Parameter byteCountLimit: The most bytes of a header of version 2; a line of version 1 has at most 107.
    package init(byteCountLimit: Int) {
        self.byteCountLimit = byteCountLimit
    }

    // MARK: Bytes

    /// The fewest missing bytes; never more than the header has. 0: the header is complete.
    package var neededByteCount: Int {
        guard bytes.count >= Self.leastByteCount else { return Self.leastByteCount - bytes.count }
        guard bytes[0] == Self.signature[0] else { return neededLineByteCount }
        guard bytes.count >= Self.fixedByteCount else { return Self.fixedByteCount - bytes.count }
        return wholeByteCount - bytes.count
    }

    /// The byte count of a header of version 2; its first 16 bytes must be there.
    private var wholeByteCount: Int { Self.fixedByteCount + number(at: 14) }

    private func number(at offset: Int) -> Int { Int(bytes[offset]) << 8 | Int(bytes[offset + 1]) }

    /// Whether the line gives the client as unknown; any text may follow.
    private var isUnknown: Bool { bytes.starts(with: Array("PROXY UNKNOWN".utf8)) }

    private var neededLineByteCount: Int {
        if bytes.suffix(2) == [0x0D, 0x0A] { return 0 }
        if bytes.last == 0x0D { return 1 }
        // Each missing word takes at least a space and a character, and the line has its end.
        let missing = isUnknown ? 0 : max(0, 5 - bytes.count { $0 == UInt8(ascii: " ") })
        return 2 * missing + 2
    }

    /// Takes bytes from the proxy.
    ///
    /// - Parameter new: At most ``neededByteCount`` bytes.
    /// - Returns: The header, if it is complete; nil: more bytes are needed.
    /// - Throws: The header's fault, as soon as it shows. Later calls throw the same.
    package mutating func receive(_ new: RawSpan) throws(ProxyHeaderError) -> ProxyHeader? {
        precondition(new.byteCount <= neededByteCount, "these bytes belong to what follows the header")
        if let failure { throw failure }
        // SAFETY: the bytes are only copied.
        bytes += unsafe new.withUnsafeBytes { unsafe [UInt8]($0) }
        do throws(ProxyHeaderError) {
            return try header()
        } catch {
            failure = error
            throw error
        }
    }

    private func header() throws(ProxyHeaderError) -> ProxyHeader? {
        guard let first = bytes.first else { return nil }
        guard first == Self.signature[0] else {
            guard zip(bytes, Self.word).allSatisfy({ $0 == $1 }) else { throw .missing }
            return try line()
        }
        guard zip(bytes, Self.signature).allSatisfy({ $0 == $1 }) else { throw .missing }
        guard bytes.count >= Self.fixedByteCount else { return nil }
        return try binary()
    }

    // MARK: Version 1

    private func line() throws(ProxyHeaderError) -> ProxyHeader? {
        guard neededByteCount == 0 else {
            // The line has fewer words than the parser expected.
            guard isUnknown || !bytes.contains(0x0A) else { throw .malformedLine }
            guard bytes.count + neededByteCount <= Self.lineLimit else { throw .lineTooLong }
            return nil
        }
        // Bytes, because a space and a combining mark after it are one character.
        let words = bytes.dropLast(2).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        let family: AddressFamily
        switch Array(words[1]) {
        // The protocol ignores the text after `UNKNOWN`.
        case Array("UNKNOWN".utf8): return ProxyHeader()
        case Array("TCP4".utf8): family = .ipv4
        case Array("TCP6".utf8): family = .ipv6
        default: throw .malformedLine
        }
        guard words.count == 6, let source = Self.address(words[2], words[4], family),
            let destination = Self.address(words[3], words[5], family)
        else { throw .malformedLine }
        return ProxyHeader(source: source, destination: destination)
    }

    private static func address(
        _ text: ArraySlice<UInt8>, _ port: ArraySlice<UInt8>, _ family: AddressFamily
    ) -> SocketAddress? {
        // A port has no sign and no zeros before it.
        guard let number = UInt16(String(decoding: port, as: UTF8.self)), port.elementsEqual("\(number)".utf8),
            let address = try? SocketAddress(ipAddress: String(decoding: text, as: UTF8.self), port: number),
            address.addressFamily == family
        else { return nil }
        return address
    }

    // MARK: Version 2

    private func binary() throws(ProxyHeaderError) -> ProxyHeader? {
        let (version, command) = (bytes[12] >> 4, bytes[12] & 0x0F)
        guard version == 2 else { throw .unknownVersion(version) }
        guard command <= 1 else { throw .unknownCommand(command) }
        guard wholeByteCount <= byteCountLimit else { throw .tooLong(byteCount: wholeByteCount, limit: byteCountLimit) }
        let addressByteCount: Int
        switch bytes[13] {
        // LOCAL has an arbitrary family; the protocol ignores it.
        case _ where command == 0, 0x00: addressByteCount = 0
        case 0x11, 0x12: addressByteCount = 12
        case 0x21, 0x22: addressByteCount = 36
        case 0x31, 0x32: addressByteCount = 216
        case let family: throw .unknownFamily(family)
        }
        guard Self.fixedByteCount + addressByteCount <= wholeByteCount else { throw .missingAddresses }
        guard bytes.count == wholeByteCount else { return nil }
        // The bytes after LOCAL or AF_UNSPEC have no known form.
        guard addressByteCount > 0 else { return ProxyHeader() }
        try checkFields(from: Self.fixedByteCount + addressByteCount)
        let addresses = bytes[Self.fixedByteCount..<Self.fixedByteCount + addressByteCount]
        guard addressByteCount < 216 else {
            return ProxyHeader(
                source: SocketAddress(unixName: addresses.prefix(108)),
                destination: SocketAddress(unixName: addresses.suffix(108)))
        }
        let width = addressByteCount == 12 ? 4 : 16
        return ProxyHeader(
            source: SocketAddress(
                bytes: Array(addresses.prefix(width)), port: UInt16(number(at: addresses.endIndex - 4))),
            destination: SocketAddress(
                bytes: Array(addresses.dropFirst(width).prefix(width)),
                port: UInt16(number(at: addresses.endIndex - 2))))
    }

    /// `PP2_TYPE_CRC32C`.
    private static let checksumType: UInt8 = 0x03

    /// Checks that the fields after the addresses fill the header, and verifies the checksum if there is one.
    ///
    /// A field is a byte for its type, two for its length, and its value.
    private func checkFields(from start: Int) throws(ProxyHeaderError) {
        var offset = start
        while offset < bytes.count {
            guard offset + 3 <= bytes.count, offset + 3 + number(at: offset + 1) <= bytes.count else {
                throw .malformedField(offset: offset)
            }
            let value = offset + 3..<offset + 3 + number(at: offset + 1)
            if bytes[offset] == Self.checksumType {
                guard value.count == 4 else { throw .malformedField(offset: offset) }
                var zeroed = bytes
                for index in value { zeroed[index] = 0 }
                let expected = bytes[value].reduce(0) { $0 << 8 | UInt32($1) }
                // The PROXY protocol §2.2.4: CRC-32C of the header, with zeros for the checksum itself.
                guard ChecksumKind.crc32c.checksum(of: zeroed.rawSpan) == expected else { throw .wrongChecksum }
            }
            offset = value.upperBound
        }
    }
}
