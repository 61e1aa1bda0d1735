// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

struct HexadecimalTests {
    @Test func `bytes become lower-case pairs of digits`() {
        #expect(Hexadecimal.text(of: [0x00, 0x0F, 0xA5, 0xFF]) == "000fa5ff")
        #expect(Hexadecimal.text(of: []).isEmpty)
    }

    @Test(arguments: [
        "000fa5ff", "00 0F A5 FF", "00:0f:a5:ff", "0x00, 0x0f, 0xa5, 0xff", "0x000fa5ff", "\\x00\\x0f\\xa5\\xff",
        "00-0f-a5-ff", "\n00\t0f\r\na5ff  ", "000f # the length\na5ff # and 41", "# only a comment\n000fa5ff",
    ])
    func `text is read in each form that people paste`(text: String) throws {
        #expect(try Hexadecimal.bytes(of: text) == [0x00, 0x0F, 0xA5, 0xFF])
    }

    @Test(arguments: [
        ("0", 1), ("00 0", 4), ("0g", 1), ("zz", 0), ("00 0f a", 7), ("0 0", 1), ("00字", 2), ("0x", 1), ("0xg0", 1),
    ])
    func `text that is not pairs of digits is refused with the offset`(text: String, offset: Int) {
        #expect(throws: CodecError(.invalidHex, offset: offset)) { try Hexadecimal.bytes(of: text) }
    }

    @Test func `empty text is no bytes`() throws {
        #expect(try Hexadecimal.bytes(of: "") == [])
    }

    // MARK: Dumps

    private static let dumped = Array("hello world, thi".utf8) + [0x73, 0x20, 0xAB, 0xCD]

    private static let dumps = [
        // hexdump -C
        """
        00000000  68 65 6c 6c 6f 20 77 6f  72 6c 64 2c 20 74 68 69  |hello world, thi|
        00000010  73 20 ab cd                                       |s ..|
        00000014
        """,
        // xxd, and the same of a part of a file
        """
        00000000: 6865 6c6c 6f20 776f 726c 642c 2074 6869  hello world, thi
        00000010: 7320 abcd                                s ..
        """,
        """
        00001230: 6865 6c6c 6f20 776f 726c 642c 2074 6869  beef world, thi
        00001240: 7320 abcd                                ab cd
        """,
        // xxd -g 1
        """
        00000000: 68 65 6c 6c 6f 20 77 6f 72 6c 64 2c 20 74 68 69  hello world, thi
        00000010: 73 20 ab cd                                      s ..

        """,
        // tcpdump -X
        """
        \t0x0000:  6865 6c6c 6f20 776f 726c 642c 2074 6869  hello.world,.thi
        \t0x0010:  7320 abcd                                s...
        """,
        // od -t x1, also with text, in decimal and in hexadecimal, and of macOS
        """
        0000000 68 65 6c 6c 6f 20 77 6f 72 6c 64 2c 20 74 68 69
        0000020 73 20 ab cd
        0000024

        """,
        """
        0000000 68 65 6c 6c 6f 20 77 6f 72 6c 64 2c 20 74 68 69  >hello world, thi<
        0000016 73 20 ab cd                                      >s ..<
        0000020
        """,
        """
        000000 68 65 6c 6c 6f 20 77 6f 72 6c 64 2c 20 74 68 69
        000010 73 20 ab cd
        000014
        """,
        """
        0000000    68  65  6c  6c  6f  20  77  6f  72  6c  64  2c  20  74  68  69
        0000010    73  20  ab  cd
        0000014
        """,
        // od -j 16
        """
        0000020 68 65 6c 6c 6f 20 77 6f 72 6c 64 2c 20 74 68 69
        0000040 73 20 ab cd
        0000044
        """,
        // eight bytes a line, and text that looks like bytes
        """
        00000000  68 65 6c 6c 6f 20 77 6f  |hello wo|\r
        00000008  72 6c 64 2c 20 74 68 69                           |ab cd ef|\r
        00000010  73 20 ab cd\r

        """,
    ]

    @Test(arguments: dumps)
    func `a dump is read, however its text is split`(dump: String) throws {
        #expect(try Hexadecimal.bytes(of: dump) == Self.dumped)
        let text = Array(dump.utf8)
        for cut in 0...text.count {
            var reader = HexadecimalReader()
            let bytes = try reader.receive(Array(text[..<cut])) + reader.receive(Array(text[cut...])) + reader.finish()
            #expect(bytes == Self.dumped, "cut at \(cut)")
        }
        var reader = HexadecimalReader()
        var bytes: [UInt8] = []
        for byte in text { bytes += try reader.receive([byte]) }
        #expect(try bytes + reader.finish() == Self.dumped)
    }

