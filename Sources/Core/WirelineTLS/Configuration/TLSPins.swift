// SPDX-License-Identifier: Apache-2.0

/// The pinned public keys: a peer's chain must contain one of them, in addition to being valid.
///
/// Only the verified chain counts, from the peer's own certificate to the root; extra certificates that a peer sends do
/// not. If verification is switched off, only the peer's own key counts, because the handshake proves it.
///
/// Pin at least two keys: the one in use, and a back-up that is kept elsewhere. If you pin only one key and lose it,
/// every client is locked out until it has a new version of the program.
public struct TLSPins: Equatable, Sendable {
    /// The hashes of the keys, including the back-ups.
    public var hashes: Set<TLSKeyHash>
    /// Whether a mismatch is only reported, and the connection continues (default: no).
    /// It is reported in ``TLSEngine/pinOutcome``, in `TLSDetails` of each connection, and in a client's
    /// `ConnectionTimeline`.
    public var reportOnly: Bool

    /// Makes pins.
    ///
    /// - Parameters:
    ///   - hashes: The hashes of the keys; if empty, no chain matches.
    ///   - reportOnly: Whether a mismatch is only reported.
    public init(_ hashes: some Sequence<TLSKeyHash>, reportOnly: Bool = false) {
        self.hashes = Set(hashes)
        self.reportOnly = reportOnly
    }

    /// Reads the hashes from texts.
    ///
    /// - Parameters:
    ///   - texts: The hashes, as in ``TLSKeyHash/init(_:)``.
    ///   - reportOnly: Whether a mismatch is only reported.
    /// - Throws: ``TLSError/invalidPin(_:)`` with the first invalid text.
    public init(_ texts: [String], reportOnly: Bool = false) throws(TLSError) {
        var hashes: Set<TLSKeyHash> = []
        for text in texts { hashes.insert(try TLSKeyHash(text)) }
        self.init(hashes, reportOnly: reportOnly)
    }
}

/// The result of the pin check on one connection.
public enum TLSPinOutcome: Equatable, Sendable {
    /// No certificate has been checked.
    /// There are no pins, the peer has shown no certificate, or it is too early. Or a server has resumed one of its own
    /// sessions, which it checked before. Pins change only with ``TLSContext/replace(with:)``, and that ends the
    /// resumption of older sessions.
    case notChecked
    /// The chain has a pinned key; `depth` 0 is the peer's own, 1 its issuer's, and so on.
    case matched(TLSKeyHash, depth: Int)
    /// The chain has no pinned key; `received` has its keys, the peer's own first.
    case mismatched(received: [TLSKeyHash])
}
