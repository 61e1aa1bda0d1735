// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import LayerAccess
internal import LayeredLoad
internal import WirelineWebSocket

/// What the clients that make a load send, again and again.
enum Payloads {
    /// A `Cs_20001` of 23 bytes: length and ID, a scene, a line, and a text of ten bytes.
    static let packet: [UInt8] = [0, 0, 0, 23, 0x4E, 0x21, 7, 0, 0, 0, 0, 0, 10] + Array("0123456789".utf8)

    /// Where the line's last byte stands.
    static let lineOffset = 10

    static let packets = repeated(packet)

    /// The same with an ID that no message of the schema has: an Erlang process may return such a packet as it is.
    static let unknownPacket = Array(packet[..<4] + [0x75, 0x31] + packet[6...])

    static func repeated(_ packet: [UInt8]) -> [UInt8] { Array(repeatElement(packet, count: 4_096).joined()) }

    /// Masked with 0.
    static let shortMessages = Array(repeatElement([0x82, 0x81, 0, 0, 0, 0, 7] as [UInt8], count: 16_384).joined())

    /// A packet of a megabyte, for a server that returns whatever it gets.
    static let megabyte = [0, 0x0F, 0x42, 0x40] + [UInt8](repeating: 0x4E, count: 999_996)

    /// A packet of two letters, which take zlib longest; 6 MiB become about a megabyte.
    static func long(_ form: Form, _ byteCount: Int) throws -> [UInt8] {
        var state: UInt64 = 1
        let words = (0..<byteCount / 8).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state ^ state >> 29) & 0x0101_0101_0101_0101 | 0x6060_6060_6060_6060
        }
        return try packet(form, words.withUnsafeBytes { Array($0) })
    }

    /// A packet with 65,000 packets of 7 bytes inside.
    static func bundle() throws -> [UInt8] {
        let inner: [UInt8] = [0, 0, 0, 7, Form.plain.rawValue, 0, 1]
        return try packet(.bundle, Array(repeatElement(inner, count: 65_000).joined()))
    }

    private static func packet(_ form: Form, _ content: [UInt8]) throws -> [UInt8] {
        let sealed = try OpeningLayer(form == .brotli ? .brotli : .zlib, limit: content.count).seal(content)
        let byteCount = UInt32(sealed.count + 7)
        return (0..<4).map { UInt8(truncatingIfNeeded: byteCount >> (24 - 8 * $0)) } + [form.rawValue, 0, 1] + sealed
    }

    private static let messageByteCount = 15 << 20

    static let metricsRequest = Array("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
    static let healthRequest = Array("GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)

    static let request = head(extensions: "")
    static let compressingRequest = head(extensions: "Sec-WebSocket-Extensions: permessage-deflate\r\n")

    private static func head(extensions: String) -> [UInt8] {
        let lines = [
            "GET / HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
        ]
        return Array((lines.joined(separator: "\r\n") + "\r\n" + extensions + "\r\n").utf8)
    }

    /// 15 MiB of zeros in one frame of some 15 KiB.
    static func compressed() throws -> [UInt8] {
        var request = WebSocketRequest(try WebSocketURL("ws://127.0.0.1/"))
        request.deflate = WebSocketDeflate()
        var client = try WebSocketClientHandshake(request)
        var policy = WebSocketHandshakePolicy()
        policy.deflate = WebSocketDeflate()
        var server = try WebSocketServerHandshake(policy)
        _ = try server.receive(client.request.span.bytes)
        try server.answer(.accept())
        _ = try client.receive(server.takeOutput().span.bytes)
        var engine = WebSocketEngine(.client, agreement: client.agreement)
        let zeros = [UInt8](repeating: 0, count: messageByteCount)
        _ = try engine.send(zeros.span.bytes, as: .binary)
        var frame: [UInt8] = []
        engine.takeOutput { bytes in
            bytes.withUnsafeBytes { frame = Array($0) }
            return frame.count
        }
        return frame
    }

    /// 15 MiB that a server tries to compress in vain.
    static func incompressible() -> [UInt8] {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        let length = UInt64(messageByteCount)
        var frame: [UInt8] = [0x82, 0xFF] + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
        frame += [0, 0, 0, 0]
        frame.reserveCapacity(frame.count + messageByteCount)
        for _ in 0..<messageByteCount {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            frame.append(UInt8(truncatingIfNeeded: state >> 56))
        }
        return frame
    }
}
