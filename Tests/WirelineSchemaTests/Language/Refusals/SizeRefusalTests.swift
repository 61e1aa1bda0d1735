// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: sizes and nesting.
struct SizeRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "a struct in itself",
            """
            struct S { uint8 a; S[2] self; }
            """,
            """
            a.wire:1:21: error: `S` contains itself, by way of `S.self`
            struct S { uint8 a; S[2] self; }
                                ^^^^
            help: let one of these fields be a list: `repeated S`
            """),
        Refusal(
            "a cycle of structs",
            """
            struct A { B b; }
            struct B { C c; }
            struct C { A a; }
            message Cs_1 { A a; }
            """,
            """
            a.wire:3:12: error: `A` contains itself, by way of `A.b`, `B.c`, `C.a`
            struct C { A a; }
                       ^
            help: let one of these fields be a list: `repeated A`
            """),
        Refusal(
            "an optional struct in itself",
            """
            struct S sized(uint16) { uint8 a; optional S self; }
            """,
            """
            a.wire:1:44: error: `S` contains itself, by way of `S.self`
            struct S sized(uint16) { uint8 a; optional S self; }
                                                       ^
            help: let one of these fields be a list: `repeated S`
            """),
        Refusal(
            "items without bytes",
            """
            struct Empty { }
            struct Outer { Empty a; Empty b; }
            message Cs_1 { Empty[] a; Outer[4] b; @rest repeated Outer c; }
            """,
            """
            a.wire:3:16: error: the items of `a` take no bytes
            message Cs_1 { Empty[] a; Outer[4] b; @rest repeated Outer c; }
                           ^^^^^^^
            help: give their struct a field that is always there
            a.wire:3:27: error: the items of `b` take no bytes
            message Cs_1 { Empty[] a; Outer[4] b; @rest repeated Outer c; }
                                      ^^^^^^^^
            help: give their struct a field that is always there
            a.wire:3:54: error: the items of `c` take no bytes
            message Cs_1 { Empty[] a; Outer[4] b; @rest repeated Outer c; }
                                                                 ^^^^^
            help: give their struct a field that is always there
            """),
        Refusal(
            "a message larger than a packet",
            """
            struct Row { uint32[60000] cells; }
            message Cs_1 { Row[60000] rows; }
            option max_packet = 1000;
            message Cs_2 { uint8[995] a; }
            """,
            """
            a.wire:2:9: error: a packet of `Cs_1` takes at least 14400000006 bytes, 1000 are allowed
            message Cs_1 { Row[60000] rows; }
                    ^^^^
            help: make its fixed lists shorter, or set `option max_packet`
            a.wire:4:9: error: a packet of `Cs_2` takes at least 1001 bytes, 1000 are allowed
            message Cs_2 { uint8[995] a; }
                    ^^^^
            help: make its fixed lists shorter, or set `option max_packet`
            """),
        Refusal(
            "a message of more bytes than there are",
            """
            struct A { uint8[65535] a; }
            struct B { A[65535] a; }
            struct C { B[65535] a; }
            struct D { C[65535] a; }
            message Cs_1 { D[65535] d; }
            """,
            """
            a.wire:5:9: error: a packet of `Cs_1` takes more bytes than can be counted, 1048576 are allowed
            message Cs_1 { D[65535] d; }
                    ^^^^
            help: make its fixed lists shorter, or set `option max_packet`
            """),
        Refusal(
            "a message larger than its length can say",
            """
            packet { @length(payload) uint8 length; @id uint8 id; }
            message Cs_1 { uint8[256] a; }
            """,
            """
            a.wire:2:9: error: a packet of `Cs_1` takes at least 258 bytes, 257 are allowed
            message Cs_1 { uint8[256] a; }
                    ^^^^
            help: make its fixed lists shorter, or set `option max_packet`
            """),
        Refusal(
            "structs deeper than `max_depth`",
            """
            option max_depth = 2;
            struct A { uint8 a; }
            struct B { A a; }
            struct C { B b; }
            message Cs_1 { B b; }
            message Cs_2 { C c; }
            """,
            """
            a.wire:6:9: error: in `Cs_2` structs nest 3 deep, 2 are allowed
            message Cs_2 { C c; }
                    ^^^^
            help: set `option max_depth`
            """),
        Refusal(
            "many values of no bytes",
            """
            struct E { }
            struct S0 { E f0; E f1; E f2; E f3; E f4; E f5; E f6; E f7; }
            struct S1 { S0 f0; S0 f1; S0 f2; S0 f3; S0 f4; S0 f5; S0 f6; S0 f7; }
            struct S2 { S1 f0; S1 f1; S1 f2; S1 f3; S1 f4; S1 f5; S1 f6; S1 f7; }
            struct S3 { S2 f0; S2 f1; S2 f2; S2 f3; S2 f4; S2 f5; S2 f6; S2 f7; }
            struct S4 { S3 f0; S3 f1; S3 f2; S3 f3; S3 f4; S3 f5; S3 f6; S3 f7; }
            struct S5 { S4 f0; S4 f1; S4 f2; S4 f3; S4 f4; S4 f5; S4 f6; S4 f7; }
            struct S6 { S5 f0; S5 f1; S5 f2; S5 f3; S5 f4; S5 f5; S5 f6; S5 f7; }
            struct S7 { S6 f0; S6 f1; S6 f2; S6 f3; S6 f4; S6 f5; S6 f6; S6 f7; }
            struct S8 { S7 f0; S7 f1; S7 f2; S7 f3; S7 f4; S7 f5; S7 f6; S7 f7; }
            message Cs_1 { S8 s; }
            """,
            """
            a.wire:11:9: error: a packet of `Cs_1` with few bytes can take 2454267040 bytes of memory, 16777216 are allowed
            message Cs_1 { S8 s; }
                    ^^^^
            help: shorten its fixed lists, or put `@max` before its other lists
            """),
    ]
}
