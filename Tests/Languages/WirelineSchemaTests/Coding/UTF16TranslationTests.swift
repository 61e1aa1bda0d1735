// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

/// Text in UTF-16 in JSON.
struct UTF16TranslationTests {
    @Test(arguments: [
        (TypeDescription.Extent.counted(.uint8, .bigEndian), "03 0061 d83d de00", "a😀"),
        (.terminated, "0061 d83d de00 0000", "a😀"), (.rest, "0061 d83d de00", "a😀"), (.rest, "", ""),
        (.fixed(byteCount: 8, padding: 0), "0061 d83d de00 0000", "a😀"),
        (.fixed(byteCount: 8, padding: 0x20), "0061 d83d de00 0020", "a😀"),
    ])
    func `text is encoded and decoded`(extent: TypeDescription.Extent, payload: String, text: String) throws {
        let translator = PayloadTranslator(.init("v", .utf16(extent, .bigEndian)))
        #expect(try translator.encode(#"{"v":"\#(text)"}"#) == Hexadecimal.text(of: bytes(payload)))
        #expect(try translator.decode(payload) == #"{"v":"\#(text)"}"#)
    }

    @Test(arguments: [
        (
            TypeDescription.Extent.counted(.uint8, .bigEndian), "02 00",
            CodecError.Reason.truncated(needed: 4, available: 1), 1
        ),
        (.counted(.uint8, .bigEndian), "03 0061 0061 0061", .tooLong(count: 3, limit: 2), 0),
        (.terminated, "0061 00", .missingTerminator, 0), (.terminated, "6100 d800 0000", .invalidUTF16, 2),
        (.terminated, "0061 0061 0061 0000", .tooLong(count: 3, limit: 2), 0),
        (.rest, "d800 00", .truncated(needed: 2, available: 1), 2), (.rest, "0061 dc00", .invalidUTF16, 2),
        (.rest, "0061 0061 0061 00", .tooLong(count: 3, limit: 2), 0),
        (.fixed(byteCount: 4, padding: 0), "0061 d800", .invalidUTF16, 2),
        (.fixed(byteCount: 4, padding: 0), "0061 00", .truncated(needed: 4, available: 3), 0),
    ])
    func `bytes that are no text are refused`(
        extent: TypeDescription.Extent, payload: String, reason: CodecError.Reason, offset: Int
    ) {
        let isFixed = if case .fixed = extent { true } else { false }
        let translator = PayloadTranslator(.init("v", .utf16(extent, .bigEndian), max: isFixed ? nil : 2))
        #expect(throws: CodecError(reason, offset: offset, path: "M.v")) { try translator.decode(payload) }
    }

    @Test(arguments: [
        (TypeDescription.Extent.counted(.uint8, .bigEndian), "😀a", CodecError.Reason.tooLong(count: 3, limit: 2)),
        (.terminated, "a\\u0000", .embeddedTerminator), (.rest, "abc", .tooLong(count: 3, limit: 2)),
        (.fixed(byteCount: 4, padding: 0), "😀a", .tooLong(count: 3, limit: 2)),
        (.fixed(byteCount: 4, padding: 0x61), "a", .endsInPadding(0x61)),
    ])
    func `text that does not fit is refused`(extent: TypeDescription.Extent, text: String, reason: CodecError.Reason) {
        let isFixed = if case .fixed = extent { true } else { false }
        let translator = PayloadTranslator(.init("v", .utf16(extent, .bigEndian), max: isFixed ? nil : 2))
        #expect(throws: TranslationError(reason, path: "M.v")) { try translator.encode(#"{"v":"\#(text)"}"#) }
    }

    @Test func `an annotation separates the prefix from the text`() throws {
        let description = ProtocolDescription.only([
            .init("v", .utf16(.counted(.varint, .bigEndian), .littleEndian))
        ])
        let packet = try PacketTranslator(description).encode(message: "M", json: JSONValue(parsing: #"{"v":"é"}"#))
        let annotation = try PacketTranslator(description).annotate(packet.span.bytes, preferring: .client)
        #expect(PacketAnnotationTests.lines(annotation).last == #"6..<9(1) v = "é""#)
    }
}
