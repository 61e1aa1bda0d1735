// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// `@until`: a byte in place of an item ends a list.
extension Checker {
    /// Returns the terminator of a list with `@until`; nil if an error was reported.
    func terminator(_ attributes: AttributeSet) -> TypeDescription.Extent? {
        guard let (value, span) = attributes.integer(.until) else { return nil }
        guard let byte = UInt8(exactly: value) else {
            reporter.error("`@until` takes a byte, 0 to 255", at: span, help: "write it as in `@until(0xFF)`")
            return nil
        }
        return .until(byte)
    }

    /// Refuses a list whose items all begin with the byte that ends it.
    func checkTerminator(of field: ResolvedField) {
        guard case .list(let element, .until(let terminator)) = field.description.type,
            case .constant(terminator) = FirstByte(of: element, in: description, sizes).source
        else { return }
        reporter.error(
            "each item of \(field.description.name.quoted) begins with \(terminator.hexadecimal), the byte that ends the list",
            at: field.typeSpan, help: "end the list at another byte, or count its items")
    }
}
