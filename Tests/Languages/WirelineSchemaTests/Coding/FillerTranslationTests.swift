// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Fields without a value in JSON.
struct FillerTranslationTests {
    private static func translator() throws -> PayloadTranslator {
        PayloadTranslator(
            try describe("@id(1) @from(client) message M { uint8 a; padding 2; S s; } struct S { padding 1; bool b; }"))
    }

    @Test func `padding is written as zeros, and has no key`() throws {
        let json = #"{"a":1,"s":{"b":true}}"#
        #expect(try Self.translator().encode(json) == "0100000001")
        #expect(try Self.translator().decode("0100000001") == json)
    }

    @Test func `bytes of padding are not looked at`() throws {
        #expect(try Self.translator().decode("01ff80aa01") == #"{"a":1,"s":{"b":true}}"#)
    }

    @Test(arguments: [#"{"a":1,"padding[0]":0,"s":{"b":true}}"#, #"{"a":1,"padding":"","s":{"b":true}}"#])
    func `a value for padding is an unknown key`(json: String) throws {
        let translator = try Self.translator()
        let error = #expect(throws: TranslationError.self) { try translator.encode(json) }
        #expect(error?.description.contains("padding") == true && error?.description.contains("a, s") == true)
    }

    @Test(arguments: [
        ("01", CodecError(.truncated(needed: 2, available: 0), offset: 1, path: "M.padding[0]")),
        ("0100", CodecError(.truncated(needed: 2, available: 1), offset: 1, path: "M.padding[0]")),
        ("010000", CodecError(.truncated(needed: 1, available: 0), offset: 3, path: "M.s.padding[0]")),
    ])
    func `padding that is cut off is truncated`(payload: String, error: CodecError) throws {
        let translator = try Self.translator()
        #expect(throws: error) { try translator.decode(payload) }
    }

    @Test func `annotations show padding as bytes`() throws {
        let translator = PacketTranslator(try describe("@id(1) @from(client) message M { padding 1; padding 3; }"))
        let packet = try translator.encode(line: try JSONValue(parsing: #"{"message":"M","fields":{}}"#))
        let annotation = try translator.annotate(packet.span.bytes, preferring: .client)
        let parts = annotation.parts.filter { $0.kind == .padding }.map { "\($0.path): \($0.text)" }
        #expect(parts == ["padding[0]: 1 byte", "padding[1]: 3 bytes"])
    }

    @Test func `examples, defaults and generated vectors have no value for padding`() throws {
        let description = try describe(
            "@id(1) @from(client) message M { padding 2; @since(2) S s; } struct S { uint8 a; padding 1; }")
        let translator = PayloadTranslator(description)
        #expect(try translator.decode("0000") == #"{"s":{"a":0}}"#)
        #expect(try translator.encode("{}") == "00000000")
        let example = translator.translator.example(ofMessage: 0, maximumByteCount: 100)
        #expect(example?.fields["s"]?["padding[0]"] == nil && example?.fields["padding[0]"] == nil)
    }

    // MARK: Constants

    private static let constants = """
        @id(1) @from(client) message M { @constant(e) E e; uint8 a; @constant("ab") char[4] t; @constant(true) bool b; }
        @closed enum E : int16 { d = 1; e = -2; }
        """

    @Test func `constants are written, verified, and have no key`() throws {
        let translator = PayloadTranslator(try describe(Self.constants))
        #expect(try translator.encode(#"{"a":7}"#) == "fffe076162000001")
        #expect(try translator.decode("fffe076162000001") == #"{"a":7}"#)
        #expect(try translator.decode("fffe07616200ff01") == #"{"a":7}"#)
        #expect(throws: TranslationError.self) { try translator.encode(#"{"a":7,"e":"e"}"#) }
    }

    @Test(arguments: [
        ("0001076162000001", 1, -2, 0, "e"), ("7ffe076162000001", 0x7FFE, -2, 0, "e"),
        ("fffe076161000001", 0x61, 0x62, 4, "t"), ("fffe076162630001", 0x63, 0, 5, "t"),
        ("fffe076162000000", 0, 1, 7, "b"), ("fffe076162000002", 2, 1, 7, "b"),
    ])
    func `another value is refused at its place`(
        payload: String, value: Int, expected: Int, offset: Int, field: String
    ) throws {
        let translator = PayloadTranslator(try describe(Self.constants))
        let reason = CodecError.Reason.wrongConstant(value: Int128(value), expected: Int128(expected))
        let error = CodecError(reason, offset: offset, path: "M." + field)
        #expect(throws: error) { try translator.decode(payload) }
    }

    private static let packedConstants = """
        @id(1) @from(client) message M {
            uint4 a; @constant(e) E e; @constant(true) bit t; @little uint5 b; @constant(-2) @little int11 n; S s;
        }
        @closed enum E : int3 { d = 1; e = -2; }
        struct S { @constant(0) uint7 zero; @constant(true) bit one; }
        """

    @Test func `constants that share bytes are written, verified, and have no key`() throws {
        let translator = PayloadTranslator(try describe(Self.packedConstants))
        #expect(try translator.encode(#"{"a":9,"b":17,"s":{}}"#) == "9dfe8f01")
        #expect(try translator.decode("9dfe8f01") == #"{"a":9,"b":17,"s":{}}"#)
        #expect(throws: TranslationError.self) { try translator.encode(#"{"a":9,"b":17,"s":{},"t":true}"#) }
    }

    @Test(arguments: [
        ("93fe8f01", 1, -2, 0, "e"), ("95fe8f01", 2, -2, 0, "e"), ("9cfe8f01", 0, 1, 0, "t"),
        ("9dfd8f01", -3, -2, 1, "n"), ("9dfe8f03", 1, 0, 3, "s.zero"), ("9dfe8f00", 0, 1, 3, "s.one"),
    ])
    func `another value among bits is refused at the first byte of its run`(
        payload: String, value: Int, expected: Int, offset: Int, field: String
    ) throws {
        let translator = PayloadTranslator(try describe(Self.packedConstants))
        let reason = CodecError.Reason.wrongConstant(value: Int128(value), expected: Int128(expected))
        let error = CodecError(reason, offset: offset, path: "M." + field)
        #expect(throws: error) { try translator.decode(payload) }
    }

    @Test func `annotations show constants among bits, and generated vectors have wrong ones`() throws {
        let translator = PacketTranslator(try describe(Self.packedConstants))
        let packet = try translator.encode(
            line: try JSONValue(parsing: #"{"message":"M","fields":{"a":9,"b":17,"s":{}}}"#))
        let parts = try translator.annotate(packet.span.bytes, preferring: .client).parts.filter { $0.kind == .field }
        #expect(parts.map { "\($0.path): \($0.text)" } == Self.shownParts)
        let vectors = VectorMaker.vectors(of: translator.description, count: 500, seed: 1)
        for field in ["e", "t", "n", "s.zero", "s.one"] {
            #expect(vectors.contains { $0.refusal?.kind == "wrong_constant" && $0.refusal?.field == "M." + field })
        }
    }

    private static let shownParts = ["a: 9", "e: \"e\"", "t: true", "b: 17", "n: -2", "s.zero: 0", "s.one: true"]

    @Test func `generated vectors have wrong constants, and padding of other bytes`() throws {
        let description = try describe(Self.constants.replacing("uint8 a;", with: "uint8 a; padding 2;"))
        let vectors = VectorMaker.vectors(of: description, count: 500, seed: 1)
        for field in ["e", "t", "b"] {
            #expect(vectors.contains { $0.refusal?.kind == "wrong_constant" && $0.refusal?.field == "M." + field })
        }
        #expect(vectors.contains { $0.kind == .decodeOnly && $0.name.contains("padding") })
    }
}
