// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The fewest bytes that values of a description's types take on the wire.
///
/// A list is refused when fewer bytes are left than its count times the fewest of an item, before anything is made for
/// it. Sums stop at `Int.max`.
struct MinimumByteCounts: Sendable {
    private let description: ProtocolDescription
    private var structures: [Int?]

    init(_ description: ProtocolDescription) {
        self.description = description
        structures = Array(repeating: nil, count: description.structures.count)
        for index in structures.indices { _ = measure(index) }
    }

    /// The fewest bytes that a value of this type takes.
    func byteCount(of type: TypeDescription) -> Int {
        switch type {
        case .integer(let format, _): format.byteCount
        case .float32: 4
        case .float64: 8
        case .boolean, .varint: 1
        case .string(let extent), .bytes(let extent), .list(_, let extent): minimum(of: extent)
        case .properties: 0
        case .enumeration(let index, _): description.enumerations[index].format.byteCount
        case .flags(let index, _): description.flagSets[index].format.byteCount
        case .structure(let index): structures[index] ?? 0
        case .fixedList(let element, let count): product(byteCount(of: element), count)
        }
    }

    /// Measures a structure, the ones inside it first.
    private mutating func measure(_ index: Int) -> Int {
        if let known = structures[index] { return known }
        structures[index] = 0  // A structure that holds itself by value would never end.
        let structure = description.structures[index]
        var total = structure.sizePrefix?.minimumByteCount ?? 0
        for field in structure.fields where field.presence == .required {
            var type = field.type
            while case .fixedList(let element, _) = type { type = element }
            if case .structure(let inner) = type { _ = measure(inner) }
            total = sum(total, byteCount(of: field.type))
        }
        structures[index] = total
        return total
    }

    private func minimum(of extent: TypeDescription.Extent) -> Int {
        switch extent {
        case .counted(let format, _): format.minimumByteCount
        case .terminated: 1
        case .rest: 0
        }
    }

    private func sum(_ left: Int, _ right: Int) -> Int {
        let (total, overflow) = left.addingReportingOverflow(right)
        return overflow ? Int.max : total
    }

    private func product(_ left: Int, _ right: Int) -> Int {
        let (total, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow ? Int.max : total
    }
}
