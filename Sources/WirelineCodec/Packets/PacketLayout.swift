// SPDX-License-Identifier: Apache-2.0

/// The fields around a payload on the wire: header fields before it, trailer fields after it.
///
///     header                     payload      trailer
///     +--------+----+- - - - - -+------------+- - - - - -+
///     | length | ID |           |            | CRC, end  |
///     +--------+----+- - - - - -+------------+- - - - - -+
///
/// A layout is data: one splitter and one encoder serve all layouts. It needs at least one length in its header. It may
/// have one field of variable width, also in the header.
@frozen
public struct PacketLayout: Sendable {
    /// One pointer, so that a layout is cheap to pass; the plan inside is read in place for every packet.
    @usableFromInline let storage: Storage

    /// The fields before the payload, in wire order.
    public var header: [PacketField] { storage.header }
    /// The fields after the payload, in wire order.
    public var trailer: [PacketField] { storage.trailer }
    /// The numbers that splitting and encoding need, computed once from the fields.
    @inlinable @inline(__always)
    public var plan: PacketPlan {
        @inline(__always)
        _read { yield storage.plan }
    }

    /// Checks the fields and makes a layout of them.
    ///
    /// - Throws: ``CodecError`` with ``CodecError/Reason/invalidLayout(_:)``.
    public init(header: [PacketField], trailer: [PacketField] = []) throws(CodecError) {
        if let fault = Self.firstFault(header: header, trailer: trailer) {
            throw CodecError(.invalidLayout(fault))
        }
        self.init(uncheckedHeader: header, trailer: trailer)
    }

    /// Makes a layout of fields that the code generator has checked; invalid fields stop the program.
    public init(generatedHeader header: [PacketField], trailer: [PacketField] = []) {
        precondition(Self.firstFault(header: header, trailer: trailer) == nil, "a layout that cannot work")
        self.init(uncheckedHeader: header, trailer: trailer)
    }

    /// Makes a layout of fields that are known to be valid.
    init(uncheckedHeader header: [PacketField], trailer: [PacketField] = []) {
        storage = Storage(header: header, trailer: trailer)
    }

    /// The middle path, for layouts that the plan does not cover; nil if only the general path works.
    var quickHeader: QuickHeader? { storage.quickHeader }

    /// The checksums, in wire order.
    package var checksums: [PlannedChecksum] { storage.checksums }

    /// Returns the position of a checksum among the ``fields``.
    package func fieldIndex(of checksum: PlannedChecksum) -> Int {
        checksum.part < header.count ? checksum.part : checksum.part - 1
    }

    /// The bytes of the header that hold the sequence number; empty if there is no such field.
    ///
    /// Nil if ``plan`` cannot write a whole header, or if the sequence number has no fixed place in it.
    @inlinable @inline(__always)
    package var sequencePlace: Range<Int>? { storage.sequencePlace }

    @usableFromInline
    final class Storage: Sendable {
        let header: [PacketField]
        let trailer: [PacketField]
        let quickHeader: QuickHeader?
        let checksums: [PlannedChecksum]
        @usableFromInline let plan: PacketPlan
        @usableFromInline let sequencePlace: Range<Int>?

        init(header: [PacketField], trailer: [PacketField]) {
            self.header = header
            self.trailer = trailer
            plan = PacketPlan(header: header, trailer: trailer)
            quickHeader = QuickHeader(header: header, trailer: trailer)
            checksums = PlannedChecksum.all(header: header, trailer: trailer)
            let sequence = PlacedField.place(header: header).first { $0.field.role == .sequence }
            // A plan that writes whole headers has only fields of fixed width, and no trailer.
            sequencePlace = plan.canWriteAtOnce ? sequence.map { $0.offset..<$0.end } ?? 0..<0 : nil
        }
    }

    /// The fewest bytes that a packet can have, with an empty payload.
    public var minimumPacketByteCount: Int { plan.minimumPacketByteCount }

