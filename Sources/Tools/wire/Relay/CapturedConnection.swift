// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineTransport

/// A connection as TCP packets (RFC 9293), as if the client and the server were connected without a proxy.
///
/// The packets have the addresses of the client and the server. A Unix domain socket gets a port of 127.0.0.1.
struct CapturedConnection {
    private struct Flags: OptionSet {
        let rawValue: UInt16
        static let finish = Flags(rawValue: 0x01)
        static let synchronize = Flags(rawValue: 0x02)
        static let reset = Flags(rawValue: 0x04)
        static let push = Flags(rawValue: 0x08)
        static let acknowledge = Flags(rawValue: 0x10)
    }

    /// The largest payload of a packet, in bytes. With both headers, the packet is below the limit of 65,535.
    private static let mostBytes = 65_000

    private let file: CaptureFile
    private let addresses: [Sender: SocketAddress]
    private var positions: [Sender: UInt32] = [.client: 1_000, .server: 2_000]
    private var counter: UInt16 = 0

    init(_ file: CaptureFile, client: SocketAddress, server: SocketAddress) {
        self.file = file
        addresses = [.client: Self.ipAddress(of: client), .server: Self.ipAddress(of: server)]
    }

    /// Returns the IP address of a socket. Each Unix domain socket gets its own port, so that connections differ.
    private static func ipAddress(of address: SocketAddress) -> SocketAddress {
        guard address.unixPath != nil else { return address }
        return .loopback(port: 49_152 + UInt16(ConnectionIDs.next() % 16_384))
    }

    /// Adds the TCP handshake.
    mutating func opened() {
        add(from: .client, .synchronize)
        add(from: .server, [.synchronize, .acknowledge])
        add(from: .client, .acknowledge)
    }

    mutating func sent(_ bytes: [UInt8], by sender: Sender) {
        var rest = bytes[...]
        while !rest.isEmpty {
            add(from: sender, [.push, .acknowledge], Array(rest.prefix(Self.mostBytes)))
            rest = rest.dropFirst(Self.mostBytes)
        }
    }

    mutating func ended(by sender: Sender) {
        add(from: sender, [.finish, .acknowledge])
        add(from: sender.peer, .acknowledge)
    }

    mutating func reset(by sender: Sender) { add(from: sender, [.reset, .acknowledge]) }

    private mutating func add(from sender: Sender, _ flags: Flags, _ payload: [UInt8] = []) {
        guard let source = addresses[sender], let target = addresses[sender.peer] else { return }
        let isFirst = flags == .synchronize
        var segment = CaptureBytes()
        segment.add(big: source.port, target.port)
        segment.add(big: positions[sender] ?? 0, isFirst ? 0 : positions[sender.peer] ?? 0)
        // The header has five words. The window is the largest, the checksum is set later, and no data is urgent.
        segment.add(big: 0x5000 | flags.rawValue, UInt16.max, 0, 0)
        segment.bytes += payload
        let takesNumber = flags.contains(.synchronize) || flags.contains(.finish)
        positions[sender, default: 0] &+= UInt32(payload.count) + (takesNumber ? 1 : 0)
        counter &+= 1
        file.add(IPPacket(from: source, to: target, number: counter, segment.bytes).bytes)
    }
}

/// An IP packet with a TCP segment. It is IPv4 (RFC 791), or IPv6 (RFC 8200) if one of the addresses is.
private struct IPPacket {
    let bytes: [UInt8]

    private static let tcp: UInt16 = 6

    init(from source: SocketAddress, to target: SocketAddress, number: UInt16, _ segment: [UInt8]) {
        let isIPv4 = source.addressFamily == .ipv4 && target.addressFamily == .ipv4
        let addresses =
            isIPv4 ? source.bytes + target.bytes : Self.wide(source.bytes) + Self.wide(target.bytes)
        // The checksum also covers the addresses and the length (RFC 9293 §3.1, RFC 8200 §8.1).
        var covered = CaptureBytes(bytes: addresses)
        covered.add(big: UInt32(segment.count), UInt32(Self.tcp))
        var segment = segment
        Self.put(Self.checksum(covered.bytes + segment), into: &segment, at: 16)
        var header = CaptureBytes()
        if isIPv4 {
            header.add(big: 0x4500, UInt16(20 + segment.count), number, 0x4000, 64 << 8 | Self.tcp, 0)
            header.bytes += addresses
            Self.put(Self.checksum(header.bytes), into: &header.bytes, at: 10)
        } else {
            header.add(big: 0x6000, 0, UInt16(segment.count), Self.tcp << 8 | 64)
            header.bytes += addresses
        }
        bytes = header.bytes + segment
    }

    /// Returns an IPv4 address as an IPv6 address (RFC 4291 §2.5.5.2).
    private static func wide(_ address: [UInt8]) -> [UInt8] {
        address.count == 4 ? Array(repeating: 0, count: 10) + [0xFF, 0xFF] + address : address
    }

    private static func put(_ number: UInt16, into bytes: inout [UInt8], at offset: Int) {
        bytes[offset] = UInt8(number >> 8)
        bytes[offset + 1] = UInt8(truncatingIfNeeded: number)
    }

    /// The internet checksum (RFC 1071).
    private static func checksum(_ bytes: [UInt8]) -> UInt16 {
        var sum: UInt32 = 0
        for index in stride(from: 0, to: bytes.count, by: 2) {
            sum &+= UInt32(bytes[index]) << 8 | (index + 1 < bytes.count ? UInt32(bytes[index + 1]) : 0)
        }
        while sum > 0xFFFF { sum = sum & 0xFFFF + sum >> 16 }
        return ~UInt16(sum)
    }
}
