// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// Reads terms of the external format from borrowed bytes, without a value for each.
///
/// It is for programs that take many terms of a known form: nothing is allocated, and what is not wanted is skipped.
/// ``ErlangTerm`` is easier, and right for all others.
///
/// ```swift
/// var reader = ErlangTermReader(bytes)                        // {score, 7, <<"Ann">>}
/// guard reader.readTuple() == 3, reader.readAtom()?.matches("score") == true, let points = reader.readInteger(),
///     let name = reader.readBinary()
/// else { return }
/// ```
///
/// A read returns nil if another term comes next, or if the bytes are no term; the position is then unchanged. Call
/// ``check(limits:)`` first with bytes that come from elsewhere, so that nil has only the first meaning.
@frozen
public struct ErlangTermReader: ~Escapable {
    @usableFromInline var reader: ByteReader

    /// Makes a reader of terms without the version byte.
    @inlinable
    @_lifetime(copy bytes)
    public init(_ bytes: RawSpan) { reader = ByteReader(bytes) }

    /// The offset of the next term, in bytes from the first one.
    @inlinable
    public var offset: Int { reader.offset }

    /// Whether no term follows.
    @inlinable
    public var isAtEnd: Bool { reader.isAtEnd }

    /// The number of bytes that are left.
    @inlinable
    public var remaining: Int { reader.remaining }

    /// Reads the version byte, which stands before a term that travels alone.
    ///
    /// - Returns: Whether it stands here.
    @inlinable
    public mutating func readVersion() -> Bool { take(TermTag.version) }

    // MARK: Terms that contain others

    /// Reads the head of a tuple; its elements come next.
    ///
    /// - Returns: The number of elements.
    @inlinable
    public mutating func readTuple() -> Int? {
        var ahead = reader
        guard let tag = ahead.byte() else { return nil }
        let count: Int?
        switch tag {
        case TermTag.smallTuple: count = ahead.byte().map(Int.init)
        case TermTag.largeTuple: count = ahead.count()
        default: return nil
        }
        guard let count else { return nil }
        reader = ahead
        return count
    }

    /// Reads the head of a map; its keys and values come next, each key before its value.
    ///
    /// - Returns: The number of keys.
    @inlinable
    public mutating func readMap() -> Int? {
        var ahead = reader
        guard ahead.byte() == TermTag.map, let count = ahead.count() else { return nil }
        reader = ahead
        return count
    }

    /// Reads the head of a list; its elements come next, and then its tail, which is a term as well: usually `[]`.
    ///
    /// A list of small numbers that is written as a string is none for this function; see ``readString()``.
    ///
    /// - Returns: The number of elements; 0 for `[]`, which has no tail.
    @inlinable
    public mutating func readList() -> Int? {
        var ahead = reader
        guard let tag = ahead.byte() else { return nil }
        var count = 0
        if tag != TermTag.emptyList {
            guard tag == TermTag.list, let announced = ahead.count() else { return nil }
            count = announced
        }
        reader = ahead
        return count
    }

    /// Reads a list of numbers below 256 that is written as their bytes.
    @inlinable
    @_lifetime(copy self)
    public mutating func readString() -> RawSpan? {
        var ahead = reader
        guard ahead.byte() == TermTag.string, let high = ahead.byte(), let low = ahead.byte(),
            let bytes = ahead.slice(Int(high) << 8 | Int(low))
        else { return nil }
        reader = ahead
        return bytes
    }

    // MARK: Terms without others

    /// Reads an atom.
    @inlinable
    @_lifetime(copy self)
    public mutating func readAtom() -> ErlangAtomSpan? {
        var ahead = reader
        guard let tag = ahead.byte(), let first = ahead.byte() else { return nil }
        var byteCount = Int(first)
        switch tag {
        case TermTag.smallAtom, TermTag.smallLatinAtom: break
        case TermTag.atom, TermTag.latinAtom:
            guard let second = ahead.byte() else { return nil }
            byteCount = byteCount << 8 | Int(second)
        default: return nil
        }
        guard let bytes = ahead.slice(byteCount) else { return nil }
        reader = ahead
        return ErlangAtomSpan(bytes, isLatin: tag == TermTag.latinAtom || tag == TermTag.smallLatinAtom)
    }

