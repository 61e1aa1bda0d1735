// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

/// Compares the verdicts of `ProtocolDescription.changes(since:)` with what happens if both versions exchange packets.
struct OracleTests {
    /// The number of pairs of schemas to compare.
    private static let pairCount = Depth.rounds(15)

    @Test(.amongAll, arguments: [[], SchemaEdit.layeredPackets])
    func `each verdict agrees with what really happens`(packets: [[String]]) {
        var random = SeededGenerator.forThisRun()
        let seed = random.seedComment
        var seen = Seen()
        for number in 0..<Self.pairCount {
            let pair = EditedPair(packets: packets, using: &random)
            let changes = pair.new.changes(since: pair.old)
            for reader in SchemaVersion.allCases {
                let exchange = OracleExchange(pair, reader: reader)
                let failures = changes.flatMap(\.failures).filter { $0.reader == reader }
                seen.count(failures.isEmpty)
                let faults =
                    failures.isEmpty
                    ? [exchange.breakage(using: &random)].compactMap(\.self)
                    : failures.compactMap { failure in
                        // These schemas have one key at most.
                        let key = failure.keys.values.first ?? Array(1...16)
                        return OracleExchange(pair, reader: reader, key: key).doubt(failure)
                    }
                guard let fault = faults.first else { continue }
                let found = changes.map { "\($0.rule.rawValue) \($0.subject) \($0.summary): \($0.failures)" }
                Issue.record(
                    """
                    pair \(number), the \(reader.rawValue) version, \(failures.isEmpty ? "said to be safe" : "said to break"): \(fault)
                    edits: \(pair.edits.map(\.text))
                    \(pair.oldText)
                    \(found.joined(separator: "\n"))
                    \(seed)
                    """)
                return
            }
        }
        // At least a quarter of the verdicts must be of each kind, or the edits test too little.
        #expect(min(seen.safe, seen.broken) > Self.pairCount / 4, "\(seen)")
    }

    private struct Seen {
        var safe = 0
        var broken = 0

        mutating func count(_ isSafe: Bool) {
            if isSafe { safe += 1 } else { broken += 1 }
        }
    }
}

/// A random schema, and the schema after one or two edits.
struct EditedPair {
    let old: ProtocolDescription
    let new: ProtocolDescription
    let oldText: String
    let edits: [SchemaEdit]
    private let renamed: [String: String]

    /// - Parameter packets: The packets of which the old version has one; empty for any.
    init(packets: [[String]] = [], using random: inout SeededGenerator) {
        while true {
            var (schema, old) = RandomSchema.make(using: &random)
            if !packets.isEmpty {
                schema.packet = random.pick(packets)
                for index in schema.messages.indices { schema.messages[index].level = nil }
                guard let made = ProtocolDescription.check(name: "Random", files: schema.files).description else {
                    continue
                }
                old = made
            }
            var edited = schema
            var edits: [SchemaEdit] = []
            let scope = packets.isEmpty || random.chance(2) ? SchemaEdit.Scope.everything : .surroundings
            if let edit = SchemaEdit.apply(to: &edited, scope, using: &random) { edits.append(edit) }
            if random.chance(3) {
                // If something is renamed and also changed, it cannot be told from another thing.
                let scope: SchemaEdit.Scope = edits.allSatisfy(\.renamed.isEmpty) ? .attributes : .surroundings
                if let edit = SchemaEdit.apply(to: &edited, scope, using: &random) { edits.append(edit) }
            }
            let result = ProtocolDescription.check(name: "Random", files: edited.files)
            guard !edits.isEmpty, let new = result.description else { continue }
            self.old = old
            self.new = new
            self.edits = edits
            oldText = schema.text
            renamed = edits.reduce(into: [:]) { $0.merge($1.renamed) { $1 } }
            return
        }
    }

    func description(of version: SchemaVersion) -> ProtocolDescription { version == .old ? old : new }

    /// The reader's name for what its peer calls `name`.
    func name(_ name: String, for reader: SchemaVersion) -> String {
        if reader == .new { return renamed[name] ?? name }
        return renamed.first { $0.value == name }?.key ?? name
    }
}

