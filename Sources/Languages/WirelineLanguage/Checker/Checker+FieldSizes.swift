// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// `@size`: the number of bytes of a string, bytes, a list, a structure or a union.
extension Checker {
    /// Returns a type other than a list inside the bytes of `@size`; nil if an error was reported.
    mutating func single(_ type: TypeDescription, _ attributes: AttributeSet) -> TypeDescription? {
        guard attributes.has(.size) else { return type }
        switch type {
        case .structure, .union:
            return size(attributes, byteOrder(attributes) ?? description.options.byteOrder).map { .sized(type, $0) }
        // Text and bytes have theirs already.
        default: return type
        }
    }

    /// Returns the bytes in a field's `@size`; nil if an error was reported.
    func size(_ attributes: AttributeSet, _ order: ByteOrder) -> TypeDescription.Extent? {
        if let name = attributes.name(.size) {
            if let format = CountFormat(name: name.text) { return .counted(format, order) }
            return fieldCount(name, nil, "a size").map { .field($0) }
        }
        if case .sum(let name, let number)? = attributes.argument(of: .size) {
            return fieldCount(name, number, "a size").map { .field($0) }
        }
        guard let (value, span) = attributes.integer(.size) else { return nil }
        guard (1...65535).contains(value) else {
            reporter.error(
                "`@size` takes 1 to 65535 bytes", at: span, help: "a size that varies has a prefix: `@size(uint32)`")
            return nil
        }
        return .exact(byteCount: Int(value))
    }

    /// Checks that the content of a fixed number of bytes can fill them.
    func checkSize(of field: ResolvedField) {
        checkMaximum(of: field)
        guard case .sized(let content, .exact(let byteCount)) = field.description.type else { return }
        let name = field.description.name.quoted
        switch content {
        case .list(let element, _):
            guard let width = sizes.size(of: element).fixedByteCount, width > 0, byteCount % width != 0 else { return }
            reporter.error(
                "items of \(width) bytes cannot fill the \(byteCount) bytes of \(name)", at: field.nameSpan,
                help: "make its `@size` a multiple of \(width)")
        case .utf16:
            guard byteCount % 2 != 0 else { return }
            reporter.error(
                "16-bit units cannot fill the \(byteCount) bytes of \(name)", at: field.nameSpan,
                help: "make its `@size` a multiple of 2")
        default:
            let least = sizes.contentSize(of: field.description).minimumByteCount
            guard least > byteCount else { return }
            reporter.error(
                "\(name) takes at least \(least) bytes, and `@size` gives it \(byteCount)", at: field.nameSpan,
                help: "raise its `@size`")
        }
    }

    /// Checks that `@max` allows the items that fill a fixed number of bytes.
    private func checkMaximum(of field: ResolvedField) {
        guard case .sized(.list(let element, _), .exact(let byteCount)) = field.description.type,
            let width = sizes.size(of: element).fixedByteCount, width > 0,
            let maximum = field.description.maximumCount, maximum < byteCount / width
        else { return }
        reporter.error(
            "\(byteCount / width) items fill \(field.description.name.quoted), and `@max` allows \(maximum)",
            at: field.nameSpan, help: "drop `@max`: `@size` says how many there are")
    }
}
