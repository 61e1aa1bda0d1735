// SPDX-License-Identifier: Apache-2.0

/// QSIOP's properties: keys and values in order (seed 004).
///
///     key:value\n
///     key:value
///
/// UTF-8, at most 65,535 bytes. A line is split at its first colon, so values may contain colons: `url:http://a:80` is
/// `url` and `http://a:80`. The last line may end in a line feed when read; none is written. No bytes mean no
/// properties.
public struct Properties: Equatable, Sendable {
    /// One key and its value.
    public struct Entry: Equatable, Sendable {
        /// The text before the line's first colon: not empty, without a colon, without a line feed.
        ///
        /// ``Properties/byteCount()`` checks this, not the entry itself.
        public var key: String
        /// The text after the colon, with spaces and further colons, without a line feed; may be empty.
        public var value: String

        /// Makes an entry; it is checked when it is written.
        public init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    /// The most bytes that properties can have: the largest value of QSIOP's 16-bit `propl`.
    public static let maximumByteCount = 0xFFFF

    /// The entries in wire order.
    public private(set) var entries: [Entry] = []

    /// Makes empty properties.
    public init() {}

    /// The value of a key; nil if there is no such key. Setting a new key appends it; setting nil removes a key.
    ///
    /// - Complexity: O(*n*); properties are few.
    public subscript(key: String) -> String? {
        get { index(of: key).map { entries[$0].value } }
        set {
            switch (index(of: key), newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil): entries.remove(at: index)
            case (nil, let value?): entries.append(Entry(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    private func index(of key: String) -> Int? {
        entries.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
    }
}

extension Properties: ExpressibleByDictionaryLiteral {
    /// Makes properties in the order of the literal; if a key occurs twice, its last value is used.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (key, value) in elements { self[key] = value }
    }
}

// MARK: - Bytes

extension Properties {
    /// Splits bytes into properties.
    ///
    /// If a key occurs twice and `isStrict` is false, the last value is used, in the place of the first. A line without
    /// a colon is then a key with an empty value, and lines without a key are skipped.
    ///
    /// - Parameters:
    ///   - bytes: The lines.
    ///   - isStrict: Whether duplicate keys, empty keys, lines without a colon and empty lines in between are refused.
    ///   - start: A number that is added to the offsets of errors.
    /// - Throws: ``CodecError``: `invalidUTF8`, `tooLong`, and if strict `duplicateKey` and `invalidProperty`.
    /// - Complexity: O(*n*) in the bytes.
    public init(_ bytes: RawSpan, isStrict: Bool, at start: Int = 0) throws(CodecError) {
        guard bytes.byteCount <= Self.maximumByteCount else {
            throw CodecError(.tooLong(count: bytes.byteCount, limit: Self.maximumByteCount), offset: start)
        }
        // Keys are compared by bytes: two spellings of one character are different keys on the wire.
        var indexes: [[UInt8]: Int] = [:]
        var lineStart = 0
        while lineStart < bytes.byteCount {
            let line = bytes.line(from: lineStart)
            let entry = try Entry(line, isStrict: isStrict, at: start + lineStart)
            if let entry { try append(entry, &indexes, isStrict: isStrict, at: start + lineStart) }
            lineStart += line.byteCount + 1
        }
    }

    private mutating func append(
        _ entry: Entry, _ indexes: inout [[UInt8]: Int], isStrict: Bool, at offset: Int
    ) throws(CodecError) {
        let key = [UInt8](entry.key.utf8)
        guard let index = indexes[key] else {
            indexes[key] = entries.count
            entries.append(entry)
            return
        }
        guard !isStrict else { throw CodecError(.duplicateKey(entry.key), offset: offset) }
        entries[index].value = entry.value
    }

    /// Checks keys and values and returns the number of bytes that ``write(to:)`` writes.
    ///
    /// Strict or not, it refuses entries that could not be read back unchanged: an empty key, a colon in a key, a line
    /// feed in a key or value, or more bytes than QSIOP's length can count.
    ///
    /// - Throws: ``CodecError``: `invalidProperty`, `tooLong`.
    public func byteCount() throws(CodecError) -> Int {
        var byteCount = max(0, entries.count - 1)
        for entry in entries {
            let isGood =
                !entry.key.isEmpty && !entry.key.utf8.contains { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "\n") }
                && !entry.value.utf8.contains(UInt8(ascii: "\n"))
            guard isGood else { throw CodecError(.invalidProperty(entry.key + ":" + entry.value)) }
            byteCount += entry.key.utf8.count + 1 + entry.value.utf8.count
        }
        try FieldCheck.count(byteCount, limit: Self.maximumByteCount)
        return byteCount
    }

    /// Writes the properties, after ``byteCount()`` has checked them.
    public func write(to writer: inout ByteWriter) {
        var isFirst = true
        for entry in entries {
            if !isFirst { writer.writeInteger(UInt8(ascii: "\n"), .bigEndian) }
            writer.writeText(entry.key)
            writer.writeInteger(UInt8(ascii: ":"), .bigEndian)
            writer.writeText(entry.value)
            isFirst = false
        }
    }
}

extension Properties.Entry {
    /// Nil for a line that is skipped.
    fileprivate init?(_ line: RawSpan, isStrict: Bool, at offset: Int) throws(CodecError) {
        let text = try String(validating: line, at: offset)
        let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        key = String(text[..<(colon ?? text.endIndex)])
        value = colon.map { String(text[text.utf8.index(after: $0)...]) } ?? ""
        guard !isStrict || colon != nil && !key.isEmpty else {
            throw CodecError(.invalidProperty(text), offset: offset)
        }
        if key.isEmpty { return nil }
    }
}

extension RawSpan {
    @_lifetime(copy self)
    fileprivate func line(from start: Int) -> RawSpan {
        var end = start
        while end < byteCount, self[end] != UInt8(ascii: "\n") { end += 1 }
        return extracting(start..<end)
    }
}

extension ByteReader {
    /// Reads properties up to the end of the payload.
    ///
    /// - Throws: What ``Properties/init(_:isStrict:at:)`` throws.
    public mutating func readProperties(isStrict: Bool) throws(CodecError) -> Properties {
        let start = position
        do throws(CodecError) {
            return try Properties(readRest(), isStrict: isStrict, at: start)
        } catch {
            position = start
            throw error
        }
    }
}
