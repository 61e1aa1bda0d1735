// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Goim
import TestingSupport
import Wireline

/// A ``CrowdServer`` in a child process of this program, measured from outside.
final class Crowd: Sendable {
    /// The counters of both servers together.
    struct Counters {
        let connectionCount: Int
        let handlerCount: Int
        let heldByteCount: Int
        let pendingByteCount: Int
        let unreadByteCount: Int
        let waitingSenderCount: Int
        let noRoomCount: Int
        let cleanEndCount: Int
        let compressionByteCount: Int
        /// The errors of connections, and how often they occurred.
        let failures: [String]
    }

    let child: Child
    let packetPort: UInt16
    let webSocketPort: UInt16

    init(heldByteLimit: Int, threadCount: Int = 2, identity: String = "-") async throws {
        child = try await onThread { try Child("--crowd", "\(heldByteLimit)", "\(threadCount)", identity) }
        packetPort = child.port
        webSocketPort = UInt16(try await Self.ask(child, "port websocket")) ?? 0
    }

    /// The child's answer to a line.
    func answer(to line: String) async throws -> String { try await Self.ask(child, line) }

    private static func ask(_ child: Child, _ line: String) async throws -> String {
        try await onThread { try child.answer(to: line) }
    }

    func counters() async throws -> Counters {
        let words = try await answer(to: "counters").split(separator: " ")
        let numbers = words.prefix(9).compactMap { Int($0) }
        guard numbers.count == 9 else { fail("the server does not count: \(words)", code: 1) }
        return Counters(
            connectionCount: numbers[0], handlerCount: numbers[1], heldByteCount: numbers[2],
            pendingByteCount: numbers[3], unreadByteCount: numbers[4], waitingSenderCount: numbers[5],
            noRoomCount: numbers[6], cleanEndCount: numbers[7], compressionByteCount: numbers[8],
            failures: words.dropFirst(9).map(String.init))
    }

    /// The system's figures of the server.
    var figures: ProcessFigures { ProcessFigures(of: child.id) }

    /// Waits until the server has released every connection.
    ///
    /// - Returns: What it still holds.
    func leftovers(descriptorCount: Int) async throws -> [String] {
        let isQuiet = try await eventually(within: .seconds(60)) {
            let counters = try await self.counters()
            let count = counters.connectionCount + counters.handlerCount + counters.heldByteCount
            return try count == 0 && self.figures.descriptorCount() <= descriptorCount
        }
        guard !isQuiet else { return [] }
        let (counters, count) = (try await counters(), try figures.descriptorCount())
        return ["left: \(counters), \(count) descriptors, \(descriptorCount) before"]
    }
}

/// A client of a ``CrowdServer`` that does only what it is told.
final class CrowdPeer: Sendable {
    enum Carrier: CaseIterable {
        case packets
        case webSocket
        case compressedWebSocket
    }

    let carrier: Carrier
    let socket: RawSocket

    /// - Parameter receiveBuffer: As in ``RawSocket/connect(to:receiveBuffer:)``.
    init(of crowd: Crowd, by carrier: Carrier, receiveBuffer: Int32? = nil) async throws {
        self.carrier = carrier
        let port = carrier == .packets ? crowd.packetPort : crowd.webSocketPort
        let request = Self.request(carrier)
        socket = try await onThread {
            let socket = try RawSocket.connect(to: port, receiveBuffer: receiveBuffer)
            if let request {
                try socket.send(request)
                guard try socket.head().head.hasPrefix("HTTP/1.1 101") else { fail("no WebSocket", code: 1) }
            }
            return socket
        }
    }

    /// The head of a WebSocket request; nil for plain packets.
    static func request(_ carrier: Carrier) -> [UInt8]? {
        guard carrier != .packets else { return nil }
        let extensions =
            carrier == .compressedWebSocket ? "Sec-WebSocket-Extensions: permessage-deflate\r\n" : ""
        let lines = [
            "GET / HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
        ]
        return Array((lines.joined(separator: "\r\n") + "\r\n" + extensions + "\r\n").utf8)
    }

    /// A text message.
    static func message(_ text: String, by carrier: Carrier) throws -> [UInt8] {
        guard carrier != .packets else { return try ChangeRoom(room: text).encoded() }
        return frame(0x81, Array(text.utf8))
    }

    /// A frame with a mask of 0, so that its bytes do not change.
    static func frame(_ first: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            switch count {
            case ..<126: [0x80 | UInt8(count)]
            case ..<65_536: [0xFE, UInt8(count >> 8), UInt8(count & 0xFF)]
            default: [0xFF] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
            }
        return [first] + length + [0, 0, 0, 0] + content
    }

    func send(_ text: String) async throws {
        let bytes = try Self.message(text, by: carrier)
        try await onThread { [socket] in try socket.send(bytes) }
    }

    /// Sends the beginning of a long message.
    func begin(_ byteCount: Int, of messageByteCount: Int) async throws {
        let text = String(repeating: "x", count: messageByteCount)
        let bytes = try Self.message(text, by: carrier).prefix(byteCount)
        try await onThread { [socket] in try socket.send(bytes) }
    }

    /// Reads until so many bytes have arrived, or the end.
    ///
    /// - Returns: How many bytes arrived.
    func read(_ byteCount: Int) async throws -> Int {
        try await onThread { [socket] in
            var count = 0
            while count < byteCount {
                let bytes = try socket.receive(atMost: min(65_536, byteCount - count))
                guard !bytes.isEmpty else { break }
                count += bytes.count
            }
            return count
        }
    }
}
