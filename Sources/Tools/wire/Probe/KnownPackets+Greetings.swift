// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Protocols whose servers identify themselves, whatever they have received.
extension KnownPackets {
    /// Whether the bytes are a server's error message.
    ///
    ///     byte 0: `E`    bytes 1–4: the length of itself and what follows, big-endian
    ///     then fields: a letter and a text up to a NUL; a NUL ends them
    ///
    /// PostgreSQL 17, 53.7 "ErrorResponse" and 53.8: each error has a severity (`S`), five characters of code (`C`) and
    /// a text (`M`).
    static func isPostgreSQL(_ bytes: [UInt8]) -> Bool {
        guard bytes.first == UInt8(ascii: "E"), postgreSQL.framing.lengths(in: bytes)?.count == 1, bytes.last == 0
        else { return false }
        let fields = bytes[5...].dropLast().split(separator: 0)
        let code = fields.first { $0.first == UInt8(ascii: "C") }
        return code?.count == 6 && fields.contains { $0.first == UInt8(ascii: "S") }
            && fields.contains { $0.first == UInt8(ascii: "M") }
    }

    static let postgreSQL = KnownPackets(
        Framing(offset: 1, width: 4, order: .bigEndian, excess: 1),
        name: "as of PostgreSQL, whose clients leave out the byte before the length in their first packet")

    /// Whether the bytes are a server's first frame, or its answer to a client with another protocol.
    ///
    ///     bytes 0–3: `AMQP`    bytes 4–7: 0, and the version 0-9-1
    ///     or byte 0: 1, a method    bytes 1–2: channel 0    bytes 3–6: how many bytes follow, without the last one
    ///     bytes 7–10: class 10, method 10: Connection.Start    the last byte: 0xCE
    ///
    /// AMQP 0-9-1, 2.2.4, 2.3.5 and 4.2.2.
    static func isAMQP(_ bytes: [UInt8]) -> Bool {
        if bytes == Array("AMQP".utf8) + [0, 0, 9, 1] { return true }
        return amqp.framing.lengths(in: bytes)?.count == 1 && bytes.count > 12 && bytes[..<3] == [1, 0, 0]
            && bytes[7...10] == [0, 10, 0, 10] && bytes.last == 0xCE
    }

    static let amqp = KnownPackets(
        Framing(offset: 3, width: 4, order: .bigEndian, excess: 8),
        name: "as of AMQP 0-9-1, which RabbitMQ speaks")

    /// Whether the bytes are a server's protocol header of AMQP 1.0 (ISO/IEC 19464, 2.2).
    static func isAMQP1(_ bytes: [UInt8]) -> Bool {
        [0, 2, 3].contains { bytes == Array("AMQP".utf8) + [$0, 1, 0, 0] }
    }

    static let amqp1 = KnownPackets(
        Framing(offset: 0, width: 4, order: .bigEndian, excess: 0), name: "as of AMQP 1.0")

    /// Whether the bytes are frames of HTTP/2. The first one must be a server's SETTINGS.
    ///
    ///     bytes 0–2: how many bytes follow the header    byte 3: the type, 4 for SETTINGS    byte 4: the flags
    ///     bytes 5–8: the stream, 0 for SETTINGS    then settings: two bytes of number, and four of value
    ///
    /// RFC 9113, 3.4, 4.1 and 6.5.
    static func isHTTP2(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 15, let lengths = http2.framing.lengths(in: bytes) else { return false }
        let byteCount = Int(lengths[0][1]) << 8 | Int(lengths[0][2])
        guard lengths[0][0] == 0, byteCount > 0, byteCount % 6 == 0, bytes[3...8] == [4, 0, 0, 0, 0, 0] else {
            return false
        }
        let numbers = stride(from: 9, to: 9 + byteCount, by: 6).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
        return numbers.allSatisfy((1...16).contains)
    }

    static let http2 = KnownPackets(
        Framing(offset: 0, width: 3, order: .bigEndian, excess: 9), name: "as of HTTP/2")
}
