// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

/// Compares the verdicts of `ProtocolDescription.changes(since:)` with what happens if both versions exchange packets.
struct OracleTests {
    /// The number of pairs of schemas to compare; `WIRELINE_SCHEMA_EDITS=10000` compares more of them.
    private static let pairCount =
        ProcessInfo.processInfo.environment["WIRELINE_SCHEMA_EDITS"].flatMap { Int($0) } ?? 120

    @Test(.amongAll)
    func `each verdict agrees with what really happens`() {
        var random = SeededGenerator.forThisRun()
        let seed = random.seedComment
        var seen = Seen()
        for number in 0..<Self.pairCount {
            let pair = EditedPair(using: &random)
            let changes = pair.new.changes(since: pair.old)
            for reader in SchemaVersion.allCases {
                let exchange = OracleExchange(pair, reader: reader)
                let failures = changes.flatMap(\.failures).filter { $0.reader == reader }
                seen.count(failures.isEmpty)
                let faults =
                    failures.isEmpty
                    ? [exchange.breakage(using: &random)].compactMap(\.self) : failures.compactMap(exchange.doubt)
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

    init(using random: inout SeededGenerator) {
        while true {
            let (schema, old) = RandomSchema.make(using: &random)
            var edited = schema
            var edits: [SchemaEdit] = []
            if let edit = SchemaEdit.apply(to: &edited, .everything, using: &random) { edits.append(edit) }
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

    init(_ pair: EditedPair, reader: SchemaVersion) {
        self.pair = pair
        self.reader = reader
        written = pair.description(of: reader.peer)
        read = pair.description(of: reader)
        writing = PacketTranslator(written)
        reading = PacketTranslator(read)
    }

    /// One packet of many random ones that goes wrong, and how.
    func breakage(using random: inout SeededGenerator) -> String? {
        for message in written.messages {
            for sender in Sender.allCases where message.senders.contains(sender) {
                for _ in 0..<Self.valueCount {
                    var values = OracleValues(written, other: read, random: random)
                    let fields = values.fields(of: message)
                    let header = values.header()
                    random = values.random
                    let line = JSONValue.object([JSONValue.Member("fields", fields)])
                    guard let packet = try? writing.encode(message: message.name, json: line, header: header) else {
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
        guard again == failure.packet,
            (try? writing.encodePayload(message: message.name, fields: failure.sent))
                == (try? writing.encodePayload(message: message.name, fields: sent))
        else { return "the bytes are those of \(line), not of \(failure.sent)" }
        return fault(of: failure.packet, sent, message, failure.sender) == nil
            ? "nothing is wrong with \(failure)" : nil
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
        foundFields.allSatisfy { field in
            let value = found[field.name]
            let origin =
                sentFields.first { pair.name($0.name, for: reader) == field.name && !isTaken($0, foundFields) }
                ?? sentFields.first { $0.name == field.name }
            guard let origin else {
                // The peer did not send it: it must be absent.
                switch field.presence {
                case .required: return false
                case .optional: return value == nil
                case .since(_, default: .integer(let standard)):
                    return value.flatMap { number($0, field.type, read) } == standard
                case .since where isZeros(value, field.type): return true
                case .since: return value == 0 || value == "" || value == .boolean(false) || value == .array([])
                }
            }
            switch (sent[origin.name], value) {
            case (nil, nil): return true
            case (let sent?, let value?): return isSame(sent, origin.type, value, field.type)
            default: return false
            }
        }
    }

    /// Whether a value is the zero of decimal digits.
    private func isZeros(_ value: JSONValue?, _ type: TypeDescription) -> Bool {
        guard case .digits(let byteCount) = type, case .string(let text)? = value else { return false }
        return text == String(repeating: "0", count: 2 * byteCount)
    }

    /// Whether a field has its own name on the other side, so that it is not the one that was renamed.
    private func isTaken(_ field: FieldDescription, _ others: [FieldDescription]) -> Bool {
        others.contains { $0.name == field.name }
    }

    private func isSame(
        _ sent: JSONValue, _ sentType: TypeDescription, _ found: JSONValue, _ foundType: TypeDescription
    ) -> Bool {
        switch (sentType, foundType) {
        case (.structure(let left), .structure(let right)):
            return isSame(sent, written.structures[left].fields, found, read.structures[right].fields)
        case (.list(let left, _), .list(let right, _)), (.fixedList(let left, _), .fixedList(let right, _)):
            guard case .array(let sent) = sent, case .array(let found) = found, sent.count == found.count else {
                return false
            }
            return zip(sent, found).allSatisfy { isSame($0, left, $1, right) }
        case (.string, .string), (.bytes, .bytes), (.digits, .digits): return sent == found
        case (.float32, .float32), (.float64, .float64):
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
        case (.boolean, .boolean(let isTrue)): isTrue ? 1 : 0
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

/// Random values, many of them at the limits of what either version accepts.
struct OracleValues {
    private let description: ProtocolDescription
    private(set) var random: SeededGenerator
    private let numbers: [Int128]
    private let counts: [Int]
    /// Whether something in the message is already long: it would be too much if everything were.
    private var hasLong = false

    init(_ description: ProtocolDescription, other: ProtocolDescription, random: SeededGenerator) {
        self.description = description
        self.random = random
        var numbers: [Int128] = [0, 1, 2, 3, 5, 127, 128, 255, 256, 0x0102, 0x0102_0304]
        for format in IntegerFormat.allCases { numbers += [format.range.lowerBound, format.range.upperBound] }
        var counts = [0, 1, 2, 3]
        for version in [description, other] {
            let fields = version.messages.flatMap(\.fields) + version.structures.flatMap(\.fields)
            for range in fields.compactMap(\.range) {
                numbers += [range.lowerBound - 1, range.lowerBound, range.upperBound, range.upperBound + 1]
            }
            for count in fields.compactMap(\.maximumCount) { counts += [count, count + 1] }
            numbers +=
                version.enumerations.flatMap(\.cases).map(\.value) + version.flagSets.flatMap(\.cases).map(\.value)
        }
        self.numbers = numbers
        self.counts = counts
    }

    mutating func fields(of message: MessageDescription) -> JSONValue {
        hasLong = false
        return object(message.fields)
    }

    /// Now and then a header field with an unusual value.
    mutating func header() -> JSONValue? {
        for field in description.layout.fields {
            guard case .value = field.role, random.chance(2) else { continue }
            let value = Int128(Int.random(in: 0...9, using: &random))
            return .object([JSONValue.Member(field.name, .integer(value))])
        }
        return nil
    }

    private mutating func object(_ fields: [FieldDescription]) -> JSONValue {
        var members: [JSONValue.Member] = []
        for field in fields {
            if field.presence == .optional, random.chance(3) { break }
            members.append(JSONValue.Member(field.name, value(field.type, field)))
        }
        return .object(members)
    }

    private mutating func value(_ type: TypeDescription, _ field: FieldDescription?) -> JSONValue {
        switch type {
        case .structure(let index): return object(description.structures[index].fields)
        case .fixedList(let element, let count): return .array((0..<count).map { _ in value(element, nil) })
        case .list(let element, _):
            let count = count(field?.maximumCount, most: 50)
            return .array((0..<count).map { _ in value(element, nil) })
        case .string(.fixed(let byteCount, let padding)):
            var text = text(field).prefix(Int.random(in: 0...byteCount, using: &random))
            while padding != 0, text.utf8.last == padding { text.removeLast() }
            return .string(String(text))
        case .string: return .string(text(field))
        case .digits(let byteCount):
            return .string(String((0..<2 * byteCount).map { _ in random.pick(Array("0123456789")) }))
        case .bytes:
            let bytes = text(field).utf8.map { random.chance(5) ? UInt8.random(in: 1...255, using: &random) : $0 }
            return .string(Base64.encode(bytes))
        case .boolean: return .boolean(random.chance(2))
        case .float32, .float64:
            return .number(random.pick([0, 1.5, -0.25, 1000].compactMap { JSONNumber(Double($0)) }))
        case .integer(let format, _): return number(format.range, field)
        case .varint(let format): return number(format.range, field)
        case .enumeration(let index, _):
            let item = description.enumerations[index]
            return item.isClosed || random.chance(2)
                ? .string(random.pick(item.cases).name) : number(item.format.range, nil)
        case .flags(let index, _):
            let item = description.flagSets[index]
            return random.chance(2) ? [.string(random.pick(item.cases).name)] : [number(item.format.range, nil)]
        case .properties: return .object([])
        }
    }

    private mutating func count(_ maximum: Int?, most: Int) -> Int {
        // A varint of this length takes two bytes.
        if !hasLong, random.chance(20) {
            hasLong = true
            return min(Int.random(in: 128...200, using: &random), maximum ?? .max)
        }
        return min(random.pick(counts), maximum ?? most)
    }

    private mutating func text(_ field: FieldDescription?) -> String {
        let count = count(field?.maximumCount, most: 60)
        return String((0..<count).map { _ in random.pick(Array("abcxyz09")) })
    }

    private mutating func number(_ range: ClosedRange<Int128>, _ field: FieldDescription?) -> JSONValue {
        let range = field?.range.map { range.clamped(to: $0) } ?? range
        let value = random.pick(numbers.filter(range.contains))
        return value.magnitude < 1 << 53 ? .integer(value) : .string(String(value))
    }
}
