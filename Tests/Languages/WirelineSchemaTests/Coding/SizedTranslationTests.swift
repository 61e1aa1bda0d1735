// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Values inside a number of bytes, `@size`, in JSON.
struct SizedTranslationTests {
    private static let uint16 = TypeDescription.integer(.uint16, .bigEndian)

    @Test(arguments: [
        (TypeDescription.bytes(.exact(byteCount: 3)), "010203", #""AQID""#),
        (.string(.exact(byteCount: 3)), "61c3a9", #""aé""#),
        (.sized(.list(uint16, .rest), .exact(byteCount: 4)), "00010002", "[1,2]"),
        (.sized(.list(uint16, .rest), .counted(.uint8, .bigEndian)), "0400010002", "[1,2]"),
        (.sized(.list(uint16, .rest), .counted(.varint, .bigEndian)), "00", "[]"),
    ])
    func `values in a number of bytes are encoded and decoded`(
        type: TypeDescription, payload: String, json: String
    ) throws {
        let translator = PayloadTranslator(.init("v", type))
        #expect(try translator.encode(#"{"v":\#(json)}"#) == payload)
        #expect(try translator.decode(payload) == #"{"v":\#(json)}"#)
    }

    @Test(arguments: [
        (TypeDescription.bytes(.exact(byteCount: 3)), #""AQI=""#, 2, 3),
        (.string(.exact(byteCount: 3)), #""abcd""#, 4, 3),
        (.sized(.list(uint16, .rest), .exact(byteCount: 4)), "[1]", 2, 4),
        (.sized(.list(uint16, .rest), .exact(byteCount: 4)), "[1,2,3]", 6, 4),
    ])
    func `what does not fill its bytes is refused`(type: TypeDescription, json: String, count: Int, expected: Int) {
        #expect(throws: TranslationError(.wrongByteCount(count: count, expected: expected), path: "M.v")) {
            try PayloadTranslator(.init("v", type)).encode(#"{"v":\#(json)}"#)
        }
    }

    @Test(arguments: [
        (
            TypeDescription.bytes(.exact(byteCount: 3)), "0102",
            CodecError.Reason.truncated(needed: 3, available: 2), 0, "M.v"
        ),
        (
            .sized(.list(uint16, .rest), .counted(.uint8, .bigEndian)), "0300010002",
            .truncated(needed: 2, available: 1), 3, "M.v[1]"
        ),
        (
            .sized(.list(uint16, .rest), .counted(.uint8, .bigEndian)), "ff0001",
            .truncated(needed: 255, available: 2), 1, "M.v"
        ),
    ])
    func `a size that lies is refused`(
        type: TypeDescription, payload: String, reason: CodecError.Reason, offset: Int, path: String
    ) {
        #expect(throws: CodecError(reason, offset: offset, path: path)) {
            try PayloadTranslator(.init("v", type)).decode(payload)
        }
    }
}
