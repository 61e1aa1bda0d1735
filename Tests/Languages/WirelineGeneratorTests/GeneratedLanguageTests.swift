// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineGenerator
import WirelineSchema

/// What holds for each generator. What is a language's own is in its file `NAMEGoldenTests.swift`.
struct GeneratedLanguageTests {
    @Test(arguments: BackEnd.all, [[1, 0, 2, 3], [3, 2, 1, 0], [2, 3, 0, 1], [1, 2, 3, 0]])
    func `the order of the files does not change a byte`(of backEnd: BackEnd, _ order: [Int]) throws {
        let several = [
            ("a.wire", "message Cs_1 { Point at; Color color; Mood mood; }\nmessage Sc_1 {}"),
            ("b.wire", "struct Point { int32 x; }\n@name(LeaveHall) message Cs_2 { uint8 UserID; uint8 user_id; }"),
            (
                "c.wire",
                """
                @closed enum Color : uint8 { red = 0; blue = 2; }
                enum Mood : uint8 { calm = 0; reserved 7; }
                flags Bits : uint8 { all = 1; count = 2; }
                const uint8 seats = 4;
                reserved 20, 30 to 39;
                """
            ),
            ("d.wire", "// nothing but a comment"),
        ]
        func files(_ schemas: [(String, String)]) throws -> [GeneratedFile] {
            try backEnd.files(.checked(schemas), fileNames: schemas.map(\.0))
        }
        #expect(try files(order.map { several[$0] }) == files(several))
    }
}

extension BackEnd: CustomTestStringConvertible {
    public var testDescription: String { name }
}
