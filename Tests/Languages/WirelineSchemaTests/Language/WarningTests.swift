// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Schemas that are valid, but hardly mean what their author thinks.
struct WarningTests {
    @Test func `a fixed list of strings or bytes is warned about: each item has a count of its own`() throws {
        let text = """
            const uint8 seats = 4; option string_count = uint8;
            message Cs_1 { bytes[8] hash; String[seats] names; @terminated string[2] a; uint8[8] b; string[] c; }
            """
        #expect(
            problems(text) == """
                a.wire:2:16: warning: `bytes[8]` is not 8 bytes: it is 8 byte strings, each with a `uint8` count
                message Cs_1 { bytes[8] hash; String[seats] names; @terminated string[2] a; uint8[8] b; string[] c; }
                               ^^^^^^^^
                help: 8 bytes are `uint8[8]`; for a list put the `bytes` into a struct
                a.wire:2:31: warning: `String[seats]` is not a string of 4 bytes: it is 4 strings, each with a `uint8` count
                message Cs_1 { bytes[8] hash; String[seats] names; @terminated string[2] a; uint8[8] b; string[] c; }
                                              ^^^^^^^^^^^^^
                help: a string of at most 4 bytes is `@max(4) string`, text in exactly 4 bytes `char[4]`; for a list put the `string` into a struct
                """)
        #expect(
            try describe(text, warns: true).messages[0].fields.prefix(2).map(\.type) == [
                .fixedList(.bytes(.counted(.uint8, .bigEndian)), count: 8),
                .fixedList(.string(.counted(.uint8, .bigEndian)), count: 4),
            ])
    }

    @Test(arguments: [
        "struct A { string text; } message Cs_1 { A[8] names; }",
        "message Cs_1 { uint8[8] hash; @max(8) string name; @terminated bytes[8] parts; }",
    ])
    func `the changes that a warning advises have no warning`(text: String) {
        #expect(problems(text) == "")
    }

    @Test func `a type with a name of Swift's is warned about at its name`() {
        let text = """
            struct Result { uint8 a; }
            @name(Task) enum E : uint8 { a = 0; }
            @name(Error) flags Error : uint8 { a = 1; }
            @name(EnterScene) message Cs_1 { Result Error; }
            """
        #expect(
            problems(text) == """
                a.wire:1:8: warning: in Swift `Result` hides `Swift.Result` from all code beside it
                struct Result { uint8 a; }
                       ^^^^^^
                help: choose another name, or write `Swift.Result` in that code
                a.wire:2:7: warning: in Swift `Task` hides `Swift.Task` from all code beside it
                @name(Task) enum E : uint8 { a = 0; }
                      ^^^^
                help: choose another name, or write `Swift.Task` in that code
                a.wire:3:20: warning: in Swift `Error` hides `Swift.Error` from all code beside it
                @name(Error) flags Error : uint8 { a = 1; }
                                   ^^^^^
                help: choose another name, or write `Swift.Error` in that code
                """)
    }

    @Test(arguments: ["Int", "Array", "Optional", "Sendable", "Duration", "Sequence", "Set", "Span", "Void"])
    func `each kind of Swift name that programs use is warned about`(name: String) {
        #expect(check("struct \(name) { uint8 a; }").diagnostics.map(\.severity) == [.warning])
        #expect(check("@id(1) @from(client) message \(name) { }").diagnostics.map(\.severity) == [.warning])
    }

    @Test func `names that only begin like Swift's, and names of fields and cases, have no warning`() throws {
        _ = try describe(
            "struct Results { uint8 Error; } enum result : uint8 { Task = 0; } message Cs_1 { Results Set; }")
    }

    // MARK: Ciphers

    private static func layered(_ lines: String, before packet: String = "") -> String {
        """
        \(packet) packet { @length(rest) uint16 size; \(lines) @id uint8 id; }
        @id(1) @from(client) message Note { @rest string text; }
        """
    }

    @Test func `a cipher that does not notice changes is warned about, once for all of them`() {
        let text = "@length(rest) uint16 size; layer aes_cbc(key, iv); layer xor(other); @id uint8 id;"
        #expect(
            problems("packet { \(text) } @id(1) @from(client) message Note { }") == """
                a.wire:1:43: warning: `aes_cbc` enciphers, but does not notice that packets were changed
                packet { @length(rest) uint16 size; layer aes_cbc(key, iv); layer xor(other); @id uint8 id; } @id(1) @from(client) message Note { }
                                                          ^^^^^^^
                help: carry the protocol inside of TLS; if its design is given, write `@accept(unauthenticated)` before the `layer`, or before `packet` for all layers
                """)
    }

    @Test(arguments: ["xor(key)", "rc4(key)", "aes_ctr(key, iv)", "aes_cbc(key, iv)"])
    func `each cipher is warned about unless its layer, or the packet, accepts it`(cipher: String) throws {
        #expect(check(Self.layered("layer \(cipher);")).diagnostics.map(\.severity) == [.warning])
        _ = try describe(Self.layered("@accept(unauthenticated) layer \(cipher);"))
        _ = try describe(Self.layered("uint8 mode; @accept(unauthenticated) @if(mode > 9) layer \(cipher);"))
        _ = try describe(Self.layered("layer \(cipher);", before: "@accept(unauthenticated)"))
    }

    @Test func `a layer that is not accepted is warned about beside one that is`() {
        let text = Self.layered("@accept(unauthenticated) layer rc4(a); layer xor(b);")
        let message = "`xor` enciphers, but does not notice that packets were changed"
        #expect(check(text).diagnostics.map(\.message) == [message])
    }

    @Test(arguments: ["zlib", "deflate", "gzip", "brotli", "custom(session)"])
    func `compression and the program's own layers have no warning`(layer: String) throws {
        _ = try describe(Self.layered("layer \(layer);"))
    }

    /// A schema that follows the help has no further problem.
    @Test(arguments: [
        ("optional uint8 a; @rest bytes b;", "@since(2) uint8 a; @since(2) @rest bytes b;"),
        ("@since(2) uint8 a; @rest bytes b;", "@since(2) uint8 a; @since(2) @rest bytes b;"),
        ("optional uint8 a; @since(2) @rest bytes b;", "@since(2) uint8 a; @since(2) @rest bytes b;"),
        ("optional uint8 a; @rest optional bytes b;", "@since(2) uint8 a; @since(2) @rest bytes b;"),
        ("@since(2) uint8 a; optional properties b;", "@since(2) uint8 a; @since(2) properties b;"),
        ("uint8 a; @rest optional uint8[] b;", "uint8 a; @rest uint8[] b;"),
    ])
    func `the help for an optional field to the end gives a valid schema`(source: String, mended: String) throws {
        let diagnostics = check("message Cs_1 { \(source) }").diagnostics
        #expect(diagnostics.count == 1)
        let help = try #require(diagnostics.first?.hint)
        let isSince = mended.contains("@since(2) @rest") || mended.contains("@since(2) properties")
        #expect(help.hasPrefix(isSince ? "make it `@since(n)`" : "leave `optional` out"))
        #expect(help.contains("and the `optional` fields from `a` on too") == source.hasPrefix("optional"))
        #expect(problems("message Cs_1 { \(mended) }") == "")
    }
}
