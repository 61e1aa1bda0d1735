// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Collects the differences of two versions, with values that could show them, and then tries these values.
///
/// The comparison may suspect too much, never too little: it reports a suspect as breaking a reader only if a packet
/// shows it.
struct SchemaComparison {
    let old: ProtocolDescription
    let new: ProtocolDescription
    private(set) var suspects: [Suspect] = []
    /// The compared parts of the two versions, with their common fields.
    var alignments: [OwnerPair: FieldAlignment] = [:]
    /// The lists of fields under comparison, the innermost last.
    var openLists: [OpenList] = []
    var messagePairs: [MessagePair] = []
    /// The types in each compared message, structure and union.
    var contents: [OwnerPair: Set<TypePair>] = [:]
    var comparedCases: Set<TypePair> = []

    struct OwnerPair: Hashable {
        var old: FieldListKey
        var new: FieldListKey
    }

    struct MessagePair {
        var old: Int
        var new: Int
        var senders: Set<Sender>
    }

    /// Two declared types, used by the same field in the old and in the new version.
    enum TypePair: Hashable {
        case structure(old: Int, new: Int)
        case union(old: Int, new: Int)
        case enumeration(old: Int, new: Int)
        case flags(old: Int, new: Int)
    }

    /// A change, with the means to find its damage.
    struct Suspect {
        var change: SchemaChange
        var place: Place
        /// Values that could show it, for each reader that it could break; the reader's peer writes them.
        var hints: [SchemaVersion: [ExampleHint]]
        /// The names of the field in both versions, if the change can affect no other field.
        var fieldNames: Set<String>?

        enum Place: Hashable {
            case packet
            case message(old: Int?, new: Int?)
            /// The packets after one of a message that sets states.
            case packetsAfter(OwnerPair)
            case owner(OwnerPair)
            case type(TypePair)
        }
    }

    init(old: ProtocolDescription, new: ProtocolDescription) {
        self.old = old
        self.new = new
    }

    mutating func changes() -> [SchemaChange] {
        comparePackets()
        compareContents()
        compareStates()
        compareMessages()
        compareOptions()
        var trial = ExchangeTrial(self)
        return suspects.map { trial.change(of: $0) }
    }

    // MARK: Suspects

    /// - Parameters:
    ///   - readers: Hints for each version that may be unable to read the other's packets; without hints, any value may
    ///     show it.
    ///   - fieldNames: The names of the one field that would show it; nil if all later fields may be misread.
    mutating func suspect(
        _ rule: CompatibilityRule, _ subject: String, _ summary: String, at place: Suspect.Place,
        old oldLocation: SourceLocation? = nil, new newLocation: SourceLocation? = nil,
        breaks readers: [SchemaVersion: [ExampleHint]] = [:], only fieldNames: Set<String>? = nil
    ) {
        let change = SchemaChange(
            rule: rule, subject: subject, summary: summary, oldLocation: oldLocation, newLocation: newLocation,
            messages: [], failures: [])
        suspects.append(Suspect(change: change, place: place, hints: readers, fieldNames: fieldNames))
    }

    func description(of version: SchemaVersion) -> ProtocolDescription { version == .old ? old : new }

    /// The smallest number whose varint is not one byte with the same value.
    static let firstLongVarint = 128

    // MARK: Options

    private mutating func compareOptions() {
        let (before, after) = (old.options, new.options)
        compareLimits(
            .maximumPacket, "max_packet", before.maximumPacketByteCount, after.maximumPacketByteCount
        ) { count, _ in [.packetByteCount(count)] }
        compareContentLimits()
        compareLimits(.maximumDepth, "max_depth", before.maximumDepth, after.maximumDepth) { depth, _ in
            [.depth(depth)]
        }
        if before.keepsTrailingBytes != after.keepsTrailingBytes {
            let word = after.keepsTrailingBytes ? "keeps" : "refuses"
            suspect(.trailing, "option trailing", "\(word) bytes after the last known field now", at: .packet)
        }
        if before.hasStrictProperties != after.hasStrictProperties {
            let word = after.hasStrictProperties ? "strict" : "lenient"
            suspect(.properties, "option properties", "properties are now \(word)", at: .packet)
        }
        if before.varintForms != after.varintForms {
            let word = after.varintForms == .any ? "read in any form" : "read only in the shortest form"
            suspect(.varints, "option varints", "varints are now \(word)", at: .packet)
        }
        for range in old.reservedIDs where !new.reservedIDs.contains(where: { $0.contains(range) }) {
            let text = range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
            suspect(.reserved, "reserved", "`\(text)` is no longer reserved", at: .packet)
        }
    }

