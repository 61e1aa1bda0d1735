// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

struct Base64Tests {
    /// RFC 4648 §10, and the two digits that differ in the alphabet for URLs.
    @Test(
        arguments: [
            ([], ""), (Array("f".utf8), "Zg=="), (Array("fo".utf8), "Zm8="), (Array("foo".utf8), "Zm9v"),
            (Array("foob".utf8), "Zm9vYg=="), (Array("fooba".utf8), "Zm9vYmE="), (Array("foobar".utf8), "Zm9vYmFy"),
            ([0xFB, 0xFF, 0xFE], "+//+"), ([0], "AA=="), ([0xFF, 0xFF], "//8="),
        ] as [([UInt8], String)])
    func `bytes are encoded to text and decoded back`(bytes: [UInt8], text: String) throws {
        #expect(Base64.encode(bytes) == text)
        #expect(try Base64.decode(text) == bytes)
    }

    @Test(arguments: [
        ("Zg", Base64Error.invalidLength(byteCount: 2)), ("Zg=", .invalidLength(byteCount: 3)),
        ("Zm9vY", .invalidLength(byteCount: 5)), ("Zg==\n", .invalidLength(byteCount: 5)),
        ("====", .invalidCharacter(offset: 0)), ("Z===", .invalidCharacter(offset: 1)),
        ("Zg==Zg==", .invalidCharacter(offset: 2)), ("Zm9-", .invalidCharacter(offset: 3)),
        ("Zm9_", .invalidCharacter(offset: 3)), ("Zm 9", .invalidCharacter(offset: 2)),
        ("Z=m9", .invalidCharacter(offset: 1)), ("é==", .invalidCharacter(offset: 0)),
        ("Zh==", .trailingBits), ("Zm9=", .trailingBits), ("//9=", .trailingBits),
    ])
    func `invalid text is refused`(text: String, fault: Base64Error) {
        #expect(throws: fault) { try Base64.decode(text) }
    }

    @Test(arguments: 0..<67)
    func `bytes of every length are decoded back`(byteCount: Int) throws {
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ byteCount) }
        #expect(try Base64.decode(Base64.encode(bytes)) == bytes)
    }
}
