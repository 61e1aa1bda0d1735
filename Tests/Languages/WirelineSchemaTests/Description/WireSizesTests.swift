// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSchema

struct WireSizesTests {
    private static let others = """
        enum E : uint16 { a = 0; } flags F : uint32 { a = 1; } struct Empty { }
        struct Fixed { uint24 a; double b; } struct Open { uint8 a; string b; Fixed[] c; }
        struct Sized sized(uint16) { uint8 a; optional uint32 b; @since(2) uint8 c; }
        struct Tree { uint8 a; Tree[] b; }
        """

    private func size(of type: String) throws -> WireSize {
        let description = try describe("\(Self.others) message Cs_1 { \(type) a; }", warns: true)
        return WireSizes(description).size(of: description.messages[0].fields[0].type)
    }

    @Test(arguments: [
        ("bool", 1), ("uint8", 1), ("int24", 3), ("uint64", 8), ("float16", 2), ("float", 4), ("double", 8), ("E", 2),
        ("F", 4),
        ("Empty", 0), ("Fixed", 11), ("Fixed[3]", 33), ("float[65535]", 262_140),
    ])
    func `types of fixed width have one size`(type: String, byteCount: Int) throws {
        #expect(try size(of: type) == WireSize(fixed: byteCount))
    }

    @Test(arguments: [
        ("varint", 1), ("string", 2), ("@count(uint32) bytes", 4), ("@count(varint) string", 1),
        ("@terminated string", 1), ("@until(0) string[]", 1), ("@rest bytes", 0), ("properties", 0), ("Fixed[]", 2),
        ("Open", 5),
        ("Open[4]", 20), ("Sized", 3), ("Tree", 3),
    ])
    func `other types have at least so many bytes`(type: String, byteCount: Int) throws {
        #expect(try size(of: type) == WireSize(atLeast: byteCount))
    }

    @Test func `sizes stop at the largest number`() throws {
        let chain = (0..<4).map { "struct S\($0) { S\($0 + 1)[65535] a; }\n" }.joined()
        let description = try describe(chain + "struct S4 { uint8 a; }")
        #expect(WireSizes(description).size(of: .structure(0)) == WireSize(fixed: .max))
    }
}
