// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Writes terms of the external format one after another, without a value for each.
///
/// It is for those who know what they write: the parts of a tuple, a list or a map must follow its head, as many as the
/// head says.
package struct ErlangTermWriter: Sendable {
    /// What has been written.
    package private(set) var bytes: [UInt8]

    /// Makes a writer that continues some bytes, by default none.
    package init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    /// The number of bytes written so far.
    @inline(__always)
    package var count: Int { bytes.count }

    /// Makes room for so many more bytes.
    package mutating func reserve(_ byteCount: Int) { bytes.reserveCapacity(bytes.count + byteCount) }

    /// Removes what has been written from an offset on.
    package mutating func truncate(to count: Int) { bytes.removeSubrange(count...) }

    /// Writes the byte that stands before a term that travels alone.
    package mutating func writeVersion() { bytes.append(TermTag.version) }

    /// Writes bytes that are terms already.
    @inline(__always)
    package mutating func writeEncoded(_ encoded: [UInt8]) { bytes.append(contentsOf: encoded) }

    /// Writes any term.
    ///
    /// - Throws: ``ErlangError`` for a term that Erlang refuses.
    package mutating func write(
        _ term: ErlangTerm, limits: ErlangTermLimits = ErlangTermLimits()
    ) throws(ErlangError) {
        let byteCount = try TermMeasure.byteCount(of: term, limits)
        bytes.append(byteCount: byteCount) { $0.writeTerm(term) }
    }

    // MARK: Heads

    /// Writes the head of a tuple; so many terms follow.
    package mutating func writeTuple(count: Int) {
        if count < 256 {
            bytes.append(TermTag.smallTuple)
            bytes.append(UInt8(count))
        } else {
            writeHead(TermTag.largeTuple, count: count)
        }
    }

    /// Writes the head of a map; so many keys and values follow, each key before its value.
    package mutating func writeMap(count: Int) { writeHead(TermTag.map, count: count) }

    /// Writes the head of a list, which must not be empty; so many terms follow, and then ``endList()``.
    package mutating func beginList(count: Int) { writeHead(TermTag.list, count: count) }

    /// Ends a list. Alone, this is an empty list.
    @inline(__always)
    package mutating func endList() { bytes.append(TermTag.emptyList) }

    /// Begins a list whose number of terms is not known yet.
    ///
    /// - Returns: A place to pass to ``endList(at:count:)``.
    package mutating func beginList() -> Int {
        writeHead(TermTag.list, count: 0)
        return bytes.count
    }

    /// Ends the list that ``beginList()`` has begun, after so many terms.
    package mutating func endList(at place: Int, count: Int) {
        if count == 0 {
            truncate(to: place - 5)
        } else {
            for index in 0..<4 { bytes[place - 4 + index] = UInt8(truncatingIfNeeded: count >> (24 - 8 * index)) }
        }
        endList()
    }

    /// Writes a list of numbers below 256 as its bytes: 1 to 65,535 of them.
    package mutating func writeString(_ content: RawSpan) {
        bytes.append(byteCount: 3 + content.byteCount) { writer in
            writer.writeInteger(TermTag.string, .bigEndian)
            writer.writeInteger(UInt16(content.byteCount), .bigEndian)
            writer.writeBytes(content)
        }
    }

    // MARK: Values

    /// Writes an atom of at most 255 characters.
    package mutating func writeAtom(_ name: String) { bytes += Self.encoded(atom: name) }

    /// Returns the bytes of an atom of at most 255 characters.
    package static func encoded(atom name: String) -> [UInt8] {
        let text = Array(name.utf8)
        guard text.count > 255 else { return [TermTag.smallAtom, UInt8(text.count)] + text }
        return [TermTag.atom, UInt8(truncatingIfNeeded: text.count >> 8), UInt8(truncatingIfNeeded: text.count)] + text
    }

    /// Writes a binary.
    @inline(__always)
    package mutating func writeBinary(_ content: RawSpan) {
        bytes.append(byteCount: 5 &+ content.byteCount) { writer in
            var run = writer.writeRun(byteCount: 5)
            run.setInteger(TermTag.binary, at: 0, .bigEndian)
            run.setInteger(UInt32(truncatingIfNeeded: content.byteCount), at: 1, .bigEndian)
            writer.writeBytes(content)
        }
    }

    /// Writes a binary.
    package mutating func writeBinary(_ content: [UInt8]) { writeBinary(content.rawSpan) }

    /// Writes a number of a byte.
    @inline(__always)
    package mutating func writeByte(_ value: UInt8) {
        bytes.append(TermTag.smallInteger)
        bytes.append(value)
    }

    /// Writes an integer in its shortest form.
    @inline(__always)
    package mutating func writeInteger(_ value: Int64) {
        if let byte = UInt8(exactly: value) {
            writeByte(byte)
        } else if let word = Int32(exactly: value) {
            bytes.append(byteCount: 5) { writer in
                var run = writer.writeRun(byteCount: 5)
                run.setInteger(TermTag.integer, at: 0, .bigEndian)
                run.setInteger(word, at: 1, .bigEndian)
            }
        } else {
            writeBig(value.magnitude, isNegative: value < 0)
        }
    }

    /// Writes an integer without a sign in its shortest form.
    @inline(__always)
    package mutating func writeUnsigned(_ value: UInt64) {
        if let value = Int64(exactly: value) { writeInteger(value) } else { writeBig(value, isNegative: false) }
    }

    /// Writes an integer of at most 64 bits without its sign.
    package mutating func writeInteger(_ value: Int128) {
        if let small = Int64(exactly: value) {
            writeInteger(small)
        } else {
            writeBig(UInt64(truncatingIfNeeded: value.magnitude), isNegative: value < 0)
        }
    }

    @inline(never)
    private mutating func writeBig(_ magnitude: UInt64, isNegative: Bool) {
        let byteCount = (71 &- magnitude.leadingZeroBitCount) / 8
        bytes.append(byteCount: 3 &+ byteCount) { writer in
            var run = writer.writeRun(byteCount: 3)
            run.setInteger(TermTag.smallBig, at: 0, .bigEndian)
            run.setInteger(UInt8(byteCount), at: 1, .bigEndian)
            run.setBoolean(isNegative, at: 2)
            writer.writeUnsigned(magnitude, byteCount: byteCount, .littleEndian)
        }
    }

    /// Writes a float, which must be finite: Erlang ends the connection for any other.
    package mutating func writeFloat(_ value: Double) {
        precondition(value.isFinite, "Erlang has no such float")
        bytes.append(byteCount: 9) { writer in
            var run = writer.writeRun(byteCount: 9)
            run.setInteger(TermTag.float, at: 0, .bigEndian)
            run.setFloat64(value, at: 1, .bigEndian)
        }
    }

    private mutating func writeHead(_ tag: UInt8, count: Int) {
        bytes.append(byteCount: 5) { writer in
            var run = writer.writeRun(byteCount: 5)
            run.setInteger(tag, at: 0, .bigEndian)
            run.setInteger(UInt32(truncatingIfNeeded: count), at: 1, .bigEndian)
        }
    }
}
