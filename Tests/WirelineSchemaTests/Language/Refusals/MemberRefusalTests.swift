// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: members that do not have the form of a field, a case or an attribute.
struct MemberRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "a missing semicolon at the end of a line",
            """
            message Cs_1 {
                uint8 a = 1
                Unit8 b = 2;
            }
            """,
            """
            a.wire:2:16: error: expected `;` after the field
                uint8 a = 1
                           ^
            help: put `;` here
            a.wire:3:5: error: unknown type `Unit8`
                Unit8 b = 2;
                ^^^^^
            help: did you mean `uint8`?
            """),
        Refusal(
            "a missing semicolon at the end of a message",
            """
            message Cs_1 { uint8 a }
            """,
            """
            a.wire:1:23: error: expected `;` after the field
            message Cs_1 { uint8 a }
                                  ^
            help: put `;` here
            """),
        Refusal(
            "a missing semicolon within a line",
            """
            message Cs_1 { uint8 a uint8 b; Unit8 c; }
            """,
            """
            a.wire:1:24: error: expected `;` after the field, found `uint8`
            message Cs_1 { uint8 a uint8 b; Unit8 c; }
                                   ^^^^^
            a.wire:1:33: error: unknown type `Unit8`
            message Cs_1 { uint8 a uint8 b; Unit8 c; }
                                            ^^^^^
            help: did you mean `uint8`?
            """),
        Refusal(
            "a comma for a semicolon",
            """
            enum E : uint8 { a = 0, b = 1, }
            """,
            """
            a.wire:1:23: error: expected `;` after the number, found `,`
            enum E : uint8 { a = 0, b = 1, }
                                  ^
            help: write `;`
            a.wire:1:30: error: expected `;` after the number, found `,`
            enum E : uint8 { a = 0, b = 1, }
                                         ^
            help: write `;`
            """),
        Refusal(
            "a field without a type",
            """
            message Cs_1 { = 1; Unit8 b; }
            """,
            """
            a.wire:1:16: error: expected a field, as in `uint8 SceneId = 1;`, found `=`
            message Cs_1 { = 1; Unit8 b; }
                           ^
            a.wire:1:21: error: unknown type `Unit8`
            message Cs_1 { = 1; Unit8 b; }
                                ^^^^^
            help: did you mean `uint8`?
            """),
        Refusal(
            "a field without a name",
            """
            message Cs_1 { uint8 = 1; Unit8 b; }
            """,
            """
            a.wire:1:22: error: expected the field's name, found `=`
            message Cs_1 { uint8 = 1; Unit8 b; }
                                 ^
            help: a field is a type and a name, as in `uint8 SceneId = 1;`
            a.wire:1:27: error: unknown type `Unit8`
            message Cs_1 { uint8 = 1; Unit8 b; }
                                      ^^^^^
            help: did you mean `uint8`?
            """),
        Refusal(
            "a field number that is a word",
            """
            message Cs_1 { uint8 a = one; Unit8 b; }
            """,
            """
            a.wire:1:26: error: expected the field's number, found `one`
            message Cs_1 { uint8 a = one; Unit8 b; }
                                     ^^^
            a.wire:1:31: error: unknown type `Unit8`
            message Cs_1 { uint8 a = one; Unit8 b; }
                                          ^^^^^
            help: did you mean `uint8`?
            """),
        Refusal(
            "a count after the name",
            """
            message Cs_1 { uint8 a[4]; }
            """,
            """
            a.wire:1:23: error: the number of items stands after the type
            message Cs_1 { uint8 a[4]; }
                                  ^
            help: write `uint8[…] a`
            """),
        Refusal(
            "an attribute after the name",
            """
            message Cs_1 { uint8 a @max(3); }
            """,
            """
            a.wire:1:24: error: attributes stand before the field
            message Cs_1 { uint8 a @max(3); }
                                   ^
            help: move it in front of `uint8`
            """),
        Refusal(
            "an attribute after `optional`",
            """
            message Cs_1 { optional @max(3) string a; }
            """,
            """
            a.wire:1:25: error: attributes stand before the field
            message Cs_1 { optional @max(3) string a; }
                                    ^
            help: move it in front of `optional`
            """),
        Refusal(
            "an attribute without parentheses",
            """
            message Cs_1 { @max 3 string a; Unit8 b; }
            """,
            """
            a.wire:1:21: error: expected `(` after the attribute's name, found `3`
            message Cs_1 { @max 3 string a; Unit8 b; }
                                ^
            help: write `@max(…)`
            a.wire:1:33: error: unknown type `Unit8`
            message Cs_1 { @max 3 string a; Unit8 b; }
                                            ^^^^^
            help: did you mean `uint8`?
            """),
        Refusal(
            "an attribute that is not closed",
            """
            message Cs_1 { @max(3 string a; Unit8 b; }
            """,
            """
            a.wire:1:23: error: expected `)` after the attribute's value, found `string`
            message Cs_1 { @max(3 string a; Unit8 b; }
                                  ^^^^^^
            a.wire:1:33: error: unknown type `Unit8`
            message Cs_1 { @max(3 string a; Unit8 b; }
                                            ^^^^^
            help: did you mean `uint8`?
            """),
        Refusal(
            "an attribute without a name",
            """
            message Cs_1 { @ uint8 a; Unit8 b; }
            """,
            """
            a.wire:1:16: error: this `@` has no name after it
            message Cs_1 { @ uint8 a; Unit8 b; }
                           ^
            help: as in `@max(32)`
            a.wire:1:27: error: unknown type `Unit8`
            message Cs_1 { @ uint8 a; Unit8 b; }
                                      ^^^^^
            help: did you mean `uint8`?
            """),
        Refusal(
            "an attribute with nonsense in it",
            """
            message Cs_1 { @max([3]) string a; Unit8 b; }
            """,
            """
            a.wire:1:21: error: expected a value, found `[`
            message Cs_1 { @max([3]) string a; Unit8 b; }
                                ^
            a.wire:1:36: error: unknown type `Unit8`
            message Cs_1 { @max([3]) string a; Unit8 b; }
                                               ^^^^^
            help: did you mean `uint8`?
            """),
        Refusal(
            "brackets that are not closed",
            """
            message Cs_1 { uint8[4 a; Unit8 b; }
            """,
            """
            a.wire:1:24: error: expected `]` after the number of items, found `a`
            message Cs_1 { uint8[4 a; Unit8 b; }
                                   ^
            a.wire:1:27: error: unknown type `Unit8`
            message Cs_1 { uint8[4 a; Unit8 b; }
                                      ^^^^^
            help: did you mean `uint8`?
            """),
        Refusal(
            "reserved numbers inside a message",
            """
            message Cs_1 { reserved 5; Unit8 b; }
            """,
            """
            a.wire:1:25: error: expected the field's name, found `5`
            message Cs_1 { reserved 5; Unit8 b; }
                                    ^
            help: `reserved` lists message IDs at the top level, or values inside an `enum`
            a.wire:1:28: error: unknown type `Unit8`
            message Cs_1 { reserved 5; Unit8 b; }
                                       ^^^^^
            help: did you mean `uint8`?
            """),
        Refusal(
            "a union",
            """
            message Cs_1 { oneof { uint8 a; uint8 b; } Unit8 c; }
            """,
            """
            a.wire:1:22: error: expected the field's name, found `{`
            message Cs_1 { oneof { uint8 a; uint8 b; } Unit8 c; }
                                 ^
            help: declare a `union` at the top level, as in `union U : uint8 { 1: uint32 mileage; }`
            """),
        Refusal(
            "a case without a number",
            """
            enum E : uint8 { a; b = 1; }
            """,
            """
            a.wire:1:19: error: expected `=` after the name, found `;`
            enum E : uint8 { a; b = 1; }
                              ^
            help: each name has a number, as in `ok = 1;`
            """),
        Refusal(
            "attributes that nothing follows",
            """
            message Cs_1 { @max(3) }
            """,
            """
            a.wire:1:24: error: expected a field, as in `uint8 SceneId = 1;`, found `}`
            message Cs_1 { @max(3) }
                                   ^
            """),
        Refusal(
            "words before a type in the wrong order",
            """
            message Cs_1 { repeated optional uint8 a; optional optional uint8 b; }
            """,
            """
            a.wire:1:40: error: expected `;` after the field, found `a`
            message Cs_1 { repeated optional uint8 a; optional optional uint8 b; }
                                                   ^
            help: before a type stand `optional`, `repeated`, or `optional repeated`, in this order
            a.wire:1:67: error: expected `;` after the field, found `b`
            message Cs_1 { repeated optional uint8 a; optional optional uint8 b; }
                                                                              ^
            help: before a type stand `optional`, `repeated`, or `optional repeated`, in this order
            """),
        Refusal(
            "a misspelt modifier",
            """
            message Cs_1 { optinal uint8 a; repeat uint8 b; required uint8 c; unsigned int d; }
            """,
            """
            a.wire:1:30: error: expected `;` after the field, found `a`
            message Cs_1 { optinal uint8 a; repeat uint8 b; required uint8 c; unsigned int d; }
                                         ^
            help: did you mean `optional` by `optinal`?
            a.wire:1:46: error: expected `;` after the field, found `b`
            message Cs_1 { optinal uint8 a; repeat uint8 b; required uint8 c; unsigned int d; }
                                                         ^
            help: did you mean `repeated` by `repeat`?
            a.wire:1:64: error: expected `;` after the field, found `c`
            message Cs_1 { optinal uint8 a; repeat uint8 b; required uint8 c; unsigned int d; }
                                                                           ^
            help: leave `required` out: fields are, unless they are `optional`
            a.wire:1:80: error: expected `;` after the field, found `d`
            message Cs_1 { optinal uint8 a; repeat uint8 b; required uint8 c; unsigned int d; }
                                                                                           ^
            """),
        Refusal(
            "an attribute that lost its name",
            """
            @id(1) @(client) @from(client) message A { }
            """,
            """
            a.wire:1:8: error: this `@` has no name after it
            @id(1) @(client) @from(client) message A { }
                   ^
            help: as in `@max(32)`
            """),
    ]
}
