// SPDX-License-Identifier: Apache-2.0

/// The order of a number's bytes on the wire.
@frozen
public enum ByteOrder: Equatable, Hashable, Sendable {
    /// The most significant byte first, also called network byte order (RFC 1700).
    case bigEndian
    /// The least significant byte first.
    case littleEndian
}
