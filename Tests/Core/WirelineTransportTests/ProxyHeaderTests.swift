// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineTransport

/// Headers of the PROXY protocol, whole, byte by byte and cut anywhere.
struct ProxyHeaderTests {
    /// What a parser has made of a stream.
    private struct Reading: Equatable {
        var outcome: Result<ProxyHeader, ProxyHeaderError>?
        /// How many bytes it has taken.
        var byteCount = 0
    }

    private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    /// The client's own bytes.
    private static let rest = Array("PROXY of the client\r\n".utf8)
    private static let limit = 1_024

    private static func read(_ bytes: [UInt8], arrivingAt ends: [Int]) -> Reading {
        var parser = ProxyHeaderParser(byteCountLimit: limit)
        var reading = Reading()
        for end in ends {
            while reading.outcome == nil, reading.byteCount < end {
                let count = min(parser.neededByteCount, end - reading.byteCount)
                let piece = Array(bytes[reading.byteCount..<reading.byteCount + count])
                reading.byteCount += count
                do throws(ProxyHeaderError) {
                    reading.outcome = try parser.receive(piece.span.bytes).map { .success($0) }
                } catch {
                    reading.outcome = .failure(error)
                }
            }
        }
        return reading
    }

    /// Reads a stream whole, byte by byte, and in two parts, and expects the same each time.
    private func outcome(of header: [UInt8]) -> Result<ProxyHeader, ProxyHeaderError>? {
        let bytes = header + Self.rest
        let whole = Self.read(bytes, arrivingAt: [bytes.count])
        #expect(Self.read(bytes, arrivingAt: Array(1...bytes.count)).outcome == whole.outcome)
        for cut in 1..<bytes.count {
            #expect(Self.read(bytes, arrivingAt: [cut, bytes.count]).outcome == whole.outcome)
        }
        if case .success = whole.outcome { #expect(whole.byteCount == header.count) }
        return whole.outcome
    }

    private static func binary(_ command: UInt8, _ family: UInt8, _ content: [UInt8]) -> [UInt8] {
        signature + [command, family, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
    }

    private static let ipv4: [UInt8] = [192, 0, 2, 7, 198, 51, 100, 1, 0xC0, 0x01, 0x01, 0xBB]

    private static func address(_ text: String, _ port: UInt16) throws -> SocketAddress {
        try SocketAddress(ipAddress: text, port: port)
    }

    // MARK: Version 1

    @Test(arguments: [
        ("TCP4 192.0.2.7 198.51.100.1 49153 443", "192.0.2.7:49153", "198.51.100.1:443"),
        ("TCP4 0.0.0.0 255.255.255.255 0 65535", "0.0.0.0:0", "255.255.255.255:65535"),
        ("TCP6 2001:db8::7 ::1 49153 443", "[2001:db8::7]:49153", "[::1]:443"),
        ("TCP6 :: :: 1 1", "[::]:1", "[::]:1"),
        (
            "TCP6 ffff:f1f2:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535",
            "[ffff:f1f2:ffff:ffff:ffff:ffff:ffff:ffff]:65535", "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535"
        ),
    ])
    func `a line names the client and the server`(line: String, source: String, destination: String) throws {
        let header = try #require(outcome(of: Array("PROXY \(line)\r\n".utf8))).get()
        #expect(header.source?.description == source)
        #expect(header.destination?.description == destination)
    }

    @Test(arguments: [
        "PROXY UNKNOWN", "PROXY UNKNOWN ffff::1 x 1 2", "PROXY UNKNOWN " + String(repeating: "\r", count: 90),
        "PROXY UNKNOWN " + String(repeating: "x", count: 91),
    ])
    func `an unknown client has no address, whatever follows`(line: String) throws {
        #expect(try outcome(of: Array((line + "\r\n").utf8))?.get() == ProxyHeader())
    }

    @Test(arguments: [
        "PROXY TCP4 192.0.2.7 198.51.100.1 49153", "PROXY TCP4 192.0.2.7 198.51.100.1 49153 443 1",
        "PROXY TCP4 192.0.2.7  198.51.100.1 49153 443", "PROXY TCP4 2001:db8::7 ::1 49153 443",
        "PROXY TCP6 192.0.2.7 198.51.100.1 49153 443", "PROXY TCP4 192.0.2.7 198.51.100.1 65536 443",
        "PROXY TCP4 192.0.2.7 198.51.100.1 049153 443", "PROXY TCP4 192.0.2.7 198.51.100.1 +1 443",
        "PROXY TCP4 192.0.2.07 198.51.100.1 1 443", "PROXY UDP4 192.0.2.7 198.51.100.1 49153 443",
        "PROXY tcp4 192.0.2.7 198.51.100.1 49153 443", "PROXY TCP4 localhost 198.51.100.1 49153 443",
        "PROXY UNKNOWNX", "PROXY  UNKNOWN 1 2", "PROXY \u{301}TCP4 192.0.2.7", "PROXY \u{301}UNKNOWN",
        "PROXY UN\u{212A}NOWN 192.0.2.7", "PROXY TCP4 192.0.2.7 \u{301}198.51.100.1 49153 443",
    ])
    func `a malformed line is refused`(line: String) {
        #expect(outcome(of: Array((line + "\r\n").utf8)) == .failure(.malformedLine))
    }

    @Test func `a line without an end is refused before byte 108`() {
        #expect(outcome(of: Array("PROXY TCP4 ".utf8) + [UInt8](repeating: 0x31, count: 200)) == .failure(.lineTooLong))
        #expect(
            outcome(of: Array("PROXY UNKNOWN ".utf8) + [UInt8](repeating: 0x31, count: 92) + [0x0D, 0x0A])
                == .failure(.lineTooLong))
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "PROXX TCP4 1.1.1.1 2.2.2.2 1 2", "\u{16}\u{03}\u{01}", "PROXYTCP4 1.1.1.1",
    ])
    func `other bytes are refused as soon as they differ`(text: String) {
        #expect(outcome(of: Array(text.utf8)) == .failure(.missing))
    }

