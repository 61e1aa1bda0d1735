// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// A TCP segment in a captured frame (RFC 9293 §3.1).
struct TCPSegment {
    struct Flags: OptionSet {
        let rawValue: UInt8
        static let finish = Flags(rawValue: 0x01)
        static let synchronize = Flags(rawValue: 0x02)
        static let reset = Flags(rawValue: 0x04)
        static let acknowledge = Flags(rawValue: 0x10)
    }

    let source: SocketAddress
    let target: SocketAddress
    let sequence: UInt32
    /// The next sequence number that the sender expects; nil without the `ACK` flag.
    let acknowledgement: UInt32?
    let flags: Flags
    let payload: [UInt8]
    /// The number of bytes at the end that were sent but not captured.
    let lostByteCount: Int
}

/// The content of a captured frame.
enum FrameContent {
    case segment(TCPSegment)
    /// A fragment of an IP packet with TCP. Fragments are not reassembled.
    case fragment
    /// A header is incomplete, or a length in it is impossible.
    case malformed
    case other
    /// The link type is not supported.
    case unknownLink

    init(_ frame: CapturedFrame) {
        var parser = FrameParser(bytes: frame.bytes[...])
        self = parser.content(linkType: frame.linkType)
    }
}

/// Parses the headers of a frame, from the outermost one to TCP.
private struct FrameParser {
    /// The bytes after the headers parsed so far.
    var bytes: ArraySlice<UInt8>

    private enum LinkType {
        static let null: UInt16 = 0
        static let ethernet: UInt16 = 1
        static let loop: UInt16 = 108
        static let cooked: UInt16 = 113
        static let cooked2: UInt16 = 276
        /// Frames that begin with an IP header. Systems write different numbers for this kind.
        static let plain: Set<UInt16> = [12, 14, 101, 228, 229]
    }

    private enum EtherType {
        static let ipv4: UInt16 = 0x0800
        static let ipv6: UInt16 = 0x86DD
        /// The tags of virtual networks: IEEE 802.1Q, 802.1ad, and the predecessor of 802.1ad.
        static let tags: Set<UInt16> = [0x8100, 0x88A8, 0x9100]
    }

    private static let tcp: UInt8 = 6

    mutating func content(linkType: UInt16) -> FrameContent {
        switch linkType {
        case LinkType.ethernet: etherType(at: 12, headerByteCount: 14)
        case LinkType.cooked: etherType(at: 14, headerByteCount: 16)
        case LinkType.cooked2: etherType(at: 0, headerByteCount: 20)
        // Systems use different numbers for an address family, so the version in the IP header decides.
        case LinkType.null, LinkType.loop: take(4) == nil ? .malformed : ip()
        case _ where LinkType.plain.contains(linkType): ip()
        default: .unknownLink
        }
    }

    // MARK: Links

    private mutating func etherType(at index: Int, headerByteCount: Int) -> FrameContent {
        guard let header = take(headerByteCount), var type = Self.number(header, at: index) else { return .malformed }
        while EtherType.tags.contains(type) {
            guard let tag = take(4), let next = Self.number(tag, at: 2) else { return .malformed }
            type = next
        }
        return type == EtherType.ipv4 || type == EtherType.ipv6 ? ip() : .other
    }

    // MARK: IP

    private mutating func ip() -> FrameContent {
        switch bytes.first.map({ $0 >> 4 }) {
        case 4: ipv4()
        case 6: ipv6()
        default: .malformed
        }
    }

    /// RFC 791 §3.1.
    private mutating func ipv4() -> FrameContent {
        let headerByteCount = Int((bytes.first ?? 0) & 15) * 4
        guard headerByteCount >= 20, let header = take(headerByteCount), let total = Self.number(header, at: 2),
            let fragment = Self.number(header, at: 6)
        else { return .malformed }
        guard byte(header, at: 9) == Self.tcp else { return .other }
        // More fragments follow, or this is not the first one.
        guard fragment & 0x3FFF == 0 else { return .fragment }
        // The length is 0 if the network card splits the packet.
        guard let lost = trim(to: total == 0 ? bytes.count : Int(total) - headerByteCount) else { return .malformed }
        return tcp(from: slice(header, 12, 4), to: slice(header, 16, 4), lostByteCount: lost)
    }

    /// RFC 8200 §3 and §4.
    private mutating func ipv6() -> FrameContent {
        guard let header = take(40), let length = Self.number(header, at: 4) else { return .malformed }
        guard let lost = trim(to: length == 0 ? bytes.count : Int(length)) else { return .malformed }
        var next = byte(header, at: 6)
        while next != Self.tcp {
            guard let first = bytes.first, let second = bytes.dropFirst().first else { return .malformed }
            let byteCount: Int
            switch next {
            // The extension headers: hop-by-hop and destination options, routing, mobility, host identity, and shim6.
            case 0, 43, 60, 135, 139, 140: byteCount = 8 * (Int(second) + 1)
            // The authentication header counts in words of 4 bytes (RFC 4302).
            case 51: byteCount = 4 * (Int(second) + 2)
            case 44:
                guard let fragment = Self.number(bytes, at: 2) else { return .malformed }
                guard fragment & 0xFFF9 == 0 else { return first == Self.tcp ? .fragment : .other }
                byteCount = 8
            default: return .other
            }
            guard take(byteCount) != nil else { return .malformed }
            next = first
        }
        return tcp(from: slice(header, 8, 16), to: slice(header, 24, 16), lostByteCount: lost)
    }

    // MARK: TCP

    private mutating func tcp(from source: [UInt8], to target: [UInt8], lostByteCount: Int) -> FrameContent {
        guard let fixed = take(20), let sourcePort = Self.number(fixed, at: 0),
            let targetPort = Self.number(fixed, at: 2),
            let source = SocketAddress(bytes: source, port: sourcePort),
            let target = SocketAddress(bytes: target, port: targetPort)
        else { return .malformed }
        let headerByteCount = Int(byte(fixed, at: 12) >> 4) * 4
        guard headerByteCount >= 20, take(headerByteCount - 20) != nil else { return .malformed }
        let flags = TCPSegment.Flags(rawValue: byte(fixed, at: 13))
        return .segment(
            TCPSegment(
                source: source, target: target, sequence: Self.longNumber(fixed, at: 4),
                acknowledgement: flags.contains(.acknowledge) ? Self.longNumber(fixed, at: 8) : nil, flags: flags,
                payload: Array(bytes), lostByteCount: lostByteCount))
    }

    // MARK: Bytes

    /// Returns nil if fewer bytes are left.
    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard bytes.count >= count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    /// Removes bytes after the packet, such as padding. Returns the number of the packet's bytes that were not
    /// captured.
    private mutating func trim(to count: Int) -> Int? {
        guard count >= 0 else { return nil }
        bytes = bytes.prefix(count)
        return count - bytes.count
    }

    private func slice(_ header: ArraySlice<UInt8>, _ start: Int, _ count: Int) -> [UInt8] {
        Array(header.dropFirst(start).prefix(count))
    }

    private func byte(_ header: ArraySlice<UInt8>, at index: Int) -> UInt8 { header.dropFirst(index).first ?? 0 }

    private static func number(_ bytes: ArraySlice<UInt8>, at index: Int) -> UInt16? {
        let two = bytes.dropFirst(index).prefix(2)
        return two.count == 2 ? two.reduce(0) { $0 << 8 | UInt16($1) } : nil
    }

    private static func longNumber(_ bytes: ArraySlice<UInt8>, at index: Int) -> UInt32 {
        bytes.dropFirst(index).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
}
