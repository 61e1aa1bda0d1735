// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How to read a packet of one plain layout.
///
/// Each length is checked as soon as it has arrived, so an invalid one is an error and never a wait.
struct PacketReadPlan: Sendable {
    let layout: PacketLayout
    /// The steps of reading and checking, in order, up to the end of the trailer.
    private(set) var steps: [PacketReadStep] = []
    /// The offset of each header field. Fields that share bytes have the offset of the first of them.
    private(set) var starts: [PacketOffset] = []
    /// Whether all header fields have a fixed width; then ``PacketReadStep/need`` says how many bytes must have
    /// arrived.
    let isFixed: Bool

    private var plan: PacketPlan { layout.plan }
    private var headerCount = PacketOffset(constant: 0)
    /// The minimum size of the unread part of the header.
    private var leastRest: Int
    private var trailerCount: PacketOffset { Self.trailerCount(layout, layout.header.count..<layout.fields.count) }

    init(_ layout: PacketLayout) {
        self.layout = layout
        isFixed = !layout.hasConditions && layout.header.allSatisfy { $0.format.byteCount != nil }
        leastRest = layout.plan.headerByteCount
        readHeader()
        readTrailer()
    }

    /// The minimum size of the header, given what has been read of it.
    private var leastHeader: PacketOffset { headerCount + leastRest }

    static func trailerCount(_ layout: PacketLayout, _ indices: Range<Int>) -> PacketOffset {
        indices.reduce(PacketOffset(constant: 0)) { count, index in
            layout.fields[index].condition == nil
                ? count + (layout.byteCounts[index] ?? 0)
                : PacketOffset(constant: count.constant, widths: count.widths + [index])
        }
    }

    /// Returns the offset of a field. Fields that share bytes have the offset of the first of them.
    func place(of index: Int) -> ChecksumRange.Place {
        let back = layout.packedPlace(ofField: index).map { $0.isFirst ? 0 : $0.runByteCount } ?? 0
        if index < layout.header.count { return .header(starts[index]) }
        return .trailer(Self.trailerCount(layout, layout.header.count..<index) - back)
    }

    // MARK: Header

    private mutating func readHeader() {
        var lengths: [(index: Int, end: PacketOffset)] = []
        for (index, field) in layout.header.enumerated() {
            let start = headerCount
            if let condition = field.condition {
                starts.append(start)
                var inner: [PacketReadStep] = lengths.map { item in
                    check(
                        item.index, item.end,
                        least: leastHeader + (layout.byteCounts[index] ?? 1) + plan.trailerByteCount)
                }
                inner += reading(index)
                steps.append(.conditional(field: index, condition, inner))
                headerCount.widths.append(index)
            } else if let place = layout.packedPlace(ofField: index), !place.isFirst {
                starts.append(starts[index - place.position])
            } else if let byteCount = layout.byteCounts[index] {
                starts.append(start)
                if isFixed { steps.append(.need(start.constant + byteCount)) }
                steps += reading(index)
                headerCount.constant += byteCount
                leastRest -= byteCount
            } else {
                starts.append(start)
                steps += reading(index)
                headerCount.widths.append(index)
                leastRest -= 1
            }
            take(index)
            if case .length = field.role {
                lengths.append((index, headerCount))
                limit(index, headerCount)
            }
        }
        guard !layout.hasConditions, isFixed else { return takeLengths(lengths) }
        if lengths.isEmpty { steps.append(.total([], otherwise: noLength)) }
    }

    /// Returns the steps that read a field, or all fields that share its bytes.
    private func reading(_ index: Int) -> [PacketReadStep] {
        let field = layout.fields[index]
        if case .varint(let format) = field.format { return [.varint(field: index, format)] }
        let byteCount = layout.byteCounts[index] ?? 0
        let isPart = index < layout.header.count && !isFixed
        var steps: [PacketReadStep] = isPart ? [.part(field: index, byteCount: byteCount)] : []
        if let place = layout.packedPlace(ofField: index) {
            steps.append(.run(index..<index + place.fieldCount, place))
        } else if field.role == .padding {
            steps.append(.skip(byteCount: byteCount))
        } else if field.format.isNumber {
            steps.append(.number(field: index))
        } else {
            steps.append(.bytes(field: index, byteCount: byteCount))
        }
        return steps
    }

    /// Adds the checks of a header field after it was read.
    private mutating func take(_ index: Int) {
        let field = layout.fields[index]
        add(valueChecks(of: index, at: starts[index]), ifThere: index)
        switch field.role {
        case .constant(let value): add([constant(index, value, at: starts[index])], ifThere: index)
        default: break
        }
    }

    private func valueChecks(of index: Int, at offset: PacketOffset) -> [PacketReadStep] {
        let field = layout.fields[index]
        if field.format == .boolean { return [.boolean(field: index, at: offset)] }
        if field.format.isNumber || field.role == .padding { return [] }
        // Constants are compared as bytes.
        if case .constant = field.role { return [] }
        return [.text(field: index, at: offset)]
    }

    private func constant(
        _ index: Int, _ value: PacketHeader.FieldValue, at offset: PacketOffset
    ) -> PacketReadStep {
        guard case .text(let text) = value else { return .constant(field: index, value.number, at: offset) }
        return .constantText(field: index, layout.fields[index].format.comparedBytes(ofText: text), at: offset)
    }