    // MARK: Version 2

    @Test func `addresses of IPv4, IPv6 and Unix domain sockets are read`() throws {
        for family: UInt8 in [0x11, 0x12] {
            let header = try #require(outcome(of: Self.binary(0x21, family, Self.ipv4))).get()
            #expect(header.source == (try Self.address("192.0.2.7", 49_153)))
            #expect(header.destination == (try Self.address("198.51.100.1", 443)))
        }
        let source = try Self.address("2001:db8::7", 49_153)
        let destination = try Self.address("::1", 443)
        let ipv6 = source.bytes + destination.bytes + Self.ipv4.suffix(4)
        let header = try #require(outcome(of: Self.binary(0x21, 0x21, ipv6))).get()
        #expect(header == ProxyHeader(source: source, destination: destination))

        let path = Array("/run/client".utf8)
        let name: [UInt8] = [0] + Array("server".utf8)
        let unix = [path, name].flatMap { $0 + [UInt8](repeating: 0, count: 108 - $0.count) }
        let local = try #require(outcome(of: Self.binary(0x21, 0x31, unix))).get()
        #expect(local.source?.unixPath == "/run/client")
        #expect(local.destination?.unixPath == "@server")
        let full = try #require(outcome(of: Self.binary(0x21, 0x32, [UInt8](repeating: 0x61, count: 216)))).get()
        #expect(full.source?.unixPath?.utf8.count == 108)
    }

    @Test(
        arguments: [
            (0x20, 0x00, []), (0x20, 0x11, ipv4), (0x20, 0xFF, [1, 2, 3]), (0x21, 0x00, []), (0x21, 0x00, [9, 9]),
        ] as [(UInt8, UInt8, [UInt8])])
    func `a proxy that speaks for itself, or does not know, gives no address`(
        command: UInt8, family: UInt8, content: [UInt8]
    ) throws {
        #expect(try outcome(of: Self.binary(command, family, content))?.get() == ProxyHeader())
    }

    @Test(
        arguments: [
            (0x11, 0x11, ipv4, .unknownVersion(1)), (0x31, 0x11, ipv4, .unknownVersion(3)),
            (0x22, 0x11, ipv4, .unknownCommand(2)), (0x2F, 0x11, ipv4, .unknownCommand(15)),
            (0x21, 0x10, ipv4, .unknownFamily(0x10)), (0x21, 0x41, ipv4, .unknownFamily(0x41)),
            (0x21, 0x13, ipv4, .unknownFamily(0x13)), (0x21, 0x11, [], .missingAddresses),
            (0x21, 0x11, Array(ipv4.dropLast()), .missingAddresses), (0x21, 0x21, ipv4, .missingAddresses),
            (0x21, 0x31, [UInt8](repeating: 0, count: 215), .missingAddresses),
            (0x21, 0x11, ipv4 + [4], .malformedField(offset: 28)),
            (0x21, 0x11, ipv4 + [4, 0], .malformedField(offset: 28)),
            (0x21, 0x11, ipv4 + [4, 0, 0, 5, 0, 1], .malformedField(offset: 31)),
            (0x21, 0x11, ipv4 + [3, 0, 3, 1, 2, 3], .malformedField(offset: 28)),
            (0x21, 0x11, ipv4 + [3, 0, 4, 1, 2, 3, 4], .wrongChecksum),
        ] as [(UInt8, UInt8, [UInt8], ProxyHeaderError)])
    func `a malformed header is refused`(command: UInt8, family: UInt8, content: [UInt8], error: ProxyHeaderError) {
        #expect(outcome(of: Self.binary(command, family, Array(content))) == .failure(error))
    }

