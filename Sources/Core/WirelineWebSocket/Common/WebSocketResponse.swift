// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The answer of a server that refused a WebSocket.
public struct WebSocketResponse: Equatable, Sendable {
    /// The status, such as 301 (moved: see ``location``), 401 (log in) or 503 (unavailable).
    public let status: Int
    /// The server's text for the status.
    public let reason: String
    /// The headers.
    public let headers: WebSocketHeaders
    /// The beginning of the body, as far as it had arrived.
    public let body: [UInt8]

    /// The target of a redirect. It is not followed, because it may lead to another server.
    public var location: String? { headers["Location"] }

    /// Returns how long the server asks clients to wait (`Retry-After`, RFC 9110 §10.2.3).
    ///
    /// The value is nil if the header is missing, or neither a number of seconds nor a date. A date is relative to the
    /// answer's `Date` header, if there is one.
    ///
    /// - Parameter now: The current time, in seconds since 1970, for an answer without a `Date`.
    package func retryDelay(at now: Int) -> Duration? {
        guard let text = headers["Retry-After"] else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy(\.isDigit) { return .seconds(Int(text) ?? .max) }
        guard let moment = HTTPDate(text, now: now) else { return nil }
        let start = headers["Date"].flatMap { HTTPDate($0, now: now) }?.secondsSince1970 ?? now
        return .seconds(max(0, moment.secondsSince1970 - start))
    }
}

extension WebSocketResponse: CustomStringConvertible {
    /// The status in words, and the target of a redirect.
    public var description: String {
        let place = location.map { ", to \($0.escaped())" } ?? ""
        return reason.isEmpty ? "\(status)\(place)" : "\(status) \(reason.escaped())\(place)"
    }
}
