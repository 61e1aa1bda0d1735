// SPDX-License-Identifier: Apache-2.0

/// The fields around a payload on the wire: header fields before it, trailer fields after it.
///
///     header                     payload      trailer
///     +--------+----+- - - - - -+------------+- - - - - -+
///     | length | ID |           |            | CRC, end  |
///     +--------+----+- - - - - -+------------+- - - - - -+
///
/// A layout is data: one splitter and one encoder serve all layouts. It needs at least one length in its header, or a
/// frame: marks around each packet (``PacketFraming``). Only fields of the header may vary in width. Fields of both may
/// have a condition about numbers of the header, about the packet's sender, or about states of the connection. If a
/// condition is about the sender or about states, ``layout(in:)`` returns the layout that reads and writes packets. It
/// does so too if the payload has layers (``PacketContent``): the returned layout has the fields before the first
/// layer, and that layer's output is its payload.
@frozen
public struct PacketLayout: Sendable {
    /// One pointer, so that a layout is cheap to pass; the plan inside is read in place for every packet.
    @usableFromInline let storage: Storage

    /// The fields before the payload, in wire order.
    public var header: [PacketField] { storage.header }
    /// The fields after the payload, in wire order.
    public var trailer: [PacketField] { storage.trailer }
    /// The layers, and what the payload can be besides a message's fields.
    public var content: PacketContent { storage.content }
    /// The numbers that splitting and encoding need, computed once from the fields.
    @inlinable @inline(__always)
    public var plan: PacketPlan {
        @inline(__always)
        _read { yield storage.plan }
    }

    /// Checks the fields and makes a layout of them.
    ///
    /// - Parameters:
    ///   - framing: The marks around each packet of a stream (default: none).
    ///   - states: The states that conditions look at (default: none).
    ///   - stateChanges: The messages that set states (default: none).
    ///   - header: The fields before the payload, in wire order; those inside of layers too.
    ///   - content: The layers, and what the payload can be besides a message's fields (default: nothing).
    ///   - trailer: The fields after the payload, in wire order.
    /// - Throws: ``CodecError`` with ``CodecError/Reason/invalidLayout(_:)``.
    public init(
        framing: PacketFraming? = nil, states: [PacketState] = [], stateChanges: [PacketStateChange] = [],
        header: [PacketField], content: PacketContent = PacketContent(), trailer: [PacketField] = []
    ) throws(CodecError) {
        let parts = LayoutParts(
            framing: framing, states: states, stateChanges: stateChanges, header: header, content: content,
            trailer: trailer)
        if let fault = Self.firstFault(parts) { throw CodecError(.invalidLayout(fault)) }
        self.init(unchecked: parts)
    }

    /// Makes a layout of fields that the code generator has checked; invalid fields stop the program.
    public init(
        generatedFraming framing: PacketFraming? = nil, states: [PacketState] = [],
        stateChanges: [PacketStateChange] = [], generatedHeader header: [PacketField],
        content: PacketContent = PacketContent(), trailer: [PacketField] = []
    ) {
        let parts = LayoutParts(
            framing: framing, states: states, stateChanges: stateChanges, header: header, content: content,
            trailer: trailer)
        precondition(Self.firstFault(parts) == nil, "a layout that cannot work")
        self.init(unchecked: parts)
    }

    /// Makes a layout of fields that are known to be valid.
    init(_ framing: PacketFraming? = nil, uncheckedHeader header: [PacketField], trailer: [PacketField] = []) {
        self.init(unchecked: LayoutParts(framing: framing, header: header, trailer: trailer))
    }

    init(unchecked parts: LayoutParts) {
        let framing = parts.framing.map { FramingTable($0) }
        guard parts.content.isPlain else {
            let contexts = parts.contexts
            let storage = Storage(
                framing, ContextFields(parts), contexts: contexts, content: parts.content,
                layerings: Layering.all(parts, contexts, framing))
            self.init(storage)
            return
        }
        guard parts.dependsOnContext else {
            self.init(framing, ContextFields(parts), variant: 0, parts.states.isEmpty ? nil : parts.contexts)
            return
        }
        let contexts = parts.contexts
        let variants = contexts.combinations.enumerated().map { index, combination in
            PacketLayout(framing, ContextFields(parts, in: combination, contexts.tests), variant: UInt16(index), nil)
        }
        self.init(Storage(framing, ContextFields(parts), variants: variants, contexts: contexts))
    }