    /// - Parameter hints: Makes hints for packets of a version that need a limit of at least a number.
    mutating func compareLimits(
        _ rule: CompatibilityRule, _ name: String, _ before: Int, _ after: Int,
        _ hints: (Int, SchemaVersion) -> [ExampleHint]
    ) {
        guard before != after else { return }
        let reader: SchemaVersion = after < before ? .new : .old
        suspect(
            rule, "option \(name)", "was \(before), is \(after)", at: .packet,
            breaks: [reader: hints(min(before, after) + 1, reader.peer)])
    }

    // MARK: Packets

    private mutating func comparePackets() {
        let (before, after) = (old.layout, new.layout)
        let place = Suspect.Place.packet
        let isSame =
            before.header.count == after.header.count && before.fields.count == after.fields.count
            && zip(before.fields, after.fields).allSatisfy { $0.hasSameBytes(as: $1) }
            && before.checksums == after.checksums && before.packedPlaces == after.packedPlaces
            && before.conditions == after.conditions
        if !before.hasSameFrame(as: after) {
            let escaped = [before, after].flatMap { $0.framing?.escapes.map(\.byte) ?? [] }
            return suspect(
                .packetLayout, "packet", Self.frameDifference(before, after), at: place, old: old.packetLocation,
                new: new.packetLocation,
                breaks: Dictionary(
                    uniqueKeysWithValues: SchemaVersion.allCases.map {
                        ($0, description(of: $0.peer).hints(forBytes: escaped))
                    }))
        }
        guard isSame else {
            // Lengths of one byte and varints are the same on the wire as long as packets are short.
            let isOfLengths = zip(before.fields, after.fields).contains { Self.differInLongLengths($0, $1) }
            let lengths = isOfLengths ? [ExampleHint.packetByteCount(Self.firstLongVarint)] : []
            let hints = SchemaVersion.allCases.map { ($0, description(of: $0.peer).headerHints + lengths) }
            return suspect(
                .packetLayout, "packet", Self.firstDifference(before, after), at: place, old: old.packetLocation,
                new: new.packetLocation, breaks: Dictionary(uniqueKeysWithValues: hints))
        }
        for (index, (left, right)) in zip(before.fields, after.fields).enumerated() {
            let locations = (old.packetFieldLocation(index), new.packetFieldLocation(index))
            if left.name != right.name {
                suspect(
                    .headerName, "packet.\(right.name)", "was called `\(left.name)`", at: place, old: locations.0,
                    new: locations.1)
            }
            if left.role != right.role, left.checksum == nil {
                suspect(
                    left.role == .sequence || right.role == .sequence ? .reply : .defaultValue, "packet.\(right.name)",
                    "has another meaning or another default", at: place, old: locations.0, new: locations.1)
            }
        }
    }

    private static func frameDifference(_ before: PacketLayout, _ after: PacketLayout) -> String {
        switch (before.framing, after.framing) {
        case (nil, _): "packets have a frame"
        case (_, nil): "packets have no frame any more"
        case (let left?, let right?):
            left.start == right.start && left.end == right.end
                ? "bytes of a packet are escaped otherwise" : "packets have other marks"
        }
    }

    private static func differInLongLengths(_ left: PacketField, _ right: PacketField) -> Bool {
        guard case .length = left.role, case .length = right.role else { return false }
        return switch (left.format, right.format) {
        case (.integer(.uint8, _), .varint), (.varint, .integer(.uint8, _)): true
        default: false
        }
    }

