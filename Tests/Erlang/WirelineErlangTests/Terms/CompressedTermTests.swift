// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineErlang
import WirelineLibraries

/// Terms that were written with the option `compressed`.
struct CompressedTermTests {
    private static let term = ErlangTerm.list((0..<500).map { .tuple("row", .integer($0)) })

    @Test func `a compressed term is read with an inflater`() throws {
        let bytes = try Self.compressed(Self.term)
        #expect(bytes.count < 3_000)
        #expect(try ErlangTerm(externalFormat: bytes.span.bytes, inflate: Self.inflate) == Self.term)
    }

    @Test func `a compressed term is refused without an inflater`() throws {
        let bytes = try Self.compressed(Self.term)
        #expect(throws: ErlangError.invalidTerm(.compressed, offset: 1)) {
            try ErlangTerm(externalFormat: bytes.span.bytes)
        }
    }

    @Test func `damage and a wrong count are refused`() throws {
        var bytes = try Self.compressed(Self.term)
        bytes[5] &+= 1
        #expect(throws: ErlangError.invalidTerm(.damagedCompression, offset: 1)) {
            try ErlangTerm(externalFormat: bytes.span.bytes, inflate: Self.inflate)
        }
        bytes[5] &-= 1
        bytes[40] ^= 0xFF
        #expect(throws: ErlangError.invalidTerm(.damagedCompression, offset: 1)) {
            try ErlangTerm(externalFormat: bytes.span.bytes, inflate: Self.inflate)
        }
    }

    @Test func `a term that would be too long is not inflated`() throws {
        let bytes = try Self.compressed(Self.term)
        var limits = ErlangTermLimits()
        limits.byteCount = 4_000
        #expect(throws: ErlangError.termTooLong(limit: 4_000)) {
            try ErlangTerm(externalFormat: bytes.span.bytes, limits: limits) { _, _ in
                Issue.record("it was inflated")
                return nil
            }
        }
    }

    private static func compressed(_ term: ErlangTerm) throws -> [UInt8] {
        let plain = Array(try term.externalFormat().dropFirst())
        let deflation = try ZlibDeflation(try Zlib.shared.get(), .zlib, level: 6)
        var stream: [UInt8] = []
        try deflation.deflate(plain.span.bytes, then: .finish, into: &stream)
        return [131, 80] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: plain.count >> $0) } + stream
    }

    private static func inflate(_ stream: RawSpan, _ byteCount: Int) -> [UInt8]? {
        guard let zlib = try? Zlib.shared.get(), let inflation = try? ZlibInflation(zlib, .zlib) else { return nil }
        // With room for one byte more, to notice a stream that does not end.
        var room = [UInt8](repeating: 0, count: byteCount + 1)
        let step = stream.withUnsafeBytes { stream in
            room.withUnsafeMutableBytes { inflation.inflate(stream, into: $0) }
        }
        guard step.progress == .hasEnded else { return nil }
        return Array(room.prefix(step.filledByteCount))
    }
}
