// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The sizes of values inside a number of bytes, and the fields that hold such sizes.
extension SchemaComparison {
    /// Compares the sizes of two values inside a number of bytes.
    mutating func compareSizes(
        _ pair: FieldPair, _ before: (extent: TypeDescription.Extent, content: TypeDescription),
        _ after: (extent: TypeDescription.Extent, content: TypeDescription)
    ) {
        guard !before.extent.hasSameBytes(as: after.extent) else { return }
        var readers: [SchemaVersion: [ExampleHint]] = [.old: [], .new: []]
        if let count = before.extent.firstCount(writtenOtherwiseBy: after.extent) {
            // Only the sizes of long values differ.
            readers[.old] = sizeHints(after.content, pair.key(writtenFor: .old), byteCount: count, in: new)
            readers[.new] = sizeHints(before.content, pair.key(writtenFor: .new), byteCount: count, in: old)
        }
        addAbsence(of: pair, before.extent, after.extent, to: &readers)
        suspect(pair, .fieldPrefix, changed(pair.before.type, pair.after.type), breaks: readers)
    }

    /// Returns hints for a number that a field has on the wire.
    ///
    /// A number that counts other fields has no value of its own: the counted fields get that many items or bytes.
    func numberHints(_ key: FieldKey, _ number: Int128, in description: ProtocolDescription) -> [ExampleHint] {
        let fields = description.fields(of: key.owner)
        guard !fields[key.index].hasValue else { return [.value(key, .exactInteger(number))] }
        return fields.indices.flatMap { index -> [ExampleHint] in
            guard let fieldCount = fields[index].type.fieldCount, fieldCount.field == fields[key.index].name,
                let count = Int(exactly: number + Int128(fieldCount.addend)), count >= 0
            else { return [] }
            let user = FieldKey(owner: key.owner, index: index)
            guard case .sized(let content, _) = fields[index].type else { return [.count(user, count)] }
            return sizeHints(content, user, byteCount: count, in: description)
        }
    }

    private func sizeHints(
        _ content: TypeDescription, _ key: FieldKey, byteCount: Int, in description: ProtocolDescription
    ) -> [ExampleHint] {
        switch content {
        case .structure(let index): return [.largeBody(.structure(index))]
        case .union(let index): return [.largeBody(.union(index))]
        case .utf16: return [.count(key, (byteCount + 1) / 2)]
        case .list(let element, _):
            let width = max(1, WireSizes(description).size(of: element).minimumByteCount)
            return [.count(key, (byteCount + width - 1) / width)]
        default: return [.count(key, byteCount)]
        }
    }
}