    private static func firstDifference(_ before: PacketLayout, _ after: PacketLayout) -> String {
        let (left, right) = (before.fields, after.fields)
        let checksums = zip(before.checksums, after.checksums).first { $0 != $1 }
        let other = checksums.map { before.fieldIndex(of: $0.0) } ?? .max
        let index = min(other, zip(left, right).prefix { $0.hasSameBytes(as: $1) }.count)
        let count = max(left.count, right.count)
        let conditions = zip(before.conditions(for: count), after.conditions(for: count)).prefix { $0 == $1 }.count
        if conditions < index { return "`\(right[conditions].name)` has another condition" }
        switch (left.indices.contains(index), right.indices.contains(index)) {
        case (true, true):
            return left[index].name == right[index].name
                ? "`\(left[index].name)` stands on the wire otherwise"
                : "where `\(left[index].name)` stood stands `\(right[index].name)`"
        case (true, false): return "`\(left[index].name)` is gone"
        case (false, true): return "`\(right[index].name)` is new"
        case (false, false): return "the payload stands in another place"
        }
    }
}

extension PacketLayout {
    /// Returns the conditions of the first fields; nil for fields that are always present.
    fileprivate func conditions(for count: Int) -> [PlacedCondition?] {
        let known = conditions.prefix(count)
        return known + Array(repeating: nil, count: count - known.count)
    }
}

extension PacketLayout {
    /// Whether packets have the same marks and escapes, in any order.
    fileprivate func hasSameFrame(as other: PacketLayout) -> Bool {
        guard let framing, let another = other.framing else { return framing == other.framing }
        return framing.start == another.start && framing.end == another.end
            && framing.escapes.count == another.escapes.count && framing.escapes.allSatisfy(another.escapes.contains)
    }
}

extension PacketField {
    /// Whether a field has the same form and checks on the wire as another; values that callers set do not matter.
    fileprivate func hasSameBytes(as other: PacketField) -> Bool {
        guard format.asWritten == other.format.asWritten else { return false }
        switch (role, other.role) {
        case (.value, .value), (.value, .sequence), (.sequence, .value), (.value, .fitting), (.fitting, .value),
            (.sequence, .fitting), (.fitting, .sequence), (.fitting, .fitting):
            return true
        // Their ranges are compared by positions: fields can have other names.
        case (.checksum, .checksum): return true
        default: return role == other.role
        }
    }
}

extension PacketField.Format {
    /// The format, reduced to what affects the written bytes.
    fileprivate var asWritten: PacketField.Format {
        switch self {
        // The byte order of fields that share bytes is compared with their places in the group.
        case .integer(let format, _) where format.byteCount == 1 || !format.isWholeBytes:
            return .integer(format, .bigEndian)
        // Writers use the shortest form, whatever readers accept.
        case .varint(var format):
            format.forms = .shortest
            return .varint(format)
        default: return self
        }
    }
}

extension ProtocolDescription {
    fileprivate func packetFieldLocation(_ index: Int) -> SourceLocation? {
        packetFields.indices.contains(index) ? packetFields[index].location : nil
    }

    var packetLocation: SourceLocation? { packetFields.first?.location }

    /// Hints for headers in which a settable field differs from its default.
    fileprivate var headerHints: [ExampleHint] {
        layout.fields.flatMap { field -> [ExampleHint] in
            switch field.role {
            case .value where !field.format.isNumber:
                field.format.edges.map { .header(PacketHeader(field.name, $0.value)) }
            case .value, .fitting, .sequence:
                [1, field.format.range.upperBound].map { .header(PacketHeader(field.name, .integer($0))) }
            default: []
            }
        } + shapeHints
    }

    fileprivate func hints(forBytes bytes: [UInt8]) -> [ExampleHint] {
        bytes.flatMap { byte -> [ExampleHint] in
            let fields = layout.fields.filter { field in
                switch field.role {
                case .value, .fitting, .sequence: field.format.isNumber && field.format.range.contains(Int128(byte))
                default: false
                }
            }
            return fields.map { .header(PacketHeader($0.name, .integer(Int128(byte)))) } + [.packetByteCount(Int(byte))]
        }
    }

    /// Hints for headers with and without each conditional field.
    private var shapeHints: [ExampleHint] {
        guard layout.hasConditions else { return [] }
        return messages.indices.prefix(4).flatMap { message in
            contexts(ofExamplesOf: message).flatMap { context in
                HeaderShapes(of: self, message: message, in: context).headers.map { .header($0) }
            }
        }
    }
}

extension ClosedRange<UInt64> {
    fileprivate func contains(_ other: ClosedRange<UInt64>) -> Bool {
        lowerBound <= other.lowerBound && other.upperBound <= upperBound
    }
}
