// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: text that does not have the form of a declaration.
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
            help: declarations are `message`, `struct`, `enum`, `flags`, `union`, `const`, `reserved`, `option`, `packet`
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
            "attributes at the end of the file",
            """
            @name(A)
            """,
            """
            a.wire:1:9: error: expected a declaration such as `message`, `struct` or `enum`, found the end of the file
            @name(A)
                    ^
            """),
        Refusal(
            "a brace that closes a message too early, with its debris",
            """
            message Cs_1 {
                @max(3}) string a;
                uint8 b;
                @max(3) Color[] c;
            }
            message Cs_2 { Unit8 a; }
            """,
            """
            a.wire:2:11: error: expected `)` after the attribute's value, found `}`
                @max(3}) string a;
                      ^
            a.wire:6:16: error: unknown type `Unit8`
            message Cs_2 { Unit8 a; }
                           ^^^^^
            help: did you mean `uint8`?
            """),
        Refusal(
            "a packet that lost its ID, and nothing of the messages that have one",
            """
            packet {
                @length(packet) uint32 length;
                @id uint32;
            }
            @id(70000) @from(client) message A { }
            @id(70001) @from(client) message B { }
            """,
            """
            a.wire:3:15: error: expected the field's name, found `;`
                @id uint32;
                          ^
            help: a field is a type and a name, as in `uint8 SceneId = 1;`
            """),
        Refusal(
            "a packet without its brace",
            """
            packet
            @id(70000) @from(client) message A { Unit8 a; }
            message Cs_1
                uint8 a;
                uint8 b;
            }
            message Cs_2 { Unit8 a; }
            """,
            """
            a.wire:2:1: error: expected `{` after `packet`, found `@`
            @id(70000) @from(client) message A { Unit8 a; }
            ^
            a.wire:2:38: error: unknown type `Unit8`
            @id(70000) @from(client) message A { Unit8 a; }
                                                 ^^^^^
            help: did you mean `uint8`? (also in a.wire:7)
            a.wire:4:5: error: expected `{` after the message's name, found `uint8`
                uint8 a;
                ^^^^^
            """),
        Refusal(
            "what other languages have and this one has not",
            """
            typedef uint8 Level;
            message Cs_1 { uint8 a; }
            service Login { rpc Enter(Cs_1) returns (Sc_1); }
            """,
            """
            a.wire:1:1: error: `typedef` does not start a declaration
            typedef uint8 Level;
            ^^^^^^^
            help: there are no type aliases: use a `struct`
            a.wire:3:1: error: `service` does not start a declaration
            service Login { rpc Enter(Cs_1) returns (Sc_1); }
            ^^^^^^^
            help: a request and its reply are two messages: `Cs_1` and `Sc_1`, or `@reply(Name)`
            """),
        Refusal(
            "heads of declarations that break off",
            """
            struct { uint8 a; }
            struct S sized(uint16 { uint8 a; }
            const 5;
            option = big;
            option byte_order = ;
            reserved ;
            """,
            """
            a.wire:1:8: error: expected the struct's name, found `{`
            struct { uint8 a; }
                   ^
            a.wire:2:23: error: expected `)` after the prefix's type, found `{`
            struct S sized(uint16 { uint8 a; }
                                  ^
            a.wire:3:7: error: expected an integer type, as in `const uint8 seats = 4;`, found `5`
            const 5;
                  ^
            a.wire:4:8: error: expected the option's name, found `=`
            option = big;
                   ^
            a.wire:5:21: error: expected the option's value, found `;`
            option byte_order = ;
                                ^
            a.wire:6:10: error: expected a number, as in `reserved 3, 10 to 19;`, found `;`
            reserved ;
                     ^
            """),
        Refusal(
            "heads of enums, counts and ranges that break off",
            """
            enum : uint8 { a = 1; }
            enum E : { a = 1; }
            enum F : uint8;
            enum G : uint8 { 5 = a; }
            message Cs_1 { uint8[ a; }
            message Cs_2 { @range(1..) uint8 a; }
            """,
            """
            a.wire:1:6: error: expected the name of the enum, found `:`
            enum : uint8 { a = 1; }
                 ^
            a.wire:2:10: error: expected an integer type, found `{`
            enum E : { a = 1; }
                     ^
            a.wire:3:15: error: expected `{` after the type, found `;`
            enum F : uint8;
                          ^
            a.wire:4:18: error: expected a name, as in `ok = 1;`, found `5`
            enum G : uint8 { 5 = a; }
                             ^
            a.wire:5:24: error: expected `]` after the number of items, found `;`
            message Cs_1 { uint8[ a; }
                                   ^
            a.wire:6:26: error: expected the end of the range, found `)`
            message Cs_2 { @range(1..) uint8 a; }
                                     ^
            """),
        Refusal(
            "both braces missing, before a declaration and at the end of the file",
            """
            message Cs_1 uint8 a;
            struct S { uint8 b; }
            message Cs_2 uint8 c;
            """,
            """
            a.wire:1:14: error: expected `{` after the message's name, found `uint8`
            message Cs_1 uint8 a;
                         ^^^^^
            a.wire:3:14: error: expected `{` after the message's name, found `uint8`
            message Cs_2 uint8 c;
                         ^^^^^
            """),
    ]
}