/// Packets from one version to the other.
struct OracleExchange {
    private let pair: EditedPair
    private let reader: SchemaVersion
    private let written: ProtocolDescription
    private let read: ProtocolDescription
    private let writing: PacketTranslator
    private let reading: PacketTranslator

    private static let valueCount = 30

    /// - Parameter key: The bytes of all keys: their names make no difference.
    init(_ pair: EditedPair, reader: SchemaVersion, key: [UInt8] = Array(1...16)) {
        self.pair = pair
        self.reader = reader
        written = pair.description(of: reader.peer)
        read = pair.description(of: reader)
        writing = Self.translator(of: written, key)
        reading = Self.translator(of: read, key)
    }

    private static func translator(of description: ProtocolDescription, _ key: [UInt8]) -> PacketTranslator {
        let keys = LayerKey.madeUp(for: description.layout).compactMap { LayerKey($0.name, key) }
        let translator = PacketTranslator(description)
        return (try? translator.withKeys(keys)) ?? translator
    }

    /// One packet of many random ones that goes wrong, and how.
    func breakage(using random: inout SeededGenerator) -> String? {
        for message in written.messages {
            for sender in Sender.allCases where message.senders.contains(sender) {
                for _ in 0..<Self.valueCount {
                    var values = OracleValues(written, other: read, random: random)
                    let header = values.header()
                    let fields = values.fields(of: message, header.values)
                    random = values.random
                    let line = JSONValue.object([JSONValue.Member("fields", fields)])
                    guard let packet = try? writing.encode(message: message.name, json: line, header: header.json)
                    else {
                        continue
                    }
                    if let fault = fault(of: packet, fields, message, sender) {
                        return "\(sender.rawValue) \(message.name) \(fields) \(Hexadecimal.text(of: packet)): \(fault)"
                    }
                }
            }
        }
        return nil
    }

    /// Why a reported failure is none.
    func doubt(_ failure: SchemaChange.Failure) -> String? {
        guard let message = written.message(named: failure.message), message.senders.contains(failure.sender) else {
            return "\(failure.message) is not sent"
        }
        guard let line = try? writing.decode(failure.packet.span.bytes, from: failure.sender) else {
            return "its writer cannot read \(Hexadecimal.text(of: failure.packet))"
        }
        guard let sent = line["fields"], line["message"] == .string(message.name) else {
            return "another message: \(line)"
        }
        let again = try? writing.encode(message: message.name, json: line)
        let header = header(of: failure.packet, from: failure.sender)
        guard again == failure.packet,
            (try? writing.encodePayload(message: message.name, fields: failure.sent, header: header))
                == (try? writing.encodePayload(message: message.name, fields: sent, header: header))
        else { return "the bytes are those of \(line), not of \(failure.sent)" }
        return fault(of: failure.packet, sent, message, failure.sender) == nil
            ? "nothing is wrong with \(failure)" : nil
    }

    private func header(of packet: [UInt8], from sender: Sender) -> PacketHeader {
        let layout = written.layout.layout(in: PacketContext(from: sender))
        let limit = written.options.maximumPacketByteCount
        guard let content = try? layout.unframed(packet),
            let whole = try? Packet(content.rawSpan, layout: layout, limit: limit)
        else { return [:] }
        return (try? layout.header(of: whole)) ?? [:]
    }

    /// The fault of a packet; nil if there is none.
    private func fault(
        of packet: [UInt8], _ sent: JSONValue, _ message: MessageDescription, _ sender: Sender
    ) -> String? {
        let name = pair.name(message.name, for: reader)
        do throws(CodecError) {
            let span = packet.span
            let line = try reading.decode(span.bytes, from: sender)
            guard case .string(let found)? = line["message"], let fields = line["fields"] else {
                return isMissed(message, name, sender) ? "an unknown message" : nil
            }
            guard found == name, let other = read.message(named: found) else { return "taken for \(found)" }
            let isSame = isSame(sent, message.fields, fields, other.fields)
            return isSame ? nil : "read as \(fields)"
        } catch {
            return "\(error)"
        }
    }

