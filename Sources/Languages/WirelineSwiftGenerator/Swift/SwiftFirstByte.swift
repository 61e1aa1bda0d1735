// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension SwiftTypes {
    /// Returns an expression for the first byte of a value; nil if only writing the value can tell.
    func firstByte(of type: TypeDescription, _ access: String) -> String? {
        let first = plan.firstByte(of: type)
        guard case .value(let source) = first.source else { return nil }
        var access = access
        for step in first.path {
            let field = SwiftStructures.fields(ofStructure: step.structure, self)[step.field]
            // The storage of a deprecated property is private.
            guard field.description.deprecation == nil else { return nil }
            access += "." + SwiftIdentifier.quoted(field.name)
        }
        return firstByte(ofPlain: source, access)
    }

    /// Returns an expression for the first byte of a value that contains no field.
    private func firstByte(ofPlain type: TypeDescription, _ access: String) -> String? {
        switch type {
        case .boolean: return "\(access) ? 1 : 0"
        case .string(.terminated): return "\(access).utf8.first ?? 0"
        case .bytes(.terminated): return "\(access).first ?? 0"
        case .string(.counted(let format, let order)): return firstByte(of: format, order, "\(access).utf8.count")
        case .bytes(.counted(let format, let order)), .list(_, .counted(let format, let order)):
            return firstByte(of: format, order, "\(access).count")
        case .union(let index): return firstByte(ofPlain: plan.unions[index].tag, access + ".tag")
        default:
            guard let number = plan.number(type) else { return nil }
            var value = access
            if case .integer = type {} else { value += ".rawValue" }
            return firstByte(ofNumber: value, byteCount: number.format.byteCount, number.byteOrder)
        }
    }

    private func firstByte(of format: CountFormat, _ order: ByteOrder, _ count: String) -> String? {
        format.fixedByteCount.map { firstByte(ofNumber: count, byteCount: $0, order) }
    }

    private func firstByte(ofNumber value: String, byteCount: Int, _ order: ByteOrder) -> String {
        let shift = order == .bigEndian ? 8 * (byteCount - 1) : 0
        return "Swift::UInt8(truncatingIfNeeded: \(value)\(shift > 0 ? " >> \(shift)" : ""))"
    }
}
