// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Items of lists that a byte in place of an item ends.
extension ExampleValues {
    /// The number of values to try for an item. For most types nearly each one can be written.
    private static let attemptCount = 16

    /// Returns an item that does not begin with the byte that ends its list.
    ///
    /// If a hint asks for that byte, the item does begin with it, and cannot be written.
    ///
    /// - Returns: nil if no writable item is found.
    mutating func item(
        _ element: TypeDescription, until terminator: UInt8, of field: FieldDescription, _ key: FieldKey, _ depth: Int
    ) -> JSONValue? {
        let first = value(element, of: field, key, depth, isItem: true)
        guard begins(first, element, with: terminator) else { return first }
        if let other = otherItem(element, until: terminator, of: field, key, depth, hint) { return other }
        // An item shows the hint's effect only if it could be written without the hint.
        guard hint != nil, otherItem(element, until: terminator, of: field, key, depth, nil) != nil else { return nil }
        return first
    }

    private mutating func otherItem(
        _ element: TypeDescription, until terminator: UInt8, of field: FieldDescription, _ key: FieldKey, _ depth: Int,
        _ hint: ExampleHint?
    ) -> JSONValue? {
        for _ in 0..<Self.attemptCount {
            counter += 1
            let seed = UInt64(truncatingIfNeeded: counter)
            var others = ExampleValues(
                index, .random(seed: seed), hint: hint, operands: operands, maximumCount: remainingCount)
            others.isInHintedList = isInHintedList
            let item = others.value(element, of: field, key, depth, isItem: true)
            if !begins(item, element, with: terminator) { return item }
        }
        return nil
    }

    /// Returns whether a value begins with this byte; false for a value that cannot be written for another reason.
    private func begins(_ value: JSONValue, _ type: TypeDescription, with byte: UInt8) -> Bool {
        bytes(of: value, as: type)?.first == byte
    }
}
