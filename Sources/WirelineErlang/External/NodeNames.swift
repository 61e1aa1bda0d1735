// SPDX-License-Identifier: Apache-2.0

/// The names of the two nodes whose processes most control messages have. Each is made once, and not for each message.
struct NodeNames: Sendable {
    private let peer: ErlangAtom
    /// The first other name that has come.
    private var other: ErlangAtom?

    init(peer: ErlangAtom) { self.peer = peer }

    /// Returns the name that some UTF-8 is; nil if it is another one.
    func name(_ text: RawSpan) -> ErlangAtom? {
        if peer.matches(text) { return peer }
        guard let other, other.matches(text) else { return nil }
        return other
    }

    /// Notes a name that has come.
    mutating func note(_ name: ErlangAtom) {
        if other == nil, name != peer { other = name }
    }
}