    @Test func `other fields are skipped, and a checksum is verified`() throws {
        let fields: [UInt8] = [0x04, 0, 2, 9, 9, 0x02, 0, 4] + Array("game".utf8)
        _ = try #require(outcome(of: Self.binary(0x21, 0x11, Self.ipv4 + fields))).get()
        let known = Self.binary(0x21, 0x11, Self.ipv4 + [3, 0, 4, 0, 0, 0, 0])
        let checksum = Self.checksum(of: known)
        let right = Array(known.dropLast(4)) + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * $0)) }
        _ = try #require(outcome(of: right)).get()
        // Byte 28 is the type of the field, without which there is no checksum.
        for index in 16..<right.count where index != 28 {
            var wrong = right
            wrong[index] ^= 0x10
            guard case .failure? = outcome(of: wrong) else {
                Issue.record("a changed byte \(index) is not noticed")
                continue
            }
        }
    }

    /// The CRC-32C, by long division of the polynomial 0x11EDC6F41 with its bits in the usual order.
    private static func checksum(of bytes: [UInt8]) -> UInt32 {
        var remainder: UInt64 = 0
        var bits = bytes.flatMap { byte in (0..<8).map { byte >> $0 & 1 } }
        for index in 0..<32 { bits[index] ^= 1 }
        for bit in bits + [UInt8](repeating: 0, count: 32) {
            remainder = remainder << 1 | UInt64(bit)
            if remainder >> 32 == 1 { remainder ^= 0x1_1EDC_6F41 }
        }
        let number = UInt32(truncatingIfNeeded: remainder)
        return ~(0..<32).reduce(UInt32(0)) { $0 | (number >> $1 & 1) << (31 - $1) }
    }

    @Test func `a header up to the limit is read, and a longer one is refused at its length`() throws {
        let fields = { (count: Int) -> [UInt8] in
            [0x04, UInt8(count >> 8), UInt8(count & 0xFF)] + [UInt8](repeating: 0, count: count)
        }
        let most = Self.limit - 16 - 12 - 3
        _ = try #require(outcome(of: Self.binary(0x21, 0x11, Self.ipv4 + fields(most)))).get()
        let long = Self.binary(0x21, 0x11, Self.ipv4 + fields(most + 1))
        #expect(
            Self.read(long, arrivingAt: [16])
                == Self.Reading(outcome: .failure(.tooLong(byteCount: 1_025, limit: 1_024)), byteCount: 16))
    }

    @Test func `changed headers are read the same however they are cut, and never beyond the limit`() throws {
        var random = SeededGenerator.forThisRun()
        let headers = [
            Array("PROXY TCP4 192.0.2.7 198.51.100.1 49153 443\r\n".utf8), Array("PROXY UNKNOWN\r\n".utf8),
            Self.binary(0x21, 0x11, Self.ipv4 + [0x04, 0, 2, 9, 9]), Self.binary(0x20, 0x00, []),
        ]
        for _ in 0..<20_000 {
            var bytes = headers[Int.random(in: 0..<headers.count, using: &random)]
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            bytes += Self.rest
            let whole = Self.read(bytes, arrivingAt: [bytes.count])
            let cut = Int.random(in: 1..<bytes.count, using: &random)
            let parts = Self.read(bytes, arrivingAt: [cut, bytes.count])
            guard whole.outcome == parts.outcome, whole.byteCount <= Self.limit else {
                Issue.record("\(bytes), cut at \(cut): \(whole), \(parts); \(random.seedComment)")
                return
            }
            // What follows a header is never taken.
            if case .success = whole.outcome { #expect(whole.byteCount == parts.byteCount, random.seedComment) }
        }
    }

    @Test func `a parser that has failed stays failed`() {
        var parser = ProxyHeaderParser(byteCountLimit: 1_024)
        for _ in 0..<2 {
            #expect(throws: ProxyHeaderError.missing) { try parser.receive([UInt8(ascii: "G")].span.bytes) }
        }
    }
}

struct IPNetworkTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.1.2.3", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.1.2.3/8", "10.255.0.0", true),
        ("192.0.2.128/25", "192.0.2.255", true), ("192.0.2.128/25", "192.0.2.127", false),
        ("0.0.0.0/0", "255.1.2.3", true), ("0.0.0.0/0", "::1", false), ("192.0.2.7", "192.0.2.7", true),
        ("192.0.2.7", "192.0.2.6", false), ("192.0.2.7/32", "192.0.2.7", true), ("2001:db8::/32", "2001:db8:1::", true),
        ("2001:db8::/33", "2001:db8:8000::", false), ("::/0", "2001:db8::", true), ("::1", "::1", true),
        ("10.0.0.0/8", "::ffff:10.0.0.1", true), ("::ffff:10.0.0.0/104", "10.1.2.3", true),
    ])
    func `a network contains the addresses that begin with its bits`(
        network: String, address: String, isInside: Bool
    ) throws {
        #expect(try IPNetwork(network).contains(SocketAddress(ipAddress: address, port: 1)) == isInside)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08", "::/129", "::ffff:10.0.0.0/8", "a/8",
    ])
    func `other texts are refused`(text: String) {
        #expect(throws: TransportError.invalidAddress) { try IPNetwork(text) }
    }

    @Test func `a Unix domain socket is in no network`() throws {
        #expect(try !IPNetwork("0.0.0.0/0").contains(SocketAddress(unixPath: "/run/game.sock")))
    }

    @Test(arguments: ["10.0.0.0/8", "2001:db8::/32", "192.0.2.7"])
    func `a network is written as it was given`(text: String) throws {
        #expect(try IPNetwork(text).description == text)
    }
}
