// SPDX-License-Identifier: Apache-2.0

/// The public keys of which a peer's chain must contain one, in addition to being good otherwise.
///
/// Only the chain that was verified counts, from the peer's own certificate to the root: a certificate that a peer sends
/// along without need is not part of it. Where verification is switched off, no chain is known to be genuine, and only the
/// peer's own key counts, which the handshake proves.
///
/// Pin at least two keys: the one in use, and a back-up that is kept elsewhere. Whoever pins one key alone and loses it
/// locks everyone out until they have a new version of the program.
public struct TLSPins: Equatable, Sendable {
    /// The hashes of the keys, the back-ups among them.
    public var hashes: Set<TLSKeyHash>
    /// Whether a mismatch is only told of and the connection goes on (default: no): in ``TLSEngine/pinOutcome``, which
    /// `TLSDetails` has for each connection, and in a client's `ConnectionTimeline`.
    public var reportOnly: Bool

    /// - Parameters:
    ///   - hashes: The hashes of the keys; without any, no chain matches.
    ///   - reportOnly: Whether a mismatch is only told of.
    public init(_ hashes: some Sequence<TLSKeyHash>, reportOnly: Bool = false) {
        self.hashes = Set(hashes)
        self.reportOnly = reportOnly
    }

    /// Reads the hashes from texts.
    ///
    /// - Parameters:
    ///   - texts: What ``TLSKeyHash/init(_:)`` reads.
    ///   - reportOnly: Whether a mismatch is only told of.
    /// - Throws: ``TLSError/invalidPin(_:)`` with the first text that is none.
    public init(_ texts: [String], reportOnly: Bool = false) throws(TLSError) {
        var hashes: Set<TLSKeyHash> = []
        for text in texts { hashes.insert(try TLSKeyHash(text)) }
        self.init(hashes, reportOnly: reportOnly)
    }
}

/// What became of the pins on one connection.
public enum TLSPinOutcome: Equatable, Sendable {
    /// No certificate has been looked at: there are no pins, the peer has shown none, it is too early, or a server has
    /// resumed a session of its own, for which it looked before.
    case notChecked
    /// The chain has a pinned key; `depth` 0 is the peer's own, 1 its issuer's, and so on.
    case matched(TLSKeyHash, depth: Int)
    /// The chain has none; its keys are these, the peer's own first.
    case mismatched(received: [TLSKeyHash])
}
