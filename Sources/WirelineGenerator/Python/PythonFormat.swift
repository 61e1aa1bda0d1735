// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A format of `struct` for values in a row, of any byte order.
struct PythonFormat {
    private var isLittle: Bool?
    private var letters = ""
    private(set) var byteCount = 0

    /// The format: `">BI"`.
    var text: String { (isLittle == true ? "<" : ">") + letters }

    init(_ formats: PackedFormat...) {
        for format in formats { add(format) }
    }

    /// Adds a value. An integer of a width or a byte order that does not fit is taken as its bytes.
    ///
    /// - Returns: Whether it is no such integer.
    @discardableResult
    mutating func add(_ format: PackedFormat) -> Bool {
        switch format {
        case .integer(let integer, let order):
            byteCount += integer.byteCount
            let own = integer.byteCount == 1 ? nil : order == .littleEndian
            guard let letter = integer.structLetter, own == nil || isLittle == nil || own == isLittle else {
                letters += "\(integer.byteCount)s"
                return false
            }
            isLittle = isLittle ?? own
            letters += letter
        case .float(let count, let order):
            byteCount += count
            isLittle = isLittle ?? (order == .littleEndian)
            letters += [2: "e", 4: "f"][count] ?? "d"
        case .bytes(let count):
            byteCount += count
            letters += "\(count)s"
        case .filler(let count):
            byteCount += count
            letters += "\(count)x"
        }
        return true
    }
}
