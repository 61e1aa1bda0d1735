// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// How much room a type takes on the wire.
struct SwiftFootprint {
    /// The fewest bytes of a value, at most `Int.max`.
    var minimumByteCount = 0
    /// The bytes of every value, where they are the same.
    var fixedByteCount: Int? = 0
    /// Whether a value of the Swift type may be one that cannot be written.
    var needsCheck = false

    mutating func add(_ other: SwiftFootprint, isRequired: Bool = true) {
        if isRequired { minimumByteCount = Self.sum(minimumByteCount, other.minimumByteCount) }
        fixedByteCount = fixedByteCount.flatMap { own in other.fixedByteCount.map { Self.sum(own, $0) } }
        if !isRequired { fixedByteCount = nil }
        needsCheck = needsCheck || other.needsCheck
    }

    private static func sum(_ left: Int, _ right: Int) -> Int {
        let (sum, overflows) = left.addingReportingOverflow(right)
        return overflows ? .max : sum
    }

    private static func product(_ left: Int, _ right: Int) -> Int {
        let (product, overflows) = left.multipliedReportingOverflow(by: right)
        return overflows ? .max : product
    }

    /// - Parameter structure: The footprint of a structure.
    init(_ type: TypeDescription, _ description: ProtocolDescription, structure: (Int) -> SwiftFootprint) {
        switch type {
        case .integer(let format, _): self.init(fixed: format)
        case .float32: self.init(fixed: 4)
        case .float64: self.init(fixed: 8)
        case .boolean: self.init(fixed: 1)
        case .varint(let maximum): self.init(minimumByteCount: 1, fixedByteCount: nil, needsCheck: maximum < 10)
        case .string(let extent), .bytes(let extent), .list(_, let extent):
            self.init(minimumByteCount: extent.minimumByteCount, fixedByteCount: nil, needsCheck: true)
        case .properties: self.init(minimumByteCount: 0, fixedByteCount: nil, needsCheck: true)
        case .enumeration(let index, _):
            self.init(fixed: description.enumerations[index].format)
            if description.enumerations[index].isClosed { needsCheck = false }
        case .flags(let index, _): self.init(fixed: description.flagSets[index].format)
        case .structure(let index): self = structure(index)
        case .fixedList(let element, let count):
            let item = SwiftFootprint(element, description, structure: structure)
            // The number of items is not a part of Swift's type.
            self.init(
                minimumByteCount: Self.product(item.minimumByteCount, count),
                fixedByteCount: item.fixedByteCount.map { Self.product($0, count) }, needsCheck: true)
        }
    }

    private init(minimumByteCount: Int, fixedByteCount: Int?, needsCheck: Bool) {
        self.minimumByteCount = minimumByteCount
        self.fixedByteCount = fixedByteCount
        self.needsCheck = needsCheck
    }

    private init(fixed byteCount: Int) {
        self.init(minimumByteCount: byteCount, fixedByteCount: byteCount, needsCheck: false)
    }

    private init(fixed format: IntegerFormat) {
        self.init(fixed: format.byteCount)
        needsCheck = format.byteCount == 3
    }

    private init() {}

    /// The footprints of all structures, size prefixes included.
    static func ofStructures(_ description: ProtocolDescription, innermostFirst: [Int]) -> [SwiftFootprint] {
        // What a list goes through is asked for its own sake, later; until then an item has at least a byte.
        let unknown = SwiftFootprint(minimumByteCount: 1, fixedByteCount: nil, needsCheck: true)
        var footprints = Array(repeating: unknown, count: description.structures.count)
        for index in innermostFirst {
            let structure = description.structures[index]
            var footprint = SwiftFootprint()
            for field in structure.fields {
                footprint.add(
                    SwiftFootprint(field.type, description) { footprints[$0] }, isRequired: field.presence == .required)
                if field.range != nil || field.floatRange != nil { footprint.needsCheck = true }
            }
            if let prefix = structure.sizePrefix {
                footprint.add(
                    SwiftFootprint(
                        minimumByteCount: prefix.minimumByteCount, fixedByteCount: nil, needsCheck: true))
            }
            footprints[index] = footprint
        }
        return footprints
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