    /// Makes a layout that does not depend on a context.
    private init(_ framing: FramingTable?, _ fields: ContextFields, variant: UInt16, _ contexts: LayoutContexts?) {
        let storage = Storage(framing, fields, variant: variant, contexts: contexts)
        let template = HeaderTemplate(PacketLayout(storage))
        self.storage =
            template == nil
            ? storage : Storage(framing, fields, variant: variant, contexts: contexts, template: template)
    }

    private init(_ storage: Storage) { self.storage = storage }

    /// Makes a layout for one part of a packet with layers; the part ends where the given bytes end.
    init(boundedHeader header: [PacketField], trailer: [PacketField] = [], variant: Int = 0) {
        let fields = ContextFields(LayoutParts(header: header, trailer: trailer))
        self.init(Storage(nil, fields, isBounded: true, variant: UInt16(variant), contexts: nil))
    }

    /// Makes the layout of the packets that a stream with layers consists of.
    init(outerFraming table: FramingTable?, header: [PacketField], trailer: [PacketField], variant: Int = 0) {
        let fields = ContextFields(LayoutParts(header: header, trailer: trailer))
        self.init(table, fields, variant: UInt16(variant), nil)
    }

    /// Finds a packet on the middle path; nil if only the general path can.
    @inline(__always)
    package func quickBounds(in bytes: RawSpan, at start: Int, limit: Int) -> PacketBounds? {
        guard let header = unsafe storage.borrowedHeaderProgram else { return nil }
        // SAFETY: the layout keeps the object alive.
        return unsafe header._withUnsafeGuaranteedRef { $0.bounds(in: bytes, at: start, limit: limit) }
    }

    /// Returns the header of a packet with set values; ``WrittenHeader/none`` if only the general path can make it.
    package func header(
        setting values: PacketHeader, id: UInt64, payloadByteCount: Int, limit: Int
    ) -> WrittenHeader {
        storage.writer?.header(values, id: id, payloadByteCount: payloadByteCount, limit: limit) ?? .none
    }

    /// The marks and escapes as tables; nil if packets follow each other directly.
    var framingTable: FramingTable? { storage.framing }

    /// The places of the ``fields`` that share bytes, and nil for the other ones; empty if no field shares bytes.
    package var packedPlaces: [PackedPlace?] { storage.packedPlaces }

    /// The bytes that each of the ``fields`` adds to the ones before it; nil for a varint.
    ///
    /// The first field of those that share bytes has all of them, and the others have none.
    package var byteCounts: [Int?] { storage.byteCounts }

    var hasRuns: Bool { storage.hasRuns }

    /// The condition of each of the ``fields``, nil for one that is always there; empty if all always are.
    package var conditions: [PlacedCondition?] { storage.conditions }

    /// The field that fits itself to the packet, and its values; nil if there is none.
    package var fitting: (name: String, values: [Int128])? { storage.fitting }

    /// The fields that the packets of this layout never have, and those of another sender or in other states may have.
    var absentFields: [PacketField] { storage.absent }

    /// Whether the header has a length, which may have a condition.
    var hasLength: Bool { storage.hasLength }

    package var hasConditions: Bool { !storage.conditions.isEmpty }

    /// The positions of the fields that conditions test.
    package var operands: [Int] { storage.operands }

    /// The positions of the ID fields, whether they are always there or not.
    var messageIDs: [Int] { storage.messageIDs }

    /// The sets of ID fields, in the order in which a writer tries them; empty if no field has a condition.
    package var messageIDSets: [MessageIDSet] { storage.messageIDSets }

    package func packedPlace(ofField index: Int) -> PackedPlace? { hasRuns ? packedPlaces[index] : nil }

    /// Returns a header with the defaults of the numbers that it does not set, and with constants.
    ///
    /// The conditions of a message's fields test these values when the message is written (`@if(header.qos > 0)`).
    public func completed(_ header: PacketHeader) -> PacketHeader {
        guard !header.fields.isEmpty else { return storage.usualNumbers }
        var result = header
        for (name, value) in storage.usualNumbers.fields where result[value: name] == nil {
            result[value: name] = value
        }
        return result
    }

