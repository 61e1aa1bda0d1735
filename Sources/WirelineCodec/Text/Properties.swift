// SPDX-License-Identifier: Apache-2.0

/// QSIOP's properties: keys and values in order (seed 004).
///
///     key:value\n
///     key:value
///
/// UTF-8, at most 65,535 bytes. A line is split at its first colon, so values keep theirs: `url:http://a:80` is `url`
/// and `http://a:80`. The last line may end in a line feed or not; none is written. No bytes are no properties.
public struct Properties: Equatable, Sendable {
    /// One key and its value.
    public struct Entry: Equatable, Sendable {
        /// What stands before the line's first colon: never empty, without a colon, without a line feed. What breaks this
        /// is refused by ``Properties/byteCount()``, not here.
        public var key: String
        /// What stands behind the colon, spaces and further colons included, without a line feed; may be empty.
        public var value: String

        /// Makes an entry, which is checked when it is written.
        public init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    /// The most bytes that properties can have: what QSIOP's 16-bit `propl` can say.
    public static let maximumByteCount = 0xFFFF

    /// In the order in which they stand on the wire.
    public private(set) var entries: [Entry] = []

    /// Makes properties without any.
    public init() {}

    /// The value of a key; nil where it does not stand. Setting appends a key that is new; nil removes it.
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
    /// Makes properties in the order of the literal; of a key that stands twice the last value counts.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (key, value) in elements { self[key] = value }
    }
}

// MARK: - Bytes

extension Properties {
    /// Splits bytes into properties.
    ///
    /// - Parameters:
    ///   - bytes: The lines.
    ///   - isStrict: Whether a key that stands twice, an empty key, a line without a colon and an empty line in between
    ///     are refused. Otherwise the last value of a key counts, in the place of the first, a line without a colon is a
    ///     key with an empty value, and lines without a key are passed over.
    ///   - start: What is added to the offsets of errors.
    /// - Throws: ``CodecError``: `invalidUTF8`, `tooLong`, and when strict `duplicateKey` and `invalidProperty`.
    /// - Complexity: O(*n*) in the bytes.
    public init(_ bytes: RawSpan, isStrict: Bool, at start: Int = 0) throws(CodecError) {
        guard bytes.byteCount <= Self.maximumByteCount else {
            throw CodecError(.tooLong(count: bytes.byteCount, limit: Self.maximumByteCount), offset: start)
        }
        // By bytes: two spellings of one character are different keys on the wire.
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

    /// Checks keys and values and counts the bytes that ``write(to:)`` writes.
    ///
    /// What cannot be read back as it is, is refused, strict or not: an empty key, a colon in a key, a line feed in a
    /// key or value, more bytes than QSIOP's length can say.
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

    /// Writes the properties, after ``byteCount()`` has passed them.
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
    /// Splits a line at its first colon; nil for one that is passed over.
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
    /// The bytes from an offset up to a line feed or the end.
    @_lifetime(copy self)
    fileprivate func line(from start: Int) -> RawSpan {
        var end = start
        while end < byteCount, self[end] != UInt8(ascii: "\n") { end += 1 }
        return extracting(start..<end)
    }
}

extension ByteReader {
    /// Reads properties, to the end of the payload.
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
