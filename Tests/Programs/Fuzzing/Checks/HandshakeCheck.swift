// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineWebSocket

/// However an answer or a request is cut: the same agreement, request or error, and the same answer; and an address that is
/// taken is printed as the same address.
///
///     +--------+------------------+-------------+-------- - - -
///     | 3 what | 5 count of sizes | piece sizes | bytes
///     +--------+------------------+-------------+-------- - - -
///      bits of the first byte      a byte each
struct HandshakeCheck {
    /// RFC 6455 §1.3.
    static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    static func check(_ bytes: [UInt8]) throws(Finding) {
        var input = Input(bytes)
        let manner = input.byte()
        let pieces = (0..<manner >> 3 & 7).map { _ in Int(input.byte()) }
        let stream = Array(input.rest)
        switch manner & 7 {
        case 0, 1:
            let (whole, cut) = (client(stream, []), client(stream, pieces))
            try require(whole == cut, "a client: whole \(whole), in pieces of \(pieces) \(cut)")
        case 2, 3:
            let (whole, cut) = (server(stream, []), server(stream, pieces))
            try require(whole == cut, "a server: whole \(whole), in pieces of \(pieces) \(cut)")
        default:
            let text = String(decoding: stream, as: UTF8.self)
            guard let url = try? WebSocketURL(text) else { return }
            let again = try? WebSocketURL(url.description)
            let isSame = again?.host == url.host && again?.port == url.port && again?.target == url.target
            try require(isSame && again?.isSecure == url.isSecure, "\(url) and \(String(describing: again))")
        }
    }

    private struct Outcome: Equatable {
        var agreement: WebSocketAgreement?
        var answer: [UInt8] = []
        /// Without the first bytes of what is not HTTP, which may not have come.
        var error: String?
        var refusal: WebSocketResponse?

        mutating func fail(_ error: WebSocketError) {
            if case .refused(let response) = error { refusal = response }
            if case .notHTTP = error { self.error = "not HTTP" } else { self.error = "\(error)" }
        }
    }

    private static func cut(_ stream: [UInt8], _ pieces: [Int]) -> [[UInt8]] {
        let pieces = pieces.contains { $0 > 0 } ? pieces : [max(1, stream.count)]
        var rest = stream[...]
        var cut: [[UInt8]] = []
        var index = 0
        while !rest.isEmpty {
            cut.append(Array(rest.prefix(pieces[index % pieces.count])))
            rest = rest.dropFirst(pieces[index % pieces.count])
            index += 1
        }
        return cut
    }

    private static func client(_ stream: [UInt8], _ pieces: [Int]) -> Outcome {
        var outcome = Outcome()
        do throws(WebSocketError) {
            var request = WebSocketRequest(try WebSocketURL("ws://server.example.com/chat"))
            request.subprotocols = ["chat", "superchat"]
            request.deflate = WebSocketDeflate()
            var handshake = try WebSocketClientHandshake(request, key: key)
            for piece in cut(stream, pieces) {
                let span = piece.span
                let bytes = span.bytes
                _ = try handshake.receive(bytes)
            }
            outcome.agreement = handshake.agreement
            try handshake.endOfInput()
        } catch {
            outcome.fail(error)
        }
        return outcome
    }

    private static func server(_ stream: [UInt8], _ pieces: [Int]) -> Outcome {
        var outcome = Outcome()
        var policy = WebSocketHandshakePolicy()
        policy.deflate = WebSocketDeflate()
        guard var handshake = try? WebSocketServerHandshake(policy) else { return outcome }
        do throws(WebSocketError) {
            for piece in cut(stream, pieces) {
                let span = piece.span
                let bytes = span.bytes
                _ = try handshake.receive(bytes)
            }
            if let request = handshake.request {
                try handshake.answer(.accept(subprotocol: request.subprotocols.first))
            }
            outcome.agreement = handshake.agreement
        } catch {
            outcome.fail(error)
        }
        outcome.answer = handshake.takeOutput()
        return outcome
    }
}
