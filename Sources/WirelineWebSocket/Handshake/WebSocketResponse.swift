// SPDX-License-Identifier: Apache-2.0

/// What a server has answered that does not want to talk WebSocket.
public struct WebSocketResponse: Equatable, Sendable {
    /// The status, such as 301 (another address: see ``location``), 401 (who is asking?) or 503 (not now).
    public let status: Int
    /// What the server calls it.
    public let reason: String
    /// The headers.
    public let headers: WebSocketHeaders
    /// The beginning of the body.
    public let body: [UInt8]

    /// Where a redirect leads; it is not followed, for the server there is another one.
    public var location: String? { headers["Location"] }

    /// How long the server wants to be left alone (`Retry-After`, RFC 9110 §10.2.3); nil where it does not say so, or in
    /// words that are neither a number of seconds nor a date. A date is counted from the answer's own `Date`, where it has one.
    ///
    /// - Parameter now: The present moment, in seconds since 1970, for an answer without a `Date`.
    package func retryDelay(at now: Int) -> Duration? {
        guard let text = headers["Retry-After"] else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy(\.isDigit) { return .seconds(Int(text) ?? .max) }
        guard let moment = HTTPDate(text, now: now) else { return nil }
        let start = headers["Date"].flatMap { HTTPDate($0, now: now) }?.secondsSince1970 ?? now
        return .seconds(max(0, moment.secondsSince1970 - start))
    }
}

extension WebSocketResponse: CustomStringConvertible {
    /// The status in words, and where a redirect leads.
    public var description: String {
        let place = location.map { ", to \($0)" } ?? ""
        return reason.isEmpty ? "\(status)\(place)" : "\(status) \(reason)\(place)"
    }
}

/// Gathers the beginning of a body, as far as it comes and is wanted.
struct BodyReader: Sendable {
    private enum End: Sendable {
        /// So many bytes are to come.
        case byteCount(Int)
        /// A chunk without bytes ends it (RFC 9112 §7.1).
        case lastChunk
        /// Only the connection's end does.
        case connection
    }

    private let limit: Int
    private let end: End
    private var bytes: [UInt8] = []

    init(status: Int, headers: WebSocketHeaders, limit: Int) {
        self.limit = limit
        if status == 204 || status == 304 {
            end = .byteCount(0)
        } else if headers.hasListElement("chunked", in: "Transfer-Encoding") {
            end = .lastChunk
        } else if let text = headers["Content-Length"], text.utf8.allSatisfy(\.isDigit), let count = Int(text) {
            end = .byteCount(count)
        } else {
            end = .connection
        }
    }

    mutating func receive(_ received: RawSpan) {
        let wanted = received.extracting(first: limit - bytes.count)
        bytes += unsafe wanted.withUnsafeBytes { unsafe Array($0) }
    }

    /// Whether more is neither expected nor wanted.
    var isComplete: Bool {
        switch end {
        case .byteCount(let count): bytes.count >= min(count, limit)
        case .lastChunk: bytes.count >= limit || bytes.suffix(5).elementsEqual("0\r\n\r\n".utf8)
        case .connection: bytes.count >= limit
        }
    }

    /// The body, as far as it has come.
    var body: [UInt8] {
        switch end {
        case .byteCount(let count): Array(bytes.prefix(count))
        case .lastChunk: withoutChunks
        case .connection: bytes
        }
    }

    private var withoutChunks: [UInt8] {
        var body: [UInt8] = []
        var rest = bytes[...]
        while let lineEnd = rest.firstIndex(of: 0x0A) {
            let digits = rest[..<lineEnd].prefix(while: \.isHexadecimalDigit)
            guard let count = Int(String(decoding: digits, as: UTF8.self), radix: 16), count > 0 else { break }
            rest = rest[(lineEnd + 1)...]
            body += rest.prefix(count)
            // Behind a chunk stands a line end.
            rest = rest.dropFirst(count).dropFirst(2)
        }
        return body
    }
}
