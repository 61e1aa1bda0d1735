// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Items of varying width that fill a fixed number of bytes.
extension ExampleValues {
    /// Returns items that fill their bytes; nil if none are found.
    ///
    /// The first one follows the style and the hint. The others have the remaining widths.
    ///
    /// - Parameter count: The number of items that a hint asks for; nil for any number.
    mutating func items(
        _ element: TypeDescription, filling extent: TypeDescription.Extent, of field: FieldDescription, _ key: FieldKey,
        _ depth: Int, count: Int?
    ) -> JSONValue? {
        guard count != 0 else { return nil }
        let samples = samples(of: element, of: field, key, depth)
        let widths = samples.keys.sorted()
        var items = [value(element, of: field, key, depth + 1, isItem: true)]
        guard case .exact(let byteCount) = extent, let least = widths.first, let most = widths.last, least > 0,
            let width = bytes(of: items[0], as: element)?.count, width <= byteCount
        else { return nil }
        var remaining = byteCount - width
        let fewest = (remaining + most - 1) / most
        let capacity = min(remaining / least, (field.maximumCount ?? .max) - 1)
        guard fewest <= capacity else { return nil }
        var others: Int
        switch (count, style) {
        case (let count?, _): others = count - 1
        case (nil, .random): others = fewest + next(capacity - fewest + 1)
        case (nil, .most): others = fewest
        case (nil, _): others = capacity
        }
        while others > 0 {
            others -= 1
            let left = remaining - most * others...remaining - least * others
            let any = widths[next(widths.count)]
            let fitting = left.contains(any) ? [any] : widths.filter(left.contains)
            guard let width = fitting.isEmpty ? nil : fitting[next(fitting.count)], let values = samples[width] else {
                return nil
            }
            items.append(values[next(values.count)])
            remaining -= width
        }
        return remaining == 0 ? .array(items) : nil
    }

    /// Returns values of a type, by the number of their bytes.
    private mutating func samples(
        of type: TypeDescription, of field: FieldDescription, _ key: FieldKey, _ depth: Int
    ) -> [Int: [JSONValue]] {
        var values: [JSONValue] = []
        if case .varint(let format) = type {
            // Each number of bytes. 0 is left out: it has the same byte in all formats.
            values = (0..<format.maximumByteCount).compactMap { index in
                format.value(ofBits: max(1, UInt64(1 + next(127)) << UInt64(7 * index))).map { .exactInteger($0) }
            }
        } else {
            for number in 0..<sampleCount {
                let style = number == 0 ? Style.zero : .random(seed: UInt64(next(.max)))
                var sample = ExampleValues(
                    index, style, operands: operands, maximumCount: remainingCount, pool: pool)
                sample.sampleCount = sampleCount / 4
                values.append(sample.value(type, of: field, key, depth + 1, isItem: true))
            }
        }
        return Dictionary(grouping: values) { bytes(of: $0, as: type)?.count ?? 0 }.filter { $0.key > 0 }
    }

    /// Returns the bytes of a value; nil if it cannot be written.
    func bytes(of value: JSONValue, as type: TypeDescription) -> [UInt8]? {
        var encoder = PayloadEncoder(index, header: header, checksPresence: false)
        return (try? encoder.encode(value, as: type, .none)).map { encoder.bytes }
    }
}
