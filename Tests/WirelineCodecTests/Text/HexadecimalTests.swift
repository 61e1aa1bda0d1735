// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

struct HexadecimalTests {
    @Test func `bytes become lower-case pairs`() {
        #expect(Hexadecimal.text(of: [0x00, 0x0F, 0xA5, 0xFF]) == "000fa5ff")
        #expect(Hexadecimal.text(of: []).isEmpty)
    }

    @Test(arguments: [
        "000fa5ff", "00 0F A5 FF", "00:0f:a5:ff", "0x00, 0x0f, 0xa5, 0xff", "0x000fa5ff", "\\x00\\x0f\\xa5\\xff",
        "00-0f-a5-ff", "\n00\t0f\r\na5ff  ", "000f # the length\na5ff # and 41", "# only a comment\n000fa5ff",
    ])
    func `text is read the way people paste it`(text: String) throws {
        #expect(try Hexadecimal.bytes(of: text) == [0x00, 0x0F, 0xA5, 0xFF])
    }

    @Test(arguments: [
        ("0", 1), ("00 0", 4), ("0g", 1), ("zz", 0), ("00 0f a", 7), ("0 0", 1), ("00字", 2), ("0x", 1), ("0xg0", 1),
    ])
    func `what is no pair of digits is refused where it stands`(text: String, offset: Int) {
        #expect(throws: CodecError(.invalidHex, offset: offset)) { try Hexadecimal.bytes(of: text) }
    }

    @Test func `empty text is no bytes`() throws {
        #expect(try Hexadecimal.bytes(of: "") == [])
    }
}
