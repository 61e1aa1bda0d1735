// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

struct EncodeTests {
    @Test func `a message becomes one packet in lower-case digits`() throws {
        #expect(try Workspace().wire("encode", "Cs_20001", packetFields) == .success(packetHex + "\n"))
    }

    @Test(arguments: [packetFields, "\n " + packetFields + "\r\n", packetLine])
    func `JSON that is not in the call is read from standard input`(_ text: String) throws {
        #expect(try Workspace().wire("encode", "Cs_20001", input: Data(text.utf8)) == .success(packetHex + "\n"))
    }

    @Test(arguments: [
        ("Cs_2001", packetFields, #"no message is named "Cs_2001""# + "\nhelp: did you mean `Cs_20001`?"),
        ("Cs_20001", #"{"SceneId":1,"Line":2}"#, "Cs_20001.message: is missing"),
        (
            "Cs_20001", #"{"SceneId":256,"Line":2,"message":"hi"}"#,
            "Cs_20001.SceneId: 256 is not in 0...255"
        ),
        (
            "Cs_20001", #"{"SceneId":1,"Line":2,}"#,
            "Cs_20001: `}` where a key in quotes was expected at byte 22 of the JSON"
        ),
        (
            "Cs_20001", #"{"SceneId":01,"Line":2}"#,
            "Cs_20001.SceneId: a number that begins with a superfluous 0 at byte 11 of the JSON"
        ),
        ("Cs_20001", "", "Cs_20001: the text ends where a value was expected at byte 0 of the JSON"),
    ])
    func `a message that cannot be encoded exits with 1`(_ message: String, _ json: String, _ error: String) throws {
        let outcome = try Workspace().wire("encode", message, json)
        #expect(outcome == Outcome(status: 1, output: "", errors: "error: \(error)\n"))
    }

    @Test func `a limit that a length field sets is shown with the field`() throws {
        let schema = """
            packet { @id uint8 id; @length(payload) uint16 size; }
            @id(1) @from(client) message Note { @rest string text; }
            """
        let workspace = try Workspace(["Protocols/Notes/notes.wire": schema])
        let text = Data(#"{"text":"\#(String(repeating: "a", count: 65_536))"}"#.utf8)
        #expect(
            try workspace.wire("encode", "Note", input: text).errors == """
                error: Note: length 0x010003 is over the limit of 65538
                help: the packet's `size` can count no more

                """)
        let limited = try Workspace(["Protocols/Notes/notes.wire": "option max_packet = 65538; " + schema])
        #expect(try !limited.wire("encode", "Note", input: text).errors.contains("help"))
    }

    @Test func `JSON that is not UTF-8 is refused with the offset`() throws {
        let outcome = try Workspace().wire("encode", "Cs_20001", input: Data([0x7B, 0x22, 0xFF, 0x22, 0x7D]))
        let error = "error: Cs_20001: bytes that are not UTF-8 at byte 2 of the JSON\n"
        #expect(outcome == Outcome(status: 1, output: "", errors: error))
    }

    static let headerSchema = """
        packet {
            @length(packet) uint32 length;
            @id             uint16 id;
            @default(1)     uint8  version;
            @sequence       uint32 sequence;
        }
        message Cs_1 { uint8 a; }

        """

    @Test func `endless standard input is refused`() throws {
        let outcome = try Workspace().shell("wire encode Cs_20001 < /dev/zero")
        let error = "error: standard input has more than 268435456 bytes, too many for one message\n"
        #expect(outcome == Outcome(status: 1, output: "", errors: error))
    }

    @Test func `header fields can be set`() throws {
        let outcome = try Workspace(["P/a.wire": Self.headerSchema])
            .wire("encode", "Cs_1", #"{"a":9}"#, "--protocol", "P", "--header", #"{"sequence":7}"#)
        #expect(outcome == .success("0000000c0001010000000709\n"))
    }

    @Test(arguments: [
        (#"{"length":7}"#, #"Cs_1.header.length: "length" is not a header field that can be set"#),
        (#"{"foo":1}"#, #"Cs_1.header: no field is named "foo"; there is version, sequence"# + "\n"),
        (#"{"sequence":-1}"#, "Cs_1.header.sequence: -1 is not in 0...4294967295"),
        (#"{"sequence":}"#, "Cs_1.header.sequence: `}` where a value was expected at byte 12 of the JSON"),
    ])
    func `header fields that cannot be set are refused`(_ header: String, _ error: String) throws {
        let outcome = try Workspace(["P/a.wire": Self.headerSchema])
            .wire("encode", "Cs_1", #"{"a":9}"#, "--protocol", "P", "--header", header)
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        #expect(outcome.errors.contains(error))
    }
}
