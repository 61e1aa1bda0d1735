// SPDX-License-Identifier: Apache-2.0

struct HeaderCompiler {
    private(set) var steps: [HeaderInstruction] = []
    /// The bytes since the last varint or condition.
    private(set) var offset = 0
    /// The bytes from the first one that the loads of 8 bytes can reach at most.
    private(set) var roomByteCount = 0
    /// The most bytes before the last varint or condition.
    private var mostByteCount = 0
    private(set) var flags: FlagTable
    /// The position of the step that begins the current fields with a condition.
    private var entry: Int?
    /// Whether the step before ``entry`` ends the bytes before these fields.
    private var hasSkipped = false

    /// Nil if the steps cannot make the tests of the conditions.
    ///
    /// - Parameter conditions: The conditions of the fields of the header; none if all are always there.
    init?(_ header: [PacketField], _ conditions: [PlacedCondition?] = []) {
        guard let flags = FlagTable(header, conditions) else { return nil }
        self.flags = flags
    }

    /// Adds fields; false if the steps cannot read one of them.
    ///
    /// - Parameter conditions: The conditions of these fields; none if all are always there.
    mutating func add(_ fields: [PacketField], _ conditions: [PlacedCondition?] = []) -> Bool {
        let places = PackedRuns(fields).places
        var end = 0
        while end < fields.count {
            let start = end
            let condition = conditions.isEmpty ? nil : conditions[start]
            repeat { end += 1 } while end < fields.count && !conditions.isEmpty && conditions[end] == condition
            if conditions.isEmpty { end = fields.count }
            guard begin(condition) else { return false }
            for index in start..<end {
                guard add(fields[index], places[index], flags.tests(of: index)) else { return false }
            }
            if condition != nil { endCondition() }
        }
        return true
    }

    private mutating func begin(_ condition: PlacedCondition?) -> Bool {
        guard let condition else { return true }
        guard let alternatives = flags.alternatives(of: condition), let term = commonTerm(of: alternatives) else {
            return false
        }
        hasSkipped = offset > 0
        if hasSkipped { skip(if: FlagMask()) }
        entry = steps.count
        var step = HeaderInstruction(.enter, offset: 0, byteCount: 0)
        step.term = term
        steps.append(step)
        return true
    }

    /// Ends fields with a condition: the next field begins at the same byte if they are absent.
    private mutating func endCondition() {
        guard let first = entry else { return }
        entry = nil
        let term = steps[first].term
        if first == steps.count - 1 {
            // No step reads these fields.
            steps.removeLast()
            let before = hasSkipped ? steps.removeLast().byteCount : 0
            skip(before, if: term)
            return
        }
        if offset > 0 { skip(if: FlagMask()) }
        steps[first] = HeaderInstruction(.enter, offset: 0, byteCount: steps.count - 1 - first)
        steps[first].term = term
    }

    /// Returns one term that holds if one of several does, and adds a step for each; nil if there are too many flags.
    private mutating func commonTerm(of alternatives: [FlagMask]) -> FlagMask? {
        guard alternatives.count > 1 else { return alternatives.first ?? .never }
        guard let flag = flags.addFlag() else { return nil }
        for alternative in alternatives {
            var step = HeaderInstruction(.raise, offset: 0, byteCount: 0)
            step.term = alternative
            step.flag = flag
            steps.append(step)
        }
        return FlagMask(flag: flag, isSet: true)
    }

    /// Ends the bytes since the last varint or condition; they are there only with some flags.
    ///
    /// - Parameter before: Bytes before these, which are always there.
    private mutating func skip(_ before: Int = 0, if term: FlagMask) {
        mostByteCount += offset
        var step = HeaderInstruction(.skip, offset: before, byteCount: offset)
        step.term = term
        steps.append(step)
        offset = 0
    }

    /// Adds a step that loads 8 bytes.
    private mutating func append(_ step: HeaderInstruction) {
        roomByteCount = max(roomByteCount, mostByteCount + step.offset + 8)
        steps.append(step)
    }

