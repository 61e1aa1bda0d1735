// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// `@until`: a list ends at a byte where an item would begin.
extension Checker {
    /// Returns the end that `@until` gives a list; nil if that was reported.
    func terminator(_ attributes: AttributeSet) -> TypeDescription.Extent? {
        guard let (value, span) = attributes.integer(.until) else { return nil }
        guard let byte = UInt8(exactly: value) else {
            reporter.error("`@until` takes a byte, 0 to 255", at: span, help: "write it as in `@until(0xFF)`")
            return nil
        }
        return .until(byte)
    }

    /// Refuses a list that ends at a byte with which each of its items begins.
    func checkTerminator(of field: ResolvedField) {
        guard case .list(let element, .until(let terminator)) = field.description.type,
            case .constant(terminator) = FirstByte(of: element, in: description, sizes).source
        else { return }
        reporter.error(
            "each item of \(field.description.name.quoted) begins with \(terminator.hexadecimal), the byte that ends the list",
            at: field.typeSpan, help: "end the list at another byte, or count its items")
    }
}