    @Test(arguments: [
        // od -t x1, od -A x -t x1, hexdump -C
        ("0000000 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n*\n0000100\n", 64, 0),
        ("000000 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07\n*\n000040 01\n000041\n", 65, 1),
        (
            "00000000  07 07 07 07 07 07 07 07  07 07 07 07 07 07 07 07  |................|\n*\n"
                + "00000030  01 02                                             |..|\n00000032\n", 50, 2
        ),
    ])
    func `repeated lines that were left out are read`(dump: String, byteCount: Int, last: UInt8) throws {
        let text = Array(dump.utf8)
        let bytes = try Hexadecimal.bytes(of: dump)
        #expect(bytes.count == byteCount && bytes.last == last)
        for cut in 0...text.count {
            var reader = HexadecimalReader()
            #expect(
                try reader.receive(Array(text[..<cut])) + reader.receive(Array(text[cut...])) + reader.finish() == bytes
            )
        }
    }

    @Test(arguments: [
        // too much, no end, not a whole number of lines, a gap without a star
        ("0000000 00 00 00 00 00 00 00 00\n*\n7777777777770\n", 34), ("0000000 00 00 00 00 00 00 00 00\n*\n", 34),
        ("0000000 00 00 00 00 00 00 00 00\n*\n0000013\n", 34), ("0000000 00 01\n0000020\n", 14),
    ])
    func `repeated lines that cannot be read are refused`(dump: String, offset: Int) {
        #expect(throws: CodecError(.missingDumpLine, offset: offset)) { try Hexadecimal.bytes(of: dump) }
    }

    @Test(arguments: ["0000000 0000 0f00 214e\n0000006\n", "0000000 000000 007400\n0000004\n"])
    func `words in the order of the computer are refused`(dump: String) {
        #expect(throws: CodecError(.invalidHex, offset: 7)) { try Hexadecimal.bytes(of: dump) }
    }

    @Test(arguments: [
        "000000 0f 4e 21 01 00", "000000 0f 4e 21 01 00\n", "000000 0f 4e\n21 01 00", "000000\n0f4e210100",
    ])
    func `digits that only look like od are read as bytes`(text: String) throws {
        #expect(try Hexadecimal.bytes(of: text) == [0, 0, 0, 0x0F, 0x4E, 0x21, 0x01, 0x00])
    }

    @Test(arguments: [
        // repeated lines that were left out
        ("00000000  00 00 |..|\n*\n00000020  01\n", 21), ("00000000  00 00 |..|\n00000020  01\n", 21),
        ("00000000: 0000\n00000002: 01\n00000004: 02", 28), ("00000000  00 00 |..|\n00000003\n", 21),
    ])
    func `a dump with a gap is refused at the gap`(dump: String, offset: Int) {
        #expect(throws: CodecError(.missingDumpLine, offset: offset)) { try Hexadecimal.bytes(of: dump) }
    }

    @Test(arguments: [
        ("00000000: 6869\n70 71", 15), ("00000000  68 69  |hi|\nno dump\n", 22), ("00000000: 68zz\n", 12),
        ("00000000  00 |.|\n00000001\n00000001\n", 26),
    ])
    func `a line that does not belong to a dump is refused inside one`(dump: String, offset: Int) {
        #expect(throws: CodecError(.invalidHex, offset: offset)) { try Hexadecimal.bytes(of: dump) }
    }

    @Test func `a dump line that is too long is refused`() {
        let dump = "00000000  " + String(repeating: "00 ", count: 1000)
        var reader = HexadecimalReader()
        #expect(throws: CodecError(.invalidHex, offset: 0)) { try reader.receive(Array(dump.utf8)) }
    }

    @Test(arguments: [
        "0000000f 4e21\n0100", "0000000f4e21\n  0100", "0000000f  4e21 0100", "0000  000f4e21\n0100",
        "00:00:00:0f: 4e21,0100",
    ])
    func `digits that only look like a dump's address are read as bytes`(text: String) throws {
        #expect(try Hexadecimal.bytes(of: text) == [0x00, 0x00, 0x00, 0x0F, 0x4E, 0x21, 0x01, 0x00])
    }
}
