// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSchema

/// Refused: `@tag`, and the fields that it names.
struct TagRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "names of no earlier field",
            """
            union U : uint8 { 1: uint8 a; 2: nothing; }
            message Cs_1 { uint8 kind; @tag(kint) U a; @tag(later) U b; @tag(c) U c; uint8 later; }
            message Cs_2 { @tag(kind) U u; }
            struct S { uint8 x; @tag(y) U u; }
            """,
            """
            a.wire:2:33: error: no field before `a` is called `kint`
            message Cs_1 { uint8 kind; @tag(kint) U a; @tag(later) U b; @tag(c) U c; uint8 later; }
                                            ^^^^
            help: did you mean `kind`?
            a.wire:2:49: error: no field before `b` is called `later`
            message Cs_1 { uint8 kind; @tag(kint) U a; @tag(later) U b; @tag(c) U c; uint8 later; }
                                                            ^^^^^
            help: move it up: a tag stands before its union
            a.wire:2:66: error: no field before `c` is called `c`
            message Cs_1 { uint8 kind; @tag(kint) U a; @tag(later) U b; @tag(c) U c; uint8 later; }
                                                                             ^
            help: name an earlier field of the same message or struct, with the type of the union's tag
            a.wire:3:21: error: no field before `u` is called `kind`
            message Cs_2 { @tag(kind) U u; }
                                ^^^^
            help: name an earlier field of the same message or struct, with the type of the union's tag
            a.wire:4:26: error: no field before `u` is called `y`
            struct S { uint8 x; @tag(y) U u; }
                                     ^
            help: name an earlier field of the same message or struct, with the type of the union's tag
            """),
        Refusal(
            "attributes without a name",
            """
            union U : uint8 { 1: uint8 a; 2: nothing; }
            message Cs_1 { uint8 kind; @tag U a; @tag() U b; @tag(1) U c; @tag(kind, kind) U d; }
            """,
            """
            a.wire:2:28: error: `@tag` takes a name
            message Cs_1 { uint8 kind; @tag U a; @tag() U b; @tag(1) U c; @tag(kind, kind) U d; }
                                       ^^^^
            help: write `@tag(kind)`
            a.wire:2:38: error: `@tag` takes a name
            message Cs_1 { uint8 kind; @tag U a; @tag() U b; @tag(1) U c; @tag(kind, kind) U d; }
                                                 ^^^^^^
            help: write `@tag(kind)`
            a.wire:2:50: error: `@tag` takes a name
            message Cs_1 { uint8 kind; @tag U a; @tag() U b; @tag(1) U c; @tag(kind, kind) U d; }
                                                             ^^^^^^^
            help: write `@tag(kind)`
            a.wire:2:63: error: `@tag` takes a name
            message Cs_1 { uint8 kind; @tag U a; @tag() U b; @tag(1) U c; @tag(kind, kind) U d; }
                                                                          ^^^^^^^^^^^^^^^^
            help: write `@tag(kind)`
            """),
        Refusal(
            "what is no union",
            """
            union U : uint8 { 1: uint8 a; 2: nothing; }
            struct S { uint8 x; }
            message Cs_1 { uint8 kind; @tag(kind) uint8 a; @tag(kind) S b; @tag(kind) U[] c; @tag(kind) U[2] d; @tag(kind) bytes e; }
            """,
            """
            a.wire:3:28: error: `@tag` does not go with `uint8`
            message Cs_1 { uint8 kind; @tag(kind) uint8 a; @tag(kind) S b; @tag(kind) U[] c; @tag(kind) U[2] d; @tag(kind) bytes e; }
                                       ^^^^^^^^^^
            help: it goes with a union
            a.wire:3:48: error: `@tag` does not go with `S`
            message Cs_1 { uint8 kind; @tag(kind) uint8 a; @tag(kind) S b; @tag(kind) U[] c; @tag(kind) U[2] d; @tag(kind) bytes e; }
                                                           ^^^^^^^^^^
            help: it goes with a union
            a.wire:3:64: error: `@tag` does not go with `U[]`
            message Cs_1 { uint8 kind; @tag(kind) uint8 a; @tag(kind) S b; @tag(kind) U[] c; @tag(kind) U[2] d; @tag(kind) bytes e; }
                                                                           ^^^^^^^^^^
            help: each item of a list has its own tag: leave `@tag` out
            a.wire:3:82: error: `@tag` does not go with `U[2]`
            message Cs_1 { uint8 kind; @tag(kind) uint8 a; @tag(kind) S b; @tag(kind) U[] c; @tag(kind) U[2] d; @tag(kind) bytes e; }
                                                                                             ^^^^^^^^^^
            help: each item of a list has its own tag: leave `@tag` out
            a.wire:3:101: error: `@tag` does not go with `bytes`
            message Cs_1 { uint8 kind; @tag(kind) uint8 a; @tag(kind) S b; @tag(kind) U[] c; @tag(kind) U[2] d; @tag(kind) bytes e; }
                                                                                                                ^^^^^^^^^^
            help: it goes with a union
            """),
        Refusal(
            "fields of another type",
            """
            enum E : uint8 { one = 1; } enum F : uint8 { one = 1; }
            union U : uint8 { 1: uint8 a; } union V : E { one: uint8 a; } union W : varint { 1: uint8 a; }
            message Cs_1 { uint16 a; @tag(a) U b; int8 c; @tag(c) U d; E e; @tag(e) U f; }
            message Cs_2 { uint8 a; @tag(a) V b; F c; @tag(c) V d; uint8[] e; @tag(e) U f; U g; @tag(g) U h; }
            message Cs_3 { varint32 a; @tag(a) W b; uint8 c; @tag(c) W d; }
            """,
            """
            a.wire:3:31: error: `a` is `uint16`, but the tag of `U` is `uint8`
            message Cs_1 { uint16 a; @tag(a) U b; int8 c; @tag(c) U d; E e; @tag(e) U f; }
                                          ^
            help: give it the type of the tag
            a.wire:3:52: error: `c` is `int8`, but the tag of `U` is `uint8`
            message Cs_1 { uint16 a; @tag(a) U b; int8 c; @tag(c) U d; E e; @tag(e) U f; }
                                                               ^
            help: give it the type of the tag
            a.wire:3:70: error: `e` is `E`, but the tag of `U` is `uint8`
            message Cs_1 { uint16 a; @tag(a) U b; int8 c; @tag(c) U d; E e; @tag(e) U f; }
                                                                                 ^
            help: give it the type of the tag
            a.wire:4:30: error: `a` is `uint8`, but the tag of `V` is `E`
            message Cs_2 { uint8 a; @tag(a) V b; F c; @tag(c) V d; uint8[] e; @tag(e) U f; U g; @tag(g) U h; }
                                         ^
            help: give it the type of the tag
            a.wire:4:48: error: `c` is `F`, but the tag of `V` is `E`
            message Cs_2 { uint8 a; @tag(a) V b; F c; @tag(c) V d; uint8[] e; @tag(e) U f; U g; @tag(g) U h; }
                                                           ^
            help: give it the type of the tag
            a.wire:4:72: error: `e` is `uint8[]`, but the tag of `U` is `uint8`
            message Cs_2 { uint8 a; @tag(a) V b; F c; @tag(c) V d; uint8[] e; @tag(e) U f; U g; @tag(g) U h; }
                                                                                   ^
            help: give it the type of the tag
            a.wire:4:90: error: `g` is `U`, but the tag of `U` is `uint8`
            message Cs_2 { uint8 a; @tag(a) V b; F c; @tag(c) V d; uint8[] e; @tag(e) U f; U g; @tag(g) U h; }
                                                                                                     ^
            help: give it the type of the tag
            a.wire:5:33: error: `a` is `varint32`, but the tag of `W` is `varint`
            message Cs_3 { varint32 a; @tag(a) W b; uint8 c; @tag(c) W d; }
                                            ^
            help: give it the type of the tag
            a.wire:5:55: error: `c` is `uint8`, but the tag of `W` is `varint`
            message Cs_3 { varint32 a; @tag(a) W b; uint8 c; @tag(c) W d; }
                                                                  ^
            help: give it the type of the tag
            """),
        Refusal(
            "tags that may be missing, or have a value of their own",
            """
            union U : uint8 { 1: uint8 a; 2: nothing; }
            message Cs_1 {
                @constant(1) uint8 a; @tag(a) U b;
                @range(0..9) uint8 c; @tag(c) U d;
                bool e; @if(e) uint8 f; @tag(f) U g;
                @sensitive uint8 h; @tag(h) U i;
                @name(x) uint8 j; @tag(j) U k;
            }
            message Cs_2 { optional uint8 a; @tag(a) optional U b; }
            message Cs_3 { @since(2) uint8 a; @tag(a) optional U b; }
            """,
            """
            a.wire:3:5: error: `a` is the tag of `b`, so `@constant` does not go with it
                @constant(1) uint8 a; @tag(a) U b;
                ^^^^^^^^^^^^
            help: it is always there, and written as what `b` needs; no program sets it
            a.wire:4:5: error: `c` is the tag of `d`, so `@range` does not go with it
                @range(0..9) uint8 c; @tag(c) U d;
                ^^^^^^^^^^^^
            help: it is always there, and written as what `d` needs; no program sets it
            a.wire:5:13: error: `f` is the tag of `g`, so `@if` does not go with it
                bool e; @if(e) uint8 f; @tag(f) U g;
                        ^^^^^^
            help: it is always there, and written as what `g` needs; no program sets it
            a.wire:6:5: error: `h` is the tag of `i`, so `@sensitive` does not go with it
                @sensitive uint8 h; @tag(h) U i;
                ^^^^^^^^^^
            help: it is always there, and written as what `i` needs; no program sets it
            a.wire:7:5: error: `j` is the tag of `k`, so `@name` does not go with it
                @name(x) uint8 j; @tag(j) U k;
                ^^^^^^^^
            help: it is always there, and written as what `k` needs; no program sets it
            a.wire:9:16: error: `a` is the tag of `b`, so it is always there
            message Cs_2 { optional uint8 a; @tag(a) optional U b; }
                           ^^^^^^^^
            help: leave `optional` out
            a.wire:10:16: error: `a` is the tag of `b`, so `@since` does not go with it
            message Cs_3 { @since(2) uint8 a; @tag(a) optional U b; }
                           ^^^^^^^^^
            help: it is always there, and written as what `b` needs; no program sets it
            """),
        Refusal(
            "one tag of two unions",
            """
            union U : uint8 { 1: uint8 a; 2: nothing; }
            message Cs_1 { uint8 kind; @tag(kind) U a; @tag(kind) U b; }
            """,
            """
            a.wire:2:49: error: `kind` is already the tag of `a`
            message Cs_1 { uint8 kind; @tag(kind) U a; @tag(kind) U b; }
                                                            ^^^^
            help: each union has a tag of its own
            """),
        Refusal(
            "a condition on a tag",
            """
            union U : uint8 { 1: uint8 a; 2: nothing; }
            message Cs_1 { uint8 kind; @if(kind == 1) uint8 a; @tag(kind) U b; @if(kind) uint8 c; }
            """,
            """
            a.wire:2:32: error: a condition cannot look at `kind`, which is the tag of `b`
            message Cs_1 { uint8 kind; @if(kind == 1) uint8 a; @tag(kind) U b; @if(kind) uint8 c; }
                                           ^^^^
            help: it looks at integers, `bool`, enums and flags
            a.wire:2:72: error: a condition cannot look at `kind`, which is the tag of `b`
            message Cs_1 { uint8 kind; @if(kind == 1) uint8 a; @tag(kind) U b; @if(kind) uint8 c; }
                                                                                   ^^^^
            help: it looks at integers, `bool`, enums and flags
            """),
        Refusal(
            "a tag that shares bytes",
            """
            union U : uint8 { 1: uint8 a; 2: nothing; }
            message Cs_1 { uint4 a; uint8 kind; uint4 b; @tag(kind) U u; }
            """,
            """
            a.wire:2:31: error: `kind` is the tag of a union, which cannot share bytes with other fields
            message Cs_1 { uint4 a; uint8 kind; uint4 b; @tag(kind) U u; }
                                          ^^^^
            help: let it begin at a byte
            """),
        Refusal(
            "a tag before an arm, before a field of the packet",
            """
            union U : uint8 { 1: uint8 a; } union V : uint8 { 1: @tag(a) U u; default: @tag(a) bytes b; }
            packet { @length(packet) uint16 length; @id @tag(length) uint8 id; }
            """,
            """
            a.wire:1:54: error: an arm holds one field, so none stands before it with a tag
            union U : uint8 { 1: uint8 a; } union V : uint8 { 1: @tag(a) U u; default: @tag(a) bytes b; }
                                                                 ^^^^^^^
            help: put both fields into a struct, and let the arm hold that
            a.wire:1:76: error: `@tag` cannot stand before the `default` arm
            union U : uint8 { 1: uint8 a; } union V : uint8 { 1: @tag(a) U u; default: @tag(a) bytes b; }
                                                                                       ^^^^^^^
            help: it stands before a field
            a.wire:2:45: error: `@tag` cannot stand before a field of the packet
            packet { @length(packet) uint16 length; @id @tag(length) uint8 id; }
                                                        ^^^^^^^^^^^^
            help: it stands before a field
            """),
        Refusal(
            "a union that may be missing, with a tag that cannot be 0",
            """
            @closed enum E : uint8 { one = 1; } union U : E { one: uint8 a; }
            message Cs_1 { E kind; bool b; @if(b) @tag(kind) U u; }
            message Cs_2 { E kind; @tag(kind) optional U u; }
            """,
            """
            a.wire:2:52: error: without `u` its tag is 0, but the closed `E` has no 0
            message Cs_1 { E kind; bool b; @if(b) @tag(kind) U u; }
                                                               ^
            help: give it a case with the number 0, or let the union always be there
            a.wire:3:46: error: without `u` its tag is 0, but the closed `E` has no 0
            message Cs_2 { E kind; @tag(kind) optional U u; }
                                                         ^
            help: give it a case with the number 0, or let the union always be there
            """),
        Refusal(
            "an optional union that may have no bytes",
            """
            union U : uint8 { 1: uint8 a; 2: nothing; }
            message Cs_1 { uint8 kind; @tag(kind) optional U u; }
            """,
            """
            a.wire:2:48: error: `u` may take no bytes, so an optional one could not be told from a missing one
            message Cs_1 { uint8 kind; @tag(kind) optional U u; }
                                                           ^
            help: leave `optional` out: empty can mean missing
            """),
    ]
}
