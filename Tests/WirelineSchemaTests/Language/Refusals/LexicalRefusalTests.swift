// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: bytes that are not text, and text that is not a word of the language.
struct LexicalRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "full-width punctuation",
            """
            message Cs_1｛
                uint8 a ＝ 1；  // 全角
            ｝
            """,
            """
            a.wire:1:13: error: full-width `｛` (U+FF5B) where `{` is expected
            message Cs_1｛
                        ^^
            help: write `{`
            a.wire:2:13: error: full-width `＝` (U+FF1D) where `=` is expected
                uint8 a ＝ 1；  // 全角
                        ^^
            help: write `=`
            a.wire:2:18: error: full-width `；` (U+FF1B) where `;` is expected
                uint8 a ＝ 1；  // 全角
                            ^^
            help: write `;`
            a.wire:3:1: error: full-width `｝` (U+FF5D) where `}` is expected
            ｝
            ^^
            help: write `}`
            """),
        Refusal(
            "full-width digits",
            """
            message Cs_1 { uint8 a = １２; }
            """,
            """
            a.wire:1:26: error: full-width digits where a number is expected
            message Cs_1 { uint8 a = １２; }
                                     ^^^^
            help: write ASCII digits: `0` to `9`
            """),
        Refusal(
            "a comma of the wrong width and kind",
            """
            message Cs_1 { uint8 等级， uint8 b; }
            """,
            """
            a.wire:1:22: error: `等级` is not a name: names are ASCII letters, digits and `_`
            message Cs_1 { uint8 等级， uint8 b; }
                                 ^^^^
            help: use an ASCII name, and say `等级` in a comment after it
            a.wire:1:28: error: full-width `，` (U+FF0C) where `,` is expected
            message Cs_1 { uint8 等级， uint8 b; }
                                     ^^
            help: write `,`
            """),
        Refusal(
            "a Chinese name",
            """
            message Cs_1 {
                uint8 场景 = 1;  // 进入场景
            }
            """,
            """
            a.wire:2:11: error: `场景` is not a name: names are ASCII letters, digits and `_`
                uint8 场景 = 1;  // 进入场景
                      ^^^^
            help: use an ASCII name, and say `场景` in a comment after it
            """),
        Refusal(
            "a name with one letter beyond ASCII",
            """
            message Cs_1 { uint8 café; }
            """,
            """
            a.wire:1:22: error: `café` is not a name: names are ASCII letters, digits and `_`
            message Cs_1 { uint8 café; }
                                 ^^^^
            help: use an ASCII name, and say `café` in a comment after it
            """),
        Refusal(
            "curly quotes",
            """
            message Cs_1 { @deprecated(“旧的”) uint8 a; }
            """,
            """
            a.wire:1:28: error: `“` does not start a string
            message Cs_1 { @deprecated(“旧的”) uint8 a; }
                                       ^
            help: write straight double quotes: `"…"`
            """),
        Refusal(
            "single quotes",
            """
            message Cs_1 { @deprecated('old') uint8 a; }
            """,
            """
            a.wire:1:28: error: `'` does not start a string
            message Cs_1 { @deprecated('old') uint8 a; }
                                       ^
            help: write straight double quotes: `"…"`; a number can be one character: `'Q'`
            """),
        Refusal(
            "characters that are no numbers",
            """
            const uint8 a = '';
            const uint8 b = 'ab';
            const uint8 c = 'é';
            """,
            """
            a.wire:1:17: error: a character is missing between the quotes
            const uint8 a = '';
                            ^^
            help: as in `'Q'`, which is 0x51
            a.wire:2:17: error: `'` does not start a string
            const uint8 b = 'ab';
                            ^
            help: write straight double quotes: `"…"`; a number can be one character: `'Q'`
            a.wire:3:17: error: `'é'` is not a printable ASCII character
            const uint8 c = 'é';
                            ^^^
            help: write its number, such as `0x51`
            """),
        Refusal(
            "a string that is not closed",
            """
            message Cs_1 {
                @deprecated("old) uint8 a;
                Foo b;
            }
            """,
            """
            a.wire:2:17: error: this string is not closed on its line
                @deprecated("old) uint8 a;
                            ^^^^
            help: put `"` where the string ends
            a.wire:3:5: error: unknown type `Foo`
                Foo b;
                ^^^
            help: declare it: `struct Foo { … }`
            """),
        Refusal(
            "an unknown escape",
            #"""
            message Cs_1 { @deprecated("a\qb") uint8 a; }
            """#,
            #"""
            a.wire:1:30: error: unknown escape `\q`
            message Cs_1 { @deprecated("a\qb") uint8 a; }
                                         ^^
            help: the escapes are `\"`, `\\`, `\n` and `\t`
            """#),
        Refusal(
            "a comment that is not closed",
            """
            message Cs_1 {
                uint8 a; /* first
            }

            """,
            """
            a.wire:2:14: error: this comment is not closed
                uint8 a; /* first
                         ^^
            help: put `*/` where the comment ends
            """),
        Refusal(
            "a comment that starts as a shell does",
            """
            message Cs_1 {
                uint8 a; # first
            }
            """,
            """
            a.wire:2:14: error: expected a field, as in `uint8 SceneId = 1;`, found `#`
                uint8 a; # first
                         ^
            help: comments start with `//`
            """),
        Refusal(
            "a full-width space",
            """
            message Cs_1 { uint8　a; }
            """,
            """
            a.wire:1:21: error: full-width space (U+3000)
            message Cs_1 { uint8　a; }
                                ^^
            help: write an ordinary space
            """),
        Refusal(
            "a space of no width",
            """
            message Cs_1 { uint8\u{200B} a; }
            """,
            """
            a.wire:1:21: error: invisible character (U+200B) outside of a comment
            message Cs_1 { uint8\u{FFFD} a; }
                                ^
            help: remove it, or write an ordinary space
            """),
        Refusal(
            "a space that does not break",
            """
            message Cs_1 { uint8\u{A0}a; }
            """,
            """
            a.wire:1:21: error: invisible character (U+00A0) outside of a comment
            message Cs_1 { uint8\u{A0}a; }
                                ^
            help: remove it, or write an ordinary space
            """),
        Refusal(
            "a NUL",
            """
            message Cs_1 { uint8 a;\u{0}\u{0} }
            """,
            """
            a.wire:1:24: error: NUL byte in the text
            message Cs_1 { uint8 a;␀␀ }
                                   ^^
            help: remove it
            """),
        Refusal(
            "an escape character",
            """
            message Cs_1 { uint8 a;\u{1B} }
            """,
            """
            a.wire:1:24: error: control character (0x1b) in the text
            message Cs_1 { uint8 a;␛ }
                                   ^
            help: remove it
            """),
        Refusal(
            "a byte order mark inside the file",
            """
            message Cs_1 { }
            \u{FEFF}message Sc_1 { }
            """,
            """
            a.wire:2:1: error: a byte order mark (U+FEFF) inside the file
            �message Sc_1 { }
            ^
            help: remove it; files joined with `cat` have one in the middle
            """),
        Refusal(
            "a number that is too large",
            """
            const uint64 a = 18446744073709551616;
            """,
            """
            a.wire:1:18: error: `18446744073709551616` is too large
            const uint64 a = 18446744073709551616;
                             ^^^^^^^^^^^^^^^^^^^^
            help: numbers go to 18446744073709551615, which is 0xFFFFFFFFFFFFFFFF
            """),
        Refusal(
            "a number with a leading zero",
            """
            const uint8 a = 007;
            """,
            """
            a.wire:1:17: error: `007` starts with a zero
            const uint8 a = 007;
                            ^^^
            help: numbers are decimal: leave leading zeros out
            """),
        Refusal(
            "a hexadecimal number without digits",
            """
            const uint8 a = 0x;
            """,
            """
            a.wire:1:17: error: `0x` is not a hexadecimal number
            const uint8 a = 0x;
                            ^^
            help: digits `0` to `9` and `a` to `f` follow `0x`
            """),
        Refusal(
            "a number that goes on as a word",
            """
            const uint8 a = 12ab;
            """,
            """
            a.wire:1:17: error: `12ab` is not a number
            const uint8 a = 12ab;
                            ^^^^
            help: numbers are decimal, such as `20001`, or `0x` hexadecimal
            """),
        Refusal(
            "a float beyond all floats",
            """
            message Cs_1 { @range(0..1e999) double a; }
            """,
            """
            a.wire:1:26: error: `1e999` is too large
            message Cs_1 { @range(0..1e999) double a; }
                                     ^^^^^
            help: a float goes to 1.8e308
            """),
        Refusal(
            "a name of 129 bytes",
            """
            message Cs_1 { uint8 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; }
            """,
            """
            a.wire:1:22: error: this name has 129 bytes, and a name has at most 128
            message Cs_1 { uint8 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; }
                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            help: Erlang atoms, which it becomes a part of, are limited to 255 characters
            """),
        Refusal(
            "a mark of other languages",
            """
            message Cs_1 { map<string, uint8> a; }
            """,
            """
            a.wire:1:19: error: expected the field's name, found `<`
            message Cs_1 { map<string, uint8> a; }
                              ^
            help: there are no maps: use a list of a struct with a key and a value
            """),
    ]
}
