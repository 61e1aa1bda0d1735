// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The cases of an enum or of a set of flags, by atom and by number.
final class NameTable: Sendable {
    let format: IntegerFormat
    /// Whether a number without a name is refused.
    let isClosed: Bool
    let atoms: AtomTable
    /// In the order of the names.
    let values: [Int128]
    private let indices: [Int128: Int]
    /// The indices for small numbers, -1 without a name; empty if a number is large or negative.
    private let smallIndices: [Int16]

    private static let smallCount: Int128 = 1024

    init(
        _ format: IntegerFormat, _ cases: [EnumerationDescription.Case], _ names: [String], isClosed: Bool
    ) {
        self.format = format
        self.isClosed = isClosed
        atoms = AtomTable(names)
        values = cases.map(\.value)
        indices = Dictionary(cases.enumerated().map { ($1.value, $0) }, uniquingKeysWith: { first, _ in first })
        var small: [Int16] = []
        if let most = values.max(), let least = values.min(), least >= 0, most < Self.smallCount {
            small = Array(repeating: -1, count: Int(most) + 1)
            for (index, value) in values.enumerated().reversed() { small[Int(value)] = Int16(index) }
        }
        smallIndices = small
    }

    func index(of value: Int128) -> Int? {
        guard !smallIndices.isEmpty else { return indices[value] }
        guard value >= 0, value < Int128(smallIndices.count) else { return nil }
        let index = Int(smallIndices[Int(truncatingIfNeeded: value)])
        return index < 0 ? nil : index
    }

    /// Only a `@closed` enum refuses numbers without a name.
    func fault(of value: Int128) -> CodecError.Reason? {
        isClosed && index(of: value) == nil ? .unknownCase(value) : nil
    }

    /// Writes the atom of a case, or the number if it has no name.
    func write(enumeration value: Int128, to writer: inout ErlangTermWriter) {
        if let index = index(of: value) {
            writer.writeEncoded(atoms.encoded[index])
        } else {
            writer.writeInteger(value)
        }
    }

    /// Writes the atoms of flags, then one number for the bits without a name.
    ///
    /// A name is included if its whole mask is set and adds at least one bit.
    func write(flags value: Int128, to writer: inout ErlangTermWriter) {
        let place = writer.beginList()
        var (count, covered): (Int, Int128) = (0, 0)
        for index in values.indices where values[index] & value == values[index] && values[index] & ~covered != 0 {
            writer.writeEncoded(atoms.encoded[index])
            covered |= values[index]
            count += 1
        }
        if value & ~covered != 0 {
            writer.writeInteger(value & ~covered)
            count += 1
        }
        writer.endList(at: place, count: count)
    }
}
