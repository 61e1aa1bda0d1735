// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Items of lists that end at a byte where an item would begin.
extension ExampleValues {
    /// The values that are tried for an item; of most types nearly each one can be written.
    private static let attemptCount = 16

    /// Returns an item that does not begin with the byte which ends its list.
    ///
    /// If a hint asks for something else, the item does begin with it, and cannot be written.
    ///
    /// - Returns: nil if no item is found that can be written.
    mutating func item(
        _ element: TypeDescription, until terminator: UInt8, of field: FieldDescription, _ key: FieldKey, _ depth: Int
    ) -> JSONValue? {
        let first = value(element, of: field, key, depth, isItem: true)
        guard begins(first, element, with: terminator) else { return first }
        if let other = otherItem(element, until: terminator, of: field, key, depth, hint) { return other }
        // Only an item that would do without the hint shows what the hint asks for.
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

    /// Returns whether the first byte of a value is this one; false for a value that cannot be written for another reason.
    private func begins(_ value: JSONValue, _ type: TypeDescription, with byte: UInt8) -> Bool {
        bytes(of: value, as: type)?.first == byte
    }
}
