// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

// The codec's reads, with this module's errors.
extension ByteReader {
    @inline(__always)
    func requireBytes(_ byteCount: Int) throws(ErlangError) {
        guard UInt(bitPattern: byteCount) <= UInt(bitPattern: remaining) else { throw cutOff(byteCount) }
    }

    @inline(never)
    func cutOff(_ needed: Int) -> ErlangError { .truncated(needed: needed, available: remaining, offset: offset) }

    @inline(__always)
    @_lifetime(copy self)
    mutating func takeRun(_ byteCount: Int) throws(ErlangError) -> FixedRun {
        do throws(CodecError) { return try readRun(byteCount: byteCount) } catch { throw cutOff(byteCount) }
    }

    @inline(__always)
    @_lifetime(copy self)
    mutating func takeSlice(_ byteCount: Int) throws(ErlangError) -> RawSpan {
        do throws(CodecError) { return try readSlice(byteCount: byteCount) } catch { throw cutOff(byteCount) }
    }

    @inline(__always)
    mutating func takeInteger<Integer: FixedWidthInteger & BitwiseCopyable>(
        _ type: Integer.Type
    ) throws(ErlangError) -> Integer {
        try takeRun(MemoryLayout<Integer>.size).integer(at: 0, as: type, .bigEndian)
    }

    @inline(__always)
    mutating func takeBytes(_ byteCount: Int) throws(ErlangError) -> [UInt8] {
        [UInt8](copying: try takeSlice(byteCount))
    }

    /// The offset of an error is the first invalid byte in the text.
    @inline(__always)
    mutating func takeText(_ byteCount: Int) throws(ErlangError) -> String {
        try requireBytes(byteCount)
        do throws(CodecError) {
            return try readString(byteCount: byteCount)
        } catch {
            throw .invalidTerm(.invalidUTF8, offset: error.offset ?? offset)
        }
    }
}
