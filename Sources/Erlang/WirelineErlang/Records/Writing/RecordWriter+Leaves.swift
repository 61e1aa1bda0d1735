// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSchema

extension RecordWriter {
    /// Writes a value that is no number and contains no other values.
    ///
    /// It is never inlined: its caller recurses into structures, and its variables would take the caller's stack.
    @inline(never)
    mutating func writeLeaf(
        _ form: ValueForm, _ limits: FieldLimits, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) {
        switch form {
        case .string(let extent): try writeText(try text(from: &reader), extent, limits)
        case .bytes(let extent): try writeBytes(extent, limits, from: &reader)
        case .utf16(let extent, let order):
            let content = try text(from: &reader)
            try writeUTF16(String(decoding: [UInt8](copying: content), as: UTF8.self), extent, order, limits)
        case .digits(let format):
            guard let content = reader.readBinary() else { throw .wrongType("string") }
            try writeDigits([UInt8](copying: content), format)
        case .float(let format, let order):
            bytes.append(Int128(try bits(of: format, from: &reader, limits)), format.bitFormat, order)
        case .properties: try writeProperties(from: &reader)
        default: preconditionFailure("\(form) has a place of its own")
        }
    }

    /// The text is valid UTF-8.
    @_lifetime(copy reader)
    func text(from reader: inout ErlangTermReader) throws(ErlangRecordError) -> RawSpan {
        guard let content = reader.readBinary() else { throw .wrongType("string") }
        var check = ByteReader(content)
        do throws(CodecError) {
            _ = try check.readTextSlice(byteCount: content.byteCount)
        } catch {
            throw ErlangRecordError(error.reason.erlangTerm)
        }
        return content
    }

    mutating func writeBytes(
        _ extent: ValueForm.Extent, _ limits: FieldLimits, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) {
        guard let content = reader.readBinary() else { throw .wrongType("bytes") }
        try writeText(content, extent, limits)
    }

    /// Writes text or bytes with their prefix, terminator or padding.
    mutating func writeText(
        _ content: RawSpan, _ extent: ValueForm.Extent, _ limits: FieldLimits
    ) throws(ErlangRecordError) {
        let count = content.byteCount
        if case .fixed(let byteCount, let padding) = extent {
            guard count <= byteCount else { throw .tooLong(count, limit: byteCount) }
            guard !content.isChanged(byPadding: padding) else { throw ErlangRecordError("embedded_terminator") }
            bytes.append(content)
            bytes += repeatElement(padding, count: byteCount - count)
            return
        }
        if case .exact(let byteCount) = extent {
            guard count == byteCount else { throw .tuple("wrong_item_count", Int128(count), Int128(byteCount)) }
            return bytes.append(content)
        }
        try appendCount(count, extent, limits)
        guard extent == .terminated else { return bytes.append(content) }
        guard !content.contains(0) else { throw ErlangRecordError("embedded_terminator") }
        bytes.append(content)
        bytes.append(0)
    }

    private mutating func writeUTF16(
        _ text: String, _ extent: ValueForm.Extent, _ order: ByteOrder, _ limits: FieldLimits
    ) throws(ErlangRecordError) {
        let unitCount = text.utf16UnitCount
        if case .fixed(let byteCount, let padding) = extent {
            guard unitCount <= byteCount / 2 else { throw .tooLong(unitCount, limit: byteCount / 2) }
            guard !text.isChanged(byUTF16Padding: padding) else { throw ErlangRecordError("embedded_terminator") }
            return bytes.append(byteCount: byteCount) { writer in
                var run = writer.writeRun(byteCount: byteCount)
                run.setUTF16(text, at: 0, byteCount: byteCount, padding: padding, order)
            }
        }
        try appendCount(unitCount, extent, limits)
        if extent == .terminated, text.utf8.contains(0) { throw ErlangRecordError("embedded_terminator") }
        bytes.append(byteCount: 2 * unitCount) { $0.writeUTF16(text, order) }
        if extent == .terminated { bytes += [0, 0] }
    }

    private mutating func writeDigits(_ digits: [UInt8], _ format: DigitFormat) throws(ErlangRecordError) {
        if let fault = format.fault(of: digits) { throw ErlangRecordError(fault.erlangTerm) }
        bytes.append(byteCount: format.byteCount) { format.write(digits, to: &$0) }
    }

    /// Writes `[{Key, Value}]` as lines. The last line has no line feed.
    private mutating func writeProperties(from reader: inout ErlangTermReader) throws(ErlangRecordError) {
        guard let list = reader.enterList() else { throw .wrongType("list") }
        guard list.isPlain else {
            guard list.isString else {
                let elements = reader.readElements()
                var inner = ErlangTermReader(elements.rawSpan)
                return try writeProperties(count: list.count, from: &inner)
            }
            throw .wrongType("properties")
        }
        try writeProperties(count: list.count, from: &reader)
        if list.count > 0 { reader.skip() }
    }

