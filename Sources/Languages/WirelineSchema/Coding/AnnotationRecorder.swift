// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

final class AnnotationRecorder {
    private(set) var parts: [PacketAnnotation.Part] = []
    private(set) var omittedPartCount = 0
    private let maximumPartCount: Int
    /// The decoder's position: the path, and whether anything on it is sensitive.
    private var places: [(path: String, isSensitive: Bool)] = [("", false)]

    init(maximumPartCount: Int) { self.maximumPartCount = maximumPartCount }

    // MARK: The decoder's position

    func enter(_ field: JSONField) {
        let place = places[places.count - 1]
        places.append((FieldPath.joining(place.path, field.name), place.isSensitive || field.isSensitive))
    }

    func enter(item position: Int) {
        let place = places[places.count - 1]
        places.append((place.path + "[\(position)]", place.isSensitive))
    }

    func leave() { places.removeLast() }

    // MARK: The values that it reads

    func add(_ value: JSONValue, of type: TypeDescription, at range: Range<Int>) {
        add(
            value, .field, at: range, prefixByteCount: type.prefixByteCount(of: value, in: range.count),
            isNullable: type.isNullable)
    }

    /// Adds the prefix of a field that says it is absent.
    func addAbsence(at range: Range<Int>) {
        add(.null, .field, at: range, prefixByteCount: range.count, isNullable: true)
    }

    func add(_ value: JSONValue, of packing: FieldPacking, at range: Range<Int>) {
        add(value, .field, at: range, bits: packing)
    }

    func add(count: Int, at range: Range<Int>, isNullable: Bool = false) {
        add(.integer(Int128(count)), .count, at: range, isNullable: isNullable)
    }

    func add(terminatorOf count: Int, at range: Range<Int>) { add(.integer(Int128(count)), .terminator, at: range) }

    func add(tag: JSONValue, at range: Range<Int>) { add(tag, .tag, at: range) }

    func add(size byteCount: Int, at range: Range<Int>, isNullable: Bool = false) {
        add(.integer(Int128(byteCount)), .size, at: range, isNullable: isNullable)
    }

    func add(padding byteCount: Int, at range: Range<Int>) { add(.integer(Int128(byteCount)), .padding, at: range) }

    /// - Parameter name: The name of the unknown bytes; by default the decoder's path.
    func addUnknown(_ range: Range<Int>, named name: String? = nil) {
        let value = JSONValue.integer(Int128(range.count))
        guard let name else { return add(value, .unknown, at: range) }
        append(.init(range: range, prefixByteCount: 0, path: name, kind: .unknown, value: value, isSensitive: false))
    }

    func append(_ part: PacketAnnotation.Part) {
        guard !part.range.isEmpty else { return }
        if parts.count < maximumPartCount { parts.append(part) } else { omittedPartCount += 1 }
    }

    private func add(
        _ value: JSONValue, _ kind: PacketAnnotation.Kind, at range: Range<Int>, prefixByteCount: Int = 0,
        bits: FieldPacking? = nil, isNullable: Bool = false
    ) {
        let place = places[places.count - 1]
        var part = PacketAnnotation.Part(
            range: range, prefixByteCount: prefixByteCount, bits: bits, path: place.path, kind: kind, value: value,
            isSensitive: place.isSensitive)
        part.isNullable = isNullable
        append(part)
    }
}

extension TypeDescription {
    /// Returns the size of a value's prefix on the wire: all bytes except its content.
    ///
    /// A varint may have more bytes than it needs.
    fileprivate func prefixByteCount(of value: JSONValue, in byteCount: Int) -> Int {
        switch (self, value) {
        case (.string(.counted), .string(let text)): byteCount - text.utf8.count
        case (.utf16(.counted, _), .string(let text)): byteCount - 2 * text.utf16UnitCount
        case (.bytes(.counted), .string(let text)): byteCount - ((try? Base64.decode(text))?.count ?? byteCount)
        default: 0
        }
    }
}
