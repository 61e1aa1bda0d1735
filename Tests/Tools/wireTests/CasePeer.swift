// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import TestingSupport
import WebSocketSupport
import WirelineWebSocket

/// A client that runs cases against an echo server, byte by byte. It blocks its thread: while other tests compute, a
/// task might wait longer for each step than the server waits for a handshake.
struct CaseClient {
    let port: UInt16

    /// What is wrong with the outcome of each case, by the name of the case.
    func faults(of cases: [any EchoCase]) throws -> [String] {
        var faults: [String] = []
        for conformance in cases {
            guard let fault = try fault(of: conformance) else { continue }
            faults.append("\(conformance): \(fault)")
        }
        return faults
    }

    private func fault(of conformance: any EchoCase) throws -> String? {
        let socket = try RawSocket.connect(to: port)
        let offer = conformance.terms.map { "\r\nSec-WebSocket-Extensions: \($0.offer)" } ?? ""
        // RFC 6455 §1.3.
        let request = """
            GET / HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Sec-WebSocket-Version: 13\(offer)\r
            \r

            """
        try socket.send(request.utf8)
        let (head, glued) = try socket.head()
        guard head.hasPrefix("HTTP/1.1 101 "), head.field("Sec-WebSocket-Accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
        else { return head }
        let extensions = head.field("Sec-WebSocket-Extensions")
        guard conformance.terms.map({ $0.isMet(by: extensions) }) ?? (extensions == nil) else { return head }
        let bytes = try socket.sending(conformance.pieces(from: .client)) { try socket.rest() }
        return conformance.fault(in: glued + bytes, to: .client)
    }
}

/// A server that tests clients, like Autobahn's: it tells the number of cases, runs each one against a client that
/// echoes, and ends when the client asks for the reports. It blocks its thread, like ``CaseClient``.
struct CaseServer {
    let listener: RawSocket
    let cases: [any EchoCase]

    /// Serves a client.
    ///
    /// - Returns: What is wrong with the outcome of each case, by the name of the case.
    func run() throws -> [String] {
        var faults: [String] = []
        while true {
            let socket = try listener.accept()
            let head = try socket.head().head
            let target = head.split(separator: " ").dropFirst().first ?? ""
            let number = target.wholeMatch(of: /\/runCase\?case=([0-9]+)&agent=wire/).flatMap { Int($0.1) }
            if let number, cases.indices.contains(number - 1) {
                let conformance = cases[number - 1]
                let fault = try fault(of: conformance, socket, head)
                if let fault { faults.append("\(conformance): \(fault)") }
            } else if target == "/getCaseCount" {
                let frames = [Frame.text("\(cases.count)"), .close(1000)]
                _ = try talk(socket, head, sending: [frames.bytes(from: .server)])
            } else {
                guard target == "/updateReports?agent=wire" else { return faults + ["it asks for \(target)"] }
                _ = try talk(socket, head, sending: [[Frame.close(1000)].bytes(from: .server)])
                return faults
            }
        }
    }

    private func fault(of conformance: any EchoCase, _ socket: RawSocket, _ head: String) throws -> String? {
        let offer = head.field("Sec-WebSocket-Extensions")
        guard offer == "permessage-deflate; client_max_window_bits" else { return head }
        let bytes = try talk(
            socket, head, extensions: conformance.terms?.answer, sending: conformance.pieces(from: .server))
        return conformance.fault(in: bytes, to: .server)
    }

    /// Accepts a WebSocket, sends these pieces, and reads up to the client's close frame, or its end.
    private func talk(
        _ socket: RawSocket, _ head: String, extensions: String? = nil, sending pieces: [[UInt8]]
    ) throws -> [UInt8] {
        let answer = """
            HTTP/1.1 101 Switching Protocols\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Accept: \(HandshakeKey.answer(to: head.field("Sec-WebSocket-Key") ?? ""))\r
            \(extensions.map { "Sec-WebSocket-Extensions: \($0)\r\n" } ?? "")\r

            """
        let bytes = try socket.sending([Array(answer.utf8)] + pieces) { try socket.bytesUpToClose() }
        socket.endOutput()
        socket.drain()
        return bytes
    }
}

extension RawSocket {
    /// Sends all pieces while `body` reads, unless the peer ends earlier: after a fault the peer need not read the
    /// rest.
    fileprivate func sending<Value>(_ pieces: [[UInt8]], while body: () throws -> Value) rethrows -> Value {
        let end = Seen<Void>()
        Thread {
            for piece in pieces { guard (try? self.send(piece)) != nil else { break } }
            end.add(())
        }.start()
        defer { end.block(until: 1) }
        return try body()
    }

    /// The bytes that a client sends, up to its close frame or its end.
    fileprivate func bytesUpToClose() throws -> [UInt8] {
        var (bytes, offset): ([UInt8], Int) = ([], 0)
        while true {
            while let frame = Frame.frame(in: bytes, at: &offset, isMasked: true) {
                if frame.opcode == 8 { return bytes }
            }
            let more = try receive()
            guard !more.isEmpty else { return bytes }
            bytes += more
        }
    }
}

extension String {
    /// The value of a field in this head.
    fileprivate func field(_ name: String) -> String? {
        split(separator: "\r\n").first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
    }
}
