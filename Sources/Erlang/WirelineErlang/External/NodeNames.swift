// SPDX-License-Identifier: Apache-2.0

/// The names of two nodes that most control messages mention. Each is made once, and not for each message.
struct NodeNames: Sendable {
    private let peer: ErlangAtom
    /// The first name that was noted and is not the peer's.
    private var other: ErlangAtom?

    init(peer: ErlangAtom) { self.peer = peer }

    /// Returns nil for any other name.
    func name(_ text: RawSpan) -> ErlangAtom? {
        if peer.matches(text) { return peer }
        guard let other, other.matches(text) else { return nil }
        return other
    }

    mutating func note(_ name: ErlangAtom) {
        if other == nil, name != peer { other = name }
    }
}
