// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// What is known of how much room a type takes. Sums stop at `Int.max` instead of overflowing.
struct Footprint {
    /// The fewest bytes of a value.
    var minimumByteCount = 0
    /// The bytes of every value, where they are the same.
    var fixedByteCount: Int? = 0
    /// How deeply structures nest in every value.
    var depth = 0
    /// How many values it is made of in memory, optional ones and those of no bytes counted too.
    var valueCount = 1

    func repeated(_ count: Int) -> Footprint {
        Footprint(
            minimumByteCount: minimumByteCount.multipliedOrMaximum(by: count),
            fixedByteCount: fixedByteCount?.multipliedOrMaximum(by: count), depth: depth,
            valueCount: valueCount.multipliedOrMaximum(by: count))
    }
}

extension Checker {
    /// A message that would be made of more values than this could fill the memory by being decoded once.
    private static let valueLimit = 1 << 24

    /// Works out how large everything is, and checks what depends on that.
    mutating func checkSizes() {
        let order = structuresInnermostFirst()
        structureFootprints = Array(repeating: Footprint(minimumByteCount: 1), count: structureFields.count)
        structureZeroFaults = Array(repeating: nil, count: structureFields.count)
        for index in order {
            measureStructure(index)
            structureZeroFaults[index] = zeroFault(of: structureFields[index])
        }
        for (index, fields) in structureFields.enumerated() {
            checkItems(fields)
            checkZeros(fields)
            description.structures[index].fields = descriptions(of: fields)
        }
        for (index, fields) in messageFields.enumerated() {
            checkItems(fields)
            checkZeros(fields)
            checkMessage(index, sum(of: fields))
            description.messages[index].fields = descriptions(of: fields)
        }
    }

    private mutating func measureStructure(_ index: Int) {
        var footprint = sum(of: structureFields[index])
        if !declarations.structures[index].syntax.isComplete {
            footprint.minimumByteCount = max(1, footprint.minimumByteCount)
        }
        footprint.depth += 1
        if let prefix = description.structures[index].sizePrefix {
            footprint.minimumByteCount = footprint.minimumByteCount.addedOrMaximum(prefix.minimumByteCount)
            footprint.fixedByteCount = nil
        }
        structureFootprints[index] = footprint
    }

    private func sum(of fields: [ResolvedField]) -> Footprint {
        var sum = Footprint(valueCount: fields.isEmpty ? 1 : 0)
        for field in fields { add(field, to: &sum) }
        return sum
    }

    private func add(_ field: ResolvedField, to sum: inout Footprint) {
        let footprint = footprint(of: field.description.type)
        sum.fixedByteCount = sum.fixedByteCount.flatMap { total in
            footprint.fixedByteCount.map(total.addedOrMaximum)
        }
        sum.valueCount = sum.valueCount.addedOrMaximum(footprint.valueCount)
        guard field.description.presence == .required else { return }
        sum.minimumByteCount = sum.minimumByteCount.addedOrMaximum(footprint.minimumByteCount)
        sum.depth = max(sum.depth, footprint.depth)
    }

    /// The fields with their offsets.
    private func descriptions(of fields: [ResolvedField]) -> [FieldDescription] {
        var sum = Footprint()
        return fields.map { field in
            var description = field.description
            description.offset = sum.fixedByteCount
            add(field, to: &sum)
            return description
        }
    }

    private func footprint(of type: TypeDescription) -> Footprint {
        switch type {
        case .integer(let format, _): fixed(format.byteCount)
        case .float32: fixed(4)
        case .float64: fixed(8)
        case .boolean: fixed(1)
        case .varint: Footprint(minimumByteCount: 1, fixedByteCount: nil)
        case .string(let end), .bytes(let end), .list(_, let end):
            Footprint(minimumByteCount: end.minimumByteCount, fixedByteCount: nil)
        case .properties: Footprint(fixedByteCount: nil)
        case .enumeration(let index, _): fixed(description.enumerations[index].format.byteCount)
        case .flags(let index, _): fixed(description.flagSets[index].format.byteCount)
        case .structure(let index): structureFootprints[index]
        case .fixedList(let element, let count): footprint(of: element).repeated(count)
        }
    }

    private func fixed(_ byteCount: Int) -> Footprint {
        Footprint(minimumByteCount: byteCount, fixedByteCount: byteCount)
    }

    // MARK: Checks

    private func checkMessage(_ index: Int, _ footprint: Footprint) {
        let name = declarations.messages[index].syntax.name
        let limit = description.options.maximumPacketByteCount
        let byteCount = footprint.minimumByteCount.addedOrMaximum(description.layout.minimumPacketByteCount)
        if byteCount > limit, !hasFaultyLayout {
            let amount = byteCount == .max ? "more bytes than can be counted" : "at least \(byteCount) bytes"
            reporter.error(
                "a packet of \(name.text.quoted) takes \(amount), \(limit) are allowed", at: name.span,
                help: "make its fixed lists shorter, or set `option max_packet`")
        } else if footprint.valueCount > Self.valueLimit {
            reporter.error(
                "\(name.text.quoted) is made of more than \(Self.valueLimit) values", at: name.span,
                help: "make its fixed lists shorter, or use counted lists")
        }
        if footprint.depth > description.options.maximumDepth {
            reporter.error(
                "in \(name.text.quoted) structs nest \(footprint.depth) deep, \(description.options.maximumDepth) are allowed",
                at: name.span, help: "set `option max_depth`")
        }
    }

    /// Items without bytes would make a count of any size pass; an optional without bytes could not be seen.
    private func checkItems(_ fields: [ResolvedField]) {
        for field in fields where !field.isFaulty {
            switch field.description.type {
            case .list(let element, _), .fixedList(let element, _):
                guard footprint(of: element).minimumByteCount == 0 else { break }
                reporter.error(
                    "the items of \(field.description.name.quoted) take no bytes", at: field.typeSpan,
                    help: "give their struct a field that is always there")
                continue
            default: break
            }
            if field.description.presence == .optional, footprint(of: field.description.type).minimumByteCount == 0 {
                reporter.error(
                    "\(field.description.name.quoted) may take no bytes, so an optional one could not be told from a "
                        + "missing one",
                    at: field.typeSpan, help: "leave `optional` out: empty can mean missing")
            }
        }
    }
}

extension TypeDescription.Extent {
    fileprivate var minimumByteCount: Int {
        switch self {
        case .counted(let format, _): format.minimumByteCount
        case .terminated: 1
        case .rest: 0
        }
    }
}

extension Int {
    func addedOrMaximum(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }

    fileprivate func multipliedOrMaximum(by other: Int) -> Int {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? .max : product
    }
}