    private mutating func add(_ field: PacketField, _ place: PackedPlace?, _ tests: [NumberTest]) -> Bool {
        if case .constant(.text(let text)) = field.role {
            add(constant: field.format.bytes(ofText: text))
            return true
        }
        guard let use = use(of: field) else { return false }
        if case .varint(let format) = field.format {
            // The bits of other encodings are not the number.
            guard use.use == nil && tests.isEmpty || format.encoding == .unsigned else { return false }
            var step = HeaderInstruction(use.use ?? .check, offset: offset, format, number: use.number)
            if use.use == nil { step.span = .max }
            append(step)
            // A longer one takes the general path.
            mostByteCount += offset + 8
            offset = 0
            add(tests, ofBits: field.format)
            return true
        }
        let byteCount = place?.runByteCount ?? field.format.byteCount ?? 0
        if use.use == .digits || use.use == .ascii {
            steps.append(HeaderInstruction(use.use ?? .ascii, offset: offset, byteCount: byteCount))
        } else if use.use != nil || !tests.isEmpty {
            var step = HeaderInstruction(use.use ?? .check, field, place, offset: offset, number: use.number)
            step.span = use.use == nil ? .max : use.span
            append(step)
            add(tests, ofBits: field.format)
        }
        if place.map({ $0.position == $0.fieldCount - 1 }) ?? true { offset += byteCount }
        return true
    }

    /// Adds bytes that are always written. Only the general path knows those that readers ignore.
    private mutating func add(constant bytes: [UInt8]) {
        for start in stride(from: 0, to: bytes.count, by: 8) {
            let part = bytes[start..<min(start + 8, bytes.count)]
            append(
                HeaderInstruction(
                    .check, offset: offset + start, byteCount: part.count, .bigEndian, bitWidth: 8 * part.count,
                    number: part.reduce(0) { $0 << 8 | UInt64($1) }))
        }
        offset += bytes.count
    }

    /// Adds tests of the number that the last step reads. The first one replaces that step if nothing else needs it.
    private mutating func add(_ tests: [NumberTest], ofBits format: PacketField.Format) {
        for (index, test) in tests.enumerated() {
            if index == 0, let last = steps.last, last.use == .check, last.span == .max {
                steps[steps.count - 1].test(test)
                continue
            }
            var step = HeaderInstruction(.testRange, offset: 0, byteCount: 0, mask: format.loadedBits)
            step.test(test)
            steps.append(step)
        }
    }

    /// Returns the use of a field's number; a use of nil if no step reads it, and nil if the steps cannot.
    private func use(of field: PacketField) -> (use: HeaderInstruction.Use?, number: UInt64, span: UInt64)? {
        switch field.format {
        case .text, .digits:
            guard case .value = field.role else { return nil }
            guard case .digits(let format) = field.format else { return (.ascii, 0, 0) }
            return format.notation == .bcd ? (.digits, 0, 0) : nil
        case .bytes: return (nil, 0, 0)
        case .integer, .bit, .boolean, .varint: break
        }
        switch field.role {
        case .value, .fitting, .sequence: return field.format == .boolean ? (.check, 0, 1) : (nil, 0, 0)
        case .checksum, .padding, .contentLength: return (nil, 0, 0)
        case .messageID:
            // The step would have to check, too, whether a `bool` is 0 or 1.
            guard field.format != .boolean else { return nil }
            return (.messageID, UInt64(field.format.bitWidth), 0)
        case .constant(let value):
            return (.check, field.format.bits(of: value.number), 0)
        case .length(let base, let constant):
            guard field.format.range.lowerBound == 0 else { return nil }
            let use: HeaderInstruction.Use =
                switch base {
                case .packet: .length
                case .payload: .lengthOfPayload
                case .rest: .lengthOfRest
                }
            return (use, UInt64(bitPattern: Int64(constant)), 0)
        }
    }
}
