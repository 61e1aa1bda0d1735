// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// The tool with a schema whose packets stand between marks.
struct FramedPacketTests {
    private static let files: KeyValuePairs<String, String> = [
        "P/a.wire": """
        packet { frame 0x7E..0x7E { 0x7E = 0x7D02; 0x7D = 0x7D01; } @id uint8 id; payload; @checksum(xor8) uint8 check; }
        @id(1) @from(both) message M { uint8 a; @rest string text; }
        """
    ]

    private static let hex = "7e017d02687d016b7e"
    private static let line =
        #"{"message":"M","id":1,"header":{"id":1,"check":107},"fields":{"a":126,"text":"h}"}}"# + "\n"

    private static func wire(_ arguments: String..., input: String? = nil) throws -> Outcome {
        let workspace = try Workspace(files)
        return try workspace.wire(arguments + ["--protocol", "P"], input: Data((input ?? "").utf8))
    }

    @Test func `a message is encoded between marks, and decoded from there`() throws {
        #expect(try Self.wire("encode", "M", #"{"a":126,"text":"h}"}"#) == .success(Self.hex + "\n"))
        #expect(try Self.wire("decode", Self.hex) == .success(Self.line))
    }

    @Test func `marks with nothing between them are no packets`() throws {
        let stream = "7e7e" + Self.hex + "7e7e" + Self.hex + "7e7e"
        #expect(try Self.wire("decode", stream) == .success(Self.line + Self.line))
        #expect(try Self.wire("decode", "7e7e") == .success(""))
    }

    @Test(arguments: [
        ("7e01057d037e", "packet.frame: 0x7D 0x03 at offset 2 are no escape"),
        ("7e01057e", "packet.check: XOR 0x05 at offset 1, but the payload's is 0x00"),
        ("7e017e", "needs 1 byte at offset 1, 0 are left"),
        ("0105007e", "packet.frame: 0x01 at offset 0 where the constant 0x7E was expected"),
        ("7e0102fffd7e", "M.text: not UTF-8"),
    ])
    func `a broken packet is reported, and the next one is found`(broken: String, error: String) throws {
        let outcome = try Self.wire("decode", "--hex", input: Self.hex + broken + Self.hex + Self.hex)
        #expect(outcome.status == 1)
        #expect(outcome.output == Self.line + Self.line + Self.line)
        #expect(outcome.errors.contains("packet 2, which begins at byte 9: \(error)"), "\(outcome.errors)")
    }

    @Test func `a stream that ends inside a packet is an error`() throws {
        let outcome = try Self.wire("decode", Self.hex + "7e017d")
        #expect(outcome.status == 1 && outcome.output == Self.line)
        #expect(outcome.errors.contains("the stream ended inside a packet: 1 byte came, 1 more was needed"))
    }

    @Test func `vectors that are made from the schema hold for the tool's own codec`() throws {
        let outcome = try Self.wire("conform", "--generate", "400")
        #expect(outcome.status == 0 && outcome.output.contains("passed"), "\(outcome)")
    }

    @Test func `the documentation names marks and escapes`() throws {
        let workspace = try Workspace(Self.files)
        #expect(try workspace.wire(["generate", "markdown", "--out", "out", "--protocol", "P"]).status == 0)
        let page = try workspace.read("out/P.md")
        #expect(page.contains("between the marks `0x7E` and `0x7E`"))
        #expect(page.contains("| `0x7E` | `0x7D 0x02` |"))
        #expect(page.contains("without marks and escapes"))
    }
}