    /// The checksums, in wire order.
    package var checksums: [PlannedChecksum] { storage.checksums }

    package func fieldIndex(of checksum: PlannedChecksum) -> Int {
        checksum.part < header.count ? checksum.part : checksum.part - 1
    }

    /// The bytes of the header that hold the sequence number; empty if there is no such field.
    ///
    /// Nil if ``plan`` cannot write a whole header, or if the sequence number has no fixed place in it.
    @inlinable @inline(__always)
    package var sequencePlace: Range<Int>? { storage.sequencePlace }

    // It keeps the object alive that it lends unsafely.
    @safe
    @usableFromInline
    final class Storage: Sendable {
        let header: [PacketField]
        let trailer: [PacketField]
        let fields: [PacketField]
        let framing: FramingTable?
        @usableFromInline let isFramed: Bool
        let absent: [PacketField]
        /// The layouts of the packets in each context that makes a difference; empty if none does.
        ///
        /// With layers they are those of ``layerings``, first the outer ones.
        let variants: [PacketLayout]
        /// What distinguishes the contexts; nil for one of the variants.
        let contexts: LayoutContexts?
        @usableFromInline let hasStates: Bool
        let content: PacketContent
        /// How packets with layers are read and written in each context; empty without layers.
        let layerings: [Layering]
        @usableFromInline let hasLayers: Bool
        /// Whether something else than a length can tell where packets end.
        let isBounded: Bool
        let hasLength: Bool
        private let headerProgram: HeaderProgram?
        /// The same, without counting its references.
        let borrowedHeaderProgram: Unmanaged<HeaderProgram>?
        private let template: HeaderTemplate?
        /// The same, without counting its references.
        let borrowedTemplate: Unmanaged<HeaderTemplate>?
        let writer: HeaderWriter?
        let checksums: [PlannedChecksum]
        let packedPlaces: [PackedPlace?]
        let hasRuns: Bool
        let byteCounts: [Int?]
        /// The numbers of a header that sets nothing, but for those that are computed.
        let usualNumbers: PacketHeader
        let conditions: [PlacedCondition?]
        let operands: [Int]
        let messageIDs: [Int]
        let fitting: (name: String, values: [Int128])?
        let messageIDSets: [MessageIDSet]
        @usableFromInline let plan: PacketPlan
        @usableFromInline let sequencePlace: Range<Int>?

        init(
            _ framing: FramingTable?, _ remaining: ContextFields, isBounded: Bool = false, variant: UInt16 = 0,
            variants: [PacketLayout] = [], contexts: LayoutContexts?, content: PacketContent = PacketContent(),
            layerings: [Layering] = [], template: HeaderTemplate? = nil
        ) {
            self.framing = framing
            isFramed = framing != nil
            let isBounded = isBounded || framing != nil
            self.isBounded = isBounded
            self.content = content
            self.layerings = layerings
            hasLayers = !layerings.isEmpty
            let variants = layerings.isEmpty ? variants : layerings.map { $0.outer } + layerings.map { $0.flat }
            let (header, trailer) = (remaining.header, remaining.trailer)
            self.header = header
            self.trailer = trailer
            absent = remaining.absent
            self.variants = variants
            self.contexts = contexts
            hasStates = contexts?.states.isEmpty == false
            let fields = header + trailer
            self.fields = fields
            hasLength = header.contains { $0.role.isLength }
            self.template = template
            // SAFETY: the object lives as long as this one.
            unsafe borrowedTemplate = template.map { unsafe Unmanaged.passUnretained($0) }
            plan = PacketPlan(
                header: header, trailer: trailer, isFramed: framing != nil, isBounded: isBounded, variant: variant,
                isWhole: layerings.isEmpty)
            conditions = PlacedCondition.all(header: header, trailer: trailer, states: contexts?.states ?? [])
            let isPlain = variants.isEmpty
            headerProgram =
                isPlain ? HeaderProgram(header: header, trailer: trailer, conditions, variant: variant) : nil
            // SAFETY: the object lives as long as this one.
            unsafe borrowedHeaderProgram = headerProgram.map { unsafe Unmanaged.passUnretained($0) }
            writer =
                !isBounded && isPlain
                ? HeaderWriter(header: header, trailer: trailer, conditions) : nil
            checksums = PlannedChecksum.all(header: header, trailer: trailer)
            let places = PackedRuns(header).places + PackedRuns(trailer).places
            hasRuns = places.contains { $0 != nil }
            packedPlaces = hasRuns ? places : []
            byteCounts = header.byteCounts + trailer.byteCounts
            usualNumbers = PacketHeader(usualNumbersOf: fields)
            fitting = fields.lazy.compactMap { field in field.fittingValues.map { (field.name, $0) } }.first
            operands = header.indices.filter { index in
                fields.contains {
                    $0.condition?.operands.contains(.field(header[index].name)) ?? false
                }
            }
            messageIDs = fields.indices.filter { fields[$0].role == .messageID }
            messageIDSets = conditions.isEmpty ? [] : MessageIDSet.all(of: fields)
            let sequence = PlacedField.place(header: header).first { $0.field.role == .sequence }
            // A plan that writes whole headers has only fields of fixed width, and no trailer.
            sequencePlace = plan.canWriteAtOnce ? sequence.map { $0.offset..<$0.end } ?? 0..<0 : nil
        }
    }

