// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec

/// Counts with a sign, whose -1 says that a value is absent.
struct SignedCountTests {
    @Test(arguments: [
        (CountFormat.int16, -1, "ffff"), (.int16, 0, "0000"), (.int16, 32_767, "7fff"),
        (.int32, -1, "ffffffff"), (.int32, 258, "00000102"), (.int32, 2_147_483_647, "7fffffff"),
        (.zigzag, -1, "01"), (.zigzag, 0, "00"), (.zigzag, 64, "8001"), (.zigzag, 2_147_483_647, "feffffff0f"),
    ])
    func `a count is written and read`(format: CountFormat, count: Int, hexadecimal: String) throws {
        let bytes = try Hexadecimal.bytes(of: hexadecimal)
        let reading = Reading(bytes) { reader throws(CodecError) in try reader.readCount(format, .bigEndian) }
        #expect(try reading.value == count && reading.offset == bytes.count)
        #expect(format.isSigned && count <= format.maximum && bytes.count >= format.minimumByteCount)
        let written = [UInt8](byteCount: bytes.count) { writer in
            if count < 0 {
                writer.writeAbsence(format, .bigEndian)
            } else {
                writer.writeCount(count, format, .bigEndian)
            }
        }
        #expect(Hexadecimal.text(of: written) == hexadecimal)
    }
}
