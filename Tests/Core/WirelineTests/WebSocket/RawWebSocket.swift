// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import TestingSupport

/// One end of a WebSocket, byte by byte, without any of the code under test.
///
/// It waits for bytes on its own thread, because all tests run on the same few task threads. One task at a time uses
/// it, so `@unchecked Sendable` needs no lock.
final class RawWebSocket: @unchecked Sendable {
    enum Opcode: UInt8 {
        case continuation = 0
        case text, binary
        case close = 8
        case ping, pong
    }

    /// A request that a server accepts.
    static let request = Array(
        """
        GET /sub HTTP/1.1\r
        Host: 127.0.0.1\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
        Sec-WebSocket-Version: 13\r
        \r\n
        """.utf8)
    /// What the answer to it contains (RFC 6455 §1.3).
    static let answer = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    let socket: RawSocket
    private var waiting: [UInt8] = []

    init(_ socket: RawSocket) { self.socket = socket }

    /// A frame of less than 64 KiB on the wire.
    static func frame(
        _ opcode: Opcode, _ payload: [UInt8], isFinal: Bool = true, maskedWith key: [UInt8]? = [1, 2, 3, 4]
    ) -> [UInt8] {
        let mask: UInt8 = key == nil ? 0 : 0x80
        var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | opcode.rawValue]
        if payload.count < 126 {
            bytes.append(mask | UInt8(payload.count))
        } else {
            bytes += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        }
        guard let key else { return bytes + payload }
        return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }

    /// Accepts a connection.
    static func accept(from listener: RawSocket) async throws -> RawWebSocket {
        RawWebSocket(try await onThread { try listener.accept() })
    }

    /// The bytes up to the end of an HTTP head.
    func head() async throws -> String { try await onThread { try self.readHead() } }

    /// So many bytes; nil if the stream ends before.
    func bytes(_ count: Int) async throws -> [UInt8]? { try await onThread { try self.take(count) } }

    /// The next frame, without its mask; nil at the end.
    func frame() async throws -> (opcode: UInt8, payload: [UInt8])? { try await onThread { try self.readFrame() } }

    /// The content of binary messages up to the close frame or the end, and the payload of the close frame.
    func rest() async throws -> (content: [UInt8], pongs: [[UInt8]], close: [UInt8]?) {
        try await onThread { try self.readRest() }
    }

    /// Whether no more bytes come.
    func isAtEnd() async throws -> Bool { try await onThread { try self.socket.receive().isEmpty } }

    /// Ends the output, and reads until the peer has ended, too.
    func end() async throws {
        socket.endOutput()
        try await onThread { self.socket.drain() }
    }

    private func readHead() throws -> String {
        while true {
            if let end = waiting.firstRange(of: Array("\r\n\r\n".utf8)) {
                defer { waiting.removeSubrange(..<end.upperBound) }
                return String(decoding: waiting[..<end.upperBound], as: UTF8.self)
            }
            let more = try socket.receive()
            guard !more.isEmpty else { return String(decoding: waiting, as: UTF8.self) }
            waiting += more
        }
    }

    private func readFrame() throws -> (opcode: UInt8, payload: [UInt8])? {
        guard let start = try take(2) else { return nil }
        var count = Int(start[1] & 0x7F)
        if count > 125 {
            guard let length = try take(count == 126 ? 2 : 8) else { return nil }
            count = length.reduce(0) { $0 << 8 | Int($1) }
        }
        guard let key = try start[1] & 0x80 != 0 ? take(4) : [0, 0, 0, 0], let payload = try take(count)
        else { return nil }
        return (start[0] & 0x0F, payload.enumerated().map { $1 ^ key[$0 % 4] })
    }

    private func take(_ count: Int) throws -> [UInt8]? {
        while waiting.count < count {
            let more = try socket.receive()
            guard !more.isEmpty else { return nil }
            waiting += more
        }
        defer { waiting.removeFirst(count) }
        return Array(waiting.prefix(count))
    }

    private func readRest() throws -> (content: [UInt8], pongs: [[UInt8]], close: [UInt8]?) {
        var (content, pongs): ([UInt8], [[UInt8]]) = ([], [])
        while let frame = try readFrame() {
            switch Opcode(rawValue: frame.opcode) {
            case .close: return (content, pongs, frame.payload)
            case .pong: pongs.append(frame.payload)
            default: content += frame.payload
            }
        }
        return (content, pongs, nil)
    }
}
