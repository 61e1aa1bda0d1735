// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A client's half of the handshake (RFC 6455 §4.1): it makes a request and reads the answer.
///
/// Send ``request``, then pass the server's bytes to ``receive(_:)`` until there is an ``agreement``. Bytes that it
/// does not take belong to the first frames. After an error, later calls throw the same error.
public struct WebSocketClientHandshake: Sendable {
    private enum State {
        case head(HeadReader)
        case body(HTTPHead, status: Int, BodyReader)
        case agreed(WebSocketAgreement)
        case failed(WebSocketError)
    }

    /// The bytes to send to the server.
    public let request: [UInt8]
    private let key: String
    private let asked: WebSocketRequest
    private var state: State

    /// Makes the request.
    ///
    /// - Throws: An error about the request; ``WebSocketError/deflateUnavailable(reason:)`` if compression is required
    ///   and unavailable.
    public init(_ request: WebSocketRequest) throws(WebSocketError) {
        var random = SystemRandomness()
        try self.init(request, key: HandshakeKey.make(using: &random))
    }

    package init(_ request: WebSocketRequest, key: String) throws(WebSocketError) {
        var asked = request
        if let deflate = asked.deflate, try !deflate.isAvailable() { asked.deflate = nil }
        self.request = try asked.head(key: key)
        self.asked = asked
        self.key = key
        state = .head(HeadReader(limit: asked.headLimit, beginning: "HTTP/1."))
    }

    /// The result of the handshake; nil until the server has accepted.
    public var agreement: WebSocketAgreement? {
        guard case .agreed(let agreement) = state else { return nil }
        return agreement
    }

    /// The server's answer if it refused; nil until the head of a refusal is complete.
    ///
    /// It includes the body as far as it has arrived. A body may be endless or slow, so use this when the timeout ends
    /// or the connection fails.
    public var refusal: WebSocketResponse? {
        switch state {
        case .body(let head, let status, let reader): response(head, status, reader)
        case .failed(.refused(let response)): response
        case .head, .agreed, .failed: nil
        }
    }

    /// Takes bytes of the server's answer.
    ///
    /// - Parameter bytes: The received bytes, split anywhere, without those taken before.
    /// - Returns: The number of bytes taken: all, unless there is an ``agreement``.
    /// - Throws: ``WebSocketError/refused(_:)`` if the server answered another status than 101;
    ///   ``WebSocketError/invalidResponse(_:)``, ``WebSocketError/malformedHead(_:offset:)``,
    ///   ``WebSocketError/headTooLarge(limit:)`` or ``WebSocketError/notHTTP(firstBytes:)`` if the answer is invalid.
    public mutating func receive(_ bytes: RawSpan) throws(WebSocketError) -> Int {
        do throws(WebSocketError) {
            var count = 0
            while count < bytes.byteCount, agreement == nil {
                count += try takeSome(bytes.extracting(droppingFirst: count))
            }
            return count
        } catch {
            state = .failed(error)
            throw error
        }
    }

    private mutating func takeSome(_ bytes: RawSpan) throws(WebSocketError) -> Int {
        switch state {
        case .head(var reader):
            // Releases the old state's reference; otherwise each call would copy the bytes.
            state = .failed(.truncated)
            let count = try reader.receive(bytes)
            state = .head(reader)
            if reader.isComplete { try finishHead(reader) }
            return count
        case .body(let head, let status, var reader):
            state = .failed(.truncated)
            reader.receive(bytes)
            guard !reader.isComplete else { throw .refused(response(head, status, reader)) }
            state = .body(head, status: status, reader)
            return bytes.byteCount
        case .agreed: return 0
        case .failed(let error): throw error
        }
    }

    /// Reports that the connection has ended.
    ///
    /// - Throws: ``WebSocketError/refused(_:)`` with the body as far as it has arrived; ``WebSocketError/truncated``
    ///   inside the answer's head. It throws nothing once there is an ``agreement``.
    public mutating func endOfInput() throws(WebSocketError) {
        let error: WebSocketError
        switch state {
        case .head: error = .truncated
        case .body(let head, let status, let reader): error = .refused(response(head, status, reader))
        case .agreed: return
        case .failed(let earlier): error = earlier
        }
        state = .failed(error)
        throw error
    }

    private func response(_ head: HTTPHead, _ status: Int, _ reader: BodyReader) -> WebSocketResponse {
        WebSocketResponse(status: status, reason: head.startLine.2, headers: head.headers, body: reader.body)
    }

    private mutating func finishHead(_ reader: HeadReader) throws(WebSocketError) {
        let head = try HTTPHead(reader.bytes)
        let (version, digits, _) = head.startLine
        guard version.utf8.count == 8, version.utf8.last?.isDigit == true, digits.utf8.count == 3,
            digits.utf8.allSatisfy(\.isDigit), let status = Int(digits), status >= 100
        else { throw .malformedHead(.startLine, offset: 0) }
        switch status {
        case 101:
            guard version != "HTTP/1.0" else { throw .invalidResponse(.version) }
            state = .agreed(try agreement(head.headers))
        case ..<200:
            // Another answer follows (RFC 9110 §15.2).
            var reader = reader
            reader.restart()
            state = .head(reader)
        default:
            let body = BodyReader(status: status, headers: head.headers, limit: asked.bodyLimit)
            guard !body.isComplete else { throw .refused(response(head, status, body)) }
            state = .body(head, status: status, body)
        }
    }

    /// Checks the answer against the request (RFC 6455 §4.1).
    private func agreement(_ headers: WebSocketHeaders) throws(WebSocketError) -> WebSocketAgreement {
        guard headers.onlyValue(of: "Upgrade")?.isSameToken(as: "websocket") == true
        else { throw .invalidResponse(.upgrade) }
        guard headers.hasListElement("Upgrade", in: "Connection") else { throw .invalidResponse(.connection) }
        guard headers.onlyValue(of: "Sec-WebSocket-Accept") == HandshakeKey.answer(to: key)
        else { throw .invalidResponse(.accept) }
        let subprotocols = headers.values(of: "Sec-WebSocket-Protocol")
        guard subprotocols.count <= 1, subprotocols.allSatisfy({ asked.subprotocols.contains($0) })
        else { throw .invalidResponse(.subprotocol) }
        return WebSocketAgreement(
            subprotocol: subprotocols.first, headers: headers, deflate: try deflateAgreement(headers))
    }

    private func deflateAgreement(_ headers: WebSocketHeaders) throws(WebSocketError) -> DeflateAgreement? {
        guard let list = ExtensionList(headers.values(of: "Sec-WebSocket-Extensions"))
        else { throw .invalidResponse(.extensions) }
        guard let element = list.elements.first else { return nil }
        guard list.elements.count == 1, element.name == DeflateParameters.name, let deflate = asked.deflate,
            let agreement = DeflateParameters(element)?.agreement(offering: deflate)
        else { throw .invalidResponse(.extensions) }
        return agreement
    }
}
