// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

struct PropertiesTests {
    static let good: [(String, Properties, String)] = [
        ("", [:], ""),
        ("uid:7", ["uid": "7"], "uid:7"),
        ("uid:7\nts:1", ["uid": "7", "ts": "1"], "uid:7\nts:1"),
        ("uid:7\nts:1\n", ["uid": "7", "ts": "1"], "uid:7\nts:1"),
        ("url:http://a:80", ["url": "http://a:80"], "url:http://a:80"),
        ("b:1\na:2", ["b": "1", "a": "2"], "b:1\na:2"),
        ("empty:", ["empty": ""], "empty:"),
        ("名:值", ["名": "值"], "名:值"),
        ("a::", ["a": ":"], "a::"),
        (" a : b ", [" a ": " b "], " a : b "),
        ("a:b\r\nc:d", ["a": "b\r", "c": "d"], "a:b\r\nc:d"),
    ]

    @Test(arguments: good)
    func `properties keep the order of their keys and the colons in their values`(
        text: String, properties: Properties, written: String
    ) throws {
        #expect(try read(text, isStrict: true) == properties)
        #expect(try read(text, isStrict: false) == properties)
        let byteCount = try properties.byteCount()
        #expect([UInt8](byteCount: byteCount, writing: properties.write) == Array(written.utf8))
    }

    static let refusedWhenStrict: [(String, CodecError, Properties)] = [
        ("a:1\na:2", CodecError(.duplicateKey("a"), offset: 4), ["a": "2"]),
        ("a:1\nb:2\na:3", CodecError(.duplicateKey("a"), offset: 8), ["a": "3", "b": "2"]),
        ("a", CodecError(.invalidProperty("a"), offset: 0), ["a": ""]),
        ("a:1\n\nb:2", CodecError(.invalidProperty(""), offset: 4), ["a": "1", "b": "2"]),
        (":1", CodecError(.invalidProperty(":1"), offset: 0), [:]),
        ("\n", CodecError(.invalidProperty(""), offset: 0), [:]),
    ]

    @Test(arguments: refusedWhenStrict)
    func `strict reading refuses what lenient reading accepts`(
        text: String, error: CodecError, lenient: Properties
    ) throws {
        #expect(throws: error) { try read(text, isStrict: true) }
        #expect(try read(text, isStrict: false) == lenient)
    }

    @Test(arguments: [true, false])
    func `properties that are not UTF-8 are refused, and not read as empty`(isStrict: Bool) {
        let bytes: [UInt8] = Array("a:1\nb:".utf8) + [0xFF]
        #expect(throws: CodecError(.invalidUTF8(.unexpectedByte), offset: 6)) {
            try Properties(bytes.span.bytes, isStrict: isStrict)
        }
    }

    @Test(
        arguments: [
            ["a:b": "1"], ["a\nb": "1"], ["": "1"], ["a": "1\n2"], ["a": "1\nb:2"],
        ] as [Properties])
    func `properties that could not be read back are not written`(properties: Properties) throws {
        let entry = try #require(properties.entries.first)
        #expect(throws: CodecError(.invalidProperty(entry.key + ":" + entry.value))) { try properties.byteCount() }
    }

    @Test(arguments: [(65_533, true), (65_534, false)])
    func `properties have at most 65,535 bytes`(valueByteCount: Int, fits: Bool) throws {
        let value = String(repeating: "x", count: valueByteCount)
        let properties: Properties = ["k": value]
        let text = "k:" + value
        if fits {
            #expect(try properties.byteCount() == 65_535)
            #expect(try read(text, isStrict: true) == properties)
        } else {
            let error = CodecError(.tooLong(count: 65_536, limit: 65_535))
            #expect(throws: error) { try properties.byteCount() }
            #expect(throws: CodecError(error.reason, offset: 0)) { try read(text, isStrict: false) }
        }
    }

    @Test func `two spellings of one character are two different keys`() throws {
        let properties = try read("\u{E9}:1\ne\u{301}:2", isStrict: true)
        #expect(properties.entries.count == 2)
        #expect(properties["\u{E9}"] == "1")
        #expect(properties["e\u{301}"] == "2")
    }

    @Test func `setting and removing a key keeps the order of the other keys`() {
        var properties: Properties = ["a": "1", "b": "2", "c": "3"]
        properties["b"] = nil
        properties["a"] = "4"
        properties["d"] = "5"
        #expect(properties.entries.map(\.key) == ["a", "c", "d"])
        #expect(properties["a"] == "4")
        #expect(properties["b"] == nil)
    }

    private func read(_ text: String, isStrict: Bool) throws -> Properties {
        let bytes = Array(text.utf8)
        return try Properties(bytes.span.bytes, isStrict: isStrict)
    }
}