    /// Whether a reader that takes a packet for an unknown message should have known the message.
    private func isMissed(_ message: MessageDescription, _ name: String, _ sender: Sender) -> Bool {
        if let known = read.messages.first(where: { $0.name == name }) {
            // If a message is now sent in another direction, too, the old version does not know that.
            return known.id != message.id || known.senders.contains(sender) || reader == .new
        }
        return reader == .new && !read.reservedIDs.contains { $0.contains(message.id) }
    }

    // MARK: Comparing

    private func isSame(
        _ sent: JSONValue, _ sentFields: [FieldDescription], _ found: JSONValue, _ foundFields: [FieldDescription]
    ) -> Bool {
        foundFields.filter(\.hasValue).allSatisfy { field in
            let value = found[field.name]
            let origin =
                sentFields.first { pair.name($0.name, for: reader) == field.name && !isTaken($0, foundFields) }
                ?? sentFields.first { $0.name == field.name }
            guard let origin else {
                // The peer did not send it: it must be absent.
                switch field.presence {
                case .required: return false
                case .optional, .when, .nullable: return value == nil
                case .since(_, default: .integer(let standard)):
                    return value.flatMap { number($0, field.type, read) } == standard
                case .since where isZeros(value, field.type): return true
                case .since: return value == 0 || value == "" || value == .boolean(false) || value == .array([])
                }
            }
            switch (constant(origin) ?? sent[origin.name], value) {
            case (nil, nil): return true
            case (let sent?, let value?): return isSame(sent, origin.type, value, field.type)
            default: return false
            }
        }
    }

    /// The value of a field that is always the same, which its writer does not have among its values.
    private func constant(_ field: FieldDescription) -> JSONValue? {
        switch field.role {
        case .constant(.integer(let number)):
            switch field.type {
            case .boolean, .bit: .boolean(number != 0)
            default: .integer(number)
            }
        case .constant(.string(let text)): .string(text)
        default: nil
        }
    }

    /// Whether a value is the zero of decimal digits.
    private func isZeros(_ value: JSONValue?, _ type: TypeDescription) -> Bool {
        switch (type, value) {
        case (.digits(let format), .string(let text)?): text == String(repeating: "0", count: 2 * format.byteCount)
        case (.fixedList(let element, _), .array(let items)?):
            items.allSatisfy { $0 == 0 || $0 == .boolean(false) || $0 == .array([]) || isZeros($0, element) }
        default: false
        }
    }

    /// Whether a field has its own name on the other side, so that it is not the one that was renamed.
    private func isTaken(_ field: FieldDescription, _ others: [FieldDescription]) -> Bool {
        others.contains { $0.name == field.name }
    }

    private func isSame(
        _ sent: JSONValue, _ sentType: TypeDescription, _ found: JSONValue, _ foundType: TypeDescription
    ) -> Bool {
        switch (sentType, foundType) {
        case (.sized(let left, _), .sized(let right, _)): return isSame(sent, left, found, right)
        case (.structure(let left), .structure(let right)):
            return isSame(sent, written.structures[left].fields, found, read.structures[right].fields)
        case (.union(let left), .union(let right)):
            return isSame(sent, written.unions[left], found, read.unions[right])
        case (.list(let left, _), .list(let right, _)), (.fixedList(let left, _), .fixedList(let right, _)):
            guard case .array(let sent) = sent, case .array(let found) = found, sent.count == found.count else {
                return false
            }
            return zip(sent, found).allSatisfy { isSame($0, left, $1, right) }
        case (.string, .string), (.utf16, .utf16), (.bytes, .bytes), (.digits, .digits): return sent == found
        case (.float(let one, _), .float(let other, _)) where one == other:
            guard case .number(let left) = sent, case .number(let right) = found else { return sent == found }
            return left.double == right.double
        case (.string, .bytes): return content(sent) == decoded(found)
        case (.bytes, .string): return decoded(sent) == content(found)
        case (.enumeration(let left, _), .enumeration(let right, _)):
            return isSame(sent, written.enumerations[left].cases, found, read.enumerations[right].cases)
        case (.flags(let left, _), .flags(let right, _)):
            return isSame(flags: sent, written.flagSets[left].cases, found, read.flagSets[right].cases)
        default:
            let left = number(sent, sentType, written)
            return left != nil && left == number(found, foundType, read)
        }
    }

