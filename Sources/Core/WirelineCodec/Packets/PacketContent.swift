// SPDX-License-Identifier: Apache-2.0

/// The content of packets between header and trailer, besides a message's fields: layers, whole packets, and bytes that
/// are not read.
///
///     header fields   layer   header fields inside   content
///     +-------------+-------+----------------------+-----------------+
///     | length, ID  | zlib( | …                    | fields, packets | )
///     +-------------+-------+----------------------+-----------------+
@frozen
public struct PacketContent: Equatable, Sendable {
    /// The layers, the outermost first; at most ``maximumLayerCount``.
    public var layers: [Layer]
    /// The line `packets;`: its content is whole packets of the same sender; nil if there is no such line.
    public var packets: Line?
    /// The line `opaque;`: its content is not read; nil if there is no such line.
    public var opaque: Line?

    /// The most bytes that compression and custom layers may make of one packet, including the packets in it.
    ///
    /// It is the schema's `max_inflated` (default 8 MiB).
    public var maximumInflatedByteCount: Int
    /// How deep packets may stand in packets: the schema's `max_nested` (default 4).
    public var maximumNestedDepth: Int

    /// The most layers of a packet.
    public static let maximumLayerCount = 4

    /// Makes a content; without arguments it is the message's fields alone.
    public init(
        layers: [Layer] = [], packets: Line? = nil, opaque: Line? = nil, maximumInflatedByteCount: Int = 8 << 20,
        maximumNestedDepth: Int = 4
    ) {
        self.layers = layers
        self.packets = packets
        self.opaque = opaque
        self.maximumInflatedByteCount = max(0, maximumInflatedByteCount)
        self.maximumNestedDepth = maximumNestedDepth
    }

    /// A transform of everything after its line.
    @frozen
    public struct Layer: Equatable, Sendable {
        /// How the bytes are transformed.
        public var kind: LayerKind
        /// The number of header fields before the layer; the fields after them are inside it.
        public var fieldCount: Int
        /// When a packet has the layer; nil for a layer that every packet has.
        ///
        /// Its operands are numbers of the header before the layer, lengths and checksums excepted, but a
        /// ``PacketField/Role/contentLength(plus:)`` is allowed.
        public var condition: WireCondition?

        /// Makes a layer; without `condition` every packet has it.
        public init(_ kind: LayerKind, afterFields fieldCount: Int, if condition: WireCondition? = nil) {
            self.kind = kind
            self.fieldCount = fieldCount
            self.condition = condition
        }
    }

    /// A line that holds for packets with a condition.
    @frozen
    public struct Line: Equatable, Sendable {
        /// When the line holds; nil if it holds for every packet.
        public var condition: WireCondition?

        /// Makes a line; without `condition` it holds for every packet.
        public init(if condition: WireCondition? = nil) { self.condition = condition }
    }

    package var isPlain: Bool { layers.isEmpty && packets == nil && opaque == nil }

    package var conditions: [WireCondition] {
        layers.compactMap { $0.condition } + [packets, opaque].compactMap { $0?.condition }
    }
}