    /// Whether all fields have a fixed width.
    var isFixed: Bool { header.allSatisfy { $0.format.byteCount != nil } }

    /// Header and trailer fields, in wire order.
    public var fields: [PacketField] { header + trailer }

    /// Whether packets have a message ID; without one there is one message for each direction.
    public var hasMessageID: Bool { fields.contains { $0.role == .messageID } }

    /// The largest message ID that the ID fields can hold; 0 if there are none.
    public var maximumMessageID: UInt64 { plan.mostMessageID }

    /// The field that pairs a reply with its request, if the layout has one.
    public var sequenceField: PacketField? { fields.first { $0.role == .sequence } }

    /// The largest number that ``sequenceField`` can hold; nil if there is none.
    package var maximumSequence: UInt64? { sequenceField.map { $0.format.maximum } }
}

extension PacketLayout: Equatable {
    public static func == (left: PacketLayout, right: PacketLayout) -> Bool {
        left.storage === right.storage || left.header == right.header && left.trailer == right.trailer
    }
}

extension PacketField {
    /// Returns the largest message ID that the ID fields among these can hold; 0 if there are none.
    static func maximumMessageID(_ fields: [PacketField]) -> UInt64 {
        let width = fields.filter { $0.role == .messageID }.reduce(0) { $0 + $1.format.bitWidth }
        return width == 0 ? 0 : UInt64.max >> UInt64(64 - width)
    }
}

extension PacketField.Format {
    /// The largest number that the field can hold.
    var maximum: UInt64 {
        UInt64.max >> UInt64(64 - bitWidth + (isSigned ? 1 : 0))
    }

    /// Whether the field can hold negative numbers.
    var isSigned: Bool {
        switch self {
        case .integer(let format, _): format.isSigned
        case .boolean: false
        case .varint(let format): format.isSigned
        }
    }

    /// The most bits of a number that the field can hold.
    var bitWidth: Int {
        switch self {
        case .integer(let format, _): format.byteCount * 8
        case .boolean: 1
        case .varint(let format): format.bitWidth
        }
    }
}

// MARK: - Presets

extension PacketLayout {
    /// `uint32` length that counts the whole packet, `uint16` message ID, payload; big-endian (seed 003).
    public static let standard = standard(.bigEndian)

    /// The fields of ``standard``, in either byte order.
    package static func standard(_ byteOrder: ByteOrder) -> PacketLayout {
        PacketLayout(uncheckedHeader: [
            PacketField("length", .integer(.uint32, byteOrder), .length(of: .packet, plus: 0)),
            PacketField("id", .integer(.uint16, byteOrder), .messageID),
        ])
    }

    /// QSIOP: `uint16` version 1, `uint16` operation, `uint16` byte count of the properties; big-endian (seed 004).
    public static let qsiop = PacketLayout(uncheckedHeader: [
        PacketField("ver", .integer(.uint16, .bigEndian), .value(default: 1)),
        PacketField("op", .integer(.uint16, .bigEndian), .messageID),
        PacketField("propl", .integer(.uint16, .bigEndian), .length(of: .payload, plus: 0)),
    ])

    /// Erlang's `{packet, 1}`: one byte that counts the bytes after it, at most 255.
    public static let erlangPacket1 = erlangPacket(.uint8)

    /// Erlang's `{packet, 2}`: a big-endian `uint16` that counts the bytes after it.
    public static let erlangPacket2 = erlangPacket(.uint16)

    /// Erlang's `{packet, 4}`: a big-endian `uint32` that counts the bytes after it.
    public static let erlangPacket4 = erlangPacket(.uint32)

    private static func erlangPacket(_ format: IntegerFormat) -> PacketLayout {
        PacketLayout(uncheckedHeader: [
            PacketField("length", .integer(format, .bigEndian), .length(of: .rest, plus: 0))
        ])
    }
}
