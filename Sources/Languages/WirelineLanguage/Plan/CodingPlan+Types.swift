// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// An integer, an enum or flags, of whole bytes or in a bit group.
package struct PlannedNumber: Equatable, Sendable {
    package let format: IntegerFormat
    package let byteOrder: ByteOrder
    package let kind: Kind
    /// The `@range`; nil if all numbers of the format are allowed.
    package var range: ClosedRange<Int128>?
    /// Whether it is an enum that accepts only the numbers that it lists.
    package var isClosed: Bool

    package enum Kind: Equatable, Sendable {
        case plain
        case enumeration(Int)
        case flags(Int)
    }

    package init(
        _ format: IntegerFormat, _ byteOrder: ByteOrder, _ kind: Kind = .plain, range: ClosedRange<Int128>? = nil,
        isClosed: Bool = false
    ) {
        self.format = format
        self.byteOrder = byteOrder
        self.kind = kind
        self.range = range
        self.isClosed = isClosed
    }

    /// The numbers that may be written and read; a closed enum accepts fewer.
    package var allowed: ClosedRange<Int128> { range ?? format.range }
    /// The index of a closed enum; nil for other numbers.
    package var closedEnumeration: Int? { if case .enumeration(let index) = kind, isClosed { index } else { nil } }
}

extension CodingPlan {
    /// Returns the integer that represents a value of fixed width; nil for other types, and for floats and `bool`.
    ///
    /// - Parameter range: The field's `@range`.
    package func number(_ type: TypeDescription, range: ClosedRange<Int128>? = nil) -> PlannedNumber? {
        switch type {
        case .integer(let format, let order): return PlannedNumber(format, order, range: range)
        case .enumeration(let index, let order):
            let enumeration = description.enumerations[index]
            return PlannedNumber(
                enumeration.format, order, .enumeration(index), range: range, isClosed: enumeration.isClosed)
        case .flags(let index, let order):
            return PlannedNumber(description.flagSets[index].format, order, .flags(index), range: range)
        default: return nil
        }
    }

    /// Returns the size of a number, a `bool`, or text, digits or bytes of fixed width; nil for other types.
    package func numberByteCount(of type: TypeDescription) -> Int? { sizes.numberByteCount(of: type) }

    /// Returns the size of every value in bytes; nil if it varies.
    package func fixedByteCount(of type: TypeDescription) -> Int? { sizes.size(of: type).fixedByteCount }

    /// Returns the minimum size of a list's item in bytes, at least 1.
    package func itemByteCount(of element: TypeDescription) -> Int { max(1, sizes.size(of: element).minimumByteCount) }

    /// Returns the source of the first byte of a type's values.
    package func firstByte(of type: TypeDescription) -> FirstByte { FirstByte(of: type, in: description, sizes) }

    /// Returns whether a type is an enum that accepts only the numbers that it lists.
    package func isClosed(_ type: TypeDescription) -> Bool {
        number(type)?.isClosed == true
    }

    /// Returns the unit in which an earlier field counts a value: items or bytes.
    package func measure(of type: TypeDescription) -> PlannedDerivation.Measure {
        PlannedDerivation.Measure(of: type, sizes)
    }

    package func isUnsigned(_ type: TypeDescription) -> Bool {
        switch type {
        case .integer(let format, _): !format.isSigned
        case .varint(let format): format.range.lowerBound >= 0
        default: false
        }
    }

    /// Returns whether a language with integers of 8, 16, 32 and 64 bits can hold values that no packet can.
    package func needsCheck(_ type: TypeDescription) -> Bool {
        Self.needsCheck(type, description, checkedStructures)
    }

    /// Returns the size of the prefix before a field's value, or the size of a number: an error's offset skips it.
    ///
    /// For fields that share bytes, the first one counts all bytes.
    package func leadingByteCount(of field: FieldDescription) -> Int {
        if let packing = field.packing { return packing.beginsRun ? packing.runByteCount : 0 }
        if case .structure(let index) = field.type { return structures[index].sizePrefix?.format.fixedByteCount ?? 0 }
        if case .union(let index) = field.type { return sizes.size(of: unions[index].tag).fixedByteCount ?? 0 }
        return PlannedPart.Kind(of: field, sizes)?.byteCount ?? 0
    }

    static func checkedStructures(_ description: ProtocolDescription) -> Set<Int> {
        var checked: Set<Int> = []
        let order = StructureGraph(byValueIn: description).innermostFirst
        for index in order where index < description.structures.count {
            let structure = description.structures[index]
            let isChecked = structure.fields.contains { field in
                guard field.hasValue else { return false }
                return field.range != nil || field.floatRange != nil || field.presence.condition != nil
                    || needsCheck(field.type, description, checked)
            }
            if isChecked || structure.sizePrefix != nil { checked.insert(index) }
        }
        return checked
    }

    private static func needsCheck(
        _ type: TypeDescription, _ description: ProtocolDescription, _ checked: Set<Int>
    ) -> Bool {
        switch type {
        case .boolean, .bit: false
        case .float(let format, _): !format.hasHostType
        case .integer(let format, _): !format.fillsHostInteger
        case .flags(let index, _): !description.flagSets[index].format.fillsHostInteger
        case .enumeration(let index, _):
            !description.enumerations[index].format.fillsHostInteger && !description.enumerations[index].isClosed
        case .varint(let format): !format.isUnlimited
        case .structure(let index): checked.contains(index)
        // Languages do not limit the length of these values. A union's kept value could have the tag of an arm.
        default: true
        }
    }
}

extension IntegerFormat {
    /// Whether languages have an integer type with exactly these values.
    package var fillsHostInteger: Bool { bitWidth >= 8 && bitWidth.nonzeroBitCount == 1 }
}

extension WireSizes {
    /// Returns the size of a number, a `bool`, or text, digits or bytes of fixed width; nil for other types.
    func numberByteCount(of type: TypeDescription) -> Int? {
        switch type {
        case .structure, .union, .fixedList, .sized: nil
        default: size(of: type).fixedByteCount
        }
    }
}
