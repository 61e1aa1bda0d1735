// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Writes terms of the external format one after another, without a value for each.
///
/// The caller must write as many parts after the head of a tuple, a list or a map as the head says. Nothing checks
/// that.
package struct ErlangTermWriter: Sendable {
    package private(set) var bytes: [UInt8]

    package init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    @inline(__always)
    package var count: Int { bytes.count }

    package mutating func reserve(_ byteCount: Int) { bytes.reserveCapacity(bytes.count + byteCount) }

    package mutating func truncate(to count: Int) { bytes.removeSubrange(count...) }

    /// The version byte stands before a term that travels alone.
    package mutating func writeVersion() { bytes.append(TermTag.version) }

    @inline(__always)
    package mutating func writeEncoded(_ encoded: [UInt8]) { bytes.append(contentsOf: encoded) }

    /// Checks the term first.
    ///
    /// - Throws: ``ErlangError`` for a term that Erlang refuses; nothing is written then.
    package mutating func write(
        _ term: ErlangTerm, limits: ErlangTermLimits = ErlangTermLimits()
    ) throws(ErlangError) {
        let byteCount = try TermMeasure.byteCount(of: term, limits)
        bytes.append(byteCount: byteCount) { $0.writeTerm(term) }
    }

    // MARK: Heads

    /// Exactly `count` terms must follow.
    package mutating func writeTuple(count: Int) {
        if count < 256 {
            bytes.append(TermTag.smallTuple)
            bytes.append(UInt8(count))
        } else {
            writeHead(TermTag.largeTuple, count: count)
        }
    }

    /// Exactly `count` keys and values must follow, each key before its value.
    package mutating func writeMap(count: Int) { writeHead(TermTag.map, count: count) }

    /// Exactly `count` terms must follow, then ``endList()``. The list must not be empty.
    package mutating func beginList(count: Int) { writeHead(TermTag.list, count: count) }

    /// Without a head before it, this is an empty list.
    @inline(__always)
    package mutating func endList() { bytes.append(TermTag.emptyList) }

    /// Begins a list with an unknown number of terms. Pass the result to ``endList(at:count:)``.
    package mutating func beginList() -> Int {
        writeHead(TermTag.list, count: 0)
        return bytes.count
    }

    /// Writes the number of terms at the list's head; a list without terms becomes `[]`.
    package mutating func endList(at place: Int, count: Int) {
        if count == 0 {
            truncate(to: place - 5)
        } else {
            for index in 0..<4 { bytes[place - 4 + index] = UInt8(truncatingIfNeeded: count >> (24 - 8 * index)) }
        }
        endList()
    }

    /// A list of 1 to 65,535 numbers below 256.
    package mutating func writeString(_ content: RawSpan) {
        bytes.append(byteCount: 3 + content.byteCount) { writer in
            writer.writeInteger(TermTag.string, .bigEndian)
            writer.writeInteger(UInt16(content.byteCount), .bigEndian)
            writer.writeBytes(content)
        }
    }

    // MARK: Values

    /// At most 255 characters.
    package mutating func writeAtom(_ name: String) { bytes += Self.encoded(atom: name) }

    /// At most 255 characters.
    package static func encoded(atom name: String) -> [UInt8] {
        let text = Array(name.utf8)
        guard text.count > 255 else { return [TermTag.smallAtom, UInt8(text.count)] + text }
        return [TermTag.atom, UInt8(truncatingIfNeeded: text.count >> 8), UInt8(truncatingIfNeeded: text.count)] + text
    }

    @inline(__always)
    package mutating func writeBinary(_ content: RawSpan) {
        bytes.append(byteCount: 5 &+ content.byteCount) { writer in
            var run = writer.writeRun(byteCount: 5)
            run.setInteger(TermTag.binary, at: 0, .bigEndian)
            run.setInteger(UInt32(truncatingIfNeeded: content.byteCount), at: 1, .bigEndian)
            writer.writeBytes(content)
        }
    }

    package mutating func writeBinary(_ content: [UInt8]) { writeBinary(content.rawSpan) }

    @inline(__always)
    package mutating func writeByte(_ value: UInt8) {
        bytes.append(TermTag.smallInteger)
        bytes.append(value)
    }

    /// In the shortest form.
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

    /// In the shortest form.
    @inline(__always)
    package mutating func writeUnsigned(_ value: UInt64) {
        if let value = Int64(exactly: value) { writeInteger(value) } else { writeBig(value, isNegative: false) }
    }

    /// The magnitude must fit in 64 bits.
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

    /// The float must be finite: Erlang closes the connection for any other.
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
