// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

struct PropertiesTranslationTests {
    static let strict = PayloadTranslator(.init("prop", .properties(isStrict: true)))
    static let lenient = PayloadTranslator(.init("prop", .properties(isStrict: false)))

    @Test(arguments: [
        ("", "{}"), ("b:1\na:2", #"{"b":"1","a":"2"}"#), ("url:http://a:80", #"{"url":"http://a:80"}"#),
        ("k:", #"{"k":""}"#), ("名:值\u{202E}", #"{"名":"值\u202e"}"#),
    ])
    func `properties become an object in the same order`(text: String, object: String) throws {
        let payload = Hexadecimal.text(of: Array(text.utf8))
        #expect(try Self.strict.decode(payload) == #"{"prop":\#(object)}"#)
        #expect(try Self.strict.encode(#"{"prop":\#(object)}"#) == payload)
        #expect(try Self.lenient.encode(#"{"prop":\#(object)}"#) == payload)
    }

    @Test func `a repeated key keeps its last value when lenient, and is refused when strict`() throws {
        let payload = Hexadecimal.text(of: Array("a:1\nb:2\na:3".utf8))
        #expect(try Self.lenient.decode(payload) == #"{"prop":{"a":"3","b":"2"}}"#)
        #expect(throws: CodecError(.duplicateKey("a"), offset: 8, path: "M.prop")) { try Self.strict.decode(payload) }
    }

    @Test func `properties that are not UTF-8 are refused`() {
        #expect(throws: CodecError(.invalidUTF8(.unexpectedByte), offset: 2, path: "M.prop")) {
            try Self.lenient.decode("613aff")
        }
    }

    @Test(arguments: [
        (#"{"":"1"}"#, TranslationError(.invalidProperty(":1"), path: "M.prop")),
        (#"{"a:b":"1"}"#, TranslationError(.invalidProperty("a:b:1"), path: "M.prop")),
        (#"{"a":"1\n2"}"#, TranslationError(.invalidProperty("a:1\n2"), path: "M.prop")),
        (#"{"a\nb":""}"#, TranslationError(.invalidProperty("a\nb:"), path: "M.prop")),
        (#"{"a":1}"#, TranslationError(.wrongKind(expected: .string, found: "a number"), path: "M.prop.a")),
        (
            #"{"\u0000":null}"#,
            TranslationError(.wrongKind(expected: .string, found: "null"), path: #"M.prop."\u0000""#)
        ),
        (#"["a"]"#, TranslationError(.wrongKind(expected: .object, found: "an array"), path: "M.prop")),
    ])
    func `properties that cannot be read back are refused`(json: String, error: TranslationError) {
        #expect(throws: error) { try Self.strict.encode(#"{"prop":\#(json)}"#) }
        #expect(throws: error) { try Self.lenient.encode(#"{"prop":\#(json)}"#) }
    }

    @Test func `properties have at most 65,535 bytes`() throws {
        let most = #"{"prop":{"k":"\#(String(repeating: "a", count: 65_533))"}}"#
        #expect(try Self.strict.decode(Self.strict.encode(most)) == most)
        #expect(throws: TranslationError(.tooLong(count: 65_536, limit: 65_535), path: "M.prop")) {
            try Self.strict.encode(#"{"prop":{"k":"\#(String(repeating: "a", count: 65_534))"}}"#)
        }
    }
}
