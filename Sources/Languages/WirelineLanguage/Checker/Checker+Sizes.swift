// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The size of values on the wire, their depth and their memory.
struct Footprint {
    var size = WireSize(fixed: 0)
    /// How deeply structures nest in every value in memory, including defaults of `@since` fields.
    var depth = 0
    /// The memory of the value with the fewest bytes, including fields that may be missing, in bytes.
    var memory = MemoryWeight.field
    /// The memory of a value without its references, in bytes; an enum takes it for every payload.
    var inlineMemory = MemoryWeight.field
}

extension Checker {
    /// Computes all sizes, and checks everything that depends on them.
    mutating func checkSizes() {
        for (index, fields) in structureFields.enumerated() {
            description.structures[index].fields = fields.map(\.description)
        }
        let graph = StructureGraph(
            description.bodies, target: { description.bodyByValue(of: $0.type) },
            onCycle: { reportCycle($0, to: $1) })
        measureBodies(innermostFirst: graph.innermostFirst)
        for fields in unionFields {
            checkItems(fields)
            checkMemory(ofListsIn: fields)
        }
        for (index, fields) in structureFields.enumerated() {
            checkItems(fields)
            checkMemory(ofListsIn: fields)
            checkZeros(fields)
            description.structures[index].fields = withOffsets(fields)
        }
        for (index, fields) in messageFields.enumerated() {
            checkItems(fields)
            checkZeros(fields)
            checkMessage(index, footprint(of: fields.map(\.description)))
            description.messages[index].fields = withOffsets(fields)
        }
    }

    private mutating func measureBodies(innermostFirst order: [Int]) {
        let structureCount = structureFields.count
        let incomplete = order.filter { $0 < structureCount && !declarations.structures[$0].syntax.isComplete }
        sizes = WireSizes(description, innermostFirst: order, incomplete: Set(incomplete))
        bodyFootprints = Array(
            repeating: Footprint(size: WireSize(atLeast: 1)), count: structureCount + unionFields.count)
        structureZeroFaults = Array(repeating: nil, count: structureCount)
        for index in order {
            guard index < structureCount else {
                bodyFootprints[index] = footprint(ofUnion: index - structureCount)
                continue
            }
            var footprint = footprint(of: description.structures[index].fields)
            footprint.size = sizes.size(of: .structure(index))
            footprint.depth += 1
            bodyFootprints[index] = footprint
            structureZeroFaults[index] = zeroFault(of: structureFields[index])
        }
    }

    private func footprint(of fields: [FieldDescription]) -> Footprint {
        var sum = Footprint(size: sizes.size(of: fields))
        for field in fields where field.hasValue {
            let footprint = footprint(of: field.type)
            sum.memory = sum.memory.addedOrMaximum(footprint.memory)
            sum.inlineMemory = sum.inlineMemory.addedOrMaximum(footprint.inlineMemory)
            if case .since(_, .string(let text)) = field.presence {
                // In memory all values share it, but JSON text repeats it.
                sum.memory = sum.memory.addedOrMaximum(text.utf8.count)
            }
            if case .since(_, .zero) = field.presence, case .digits(let format) = field.type {
                sum.memory = sum.memory.addedOrMaximum(format.digitCount)
            }
            if !field.presence.mayBeUnset { sum.depth = max(sum.depth, footprint.depth) }
        }
        return sum
    }

    /// Returns the footprint of a union.
    ///
    /// Each arm takes as much inline memory as the largest one. An arm with more bytes on the wire than the smallest
    /// one may take more memory, because its bytes pay for that.
    private func footprint(ofUnion index: Int) -> Footprint {
        let arms = description.unions[index].arms.map { arm in arm.field.map { footprint(of: $0.type) } ?? Footprint() }
        let inlineMemory = (arms.map(\.inlineMemory).max() ?? 0).addedOrMaximum(MemoryWeight.field)
        let smallest = arms.map(\.size.minimumByteCount).min() ?? 0
        let memory = arms.map { arm in
            let paid = (arm.size.minimumByteCount - smallest).multipliedOrMaximum(by: MemoryWeight.factor)
            return max(inlineMemory, arm.memory.addedOrMaximum(MemoryWeight.field)) - paid
        }
        return Footprint(
            size: sizes.size(of: .union(index)), depth: (arms.map(\.depth).min() ?? 0) + 1,
            memory: memory.max() ?? inlineMemory, inlineMemory: inlineMemory)
    }

