// SPDX-License-Identifier: Apache-2.0

/// What a server has answered that does not want to talk WebSocket.
public struct WebSocketResponse: Equatable, Sendable {
    /// The status, such as 301 (another address: see ``location``), 401 (who is asking?) or 503 (not now).
    public let status: Int
    /// What the server calls it.
    public let reason: String
    /// The headers.
    public let headers: WebSocketHeaders
    /// The beginning of the body, as far as it has come when nothing more was waited for.
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
        let place = location.map { ", to \($0.printable)" } ?? ""
        return reason.isEmpty ? "\(status)\(place)" : "\(status) \(reason.printable)\(place)"
    }
}
