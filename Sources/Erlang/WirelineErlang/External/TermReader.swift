// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension ErlangTerm {
    /// Inflates a zlib stream (RFC 1950), for terms that were written with the option `compressed`.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - byteCount: How many bytes it must have when it is inflated; within the limit.
    /// - Returns: The bytes; nil if the stream is damaged.
    public typealias Inflate = (_ stream: RawSpan, _ byteCount: Int) -> [UInt8]?

    /// Reads what `term_to_binary` writes: the version byte, then one term.
    ///
    /// Every form that OTP writes is read, also those of nodes before OTP 26. Nothing is allocated for a length before
    /// that many bytes are there, and no recursion follows the nesting.
    ///
    /// - Parameters:
    ///   - bytes: The whole term.
    ///   - limits: What the term may cost.
    ///   - inflate: Inflates compressed terms; nil (the default) to refuse them, as they never come between nodes.
    /// - Throws: ``ErlangError``; offsets count from the first byte. In a compressed term, they count from the first
    ///   inflated byte.
    public init(
        externalFormat bytes: RawSpan, limits: ErlangTermLimits = ErlangTermLimits(), inflate: Inflate? = nil
    ) throws(ErlangError) {
        guard bytes.byteCount <= limits.byteCount else { throw .termTooLong(limit: limits.byteCount) }
        var reader = ByteReader(bytes)
        let version = try reader.takeInteger(UInt8.self)
        guard version == TermTag.version else { throw .invalidTerm(.version(version), offset: 0) }
        var ahead = reader
        if (try? ahead.takeInteger(UInt8.self)) == TermTag.compressed {
            self = try Self.inflated(&reader, limits, inflate)
            return
        }
        var terms = TermReader(reader, limits)
        self = try terms.readTerm()
        try terms.requireEnd()
    }

    private static func inflated(
        _ reader: inout ByteReader, _ limits: ErlangTermLimits, _ inflate: Inflate?
    ) throws(ErlangError) -> ErlangTerm {
        let start = reader.offset
        let head = try reader.takeRun(5)
        guard let inflate else { throw .invalidTerm(.compressed, offset: start) }
        guard let byteCount = Int(exactly: head.integer(at: 1, as: UInt32.self, .bigEndian)),
            byteCount < limits.byteCount
        else { throw .termTooLong(limit: limits.byteCount) }
        guard let content = inflate(reader.readRest(), byteCount), content.count == byteCount
        else { throw .invalidTerm(.damagedCompression, offset: start) }
        var terms = TermReader(ByteReader(content.rawSpan), limits)
        let term = try terms.readTerm()
        try terms.requireEnd()
        return term
    }
}

/// Reads terms that follow each other, without a version byte, as in the packets between nodes.
///
/// It does not recurse: terms that are not complete yet wait in an array.
struct TermReader: ~Escapable {
    private var reader: ByteReader
    private let limits: ErlangTermLimits
    /// How many terms are still to come, by the counts of the terms around them. Each takes a byte at least, so there
    /// are never more than bytes left; that bounds the memory that is reserved for them.
    private var expectedCount = 0
    private var termCount = 0

    @_lifetime(copy reader)
    init(_ reader: ByteReader, _ limits: ErlangTermLimits) {
        self.reader = reader
        self.limits = limits
    }

    var offset: Int { reader.offset }

    func requireEnd() throws(ErlangError) {
        guard reader.isAtEnd else { throw .invalidTerm(.trailingBytes(reader.remaining), offset: offset) }
    }

    /// After an error, this reader must not be used again.
    mutating func readTerm() throws(ErlangError) -> ErlangTerm {
        termCount = 1
        expectedCount = 0
        let start = reader.offset
        let tag = try reader.takeInteger(UInt8.self)
        if let term = try readSimple(tag, at: start) { return term }
        var open = try begin(tag, at: start, depth: 1)
        var outer: [OpenTerm] = []
        while true {
            while open.missingCount > 0 {
                let start = reader.offset
                let tag = try reader.takeInteger(UInt8.self)
                expectedCount &-= 1
                if let term = try readSimple(tag, at: start) {
                    open.add(term)
                } else if tag == TermTag.list, open.isAtTail {
                    // A list as the tail of a list: its elements belong to the list around it.
                    open.continueList(elementCount: try listCount(at: start))
                } else {
                    let inner = try begin(tag, at: start, depth: outer.count + 2)
                    outer.append(open)
                    open = inner
                }
            }
            let term = try open.close()
            guard !outer.isEmpty else { return term }
            // Nothing else may hold the term around this one, or adding to it would copy all that it has.
            open = outer.removeLast()
            open.add(term)
        }
    }