    /// Reads an integer of 64 bits.
    @inlinable
    public mutating func readInteger() -> Int64? {
        var ahead = reader
        guard let tag = ahead.byte() else { return nil }
        let value: Int64
        switch tag {
        case TermTag.smallInteger:
            guard let byte = ahead.byte() else { return nil }
            value = Int64(byte)
        case TermTag.integer:
            guard let word = ahead.word() else { return nil }
            value = Int64(Int32(bitPattern: word))
        case TermTag.smallBig, TermTag.largeBig: return readLongInteger()
        default: return nil
        }
        reader = ahead
        return value
    }

    @usableFromInline @inline(never)
    mutating func readLongInteger() -> Int64? {
        var ahead = self
        guard let value = ahead.readWideInteger(), let small = Int64(exactly: value) else { return nil }
        self = ahead
        return small
    }

    /// Reads an integer of any size. Outside of 128 bits it returns the nearest number of 128 bits.
    package mutating func readWideInteger() -> Int128? {
        var ahead = reader
        guard let tag = ahead.byte() else { return nil }
        let value: Int128?
        switch tag {
        case TermTag.smallInteger: value = ahead.byte().map { Int128($0) }
        case TermTag.integer: value = ahead.word().map { Int128(Int32(bitPattern: $0)) }
        case TermTag.smallBig: value = ahead.byte().flatMap { ahead.wide(byteCount: Int($0)) }
        case TermTag.largeBig: value = ahead.count().flatMap { ahead.wide(byteCount: $0) }
        default: return nil
        }
        guard let value else { return nil }
        reader = ahead
        return value
    }

    /// Reads a float; a number that is not finite is none.
    @inlinable
    public mutating func readFloat() -> Double? {
        var ahead = reader
        guard ahead.byte() == TermTag.float, let value = try? ahead.readFloat64(.bigEndian), value.isFinite
        else { return nil }
        reader = ahead
        return value
    }

    /// Reads a binary.
    @inlinable
    @_lifetime(copy self)
    public mutating func readBinary() -> RawSpan? {
        var ahead = reader
        guard ahead.byte() == TermTag.binary, let count = ahead.count(), let bytes = ahead.slice(count)
        else { return nil }
        reader = ahead
        return bytes
    }

    /// Reads a process.
    public mutating func readPID() -> ErlangPID? {
        guard peek() == TermTag.pid || peek() == TermTag.oldPID else { return nil }
        guard case .pid(let pid)? = try? readTerm() else { return nil }
        return pid
    }

    /// Reads a process. A name in `nodes` is not made again.
    mutating func readPID(_ nodes: NodeNames) -> ErlangPID? {
        var terms = TermReader(reader, ErlangTermLimits())
        guard let pid = try? terms.readPID(nodes) else { return nil }
        _ = reader.slice(terms.offset - reader.offset)
        return pid
    }

    /// Reads a term as a value.
    ///
    /// - Throws: ``ErlangError``; the position is then unchanged.
    public mutating func readTerm(limits: ErlangTermLimits = ErlangTermLimits()) throws(ErlangError) -> ErlangTerm {
        var terms = TermReader(reader, limits)
        let term = try terms.readTerm()
        let byteCount = terms.offset - reader.offset
        _ = reader.slice(byteCount)
        return term
    }

    // MARK: Skipping

    /// Skips the next term, whatever it contains.
    ///
    /// - Returns: Its bytes; nil if the bytes are no term.
    @discardableResult
    @_lifetime(copy self)
    public mutating func skip() -> RawSpan? {
        var ahead = reader
        guard ahead.skipTerm(termLimit: .max) else { return nil }
        return reader.slice(ahead.offset - reader.offset)
    }

    /// Checks that exactly one term follows, and that it costs no more than the limits allow.
    ///
    /// Its depth is not limited: a reader that does not recurse needs no limit.
    ///
    /// - Throws: ``ErlangError``.
    public func check(limits: ErlangTermLimits = ErlangTermLimits()) throws(ErlangError) {
        guard remaining <= limits.byteCount else { throw .termTooLong(limit: limits.byteCount) }
        var ahead = reader
        guard ahead.skipTerm(termLimit: limits.termCount) else {
            // The slower reader throws the exact error, unless only the number of parts is too large.
            var terms = TermReader(reader, limits)
            _ = try terms.readTerm()
            throw .tooManyTerms(limit: limits.termCount, offset: offset)
        }
        guard ahead.isAtEnd else { throw .invalidTerm(.trailingBytes(ahead.remaining), offset: ahead.offset) }
    }