    private mutating func writeProperties(
        count: Int, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) {
        let start = bytes.count
        var keys: Set<[UInt8]> = []
        let (colon, lineFeed) = (UInt8(ascii: ":"), UInt8(ascii: "\n"))
        for _ in 0..<count {
            guard reader.readTuple() == 2 else { throw .wrongType("properties") }
            var ahead = reader
            guard ahead.readBinary() != nil, ahead.readBinary() != nil else { throw .wrongType("properties") }
            let key = [UInt8](copying: try text(from: &reader))
            let value = [UInt8](copying: try text(from: &reader))
            guard !key.isEmpty, !key.contains(where: { $0 == colon || $0 == lineFeed }), !value.contains(lineFeed)
            else { throw ErlangRecordError(.tuple("invalid_property", .binary(key + [colon] + value))) }
            guard keys.insert(key).inserted else { throw ErlangRecordError(.tuple("duplicate_key", .binary(key))) }
            if bytes.count > start { bytes.append(lineFeed) }
            bytes += key
            bytes.append(colon)
            bytes += value
        }
        let byteCount = bytes.count - start
        guard byteCount <= Properties.maximumByteCount else {
            throw .tooLong(byteCount, limit: Properties.maximumByteCount)
        }
    }

    // MARK: Bodies inside a number of bytes

    /// Reserves the length prefix of a body, if its width is fixed.
    ///
    /// - Returns: The bytes of the prefix; 0 if there is none, or if its width varies.
    mutating func beginBody(_ extent: ValueForm.Extent) -> Int {
        guard case .counted(let format, _) = extent, let byteCount = format.fixedByteCount else { return 0 }
        bytes += repeatElement(0, count: byteCount)
        return byteCount
    }

    /// Writes the length prefix of a body, or fills the body up with zeros.
    ///
    /// - Parameters:
    ///   - start: The offset at which ``beginBody(_:)`` was called.
    ///   - prefixByteCount: The result of that call.
    ///   - goesToEnd: Whether a reader would take zeros after the body for a part of it.
    mutating func endBody(
        at start: Int, _ prefixByteCount: Int, _ extent: ValueForm.Extent, goesToEnd: Bool
    ) throws(ErlangRecordError) {
        let count = bytes.count - start - prefixByteCount
        switch extent {
        case .counted(let format, let order):
            guard count <= format.maximum else { throw .tooLong(count, limit: format.maximum) }
            var written: [UInt8] = []
            written.append(count: count, format, order)
            bytes.replaceSubrange(start..<start + prefixByteCount, with: written)
        case .exact(let byteCount):
            guard !goesToEnd || count == byteCount else {
                throw .tuple("wrong_item_count", Int128(count), Int128(byteCount))
            }
            guard count <= byteCount else { throw .tooLong(count, limit: byteCount) }
            bytes += repeatElement(0, count: byteCount - count)
        case .terminated, .rest, .until, .fixed: break
        }
    }

    /// Checks a count of bytes or items against its prefix and `@max`, and writes the prefix if there is one.
    private mutating func appendCount(
        _ count: Int, _ extent: ValueForm.Extent, _ limits: FieldLimits
    ) throws(ErlangRecordError) {
        var most = limits.maximumCount ?? .max
        if case .counted(let format, _) = extent { most = min(most, format.maximum) }
        guard count <= most else { throw .tooLong(count, limit: most) }
        if case .counted(let format, let order) = extent { appendCount(count, format, order) }
    }

    /// The count must fit its format.
    mutating func appendCount(_ count: Int, _ format: CountFormat, _ order: ByteOrder) {
        bytes.append(count: count, format, order)
    }
}

extension [UInt8] {
    /// The count must fit its format.
    fileprivate mutating func append(count: Int, _ format: CountFormat, _ order: ByteOrder) {
        switch format {
        case .uint8: append(UInt8(truncatingIfNeeded: count))
        case .uint16, .int16: append(byteCount: 2) { $0.writeInteger(UInt16(truncatingIfNeeded: count), order) }
        case .uint32, .int32: append(byteCount: 4) { $0.writeInteger(UInt32(truncatingIfNeeded: count), order) }
        case .varint: append(varint: UInt64(count))
        case .zigzag: append(varint: Int64(count).zigzag)
        }
    }
}

extension RawSpan {
    fileprivate func contains(_ byte: UInt8) -> Bool {
        // SAFETY: the bytes are only looked at before the closure returns.
        unsafe withUnsafeBytes { unsafe $0.contains(byte) }
    }

    /// Whether a reader that strips the padding would return another text.
    fileprivate func isChanged(byPadding padding: UInt8) -> Bool {
        // SAFETY: the bytes are only looked at before the closure returns.
        padding == 0 ? contains(0) : unsafe withUnsafeBytes { unsafe $0.last == padding }
    }
}