    /// - Returns: The number of elements of the tuple at this position; nil if another term comes next.
    mutating func readTupleCount() throws(ErlangError) -> Int? {
        var ahead = reader
        let tag = try ahead.takeInteger(UInt8.self)
        guard tag == TermTag.smallTuple || tag == TermTag.largeTuple else { return nil }
        reader = ahead
        return tag == TermTag.smallTuple ? Int(try reader.takeInteger(UInt8.self)) : try takeCount()
    }

    /// Reads a process; nil for another term. A name in `nodes` is not made again.
    mutating func readPID(_ nodes: NodeNames) throws(ErlangError) -> ErlangPID? {
        let tag = try reader.takeInteger(UInt8.self)
        guard tag == TermTag.pid else { return tag == TermTag.oldPID ? try readPID(tag) : nil }
        var ahead = reader
        if try ahead.takeInteger(UInt8.self) == TermTag.smallAtom {
            let text = try ahead.takeSlice(Int(try ahead.takeInteger(UInt8.self)))
            if let node = nodes.name(text) {
                let numbers = try ahead.takeRun(12)
                reader = ahead
                return ErlangPID(
                    node: node, id: numbers.integer(at: 0, .bigEndian), serial: numbers.integer(at: 4, .bigEndian),
                    creation: numbers.integer(at: 8, .bigEndian))
            }
        }
        return try readPID(tag)
    }

    // MARK: Terms of terms

    private mutating func begin(_ tag: UInt8, at start: Int, depth: Int) throws(ErlangError) -> OpenTerm {
        guard depth <= limits.depth else { throw .tooDeep(limit: limits.depth, offset: start) }
        switch tag {
        case TermTag.smallTuple:
            let count = Int(try reader.takeInteger(UInt8.self))
            try expect(count, start)
            return OpenTerm(.tuple, missingCount: count, offset: start)
        case TermTag.largeTuple:
            let count = try takeCount()
            try expect(count, start)
            return OpenTerm(.tuple, missingCount: count, offset: start)
        case TermTag.list:
            return OpenTerm(.list, missingCount: try listCount(at: start) + 1, offset: start)
        case TermTag.map:
            let count = try takeCount()
            try expect(count &* 2, start)
            return OpenTerm(.map, missingCount: count &* 2, offset: start)
        case TermTag.function:
            let (closure, count) = try readClosure(at: start)
            return OpenTerm(.closure(closure), missingCount: count, offset: start)
        default: throw .invalidTerm(.unknownTag(tag), offset: start)
        }
    }

    private mutating func listCount(at start: Int) throws(ErlangError) -> Int {
        let count = try takeCount()
        try expect(count &+ 1, start)
        return count
    }

    /// Reads a 32-bit count of things that take at least a byte each. It is checked against the bytes left.
    private mutating func takeCount() throws(ErlangError) -> Int {
        let count = Int(clamping: try reader.takeInteger(UInt32.self))
        try reader.requireBytes(count)
        return count
    }

    private mutating func expect(_ count: Int, _ start: Int) throws(ErlangError) {
        expectedCount &+= count
        guard UInt(bitPattern: expectedCount) <= UInt(bitPattern: reader.remaining)
        else { throw reader.cutOff(expectedCount) }
        termCount &+= count
        guard termCount <= limits.termCount else { throw .tooManyTerms(limit: limits.termCount, offset: start) }
    }

    // MARK: Terms without others

    /// Returns nil if the term contains others, or if the tag is unknown. The tag has been read.
    @inline(__always)
    private mutating func readSimple(_ tag: UInt8, at start: Int) throws(ErlangError) -> ErlangTerm? {
        switch tag {
        case TermTag.smallInteger: return .integer(Int64(try reader.takeInteger(UInt8.self)))
        case TermTag.integer: return .integer(Int64(try reader.takeInteger(Int32.self)))
        case TermTag.smallAtom:
            return .atom(ErlangAtom(try reader.takeText(Int(try reader.takeInteger(UInt8.self)))))
        case TermTag.binary: return .binary(try reader.takeBytes(try takeCount()))
        case TermTag.emptyList: return .list([])
        case TermTag.smallTuple, TermTag.list, TermTag.map: return nil
        default: return try readOther(tag, at: start)
        }
    }

