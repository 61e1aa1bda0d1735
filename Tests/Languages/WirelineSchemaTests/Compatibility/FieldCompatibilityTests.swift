// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineSchema

/// Pairs of lists of fields with known consequences.
struct FieldCompatibilityTests {
    @Test(arguments: pairs)
    func `changes of fields have the expected effects`(old: String, new: String, expected: [String]) throws {
        let found = try verdicts("message Cs_1 {\n\(old)\n}", "message Cs_1 {\n\(new)\n}")
        #expect(found == expected)
    }

    private static let pairs: [(String, String, [String])] = [
        // Fields that come and go.
        ("uint8 a;", "uint8 a; uint8 b;", ["FIELD_NO_APPEND_REQUIRED Cs_1.b: old reads, new refuses"]),
        ("uint8 a;", "uint8 a; optional uint8 b;", ["ADDITION Cs_1.b: old reads, new reads"]),
        ("uint8 a;", "uint8 a; @since(2) uint8 b;", ["ADDITION Cs_1.b: old reads, new reads"]),
        ("uint8 a;", "uint8 b; uint8 a;", ["FIELD_NO_INSERT Cs_1.b: old misreads, new refuses"]),
        ("uint8 a; uint8 b;", "uint8 a;", ["FIELD_NO_DELETE Cs_1.b: old refuses, new reads"]),
        ("uint8 a; optional uint8 b;", "uint8 a;", ["FIELD_NO_DELETE Cs_1.b: old reads, new reads"]),
        ("uint8 a; uint8 b;", "uint8 b;", ["FIELD_NO_DELETE Cs_1.a: old refuses, new misreads"]),
        ("uint8 a; uint8 b;", "uint8 b; uint8 a;", ["FIELD_SAME_ORDER Cs_1.a: old misreads, new misreads"]),
        ("uint8 a;", "uint8 c;", ["FIELD_SAME_NAME Cs_1.c: old reads, new reads"]),
        // Conditions.
        (
            "uint8 a; @if(a) uint8 b;", "uint8 a; uint8 b;",
            ["FIELD_SAME_CONDITION Cs_1.b: old misreads, new refuses"]
        ),
        (
            "uint8 a; @if(a == 1) uint8 b; uint8 c;", "uint8 a; @if(a == 2) uint8 b; uint8 c;",
            ["FIELD_SAME_CONDITION Cs_1.b: old misreads, new misreads"]
        ),
        (
            "uint8 a; @if(a > 200) uint8 b;", "uint8 a; @if(a >= 200) uint8 b;",
            ["FIELD_SAME_CONDITION Cs_1.b: old misreads, new refuses"]
        ),
        (
            "uint8 a; @if(a) uint8 b;", "uint8 a; @if(a != 0) uint8 b;",
            ["FIELD_SAME_CONDITION Cs_1.b: old reads, new reads"]
        ),
        (
            "uint8 a; @if(a) uint8 b;", "uint8 c; @if(c) uint8 b;", ["FIELD_SAME_NAME Cs_1.c: old reads, new reads"]
        ),
        (
            "uint8 a; @if(a) uint8 b;", "uint8 a; optional uint8 b;",
            ["FIELD_SAME_CONDITION Cs_1.b: old misreads, new reads"]
        ),
        (
            "uint8 a;", "uint8 a; @if(a & 0x80) uint8 b;",
            ["FIELD_NO_APPEND_REQUIRED Cs_1.b: old reads, new refuses"]
        ),
        (
            "uint8 a; @if(a == 16) uint32 b;", "uint8 a; uint64 c; @if(a == 16) uint32 b;",
            ["FIELD_NO_INSERT Cs_1.c: old misreads, new refuses"]
        ),
        // What is read otherwise shows only in the fields that depend on it.
        (
            "uint8 a; @if(a <= 14) uint8 b; uint24 c;", "int8 a; @if(a <= 14) uint8 b; uint24 c;",
            ["FIELD_SAME_TYPE Cs_1.a: old misreads, new refuses"]
        ),
        // Types.
        ("uint8 a;", "uint16 a;", ["FIELD_SAME_TYPE Cs_1.a: old misreads, new refuses"]),
        ("uint32 a;", "int32 a;", ["FIELD_SAME_TYPE Cs_1.a: old misreads, new misreads"]),
        ("@range(0..9) uint32 a;", "@range(0..9) int32 a;", ["FIELD_SAME_TYPE Cs_1.a: old reads, new reads"]),
        ("@size(4) varint64[] a;", "@size(4) zigzag[] a;", ["FIELD_SAME_TYPE Cs_1.a: old misreads, new misreads"]),
        // No nine items of one width fill 24 bytes.
        (
            "@size(24) @max(9) varint[] a;", "@size(24) @max(9) zigzag[] a;",
            ["FIELD_SAME_TYPE Cs_1.a: old misreads, new misreads"]
        ),
        (
            "@size(24) @max(9) varint[] a;", "@size(24) @max(5) varint[] a;",
            ["MAX_NO_SHRINK Cs_1.a: old reads, new refuses"]
        ),
        (
            "@size(24) @max(5) string[] a;", "@size(24) @max(3) string[] a;",
            ["MAX_NO_SHRINK Cs_1.a: old reads, new refuses"]
        ),
        ("bool a;", "uint8 a;", ["FIELD_SAME_TYPE Cs_1.a: old refuses, new reads"]),
        ("float16 a;", "uint16 a;", ["FIELD_SAME_TYPE Cs_1.a: old misreads, new misreads"]),
        ("float16 a;", "@range(0..1) float16 a;", ["RANGE_NO_NARROW Cs_1.a: old reads, new refuses"]),
        ("float32 a;", "uint32 a;", ["FIELD_SAME_TYPE Cs_1.a: old misreads, new misreads"]),
        ("string a;", "bytes a;", ["FIELD_SAME_TYPE Cs_1.a: old refuses, new reads"]),
        ("uint16 a;", "@little uint16 a;", ["FIELD_SAME_BYTE_ORDER Cs_1.a: old misreads, new misreads"]),
        ("uint8 a;", "repeated uint8 a;", ["FIELD_SAME_CARDINALITY Cs_1.a: old misreads, new refuses"]),
        ("uint8[2] a;", "uint8[3] a;", ["FIXED_ARRAY_SAME_LENGTH Cs_1.a: old misreads, new refuses"]),
        ("string a;", "@count(uint8) string a;", ["FIELD_SAME_PREFIX Cs_1.a: old refuses, new misreads"]),
        ("uint16[] a;", "@count(uint32) uint16[] a;", ["FIELD_SAME_PREFIX Cs_1.a: old misreads, new refuses"]),
        ("uint8[] a;", "@until(0) uint8[] a;", ["FIELD_SAME_PREFIX Cs_1.a: old refuses, new misreads"]),
        ("@until(0) uint8[] a;", "@rest uint8[] a;", ["FIELD_SAME_PREFIX Cs_1.a: old refuses, new misreads"]),
        (
            "@until(0) uint8[] a;", "@until(0xFF) uint8[] a;",
            ["FIELD_SAME_PREFIX Cs_1.a: old refuses, new refuses"]
        ),
        // Prefixes with a sign.
        (
            "@count(uint32) bytes a;", "@count(int32) bytes a;",
            ["FIELD_SAME_PREFIX Cs_1.a: old refuses, new reads"]
        ),
        (
            "@count(uint16) string a;", "@count(int16) string a;",
            ["FIELD_SAME_PREFIX Cs_1.a: old refuses, new refuses"]
        ),
        (
            "@count(int32) uint8[] a;", "@count(uint32) uint8[] a;",
            ["FIELD_SAME_PREFIX Cs_1.a: old reads, new refuses"]
        ),
        (
            "@count(int16) string a;", "@count(int32) string a;",
            ["FIELD_SAME_PREFIX Cs_1.a: old misreads, new refuses"]
        ),
        (
            "@size(uint32) uint16[] a;", "@size(int32) uint16[] a;",
            ["FIELD_SAME_PREFIX Cs_1.a: old refuses, new reads"]
        ),
        (
            "uint8 a;", "uint8 a; @count(int16) string b;",
            ["FIELD_NO_APPEND_REQUIRED Cs_1.b: old reads, new refuses"]
        ),
        ("@count(int16) string a;", "@count(int16) string b;", ["FIELD_SAME_NAME Cs_1.b: old reads, new reads"]),
        ("@max_bytes(2) varint a;", "varint a;", ["FIELD_SAME_TYPE Cs_1.a: old refuses, new reads"]),
        ("varint a;", "zigzag a;", ["FIELD_SAME_TYPE Cs_1.a: old misreads, new misreads"]),
        ("varint32 a;", "varint64 a;", ["FIELD_SAME_TYPE Cs_1.a: old misreads, new misreads"]),
        (
            "@range(0..9) varint32 a;", "@range(0..9) varint64 a;", ["FIELD_SAME_TYPE Cs_1.a: old reads, new reads"]
        ),
        (
            "@range(-9..-7) zigzag a;", "@range(-9..-7) varint64 a;",
            ["FIELD_SAME_TYPE Cs_1.a: old refuses, new refuses"]
        ),
        ("zigzag a;", "@max_bytes(3) zigzag a;", ["FIELD_SAME_TYPE Cs_1.a: old reads, new refuses"]),
        ("varint32 a;", "int32 a;", ["FIELD_SAME_TYPE Cs_1.a: old misreads, new refuses"]),
        // Padding.
        ("padding 1; uint8 a;", "padding 3; uint8 a;", ["FIELD_SAME_TYPE Cs_1.padding[0]: old misreads, new refuses"]),
        ("uint8 a; padding 1;", "uint8 a;", ["FIELD_NO_DELETE Cs_1.padding[0]: old refuses, new reads"]),
        ("uint8 a;", "uint8 a; padding 1;", ["FIELD_NO_APPEND_REQUIRED Cs_1.padding[0]: old reads, new refuses"]),
        (
            "padding 1; uint8 a; padding 2;", "uint8 a; padding 2;",
            ["FIELD_NO_DELETE Cs_1.padding[0]: old refuses, new misreads"]
        ),
        (
            "uint8 a; uint8 b;", "padding 1; uint8 b;",
            [
                "FIELD_NO_DELETE Cs_1.a: old misreads, new reads",
                "FIELD_NO_INSERT Cs_1.padding[0]: old misreads, new reads",
            ]
        ),
        // Fields that share bytes.
        (
            "uint4 a; uint4 b;", "uint3 a; uint5 b;",
            [
                "FIELD_SAME_TYPE Cs_1.a: old misreads, new misreads",
                "FIELD_SAME_TYPE Cs_1.b: old misreads, new misreads",
            ]
        ),
        (
            "uint4 a; uint4 b;", "uint4 b; uint4 a;",
            [
                "FIELD_SAME_TYPE Cs_1.b: old misreads, new misreads",
                "FIELD_SAME_ORDER Cs_1.a: old misreads, new misreads",
                "FIELD_SAME_TYPE Cs_1.a: old misreads, new misreads",
            ]
        ),
        (
            "uint12 a; uint4 b;", "@little uint12 a; @little uint4 b;",
            [
                "FIELD_SAME_TYPE Cs_1.a: old misreads, new misreads",
                "FIELD_SAME_TYPE Cs_1.b: old misreads, new misreads",
            ]
        ),
        ("uint1 a; uint7 b;", "bit a; uint7 b;", ["FIELD_SAME_TYPE Cs_1.a: old reads, new reads"]),
        ("uint4 a; uint4 b;", "int4 a; uint4 b;", ["FIELD_SAME_TYPE Cs_1.a: old misreads, new misreads"]),
        ("uint4 a; uint4 b;", "uint4 a; uint4 c;", ["FIELD_SAME_NAME Cs_1.c: old reads, new reads"]),
        ("uint40 a;", "uint48 a;", ["FIELD_SAME_TYPE Cs_1.a: old misreads, new refuses"]),
        // Constants.
        (
            "@constant(1) uint8 a;", "@constant(2) uint8 a;", ["FIELD_SAME_TYPE Cs_1.a: old refuses, new refuses"]
        ),
        ("uint8 a;", "@constant(2) uint8 a;", ["FIELD_SAME_TYPE Cs_1.a: old reads, new refuses"]),
        ("@constant(2) uint8 a;", "uint8 a;", ["FIELD_SAME_TYPE Cs_1.a: old refuses, new reads"]),
        ("@constant(2) uint8 a;", "@constant(2) uint8 b;", ["FIELD_SAME_NAME Cs_1.b: old reads, new reads"]),
        (
            "uint4 a; @constant(1) uint4 b;", "uint4 a; @constant(2) uint4 b;",
            ["FIELD_SAME_TYPE Cs_1.b: old refuses, new refuses"]
        ),
        (
            "uint4 a; uint4 b;", "uint4 a; @constant(2) uint4 b;",
            ["FIELD_SAME_TYPE Cs_1.b: old reads, new refuses"]
        ),
        (
            "uint7 a; @constant(true) bit b;", "uint7 a; bit b;", ["FIELD_SAME_TYPE Cs_1.b: old refuses, new reads"]
        ),
        (
            "uint7 a; @constant(true) bit b;", "uint7 a; @constant(true) bit c;",
            ["FIELD_SAME_NAME Cs_1.c: old reads, new reads"]
        ),
        (
            "@constant(2) uint8 a;", "@constant(2) uint16 a;", ["FIELD_SAME_TYPE Cs_1.a: old refuses, new refuses"]
        ),
        (
            "@constant(\"a\") char[4] a; uint8 b;", "@constant(\"ab\") char[4] a; uint8 b;",
            ["FIELD_SAME_TYPE Cs_1.a: old refuses, new refuses"]
        ),
        ("uint8 a;", "uint8 a; @constant(2) uint8 b;", ["FIELD_NO_APPEND_REQUIRED Cs_1.b: old reads, new refuses"]),
        // Presence and limits.
        ("optional uint8 a;", "uint8 a;", ["FIELD_OPTIONALITY Cs_1.a: old reads, new refuses"]),
        ("uint8 a;", "optional uint8 a;", ["FIELD_OPTIONALITY Cs_1.a: old refuses, new reads"]),
        ("optional uint8 a;", "@since(2) uint8 a;", ["FIELD_OPTIONALITY Cs_1.a: old reads, new misreads"]),
        ("@since(2) uint8 a;", "@since(3) uint8 a;", ["SINCE_SAME Cs_1.a: old reads, new reads"]),
        (
            "@since(2) uint8 a;", "@since(2) @default(4) uint8 a;", ["DEFAULT_SAME Cs_1.a: old reads, new reads"]
        ),
        ("@range(0..9) uint8 a;", "@range(0..5) uint8 a;", ["RANGE_NO_NARROW Cs_1.a: old reads, new refuses"]),
        ("@range(0..9) uint8 a;", "uint8 a;", ["RANGE_NO_NARROW Cs_1.a: old refuses, new reads"]),
        ("float32 a;", "@range(0..1) float32 a;", ["RANGE_NO_NARROW Cs_1.a: old reads, new refuses"]),
        ("@max(9) string a;", "@max(5) string a;", ["MAX_NO_SHRINK Cs_1.a: old reads, new refuses"]),
        ("@max(9) uint8[] a;", "uint8[] a;", ["MAX_NO_SHRINK Cs_1.a: old refuses, new reads"]),
        (
            "@count(uint8) string a;", "@count(uint8) @max(255) string a;",
            ["MAX_NO_SHRINK Cs_1.a: old reads, new reads"]
        ),
        ("uint8 a;", "@name(b) uint8 a;", ["ALIAS_SAME Cs_1.a: old reads, new reads"]),
        ("uint8 a; // one", "uint8 a = 4; // two", []),
    ]
}