    private func withOffsets(_ fields: [ResolvedField]) -> [FieldDescription] {
        var offset: Int? = 0
        var runOffset: Int?
        return fields.map { field in
            var description = field.description
            if description.packing?.beginsRun != false { runOffset = offset }
            description.offset = runOffset
            let isConditional = description.presence.condition != nil
            let byteCount = isConditional ? nil : sizes.size(of: description).fixedByteCount
            offset = offset.flatMap { offset in byteCount.map(offset.addedOrMaximum) }
            return description
        }
    }

    func footprint(of type: TypeDescription) -> Footprint {
        switch type {
        case .structure(let index): return bodyFootprints[index]
        case .union(let index): return bodyFootprints[description.structures.count + index]
        case .fixedList(let element, let count):
            let item = footprint(of: element)
            // A number takes its bytes; everything else takes the memory of a field.
            let number =
                item.depth == 0 && !element.isText ? item.size.fixedByteCount.map { max(MemoryWeight.item, $0) } : nil
            let memory = (number ?? item.memory).multipliedOrMaximum(by: count)
                .addedOrMaximum(MemoryWeight.field + MemoryWeight.array)
            return Footprint(size: sizes.size(of: type), depth: item.depth, memory: memory)
        case .sized(let content, _):
            var footprint = footprint(of: content)
            footprint.size = sizes.size(of: type)
            return footprint
        default: return Footprint(size: sizes.size(of: type))
        }
    }

    // MARK: Checks

    private func checkMessage(_ index: Int, _ footprint: Footprint) {
        let name = declarations.messages[index].syntax.name
        let limit = description.options.maximumPacketByteCount
        let byteCount = footprint.size.minimumByteCount.addedOrMaximum(description.layout.minimumPacketByteCount)
        if byteCount > limit, !hasFaultyLayout {
            let amount = byteCount == .max ? "more bytes than can be counted" : "at least \(byteCount) bytes"
            reporter.error(
                "a packet of \(name.text.quoted) takes \(amount), \(limit) are allowed", at: name.span,
                help: "make its fixed lists shorter, or set `option max_packet`")
        } else {
            checkMemory(ofMessage: index, footprint)
            if !hasFaultyLayout, identifiedMessages[index] {
                refuseImpossibleLength(
                    of: description.messages[index], footprint.size.minimumByteCount, at: name.span)
            }
        }
        if footprint.depth > description.options.maximumDepth {
            reporter.error(
                "in \(name.text.quoted) \(description.unions.isEmpty ? "structs" : "structs and unions") nest "
                    + "\(footprint.depth) deep, \(description.options.maximumDepth) are allowed",
                at: name.span, help: "set `option max_depth`")
        }
    }

    /// Checks that items and optional fields have at least one byte.
    ///
    /// Items without bytes would allow a count of any size. An optional field without bytes would look like a missing
    /// one.
    private func checkItems(_ fields: [ResolvedField]) {
        checkDerivedFields(fields)
        for (index, field) in fields.enumerated() where !field.isFaulty {
            switch field.description.type.content {
            case .list(let element, _), .fixedList(let element, _):
                guard sizes.size(of: element).minimumByteCount == 0 else { break }
                reporter.error(
                    "the items of \(field.description.name.quoted) take no bytes", at: field.typeSpan,
                    help: "give their struct a field that is always there")
                continue
            default: break
            }
            checkTerminator(of: field)
            checkSize(of: field)
            if field.description.presence == .optional, sizes.size(of: field.description).minimumByteCount == 0 {
                reporter.error(
                    "\(field.description.name.quoted) may take no bytes, so an optional one could not be told from a "
                        + "missing one",
                    at: field.typeSpan,
                    help: (helpForRest(after: fields[..<index]) ?? "leave `optional` out") + ": empty can mean missing")
            }
        }
    }
}

extension TypeDescription {
    /// Whether values are strings in memory.
    fileprivate var isText: Bool {
        switch self {
        case .string, .utf16, .digits: true
        default: false
        }
    }
}