    @inline(never)
    private mutating func readOther(_ tag: UInt8, at start: Int) throws(ErlangError) -> ErlangTerm? {
        switch tag {
        case TermTag.smallBig:
            return try readBig(byteCount: Int(try reader.takeInteger(UInt8.self)), start)
        case TermTag.largeBig:
            return try readBig(byteCount: Int(clamping: try reader.takeInteger(UInt32.self)), start)
        case TermTag.float:
            return try finite(try reader.takeRun(8).float64(at: 0, .bigEndian), start)
        case TermTag.floatText: return try readFloatText(start)
        case TermTag.bits: return try readBits(start)
        case TermTag.string: return try readString(start)
        case TermTag.pid, TermTag.oldPID: return .pid(try readPID(tag))
        case TermTag.port, TermTag.port32, TermTag.oldPort: return .port(try readPort(tag))
        case TermTag.reference, TermTag.reference8, TermTag.oldReference:
            return .reference(try readReference(tag, start))
        case TermTag.export: return .function(try readExport(start))
        default: return try readAtomText(tag, start).map { .atom($0) }
        }
    }

    private mutating func readBig(byteCount: Int, _ start: Int) throws(ErlangError) -> ErlangTerm {
        let isNegative = try reader.takeInteger(UInt8.self) != 0
        try reader.requireBytes(byteCount)
        if 1...7 ~= byteCount {
            let magnitude = try reader.takeRun(byteCount).unsigned(at: 0, byteCount: byteCount, .littleEndian)
            return .integer(isNegative ? -Int64(magnitude) : Int64(magnitude))
        }
        guard byteCount <= limits.integerByteCount
        else { throw .integerTooLong(limit: limits.integerByteCount, offset: start) }
        return ErlangTerm(isNegative: isNegative, magnitude: try reader.takeBytes(byteCount))
    }

    private func finite(_ value: Double, _ start: Int) throws(ErlangError) -> ErlangTerm {
        guard value.isFinite else { throw .invalidTerm(.notFinite, offset: start) }
        return .float(value)
    }

    /// A float as C's `%.20e` prints it, in 31 bytes with NULs at the end.
    private mutating func readFloatText(_ start: Int) throws(ErlangError) -> ErlangTerm {
        let bytes = try reader.takeBytes(31).prefix { $0 != 0 }
        let isNumber = bytes.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
        guard isNumber, let value = Double(String(decoding: bytes, as: UTF8.self))
        else { throw .invalidTerm(.floatText, offset: start) }
        return try finite(value, start)
    }

    private mutating func readBits(_ start: Int) throws(ErlangError) -> ErlangTerm {
        let byteCount = Int(clamping: try reader.takeInteger(UInt32.self))
        let bitCount = try reader.takeInteger(UInt8.self)
        let bytes = try reader.takeBytes(byteCount)
        guard bytes.isEmpty ? bitCount == 0 : 1...8 ~= bitCount
        else { throw .invalidTerm(.bitCount(bitCount), offset: start) }
        return bitCount & 7 == 0
            ? .binary(bytes) : .bits(ErlangBits(checked: bytes, lastBitCount: Int(bitCount)))
    }

    /// A list of numbers below 256, as their bytes.
    private mutating func readString(_ start: Int) throws(ErlangError) -> ErlangTerm {
        let count = Int(try reader.takeInteger(UInt16.self))
        termCount &+= count
        guard termCount <= limits.termCount else { throw .tooManyTerms(limit: limits.termCount, offset: start) }
        let bytes = try reader.takeRun(count)
        return .list((0..<count).map { .integer(Int64(bytes.integer(at: $0, as: UInt8.self, .bigEndian))) })
    }

    // MARK: Names

    private mutating func readAtom() throws(ErlangError) -> ErlangAtom {
        let start = reader.offset
        let tag = try reader.takeInteger(UInt8.self)
        guard let atom = try readAtomText(tag, start) else { throw .invalidTerm(.notAnAtom(tag), offset: start) }
        return atom
    }

    /// Returns nil if the tag is not that of an atom. The tag has been read.
    private mutating func readAtomText(_ tag: UInt8, _ start: Int) throws(ErlangError) -> ErlangAtom? {
        let name: String
        switch tag {
        case TermTag.smallAtom: name = try reader.takeText(Int(try reader.takeInteger(UInt8.self)))
        case TermTag.atom: name = try reader.takeText(Int(try reader.takeInteger(UInt16.self)))
        case TermTag.smallLatinAtom: name = try readLatin(byteCount: Int(try reader.takeInteger(UInt8.self)))
        case TermTag.latinAtom: name = try readLatin(byteCount: Int(try reader.takeInteger(UInt16.self)))
        default: return nil
        }
        let atom = ErlangAtom(name)
        guard !atom.isTooLong else { throw .invalidTerm(.atomTooLong, offset: start) }
        return atom
    }

