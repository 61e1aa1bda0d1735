// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Fields that count others, in JSON: `@count(n)`, `@size(n - 4)`.
struct DerivedTranslationTests {
    private static let schema = """
        struct Item { uint8 kind; string name; }
        struct Many { uint4 n; uint4 kind; @max_bytes(2) varint size; @count(n) Item[] a; @count(n) uint8[] b;
                      @size(size + 1) bytes c; }
        message Cs_1 {
            uint16 n; uint8 kind; uint8 m;
            @size(n - 4) Item item; @if(kind == 1) @count(m) uint8[] list; Many many;
        }
        """

    private func translate(_ json: String) throws -> String {
        let translator = PacketTranslator(try describe(Self.schema))
        let bytes = try translator.encodePayload(message: "Cs_1", fields: JSONValue(parsing: json))
        let span = bytes.span
        let decoded = try translator.decodePayload(span.bytes, asMessage: "Cs_1")
        #expect(try decoded?["fields"]?.description == JSONValue(parsing: json).description)
        return Hexadecimal.text(of: bytes)
    }

    @Test func `a field that counts others is written as what they need`() throws {
        let json = #"""
            {"kind":1,"item":{"kind":2,"name":"ab"},"list":[7,8],
             "many":{"kind":5,"a":[{"kind":3,"name":""}],"b":[9],"c":"AQI="}}
            """#
        #expect(try translate(json) == "000901020200026162" + "0708" + "1501" + "030000" + "09" + "0102")
    }

    @Test func `the count of a field that is not there is 0`() throws {
        let json = #"{"kind":0,"item":{"kind":2,"name":""},"many":{"kind":0,"a":[],"b":[],"c":"AQ=="}}"#
        #expect(try translate(json) == "00070000" + "020000" + "0000" + "01")
    }
}
