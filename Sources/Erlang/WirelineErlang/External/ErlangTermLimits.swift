// SPDX-License-Identifier: Apache-2.0

/// Limits for the resources that a term may take from its reader. They also hold for output, so that the peer can read
/// it.
public struct ErlangTermLimits: Equatable, Sendable {
    /// How deeply terms may be nested (default 512).
    ///
    /// Erlang itself takes a million. Deeper terms than this one are refused, because functions that walk a term need
    /// stack for each level.
    public var depth = 512
    /// The most bytes of a term (default 16 MiB), and of a compressed term when it is inflated.
    public var byteCount = 16 << 20
    /// The most parts of a term: elements, keys, values and the terms that contain them (default 1,048,576).
    ///
    /// A part may take a byte on the wire and 24 in memory, so this limits memory to 24 MiB beyond the term's bytes.
    public var termCount = 1 << 20
    /// The most bytes of an integer (default 64 KiB). OTP 27 cuts off a node that sends 1 MiB, and OTP 25 needs
    /// gigabytes of memory for 16 MiB.
    public var integerByteCount = 64 << 10

    /// The defaults.
    public init() {}
}
