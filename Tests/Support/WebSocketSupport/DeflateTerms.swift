// SPDX-License-Identifier: Apache-2.0

public import WirelineWebSocket

/// What both sides agree on about compression, as it stands in their headers (RFC 7692 §7.1).
public struct DeflateTerms: Sendable {
    /// What a client offers.
    public let offer: String
    /// What a server answers to it. To a client of ours, which offers nothing special, it may answer the same.
    public let answer: String

    public init(offer: String, answer: String) {
        self.offer = offer
        self.answer = answer
    }

    /// Whether a server's answer means the same as the one here.
    public func isMet(by answer: String?) -> Bool { answer.map(Self.parts(of:)) == Self.parts(of: self.answer) }

    /// How far back a side may look, as a power of two.
    public func windowBits(of role: WebSocketRole) -> Int {
        let name = role == .client ? "client_max_window_bits=" : "server_max_window_bits="
        return Self.parts(of: answer).first { $0.hasPrefix(name) }.flatMap { Int($0.dropFirst(name.count)) } ?? 15
    }

    /// Whether a side may look back into earlier messages.
    public func takesContextOver(_ role: WebSocketRole) -> Bool {
        !Self.parts(of: answer).contains(role == .client ? "client_no_context_takeover" : "server_no_context_takeover")
    }

    private static func parts(of answer: String) -> Set<String> {
        Set(answer.split(separator: ";").map { String($0.drop { $0 == " " }) })
    }
}
