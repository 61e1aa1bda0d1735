// SPDX-License-Identifier: Apache-2.0

/// The content of a checksum field of a header or trailer: the kind of the checksum, and the bytes that it covers.
///
/// The field's own bytes count as zeros if it covers them. Several checksums of a packet are computed in wire order, so
/// the later ones count as zeros, too. A field that is wider than the checksum has zeros in front.
public struct PacketChecksum: Equatable, Sendable {
    /// How it is computed.
    public var kind: ChecksumKind
    /// The bytes that it covers.
    public var range: Range

    /// Makes a checksum, by default of the payload.
    public init(_ kind: ChecksumKind, of range: Range = .payload) {
        self.kind = kind
        self.range = range
    }

    /// The bytes that a checksum covers.
    @frozen
    public enum Range: Equatable, Sendable {
        /// Only the payload.
        case payload
        /// All bytes after the checksum field, trailer included.
        case rest
        /// From one part of the packet through another, both included.
        case parts(Part, through: Part)
    }

    /// A part of a packet.
    @frozen
    public enum Part: Equatable, Sendable {
        case payload
        /// The header or trailer field with this name.
        case field(String)
    }
}

extension PacketChecksum.Range: CustomStringConvertible {
    /// The range as the schema language writes it: `payload`, `rest` or `id..payload`.
    public var description: String {
        switch self {
        case .payload: "payload"
        case .rest: "rest"
        case .parts(let first, let last): "\(first)..\(last)"
        }
    }
}

extension PacketChecksum.Range {
    /// The owner of the checksum, for error messages.
    package var owner: String {
        switch self {
        case .payload: "the payload's"
        case .rest: "that of the rest"
        case .parts: "that of \(self)"
        }
    }
}

extension PacketChecksum.Part: CustomStringConvertible {
    /// The field's name, or `payload`.
    public var description: String {
        switch self {
        case .payload: "payload"
        case .field(let name): name
        }
    }
}
