// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The size of values on the wire, as far as their type determines it. Sums saturate at `Int.max`.
package struct WireSize: Equatable, Sendable {
    /// The minimum size of a value, in bytes.
    package var minimumByteCount: Int
    /// The size of every value, in bytes; nil if it varies.
    package var fixedByteCount: Int?

    package init(fixed byteCount: Int) {
        minimumByteCount = byteCount
        fixedByteCount = byteCount
    }

    package init(atLeast byteCount: Int) {
        minimumByteCount = byteCount
        fixedByteCount = nil
    }

    fileprivate func repeated(_ count: Int) -> WireSize {
        var size = WireSize(atLeast: minimumByteCount.multipliedOrMaximum(by: count))
        size.fixedByteCount = fixedByteCount?.multipliedOrMaximum(by: count)
        return size
    }

    /// Adds a field that follows; a field that is not required may have no bytes.
    fileprivate mutating func add(_ other: WireSize, isRequired: Bool = true) {
        if isRequired { minimumByteCount = minimumByteCount.addedOrMaximum(other.minimumByteCount) }
        let added = isRequired ? other.fixedByteCount : nil
        fixedByteCount = fixedByteCount.flatMap { own in added.map(own.addedOrMaximum) }
    }
}

/// The sizes of all types of a protocol.
package struct WireSizes: Sendable {
    private let description: ProtocolDescription
    /// The sizes of structures, then of unions.
    private var bodies: [WireSize]

    package init(_ description: ProtocolDescription) {
        self.init(description, innermostFirst: StructureGraph(byValueIn: description).innermostFirst, incomplete: [])
    }

    /// - Parameters:
    ///   - innermostFirst: The bodies of structures and unions, each after those that it contains by value.
    ///   - incomplete: The bodies with unreadable fields; they count as at least one byte.
    init(_ description: ProtocolDescription, innermostFirst: [Int], incomplete: Set<Int>) {
        self.description = description
        // Only a structure or union that contains itself by value is used before it is measured.
        bodies = Array(
            repeating: WireSize(atLeast: 1), count: description.structures.count + description.unions.count)
        for index in innermostFirst {
            guard index < description.structures.count else {
                bodies[index] = size(of: description.unions[index - description.structures.count])
                continue
            }
            let structure = description.structures[index]
            var size = size(of: structure.fields)
            if incomplete.contains(index) { size.minimumByteCount = max(1, size.minimumByteCount) }
            if let prefix = structure.sizePrefix { size.add(WireSize(atLeast: prefix.minimumByteCount)) }
            bodies[index] = size
        }
    }

    /// Returns the size of a union: its tag, its prefix, and the value of any arm.
    private func size(of union: UnionDescription, hasTag: Bool = true) -> WireSize {
        let arms = union.arms.map { arm in arm.field.map { size(of: $0.type) } ?? WireSize(fixed: 0) }
        var sum = WireSize(atLeast: arms.map(\.minimumByteCount).min() ?? 0)
        if let first = arms.first?.fixedByteCount, arms.allSatisfy({ $0.fixedByteCount == first }) {
            sum = WireSize(fixed: first)
        }
        // A sized value may be longer than its arm.
        if let prefix = union.sizePrefix { sum.add(WireSize(atLeast: prefix.minimumByteCount)) }
        if hasTag { sum.add(size(of: union.tag)) }
        return sum
    }

    func size(of fields: [FieldDescription]) -> WireSize {
        var sum = WireSize(fixed: 0)
        for field in fields { sum.add(size(of: field), isRequired: field.presence.isInEveryBody) }
        return sum
    }

    /// Returns the size of a field's value. For fields that share bytes, the first one counts all bytes.
    package func size(of field: FieldDescription) -> WireSize {
        if field.tagField != nil {
            guard case .sized(_, let extent) = field.type else { return contentSize(of: field) }
            return size(of: contentSize(of: field), in: extent)
        }
        guard let packing = field.packing else { return size(of: field.type) }
        return WireSize(fixed: packing.beginsRun ? packing.runByteCount : 0)
    }

    /// Returns the size of a field's value without the prefix of `@size`. For a union whose tag is in another field, it
    /// excludes the tag.
    func contentSize(of field: FieldDescription) -> WireSize {
        let content = field.type.content
        guard field.tagField != nil, case .union(let index) = content else { return size(of: content) }
        return size(of: description.unions[index], hasTag: false)
    }

    package func size(of type: TypeDescription) -> WireSize {
        switch type {
        case .integer(let format, _): WireSize(fixed: format.byteCount)
        case .float(let format, _): WireSize(fixed: format.byteCount)
        case .boolean, .bit: WireSize(fixed: 1)
        case .varint: WireSize(atLeast: 1)
        case .string(let extent), .bytes(let extent), .list(_, let extent): Self.size(of: extent)
        case .utf16(.terminated, _): WireSize(atLeast: 2)
        case .utf16(let extent, _): Self.size(of: extent)
        case .digits(let format): WireSize(fixed: format.byteCount)
        case .properties: WireSize(atLeast: 0)
        case .enumeration(let index, _): WireSize(fixed: description.enumerations[index].format.byteCount)
        case .flags(let index, _): WireSize(fixed: description.flagSets[index].format.byteCount)
        case .structure(let index): bodies[index]
        case .union(let index): bodies[description.structures.count + index]
        case .fixedList(let element, let count): size(of: element).repeated(count)
        case .sized(let content, let extent): size(of: size(of: content), in: extent)
        }
    }

    /// Returns how many items fill a list of a fixed number of bytes; nil for other types, and if it varies.
    package func itemCount(filling type: TypeDescription) -> Int? {
        guard case .sized(.list(let element, _), .exact(let byteCount)) = type,
            let width = size(of: element).fixedByteCount, width > 0
        else { return nil }
        return byteCount / width
    }

    /// Returns the size of a value whose content has a number of bytes around it.
    private func size(of content: WireSize, in extent: TypeDescription.Extent) -> WireSize {
        var size = Self.size(of: extent)
        // The bytes hold at least the smallest content, unless it is absent.
        if size.fixedByteCount == nil, !extent.isNullable { size.add(WireSize(atLeast: content.minimumByteCount)) }
        return size
    }

    private static func size(of extent: TypeDescription.Extent) -> WireSize {
        switch extent {
        case .counted(let format, _): WireSize(atLeast: format.minimumByteCount)
        case .terminated, .until: WireSize(atLeast: 1)
        case .rest: WireSize(atLeast: 0)
        case .field(let count): WireSize(atLeast: count.range.lowerBound)
        case .fixed(let byteCount, _), .exact(let byteCount): WireSize(fixed: byteCount)
        }
    }
}

extension Int {
    func addedOrMaximum(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }

    func multipliedOrMaximum(by other: Int) -> Int {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? .max : product
    }
}