    /// Whether a value of a union means the same on both sides: it has the same tag, and what only one side knows is kept.
    private func isSame(
        _ sent: JSONValue, _ sentUnion: UnionDescription, _ found: JSONValue, _ foundUnion: UnionDescription
    ) -> Bool {
        guard case .object(let members) = sent, case .object(let others) = found,
            let left = sentUnion.arms.first(where: { $0.name == members.first?.name }),
            let right = foundUnion.arms.first(where: { $0.name == others.first?.name })
        else { return false }
        let tags = (
            left.tag ?? number(members[0].value["tag"] ?? .null, []),
            right.tag ?? number(others[0].value["tag"] ?? .null, [])
        )
        guard tags.0 == tags.1 else { return false }
        guard left.tag != nil, right.tag != nil else { return true }
        if left.name != right.name {
            // It has another name only if no arm of the other version has that one.
            guard !sentUnion.arms.contains(where: { $0.name == right.name }),
                !foundUnion.arms.contains(where: { $0.name == left.name })
            else { return false }
        }
        guard let one = left.field, let other = right.field else { return left.field == nil && right.field == nil }
        return isSame(members[0].value, one.type, others[0].value, other.type)
    }

    /// Whether a value means the same on both sides. A name means the same thing, whatever the other side calls it. A
    /// number without a name means itself, unless one side has a name for it that means something else on the other
    /// side.
    private func isSame(
        _ sent: JSONValue, _ sentCases: [EnumerationDescription.Case], _ found: JSONValue,
        _ foundCases: [EnumerationDescription.Case]
    ) -> Bool {
        let left = number(sent, sentCases)
        guard left == number(found, foundCases) else { return false }
        if case .string(let name) = sent,
            let other = foundCases.first(where: { $0.name == pair.name(name, for: reader) })
        {
            return other.value == left
        }
        if case .string(let name) = found {
            return !sentCases.contains { pair.name($0.name, for: reader) == name && $0.value != left }
        }
        return true
    }

    private func isSame(
        flags sent: JSONValue, _ sentCases: [EnumerationDescription.Case], _ found: JSONValue,
        _ foundCases: [EnumerationDescription.Case]
    ) -> Bool {
        guard case .array(let left) = sent, case .array(let right) = found else { return false }
        let value = left.reduce(0) { $0 | (number($1, sentCases) ?? 0) }
        guard value == right.reduce(0, { $0 | (number($1, foundCases) ?? 0) }) else { return false }
        return sentCases.allSatisfy { item in
            guard let other = foundCases.first(where: { $0.name == pair.name(item.name, for: reader) }) else {
                return true
            }
            return (value & item.value == item.value) == (value & other.value == other.value)
        }
    }

    private func number(_ value: JSONValue, _ cases: [EnumerationDescription.Case]) -> Int128? {
        switch value {
        case .string(let name): cases.first { $0.name == name }?.value ?? Int128(name)
        case .number(let number): number.integer
        default: nil
        }
    }

    private func number(_ value: JSONValue, _ type: TypeDescription, _ description: ProtocolDescription) -> Int128? {
        switch (type, value) {
        case (.boolean, .boolean(let isTrue)), (.bit, .boolean(let isTrue)): isTrue ? 1 : 0
        case (.enumeration(let index, _), _): number(value, description.enumerations[index].cases)
        case (.flags(let index, _), .array(let items)):
            items.reduce(0) { $0 | (number($1, description.flagSets[index].cases) ?? 0) }
        case (.integer, _), (.varint, _): number(value, [])
        default: nil
        }
    }

    private func content(_ value: JSONValue) -> [UInt8]? {
        if case .string(let text) = value { Array(text.utf8) } else { nil }
    }

    private func decoded(_ value: JSONValue) -> [UInt8]? {
        if case .string(let text) = value { try? Base64.decode(text) } else { nil }
    }
}