    private mutating func readLatin(byteCount: Int) throws(ErlangError) -> String {
        let bytes = try reader.takeRun(byteCount)
        var name = String.UnicodeScalarView()
        for index in 0..<byteCount {
            name.append(Unicode.Scalar(bytes.integer(at: index, as: UInt8.self, .bigEndian)))
        }
        return String(name)
    }

    private mutating func readPID(_ tag: UInt8) throws(ErlangError) -> ErlangPID {
        let node = try readAtom()
        let numbers = try reader.takeRun(8)
        let (id, serial): (UInt32, UInt32) = (numbers.integer(at: 0, .bigEndian), numbers.integer(at: 4, .bigEndian))
        return ErlangPID(node: node, id: id, serial: serial, creation: try readCreation(isByte: tag == TermTag.oldPID))
    }

    private mutating func readCreation(isByte: Bool) throws(ErlangError) -> UInt32 {
        isByte ? UInt32(try reader.takeInteger(UInt8.self)) : try reader.takeInteger(UInt32.self)
    }

    private mutating func readPort(_ tag: UInt8) throws(ErlangError) -> ErlangPort {
        let node = try readAtom()
        let id = tag == TermTag.port ? try reader.takeInteger(UInt64.self) : UInt64(try reader.takeInteger(UInt32.self))
        return ErlangPort(node: node, id: id, creation: try readCreation(isByte: tag == TermTag.oldPort))
    }

    private mutating func readReference(_ tag: UInt8, _ start: Int) throws(ErlangError) -> ErlangReference {
        if tag == TermTag.oldReference {
            let node = try readAtom()
            let word = try reader.takeInteger(UInt32.self)
            return ErlangReference(node: node, creation: try readCreation(isByte: true), wordCount: 1) { _ in word }
        }
        let count = Int(try reader.takeInteger(UInt16.self))
        guard 1...ErlangReference.wordLimit ~= count else { throw .invalidTerm(.wordCount(count), offset: start) }
        let node = try readAtom()
        let creation = try readCreation(isByte: tag == TermTag.reference8)
        let words = try reader.takeRun(4 * count)
        return ErlangReference(node: node, creation: creation, wordCount: count) {
            words.integer(at: 4 * $0, as: UInt32.self, .bigEndian)
        }
    }

    // MARK: Functions

    private mutating func readExport(_ start: Int) throws(ErlangError) -> ErlangFunction {
        let (module, name) = (try readAtom(), try readAtom())
        let offset = reader.offset
        guard let arity = UInt8(exactly: try readSmallInteger()) else { throw .invalidTerm(.function, offset: offset) }
        return .exported(module: module, name: name, arity: arity)
    }

    /// Reads a closure up to its values.
    private mutating func readClosure(at start: Int) throws(ErlangError) -> (ErlangClosure, valueCount: Int) {
        // The number of bytes comes first. It is not needed, and OTP does not look at it either.
        let head = try reader.takeRun(4 + 1 + 16 + 4 + 4)
        let count = Int(clamping: head.integer(at: 25, as: UInt32.self, .bigEndian))
        let module = try readAtom()
        let (oldIndex, oldUniqueness) = (try readSmallInteger(), try readSmallInteger())
        let offset = reader.offset
        let tag = try reader.takeInteger(UInt8.self)
        guard tag == TermTag.pid || tag == TermTag.oldPID else { throw .invalidTerm(.function, offset: offset) }
        let closure = ErlangClosure(
            module: module, arity: head.integer(at: 4, .bigEndian), index: head.integer(at: 21, .bigEndian),
            uniqueness: (5..<21).map { head.integer(at: $0, .bigEndian) }, oldIndex: oldIndex,
            oldUniqueness: oldUniqueness, creator: try readPID(tag), values: [])
        try reader.requireBytes(count)
        try expect(count, start)
        return (closure, count)
    }

    /// It accepts only integers of 64 bits, so it cannot recurse.
    private mutating func readSmallInteger() throws(ErlangError) -> Int64 {
        let start = reader.offset
        switch try reader.takeInteger(UInt8.self) {
        case TermTag.smallInteger: return Int64(try reader.takeInteger(UInt8.self))
        case TermTag.integer: return Int64(try reader.takeInteger(Int32.self))
        case TermTag.smallBig:
            if case .integer(let value) = try readBig(byteCount: Int(try reader.takeInteger(UInt8.self)), start) {
                return value
            }
        default: break
        }
        throw .invalidTerm(.function, offset: start)
    }
}