    /// Adds steps that run only if a field is present.
    private mutating func add(_ added: [PacketReadStep], ifThere index: Int) {
        guard !added.isEmpty else { return }
        if layout.fields[index].condition == nil {
            steps += added
        } else {
            steps.append(.ifPresent(field: index, added))
        }
    }

    // MARK: Lengths

    private func length(_ index: Int, _ end: PacketOffset, least minimum: PacketOffset) -> ReadLength {
        let field = layout.header[index]
        var difference = PacketOffset(constant: 0)
        if case .length(let base, let constant) = field.role {
            switch base {
            case .packet: difference.constant = -constant
            case .payload: difference = minimum - constant
            case .rest: difference = end - constant
            }
        }
        // A signed varint could be negative; no length is.
        let mayBeNegative = field.format.byteCount == nil && field.format.range.lowerBound < 0
        return ReadLength(
            field: index, difference: difference, least: minimum, mayBeNegative: mayBeNegative, at: starts[index],
            isConditional: field.condition != nil)
    }

    /// Returns the check of an earlier length before a field that needs more bytes.
    private func check(_ index: Int, _ end: PacketOffset, least: PacketOffset) -> PacketReadStep {
        let step = PacketReadStep.size(length(index, end, least: least))
        return layout.header[index].condition == nil ? step : .ifPresent(field: index, [step])
    }

    /// Adds the check of a length just read.
    private mutating func limit(_ index: Int, _ end: PacketOffset) {
        guard case .length(let base, _) = layout.header[index].role else { return }
        let length = length(index, end, least: leastHeader + plan.trailerByteCount)
        if isFixed {
            steps.append(.size(length))
            let earlier = layout.header.indices.last { $0 < index && layout.header[$0].role.isLength }
            if let earlier { steps.append(.sameSize(length, as: earlier)) }
        } else {
            // If the length counts the payload, the packet's end depends on the header fields after it.
            add([base != .payload && isRead(after: index) ? .last(length) : .size(length)], ifThere: index)
        }
    }

    /// Adds the check of all lengths, after all widths are known.
    private mutating func takeLengths(_ lengths: [(index: Int, end: PacketOffset)]) {
        for (position, field) in layout.trailer.enumerated() {
            let index = layout.header.count + position
            guard let condition = field.condition else { continue }
            steps.append(.presence(field: index, condition, byteCount: layout.byteCounts[index] ?? 0))
        }
        let minimum = headerCount + trailerCount
        let all = lengths.map { length($0.index, $0.end, least: minimum) }
        let isCertain = all.contains { !$0.isConditional }
        steps.append(.total(all, otherwise: isCertain ? nil : noLength))
    }

    private var noLength: SizeWithoutLength {
        let minimum = headerCount + trailerCount
        return layout.isBounded ? .allBytes(least: minimum) : .emptyPayload(minimum)
    }

    /// Whether header bytes follow a field, beyond those of fields that share its bytes.
    private func isRead(after index: Int) -> Bool {
        layout.header.indices.dropFirst(index + 1).contains { layout.packedPlace(ofField: $0)?.isFirst ?? true }
    }

    // MARK: Payload and trailer

    private mutating func readTrailer() {
        steps.append(.whole(header: headerCount, trailer: trailerCount))
        let first = layout.header.count
        for index in first..<layout.fields.count {
            if let place = layout.packedPlace(ofField: index), !place.isFirst { continue }
            add(reading(index), ifThere: index)
        }
        for index in 0..<first { addChecksum(index) }
        for index in first..<layout.fields.count {
            guard case .trailer(let offset) = place(of: index) else { continue }
            add(valueChecks(of: index, at: offset), ifThere: index)
            switch layout.fields[index].role {
            case .constant(let value): add([constant(index, value, at: offset)], ifThere: index)
            case .length(let base, let constant):
                let rest = Self.trailerCount(layout, index + 1..<layout.fields.count)
                add([.sameLength(field: index, base, constant: constant, rest: rest, at: offset)], ifThere: index)
            case .checksum: addChecksum(index)
            default: break
            }
        }
    }

    private mutating func addChecksum(_ index: Int) {
        guard let planned = layout.checksums.first(where: { layout.fieldIndex(of: $0) == index }) else { return }
        let offset: PacketOffset
        switch place(of: index) {
        case .header(let place), .trailer(let place): offset = place
        }
        add([.checksum(field: index, planned.kind, range(of: planned), at: offset)], ifThere: index)
    }

    /// Returns the bytes that a checksum covers; reader and writer use the same range.
    func range(of planned: PlannedChecksum) -> ChecksumRange {
        // Part `payload` is the payload; the trailer's fields come after it.
        let payload = layout.header.count
        func start(ofPart part: Int) -> ChecksumRange.Place {
            if part < payload { return .header(starts[part]) }
            if part == payload { return .header(headerCount) }
            return .trailer(Self.trailerCount(layout, payload..<part - 1))
        }
        let zeros = planned.zeros.map { part in
            let field = part < payload ? part : part - 1
            return (at: start(ofPart: part), field: field, byteCount: layout.fields[field].format.byteCount ?? 0)
        }
        return ChecksumRange(
            start: start(ofPart: planned.parts.lowerBound), end: start(ofPart: planned.parts.upperBound), zeros: zeros)
    }
}