    /// The fewest bytes that a packet can have, with an empty payload.
    public var minimumPacketByteCount: Int { plan.minimumPacketByteCount }

    /// Whether header and trailer have the same width in all packets.
    var isFixed: Bool { !hasConditions && header.allSatisfy { $0.format.byteCount != nil } }

    /// Header and trailer fields, in wire order.
    public var fields: [PacketField] { storage.fields }

    /// Whether packets have a message ID; without one there is one message for each direction.
    public var hasMessageID: Bool { !storage.messageIDs.isEmpty }

    /// The largest message ID that the ID fields can hold; 0 if there are none.
    public var maximumMessageID: UInt64 { plan.mostMessageID }

    /// The field that pairs a reply with its request, if the layout has one.
    public var sequenceField: PacketField? { fields.first { $0.role == .sequence } }

    /// The sequence number of replies to failed requests, as ``sequence(of:)`` returns it; nil if there is none.
    package var failureSequence: UInt64? {
        sequenceField?.failure.map { UInt64(truncatingIfNeeded: $0) }
    }

    /// The largest number that a request can have; nil if there is no ``sequenceField``, or if not all packets have it.
    package var maximumSequence: UInt64? {
        let layouts = hasContent ? Sender.allCases.flatMap { wholeLayouts(from: $0) } : plainLayouts
        guard layouts.allSatisfy({ $0.sequenceField != nil }) else { return nil }
        return sequenceField.map { $0.failure == Int128($0.format.maximum) ? $0.format.maximum - 1 : $0.format.maximum }
    }
}

extension PacketHeader {
    fileprivate init(usualNumbersOf fields: [PacketField]) {
        for field in fields where field.format.isNumber {
            switch field.role {
            case .value(let value), .constant(let value): self[field.name] = value.number
            case .length, .contentLength, .messageID, .sequence, .checksum, .fitting, .padding: break
            }
        }
    }
}

extension PacketLayout: Equatable {
    public static func == (left: PacketLayout, right: PacketLayout) -> Bool {
        left.storage === right.storage
            || left.header == right.header && left.trailer == right.trailer && left.framing == right.framing
                && left.absentFields == right.absentFields && left.storage.contexts == right.storage.contexts
                && left.content == right.content
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
    var maximum: UInt64 {
        UInt64.max >> UInt64(64 - bitWidth + (isSigned ? 1 : 0))
    }

    var isSigned: Bool {
        switch self {
        case .integer(let format, _): format.isSigned
        case .boolean, .bit: false
        case .varint(let format): format.isSigned
        case .text, .digits, .bytes: false
        }
    }

    package var bitWidth: Int {
        switch self {
        case .integer(let format, _): format.bitWidth
        case .boolean, .bit: 1
        case .varint(let format): format.bitWidth
        case .text, .digits, .bytes: 0
        }
    }
}

// MARK: - Presets

extension PacketLayout {
    /// `uint32` length that counts the whole packet, `uint16` message ID, payload; big-endian (seed 003).
    public static let standard = standard(.bigEndian)

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
