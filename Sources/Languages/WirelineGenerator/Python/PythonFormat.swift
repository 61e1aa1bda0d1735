// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A format of `struct` for adjacent values.
struct PythonFormat {
    private var isLittle: Bool?
    private var letters = ""
    private(set) var byteCount = 0

    /// The format: `">BI"`.
    var text: String { (isLittle == true ? "<" : ">") + letters }

    init(_ formats: PackedFormat...) {
        for format in formats { add(format) }
    }

    /// Adds a value. An integer is added as bytes if `struct` lacks its width, or if the format has another byte order.
    ///
    /// - Returns: Whether the value has a format of its own.
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
