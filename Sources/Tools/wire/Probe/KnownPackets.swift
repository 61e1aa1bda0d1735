// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A protocol that is identified by the content of its packets, because their lengths would also fit another framing.
struct KnownPackets: Equatable {
    let framing: Framing
    let name: String

    /// nil if the bytes identify none of these protocols.
    ///
    /// - Parameter request: The bytes that were sent to the server; empty if the server sent first.
    init?(of bytes: [UInt8], to request: [UInt8]) {
        guard let known = Self.all.first(where: { $0.isAnswer(bytes, request) }) else { return nil }
        self = known.packets
    }

    private static let all: [(packets: KnownPackets, isAnswer: @Sendable ([UInt8], [UInt8]) -> Bool)] = [
        (mySQL, { bytes, _ in isMySQL(bytes) }), (postgreSQL, { bytes, _ in isPostgreSQL(bytes) }),
        (amqp, { bytes, _ in isAMQP(bytes) }), (amqp1, { bytes, _ in isAMQP1(bytes) }),
        (http2, { bytes, _ in isHTTP2(bytes) }), (modbus, isModbus), (memcached, isMemcached),
    ]

    init(_ framing: Framing, name: String) {
        self.framing = framing
        self.name = name
    }

    /// Returns whether the bytes are a server's first packet.
    ///
    ///     bytes 0–2: the payload's length, little-endian    byte 3: a sequence number, 0 in the first packet
    ///     byte 4: 10, the version of the protocol, then the server's version as text up to a NUL
    ///     or byte 4: 0xFF, then an error's number from 1000, little-endian, and its text
    ///
    /// MySQL Internals, "Protocol::HandshakeV10" and "ERR_Packet". The sequence number is 0, so the length and the
    /// number together would also be a `uint32` length.
    private static func isMySQL(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 7, mySQL.framing.lengths(in: bytes)?.count == 1, bytes[3] == 0 else { return false }
        switch bytes[4] {
        case 10: return bytes.dropFirst(5).firstIndex(of: 0).map { isText(bytes[5..<$0]) } ?? false
        case 0xFF: return (1_000..<10_000).contains(Int(bytes[6]) << 8 | Int(bytes[5])) && isText(bytes[7...])
        default: return false
        }
    }

    static let mySQL = KnownPackets(
        Framing(offset: 0, width: 3, order: .littleEndian, excess: 4), name: "as of MySQL and MariaDB")

    /// Returns whether the bytes are a server's reply.
    ///
    ///     bytes 0–1: the request's number    bytes 2–3: 0    bytes 4–5: how many bytes follow
    ///     byte 6: the request's unit    byte 7: the request's function, with the top bit set if it failed
    ///
    /// MODBUS Messaging on TCP/IP Implementation Guide V1.0b, 3.1.3; MODBUS Application Protocol V1.1b3, 6.3 and 7. An
    /// echo of the request is not a reply, because other packets also have their length at this offset.
    private static func isModbus(_ bytes: [UInt8], to request: [UInt8]) -> Bool {
        guard bytes.count > 8, request.count > 8, modbus.framing.lengths(in: bytes)?.count == 1,
            bytes[..<4] == request[..<4], bytes[2...3] == [0, 0], bytes[6] == request[6]
        else { return false }
        let (function, readHoldingRegisters) = (request[7], 3 as UInt8)
        if bytes[7] == function | 0x80 { return function < 0x80 && bytes.count == 9 }
        return function == readHoldingRegisters && bytes[7] == function && Int(bytes[8]) == bytes.count - 9
    }

    static let modbus = KnownPackets(
        Framing(offset: 4, width: 2, order: .bigEndian, excess: 6), name: "as of Modbus/TCP")

    /// Whether the bytes are a server's reply.
    ///
    /// Its header has 24 bytes. The first two are 0x81 and the request's command. Bytes 8–11 are the length of the
    /// bytes after the header (memcached's "BinaryProtocolRevamped").
    private static func isMemcached(_ bytes: [UInt8], to request: [UInt8]) -> Bool {
        bytes.count >= 24 && request.count >= 24 && request[0] == 0x80 && bytes[0] == 0x81 && bytes[1] == request[1]
            && memcached.framing.lengths(in: bytes)?.count == 1
    }

    static let memcached = KnownPackets(
        Framing(offset: 8, width: 4, order: .bigEndian, excess: 24), name: "as of memcached's binary protocol")

    static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
