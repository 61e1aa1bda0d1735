// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The values of `@since` fields for packets that end before them.
extension PlanCompiler {
    func defaultTerm(of field: FieldDescription) -> [UInt8] {
        var writer = ErlangTermWriter()
        writeDefault(of: field, depth: 0, to: &writer)
        return writer.bytes
    }

    /// Writes the value that a field has if all fields of its body are zero or have their defaults.
    ///
    /// - Parameter depth: The number of structures around it.
    private func writeDefault(of field: FieldDescription, depth: Int, to writer: inout ErlangTermWriter) {
        guard field.presence.isInZero else { return writer.writeAtom("undefined") }
        guard case .since(_, let value) = field.presence else { return writeZero(field.type, depth, to: &writer) }
        write(value, field.type, depth, to: &writer)
    }

    private func write(
        _ value: DefaultValue, _ type: TypeDescription, _ depth: Int, to writer: inout ErlangTermWriter
    ) {
        switch value {
        case .integer(let number): write(number, type, to: &writer)
        case .float(let number):
            guard case .float(let format, _) = type else { return writer.writeRounded(number) }
            writer.writeRounded(format.nearest(to: number))
        case .string(let text): writer.writeBinary(Array(text.utf8))
        case .zero: writeZero(type, depth, to: &writer)
        }
    }

    private func write(_ number: Int128, _ type: TypeDescription, to writer: inout ErlangTermWriter) {
        switch type {
        case .boolean, .bit: writer.writeAtom(number != 0 ? "true" : "false")
        case .enumeration(let index, _): enumerations[index].write(enumeration: number, to: &writer)
        case .flags(let index, _): flagSets[index].write(flags: number, to: &writer)
        case .float(let format, _): writer.writeRounded(format.nearest(to: Double(number)))
        default: writer.writeInteger(number)
        }
    }

    private func writeZero(_ type: TypeDescription, _ depth: Int, to writer: inout ErlangTermWriter) {
        if let value = type.zero { return write(value, type, depth, to: &writer) }
        switch type {
        case .bytes(.exact(let byteCount)): writer.writeBinary([UInt8](repeating: 0, count: byteCount))
        case .bytes: writer.writeBinary([])
        case .sized(let content, _): writeZero(content, depth, to: &writer)
        case .properties, .list: writer.endList()
        case .fixedList(let element, let count):
            writer.beginList(count: count)
            for _ in 0..<count { writeZero(element, depth, to: &writer) }
            writer.endList()
        case .structure(let index): writeZero(ofStructure: index, depth, to: &writer)
        // The checker refuses this, because a union has no zero.
        default: writer.writeAtom("undefined")
        }
    }

    private func writeZero(ofStructure index: Int, _ depth: Int, to writer: inout ErlangTermWriter) {
        let fields = description.structures[index].fields.filter(\.hasValue)
        // The checker refuses messages with structures that nest too deeply. But a chain of structures without a
        // message may
        // be deeper than the program's stack.
        guard depth < description.options.maximumDepth else { return writer.writeAtom("undefined") }
        writer.writeTuple(count: 1 + fields.count)
        writer.writeAtom(naming.structures[index].name)
        for field in fields { writeDefault(of: field, depth: depth + 1, to: &writer) }
    }
}

extension ErlangTermWriter {
    /// A number that is not finite becomes an atom.
    fileprivate mutating func writeRounded(_ value: Double) {
        guard !value.isFinite else { return writeFloat(value) }
        writeAtom(value < 0 ? "neg_infinity" : "infinity")
    }
}