    func peek() -> UInt8? {
        var ahead = reader
        return ahead.byte()
    }

    @inlinable
    mutating func take(_ tag: UInt8) -> Bool {
        var ahead = reader
        guard ahead.byte() == tag else { return false }
        reader = ahead
        return true
    }
}

/// An atom in borrowed bytes.
@frozen
public struct ErlangAtomSpan: ~Escapable {
    @usableFromInline let bytes: RawSpan
    /// Whether each byte is one Latin-1 character, as older nodes write atoms. Otherwise the bytes are UTF-8.
    @usableFromInline let isLatin: Bool

    @inlinable
    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, isLatin: Bool) {
        self.bytes = bytes
        self.isLatin = isLatin
    }

    /// Returns whether this is the atom with a name.
    public func matches(_ name: StaticString) -> Bool {
        // SAFETY: a static string lives for ever, and its UTF-8 has as many bytes as it says.
        unsafe matches(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    package func matches(_ name: [UInt8]) -> Bool {
        // SAFETY: the array lends its bytes until the closure returns.
        unsafe name.withUnsafeBytes { unsafe matches($0) }
    }

    private func matches(_ name: UnsafeRawBufferPointer) -> Bool {
        guard !isLatin || isASCII else { return unsafe self.name.utf8.elementsEqual(name) }
        guard name.count == bytes.byteCount else { return false }
        // SAFETY: both lend as many bytes until the closure returns.
        return unsafe bytes.withUnsafeBytes { unsafe $0.hasSameBytes(as: name) }
    }

    /// The same in each run.
    package var quickHash: UInt64 {
        guard !isLatin || isASCII else { return Self.quickHash(Array(name.utf8)) }
        var hash = Self.hashStart
        var reader = ByteReader(bytes)
        while let byte = reader.byte() { hash = (hash ^ UInt64(byte)) &* Self.hashFactor }
        return hash
    }

    package static func quickHash(_ name: [UInt8]) -> UInt64 {
        name.reduce(hashStart) { ($0 ^ UInt64($1)) &* hashFactor }
    }

    // FNV-1a. Only names of a schema are looked up, so nobody can choose names that collide.
    private static let hashStart: UInt64 = 0xCBF2_9CE4_8422_2325
    private static let hashFactor: UInt64 = 0x100_0000_01B3

    /// The name. In bytes that are not UTF-8, what is wrong is replaced.
    public var name: String {
        var reader = ByteReader(bytes)
        guard isLatin else { return String(decoding: [UInt8](copying: bytes), as: UTF8.self) }
        var name = String.UnicodeScalarView()
        while let byte = reader.byte() { name.append(Unicode.Scalar(byte)) }
        return String(name)
    }

    private var isASCII: Bool {
        var reader = ByteReader(bytes)
        while let byte = reader.byte() { if byte >= 0x80 { return false } }
        return true
    }
}

extension ByteReader {
    @inlinable @inline(__always)
    mutating func byte() -> UInt8? {
        guard remaining >= 1 else { return nil }
        return try? readInteger(as: UInt8.self, .bigEndian)
    }

    @inlinable @inline(__always)
    mutating func word() -> UInt32? {
        guard remaining >= 4 else { return nil }
        return try? readInteger(as: UInt32.self, .bigEndian)
    }

    /// Reads a 32-bit count of things that take at least a byte each; nil if fewer bytes are left.
    @inlinable @inline(__always)
    mutating func count() -> Int? {
        guard let count = word(), UInt64(count) <= UInt64(remaining) else { return nil }
        return Int(count)
    }

    @inlinable @inline(__always)
    @_lifetime(copy self)
    mutating func slice(_ byteCount: Int) -> RawSpan? {
        guard UInt(bitPattern: byteCount) <= UInt(bitPattern: remaining) else { return nil }
        do throws(CodecError) { return try readSlice(byteCount: byteCount) } catch { return nil }
    }

    /// Reads the sign and the magnitude.
    fileprivate mutating func wide(byteCount: Int) -> Int128? {
        guard let sign = byte(), byteCount <= remaining else { return nil }
        var (magnitude, isBeyond): (UInt128, Bool) = (0, false)
        for index in 0..<byteCount {
            guard let byte = byte() else { return nil }
            if index < 16 { magnitude |= UInt128(byte) << UInt128(8 * index) } else { isBeyond = isBeyond || byte != 0 }
        }
        guard !isBeyond, magnitude <= UInt128(Int128.max) else { return sign == 0 ? .max : .min }
        return sign == 0 ? Int128(magnitude) : -Int128(magnitude)
    }

    /// Skips a term without recursion. Returns false if there is none, or if it has more than `termLimit` parts.
    fileprivate mutating func skipTerm(termLimit: Int) -> Bool {
        var (expected, total) = (1, 1)
        while expected > 0 {
            expected &-= 1
            guard let tag = byte() else { return false }
            var inner = 0
            switch tag {
            case TermTag.smallInteger: guard slice(1) != nil else { return false }
            case TermTag.integer: guard slice(4) != nil else { return false }
            case TermTag.smallAtom: guard let count = byte(), slice(Int(count)) != nil else { return false }
            case TermTag.binary: guard let count = count(), slice(count) != nil else { return false }
            case TermTag.emptyList: break
            case TermTag.smallTuple:
                guard let count = byte() else { return false }
                inner = Int(count)
            case TermTag.list:
                guard let count = count() else { return false }
                inner = count &+ 1
            case TermTag.map:
                guard let count = count() else { return false }
                inner = 2 &* count
            default:
                guard let more = skipOther(tag) else { return false }
                inner = more
            }
            expected &+= inner
            total &+= inner
            guard total <= termLimit, expected <= remaining else { return false }
        }
        return true
    }

    /// Returns the number of terms inside this one; nil if it is invalid. The tag has been read.
    @inline(never)
    private mutating func skipOther(_ tag: UInt8) -> Int? {
        switch tag {
        case TermTag.largeTuple: return count()
        case TermTag.float: return skip(8)
        case TermTag.floatText: return skip(31)
        case TermTag.smallBig: return byte().flatMap { skip(Int($0) + 1) }
        case TermTag.largeBig: return count().flatMap { skip($0 + 1) }
        case TermTag.string, TermTag.atom, TermTag.latinAtom:
            guard let high = byte(), let low = byte() else { return nil }
            return skip(Int(high) << 8 | Int(low))
        case TermTag.smallLatinAtom: return byte().flatMap { skip(Int($0)) }
        case TermTag.bits: return count().flatMap { skip($0 + 1) }
        // What follows is an atom, then numbers.
        case TermTag.pid: return skipNamed(12)
        case TermTag.oldPID: return skipNamed(9)
        case TermTag.port: return skipNamed(12)
        case TermTag.port32: return skipNamed(8)
        case TermTag.oldPort, TermTag.oldReference: return skipNamed(5)
        case TermTag.reference, TermTag.reference8:
            guard let high = byte(), let low = byte() else { return nil }
            return skipNamed(4 * (Int(high) << 8 | Int(low)) + (tag == TermTag.reference ? 4 : 1))
        case TermTag.export: return 3
        case TermTag.function:
            guard skip(4 + 1 + 16 + 4) != nil, let count = count() else { return nil }
            return count + 4
        default: return nil
        }
    }

    private mutating func skip(_ byteCount: Int) -> Int? { slice(byteCount) == nil ? nil : 0 }

    /// Skips an atom and `byteCount` bytes after it.
    private mutating func skipNamed(_ byteCount: Int) -> Int? {
        guard let tag = byte() else { return nil }
        switch tag {
        case TermTag.smallAtom, TermTag.smallLatinAtom:
            guard let count = byte(), skip(Int(count)) != nil else { return nil }
        case TermTag.atom, TermTag.latinAtom:
            guard let high = byte(), let low = byte(), skip(Int(high) << 8 | Int(low)) != nil else { return nil }
        default: return nil
        }
        return skip(byteCount)
    }
}
