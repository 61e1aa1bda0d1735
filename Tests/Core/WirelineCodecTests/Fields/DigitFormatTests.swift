// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

struct DigitFormatTests {
    static let format = DigitFormat(.bcd, byteCount: 2)

    @Test(arguments: [([0, 0, 0, 0], "0000"), ([9, 9, 9, 9], "9999"), ([1, 2, 3, 4], "1234")])
    func `digits become a text`(digits: [Int], text: String) {
        #expect(Self.format.text { digits[$0] } == text)
    }

    @Test func `a text is written and read again`() throws {
        let bytes = [UInt8](byteCount: 2) { Self.format.write(Array("0139".utf8), to: &$0) }
        #expect(bytes == [0x01, 0x39])
        var reader = ByteReader(bytes.span.bytes)
        #expect(try Self.format.read(from: &reader) == "0139")
    }

    @Test(
        arguments: [
            ("0139", nil), ("013", .wrongDigitCount(count: 3, expected: 4)),
            ("01390", .wrongDigitCount(count: 5, expected: 4)),
            ("01a9", .invalidDigit(0x61)), ("\u{FF11}", .invalidDigit(0xEF)),
        ] as [(String, CodecError.Reason?)])
    func `a text of anything else is refused`(text: String, fault: CodecError.Reason?) {
        #expect(Self.format.fault(of: Array(text.utf8)) == fault)
    }

    @Test(arguments: DigitFormat.Notation.allCases)
    func `a notation's digits are those below its radix`(notation: DigitFormat.Notation) {
        let format = DigitFormat(notation, byteCount: 1)
        #expect(format.name == "\(notation)[1]" && format.zero == "00" && format.digitCount == 2)
        #expect(format.fault(of: Array(format.text { _ in notation.radix - 1 }.utf8)) == nil)
        #expect(format.fault(of: Array((notation.noDigit + notation.noDigit).utf8)) != nil)
    }
}
