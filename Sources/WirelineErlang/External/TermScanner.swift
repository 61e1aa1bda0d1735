// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Walks over terms without making values of them, to find the parts of a message that is for somebody else.
///
/// It knows how long terms are, and looks at no text and no number in them. Whoever reads a part checks it.
package struct TermScanner: ~Escapable {
    private var reader: ByteReader

    /// - Parameter bytes: A term without a version byte, as it follows a control message.
    @_lifetime(copy bytes)
    package init(_ bytes: RawSpan) { reader = ByteReader(bytes) }

    /// Where the next term begins.
    package var offset: Int { reader.offset }

    /// Enters a tuple of so many elements: the first of them is next then. For other terms, nothing moves.
    ///
    /// - Returns: Whether the next term is such a tuple.
    package mutating func enterTuple(of count: UInt8) -> Bool {
        var ahead = reader
        guard let tag = try? ahead.takeInteger(UInt8.self), tag == TermTag.smallTuple,
            let found = try? ahead.takeInteger(UInt8.self), found == count
        else { return false }
        reader = ahead
        return true
    }

    /// Enters a list: its first element is next then, and its tail after the last one. For other terms, nothing moves.
    ///
    /// - Returns: The number of elements; nil for other terms. Lists of small numbers are others, too.
    package mutating func enterList() -> Int? {
        var ahead = reader
        guard let tag = try? ahead.takeInteger(UInt8.self), tag == TermTag.list,
            let count = try? ahead.takeInteger(UInt32.self), Int(count) < ahead.remaining
        else { return nil }
        reader = ahead
        return Int(count)
    }

    /// Takes the empty list.
    ///
    /// - Returns: Whether it was next.
    package mutating func takeEmptyList() -> Bool {
        var ahead = reader
        guard let tag = try? ahead.takeInteger(UInt8.self), tag == TermTag.emptyList else { return false }
        reader = ahead
        return true
    }

    /// Takes an atom of ASCII characters.
    ///
    /// - Returns: Whether it was next. If not, nothing has moved.
    package mutating func takeAtom(_ name: StaticString) -> Bool {
        var ahead = reader
        guard let tag = try? ahead.takeInteger(UInt8.self), tag == TermTag.smallAtom,
            let byteCount = try? ahead.takeInteger(UInt8.self), Int(byteCount) == name.utf8CodeUnitCount,
            let text = try? ahead.takeSlice(Int(byteCount))
        else { return false }
        // SAFETY: the literal lives as long as the program, and both have so many bytes.
        let isEqual = name.withUTF8Buffer { literal in
            unsafe text.withUnsafeBytes { unsafe $0.elementsEqual(literal) }
        }
        if isEqual { reader = ahead }
        return isEqual
    }

    /// Takes an integer from 0 to 2^64 − 1.
    ///
    /// - Returns: nil for other terms; nothing has moved then.
    package mutating func takeUnsigned() -> UInt64? {
        var ahead = reader
        guard let value = try? Self.unsigned(&ahead) else { return nil }
        reader = ahead
        return value
    }

    private static func unsigned(_ reader: inout ByteReader) throws(ErlangError) -> UInt64? {
        switch try reader.takeInteger(UInt8.self) {
        case TermTag.smallInteger: return UInt64(try reader.takeInteger(UInt8.self))
        case TermTag.integer: return UInt64(exactly: try reader.takeInteger(Int32.self))
        case TermTag.smallBig:
            let byteCount = Int(try reader.takeInteger(UInt8.self))
            let isNegative = try reader.takeInteger(UInt8.self) != 0
            guard 1...8 ~= byteCount, !isNegative else { return nil }
            return try reader.takeRun(byteCount).unsigned(at: 0, byteCount: byteCount, .littleEndian)
        default: return nil
        }
    }

    /// Steps over the next term.
    ///
    /// - Returns: Its bytes, as offsets.
    /// - Throws: An error if the bytes end before the term does, or for an unknown tag.
    package mutating func skip() throws(ErlangError) -> Range<Int> {
        let start = reader.offset
        // Each term takes a byte at least, so a count beyond the bytes that are left fails before it is reached.
        var missingCount = 1
        while missingCount > 0 {
            missingCount &-= 1
            missingCount &+= try skipOne()
            try reader.requireBytes(missingCount)
        }
        return start..<reader.offset
    }

    /// Steps over a term but not over the terms in it.
    ///
    /// - Returns: How many of them follow.
    private mutating func skipOne() throws(ErlangError) -> Int {
        let start = reader.offset
        let tag = try reader.takeInteger(UInt8.self)
        switch tag {
        case TermTag.smallInteger: try pass(1)
        case TermTag.smallAtom, TermTag.smallLatinAtom: try pass(Int(try reader.takeInteger(UInt8.self)))
        case TermTag.smallTuple: return Int(try reader.takeInteger(UInt8.self))
        case TermTag.integer: try pass(4)
        case TermTag.binary: try pass(try takeCount())
        case TermTag.emptyList: break
        case TermTag.list: return try takeCount() + 1
        case TermTag.string, TermTag.atom, TermTag.latinAtom: try pass(Int(try reader.takeInteger(UInt16.self)))
        case TermTag.map: return 2 * (try takeCount())
        case TermTag.largeTuple: return try takeCount()
        case TermTag.float: try pass(8)
        case TermTag.smallBig: try pass(1 + Int(try reader.takeInteger(UInt8.self)))
        case TermTag.largeBig, TermTag.bits: try pass(1 + (try takeCount()))
        // The size counts its own four bytes.
        case TermTag.function: try pass(max(0, try takeCount() - 4))
        case TermTag.export: return 3
        default: try skipIdentifier(tag, start)
        }
        return 0
    }

    /// Processes, ports and references: a node's name, and bytes after it.
    private mutating func skipIdentifier(_ tag: UInt8, _ start: Int) throws(ErlangError) {
        let byteCount: Int
        switch tag {
        case TermTag.pid, TermTag.port: byteCount = 12
        case TermTag.reference: byteCount = 4 + 4 * Int(try reader.takeInteger(UInt16.self))
        case TermTag.oldPID: byteCount = 9
        case TermTag.port32: byteCount = 8
        case TermTag.oldPort, TermTag.oldReference: byteCount = 5
        case TermTag.reference8: byteCount = 1 + 4 * Int(try reader.takeInteger(UInt16.self))
        case TermTag.floatText: return try pass(31)
        default: throw .invalidTerm(.unknownTag(tag), offset: start)
        }
        let offset = reader.offset
        let nameTag = try reader.takeInteger(UInt8.self)
        switch nameTag {
        case TermTag.smallAtom, TermTag.smallLatinAtom: try pass(Int(try reader.takeInteger(UInt8.self)))
        case TermTag.atom, TermTag.latinAtom: try pass(Int(try reader.takeInteger(UInt16.self)))
        default: throw .invalidTerm(.notAnAtom(nameTag), offset: offset)
        }
        try pass(byteCount)
    }

    private mutating func pass(_ byteCount: Int) throws(ErlangError) { _ = try reader.takeSlice(byteCount) }

    private mutating func takeCount() throws(ErlangError) -> Int {
        Int(clamping: try reader.takeInteger(UInt32.self))
    }
}
