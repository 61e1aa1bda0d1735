// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: what does not have the shape of a declaration.
struct SyntaxRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "a word that starts nothing",
            """
            import "scene.wire";
            message Cs_1 { Unit8 a; }
            """,
            """
            a.wire:1:1: error: `import` does not start a declaration
            import "scene.wire";
            ^^^^^^
            help: leave it out: all `.wire` files of a folder are one protocol
            a.wire:2:16: error: unknown type `Unit8`
            message Cs_1 { Unit8 a; }
                           ^^^^^
            help: did you mean `uint8`?
            """),
        Refusal(
            "a misspelt keyword, once",
            """
            mesage Cs_1 { Unit8 a; }
            """,
            """
            a.wire:1:1: error: `mesage` does not start a declaration
            mesage Cs_1 { Unit8 a; }
            ^^^^^^
            help: did you mean `message`?
            a.wire:1:15: error: unknown type `Unit8`
            mesage Cs_1 { Unit8 a; }
                          ^^^^^
            help: did you mean `uint8`?
            """),
        Refusal(
            "a keyword that nothing resembles",
            """
            foo bar;
            """,
            """
            a.wire:1:1: error: `foo` does not start a declaration
            foo bar;
            ^^^
            help: declarations are `message`, `struct`, `enum`, `flags`, `const`, `reserved`, `option`, `packet`
            """),
        Refusal(
            "a brace too many",
            """
            message Cs_1 { }
            }
            """,
            """
            a.wire:2:1: error: expected a declaration such as `message`, `struct` or `enum`, found `}`
            }
            ^
            help: remove it: nothing is open here
            """),
        Refusal(
            "a message without a name",
            """
            message { uint8 a; }
            message Cs_1 { Unit8 a; }
            """,
            """
            a.wire:1:9: error: expected the message's name, found `{`
            message { uint8 a; }
                    ^
            a.wire:2:16: error: unknown type `Unit8`
            message Cs_1 { Unit8 a; }
                           ^^^^^
            help: did you mean `uint8`?
            """),
        Refusal(
            "a message without its brace",
            """
            message Cs_1 uint8 a; }
            message Cs_2 { Unit8 a; }
            """,
            """
            a.wire:1:14: error: expected `{` after the message's name, found `uint8`
            message Cs_1 uint8 a; }
                         ^^^^^
            a.wire:2:16: error: unknown type `Unit8`
            message Cs_2 { Unit8 a; }
                           ^^^^^
            help: did you mean `uint8`?
            """),
        Refusal(
            "a message with something before its brace",
            """
            message Cs-1 { uint8 a; }
            """,
            """
            a.wire:1:11: error: expected `{` after the message's name, found `-`
            message Cs-1 { uint8 a; }
                      ^
            """),
        Refusal(
            "a brace that is not closed before the next message",
            """
            message Cs_1 {
                uint8 a;
            message Cs_2 {
                Unit8 a;
            }
            """,
            """
            a.wire:1:14: error: this `{` is not closed
            message Cs_1 {
                         ^
            help: put `}` where `Cs_1` ends
            a.wire:4:5: error: unknown type `Unit8`
                Unit8 a;
                ^^^^^
            help: did you mean `uint8`?
            """),
        Refusal(
            "a brace that is not closed before the end",
            """
            message Cs_1 {
                uint8 a;
            """,
            """
            a.wire:1:14: error: this `{` is not closed
            message Cs_1 {
                         ^
            help: put `}` where `Cs_1` ends
            """),
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
            "a count behind the name",
            """
            message Cs_1 { uint8 a[4]; }
            """,
            """
            a.wire:1:23: error: the number of items stands behind the type
            message Cs_1 { uint8 a[4]; }
                                  ^
            help: write `uint8[…] a`
            """),
        Refusal(
            "an attribute behind the name",
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
            "an attribute behind `optional`",
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
            a.wire:1:16: error: this `@` has no name behind it
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
            "reserved numbers with dots",
            """
            reserved 3..5;
            message Cs_1 { Unit8 b; }
            """,
            """
            a.wire:1:11: error: expected `to` between the first and the last number, found `..`
            reserved 3..5;
                      ^^
            help: as in `10 to 19`
            a.wire:2:16: error: unknown type `Unit8`
            message Cs_1 { Unit8 b; }
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
            help: there are no unions: use one message for each case
            """),
        Refusal(
            "`sized` without parentheses",
            """
            struct S sized uint16 { uint8 a; }
            message Cs_1 { S s; }
            """,
            """
            a.wire:1:16: error: expected `(` after `sized`, found `uint16`
            struct S sized uint16 { uint8 a; }
                           ^^^^^^
            help: as in `sized(uint16)`
            """),
        Refusal(
            "an enum without a type",
            """
            enum E { a = 1; }
            message Cs_1 { E e; }
            """,
            """
            a.wire:1:8: error: expected `:` after the name, found `{`
            enum E { a = 1; }
                   ^
            help: say how it stands on the wire, as in `enum E : uint8 { … }`
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
            "an option without a value",
            """
            option max_depth;
            """,
            """
            a.wire:1:17: error: expected `=` after the option's name, found `;`
            option max_depth;
                            ^
            """),
        Refusal(
            "a constant without a value",
            """
            const uint8 seats;
            """,
            """
            a.wire:1:18: error: expected `=` after the constant's name, found `;`
            const uint8 seats;
                             ^
            """),
        Refusal(
            "attributes that nothing follows",
            """
            message Cs_1 { @max(3) }
            @name(A)
            """,
            """
            a.wire:1:24: error: expected a field, as in `uint8 SceneId = 1;`, found `}`
            message Cs_1 { @max(3) }
                                   ^
            a.wire:2:9: error: expected a declaration such as `message`, `struct` or `enum`, found the end of the file
            @name(A)
                    ^
            """),
    ]
}
