// SPDX-License-Identifier: Apache-2.0

import Testing

struct FormatTests {
    static let formatted = "message Cs_1 {\n    uint8  a = 1;  // one\n    uint16 b = 2;\n}\n"
    static let unformatted = "message Cs_1{\nuint8 a = 1; // one\nuint16 b = 2;\n}\n"

    @Test func `files are formatted, and changed files are listed`() throws {
        let workspace = try Workspace(["P/a.wire": Self.unformatted, "P/b.wire": "struct S { uint8 a; }\n"])
        #expect(try workspace.wire("format", "P") == .success("P/a.wire\n"))
        #expect(try workspace.read("P/a.wire") == Self.formatted)
        #expect(try workspace.wire("format", "--protocol", "P") == .success(""))
        #expect(try workspace.shell("ls -A P") == .success("a.wire\nb.wire\n"))
    }

    @Test func `a check lists files and changes none`() throws {
        let workspace = try Workspace(["P/a.wire": Self.unformatted])
        #expect(try workspace.wire("format", "--check", "P") == Outcome(status: 1, output: "P/a.wire\n", errors: ""))
        #expect(try workspace.read("P/a.wire") == Self.unformatted)
        try workspace.write(Self.formatted, to: "P/a.wire")
        #expect(try workspace.wire("format", "P", "--check") == .success(""))
    }

    @Test func `files and folders can be given together`() throws {
        let workspace = try Workspace([
            "P/a.wire": Self.unformatted, "Q/b.wire": Self.unformatted, "Q/c.wire": "nonsense",
        ])
        #expect(try workspace.wire("format", "Q/b.wire", "P") == .success("Q/b.wire\nP/a.wire\n"))
    }

    @Test func `a file with an error stays unchanged, and the others are formatted`() throws {
        let broken = "message Cs_1 {\n    uint8 a\n    uint8 b;\n}\n"
        let workspace = try Workspace(["P/a.wire": broken, "P/b.wire": Self.unformatted])
        let outcome = try workspace.wire("format", "P")
        let errors = """
            P/a.wire:2:12: error: expected `;` after the field
                uint8 a
                       ^
            help: put `;` here

            """
        #expect(outcome == Outcome(status: 1, output: "P/b.wire\n", errors: errors))
        #expect(try workspace.read("P/a.wire") == broken)
    }

    @Test func `permissions and links are kept`() throws {
        let workspace = try Workspace(["P/real": Self.unformatted])
        let line =
            "chmod 640 P/real; ln -s real P/a.wire; wire format P; stat -c %a P/real; readlink P/a.wire; cat P/real"
        #expect(try workspace.shell(line) == .success("P/a.wire\n640\nreal\n" + Self.formatted))
    }

    @Test func `the error for a missing file has the system's reason`() throws {
        let outcome = try Workspace().wire("format", "a.wire")
        #expect(
            outcome == Outcome(status: 1, output: "", errors: "error: cannot read a.wire: No such file or directory\n"))
    }

    @Test func `naming a folder in two ways is an error`() throws {
        #expect(try Workspace().wire("format", "Protocols/Scene", "--protocol", "Scene").status == 2)
    }
}
