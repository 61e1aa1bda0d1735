// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The bytes that a value takes on the wire, as far as its type tells. Sums stop at `Int.max` instead of overflowing.
package struct WireSize: Equatable, Sendable {
    /// The fewest bytes of a value.
    package var minimumByteCount: Int
    /// The bytes of every value, if all have the same number.
    package var fixedByteCount: Int?

    /// Makes the size of values that all have the same number of bytes.
    package init(fixed byteCount: Int) {
        minimumByteCount = byteCount
        fixedByteCount = byteCount
    }

    /// Makes the size of values that differ in their number of bytes.
    package init(atLeast byteCount: Int) {
        minimumByteCount = byteCount
        fixedByteCount = nil
    }

    fileprivate func repeated(_ count: Int) -> WireSize {
        var size = WireSize(atLeast: minimumByteCount.multipliedOrMaximum(by: count))
        size.fixedByteCount = fixedByteCount?.multipliedOrMaximum(by: count)
        return size
    }

    /// Adds a field that follows; a packet may end before it if it is not required.
    fileprivate mutating func add(_ other: WireSize, isRequired: Bool = true) {
        if isRequired { minimumByteCount = minimumByteCount.addedOrMaximum(other.minimumByteCount) }
        let added = isRequired ? other.fixedByteCount : nil
        fixedByteCount = fixedByteCount.flatMap { own in added.map(own.addedOrMaximum) }
    }
}

/// The sizes of all types of a protocol.
package struct WireSizes: Sendable {
    private let description: ProtocolDescription
    private var structures: [WireSize]

    /// Measures the structures of a checked protocol.
    package init(_ description: ProtocolDescription) {
        self.init(description, innermostFirst: StructureGraph(byValueIn: description).innermostFirst, incomplete: [])
    }

    /// - Parameters:
    ///   - innermostFirst: The structures, each after those that it contains by value.
    ///   - incomplete: The structures that have fields which could not be read; they count as at least one byte.
    init(_ description: ProtocolDescription, innermostFirst: [Int], incomplete: Set<Int>) {
        self.description = description
        // Only a structure that contains itself by value is asked for before it is measured.
        structures = Array(repeating: WireSize(atLeast: 1), count: description.structures.count)
        for index in innermostFirst {
            let structure = description.structures[index]
            var size = size(of: structure.fields)
            if incomplete.contains(index) { size.minimumByteCount = max(1, size.minimumByteCount) }
            if let prefix = structure.sizePrefix { size.add(WireSize(atLeast: prefix.minimumByteCount)) }
            structures[index] = size
        }
    }

    /// Returns the size of these fields together, one after another.
    func size(of fields: [FieldDescription]) -> WireSize {
        var sum = WireSize(fixed: 0)
        for field in fields { sum.add(size(of: field.type), isRequired: field.presence == .required) }
        return sum
    }

    /// Returns the size of a value of this type.
    package func size(of type: TypeDescription) -> WireSize {
        switch type {
        case .integer(let format, _): WireSize(fixed: format.byteCount)
        case .float32: WireSize(fixed: 4)
        case .float64: WireSize(fixed: 8)
        case .boolean: WireSize(fixed: 1)
        case .varint: WireSize(atLeast: 1)
        case .string(let extent), .bytes(let extent), .list(_, let extent): Self.size(of: extent)
        case .digits(let byteCount): WireSize(fixed: byteCount)
        case .properties: WireSize(atLeast: 0)
        case .enumeration(let index, _): WireSize(fixed: description.enumerations[index].format.byteCount)
        case .flags(let index, _): WireSize(fixed: description.flagSets[index].format.byteCount)
        case .structure(let index): structures[index]
        case .fixedList(let element, let count): size(of: element).repeated(count)
        }
    }

    private static func size(of extent: TypeDescription.Extent) -> WireSize {
        switch extent {
        case .counted(let format, _): WireSize(atLeast: format.minimumByteCount)
        case .terminated: WireSize(atLeast: 1)
        case .rest: WireSize(atLeast: 0)
        case .fixed(let byteCount, _): WireSize(fixed: byteCount)
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
