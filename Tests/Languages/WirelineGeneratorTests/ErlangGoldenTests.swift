// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineGenerator
import WirelineSchema

struct ErlangGoldenTests {
    private static func files(_ schemas: [(String, String)]) throws -> [GeneratedFile] {
        try ErlangGenerator(ProtocolDescription.checked(schemas)).files()
    }

    private static let several = [
        ("a.wire", "message Cs_1 { Point at; Color color; }\nmessage Sc_1 {}"),
        ("b.wire", "struct Point { int32 x; }\n@name(LeaveHall) message Cs_2 { uint8 UserID; uint8 user_id; }"),
        ("c.wire", "enum Color : uint8 { red = 0; }\nflags Bits : uint8 { all = 1; }\nconst uint8 seats = 4;"),
    ]

    @Test func `a comment names all replies of a message`() throws {
        let text = try Self.files([
            ("a.wire", "@reply(Sc_1 | Sc_2) message Cs_1 {} message Sc_1 {} message Sc_2 {}")
        ])[1].text
        #expect(text.contains("%% `Cs_1`, ID 1, sent by the client, answered by `Sc_1` or `Sc_2`.\n"))
    }

    @Test func `names follow Erlang's rules, and equal ones get a number`() throws {
        let text = try Self.files(Self.several)[1].text
        #expect(
            text.contains(
                """
                -record(leave_hall, {
                    user_id :: 0..255,
                    user_id_2 :: 0..255,
                """))
        #expect(text.contains("-define(GOLDEN_SEATS, 4).\n"))
        #expect(text.contains("    color :: golden_protocol:color(),\n"))
    }

    @Test(arguments: [("scene-2", "scene_2_protocol"), ("9", "wire_9_protocol"), ("场", "wire_protocol")])
    func `the folder's name becomes the module's name`(_ folder: String, _ module: String) throws {
        let description = try ProtocolDescription.checked([("a.wire", "message Cs_1 {}")], name: folder)
        #expect(ErlangGenerator(description).files().map(\.path) == [module + ".erl", module + ".hrl"])
    }

    @Test func `reserved words and Erlang's own types are quoted or get a number`() throws {
        let files = try Self.files([
            ("a.wire", "message Cs_1 { uint8 end; integer fun; }\nenum integer : uint8 { receive = 0; undefined = 1; }")
        ])
        #expect(files[1].text.contains("    'end' :: 0..255,\n    'fun' :: golden_protocol:integer_2(),\n"))
        #expect(files[0].text.contains("-type integer_2() :: 'receive' | undefined_2 | 0..255.\n"))
    }

    /// Whatever a comment contains, removing the comment lines removes all of it.
    @Test(arguments: ["\u{2028}", "\u{2029}", "\u{85}", "\r", "\r\n", "\n", "\u{B}", "\u{C}"])
    func `a comment stays a comment, whatever it contains`(_ newline: String) throws {
        var description = try ProtocolDescription.checked([
            ("a.wire", "message Cs_1 { uint8 a; Color c; }\nstruct S {}\nenum Color : uint8 { red = 0; }")
        ])
        let plain = ErlangGenerator(description).files().map(Self.code)
        let text = "*/ ]] #{ @end @spec \"\(newline)-export([broken/0]).\(newline)broken() -> ok. %% coding: latin-1"
        description.documentation = text
        description.messages[0].documentation = text
        description.messages[0].deprecation = text
        description.messages[0].fields[0].documentation = text
        description.messages[0].fields[0].deprecation = text
        description.structures[0].documentation = text
        description.enumerations[0].documentation = text
        description.enumerations[0].cases[0].documentation = text
        let files = ErlangGenerator(description).files()
        #expect(files.map(Self.code) == plain)
        #expect(files.allSatisfy { $0.text.hasPrefix("%% -*- coding: utf-8 -*-\n") })
        // EDoc would read a line that begins with @ as a tag.
        let tags = files[0].text.split(separator: "\n").filter { $0.hasPrefix("%% @") && !$0.hasPrefix("%% @doc ") }
        #expect(tags == [])
    }

    private static func code(_ file: GeneratedFile) -> [Substring] {
        file.text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("%%") }
    }

    @Test func `a state that no condition tests changes nothing`() throws {
        let rest = "@length(rest) uint16 size; @id uint8 id; } @id(1) @from(both)"
        let files = try Self.files([("a.wire", "packet { state bit on; \(rest) @sets(on) message Say { string text; }")]
        )
        #expect(try files == Self.files([("a.wire", "packet { \(rest) message Say { string text; }")]))
    }

    @Test(arguments: [("", false), ("@sets(on)", true)])
    func `a module has a function that sets states if a message does`(_ setting: String, _ isThere: Bool) throws {
        let packet = "packet { state bit on; @length(rest) uint16 size; @id uint8 id; @if(on) uint8 more; }"
        let files = try Self.files([("a.wire", "\(packet) @id(1) @from(both) \(setting) message Say {}")])
        #expect(files.contains { $0.text.contains("put_state(") } == isThere)
    }

    @Test func `an enum cannot take the name of the context's type`() throws {
        let schema = """
            packet { @length(rest) uint16 size; @id uint8 id; @if(sender == client) uint8 more; }
            enum context : uint8 { on = 1; }
            @id(1) @from(both) message Say {}
            """
        let files = try Self.files([("a.wire", schema)])
        #expect(files.contains { $0.text.contains("-type context_2() ::") })
    }
}
