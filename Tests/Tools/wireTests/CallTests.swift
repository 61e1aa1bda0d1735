// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport

struct CallTests {
    @Test(arguments: [
        (["chekc"], "error: unknown command `chekc`\nhelp: did you mean `check`?\nusage: wire COMMAND [options]\n"),
        (
            ["frobnicate"],
            "error: unknown command `frobnicate`\nhelp: `wire --help` lists them\nusage: wire COMMAND [options]\n"
        ),
        ([], "error: a command is missing\nhelp: `wire --help` lists them\nusage: wire COMMAND [options]\n"),
        (
            ["--", "check"],
            "error: a command is missing\nhelp: `wire --help` lists them\nusage: wire COMMAND [options]\n"
        ),
        (
            ["--protocl", "x", "check"],
            "error: unknown option `--protocl`\nhelp: did you mean `--protocol`?\nusage: wire COMMAND [options]\n"
        ),
        (["encode"], "error: MESSAGE is missing\nusage: wire encode [MESSAGE] [JSON] [options]\n"),
        (
            ["decode", "--hx"],
            "error: unknown option `--hx`\nhelp: did you mean `--hex`?\nusage: wire decode [HEX] [options]\n"
        ),
        (["decode", "--hex=1"], "error: option `--hex` takes no value\nusage: wire decode [HEX] [options]\n"),
        (
            ["decode", "--from"],
            "error: option `--from` needs a value: client|server\nusage: wire decode [HEX] [options]\n"
        ),
        (
            ["decode", "--from", "--hex"],
            "error: option `--from` needs a value: client|server\nusage: wire decode [HEX] [options]\n"
        ),
        (
            ["decode", "--from", "sever"],
            "error: option `--from` is client or server, not `sever`\nhelp: did you mean `server`?\n"
                + "usage: wire decode [HEX] [options]\n"
        ),
        (
            ["decode", "00", "01"],
            "error: unexpected argument `01`\nhelp: a value with spaces stands in quotes\n"
                + "usage: wire decode [HEX] [options]\n"
        ),
        (
            ["check", "a", "--protocol", "b"],
            "error: the folder is named twice, as DIR and by --protocol\nusage: wire check [DIR] [options]\n"
        ),
        (
            ["check", "\u{1B}[31m", "x"],
            "error: unexpected argument `x`\nhelp: a value with spaces stands in quotes\n"
                + "usage: wire check [DIR] [options]\n"
        ),
        (
            ["\u{1B}[31m"],
            "error: unknown command `\\u{1B}[31m`\nhelp: `wire --help` lists them\nusage: wire COMMAND [options]\n"
        ),
    ])
    func `a wrong call exits with 2 and shows the usage`(_ words: [String], _ errors: String) throws {
        let line = (["wire"] + words.map { "'\($0)'" }).joined(separator: " ")
        #expect(try Workspace().shell(line) == Outcome(status: 2, output: "", errors: errors))
    }

    @Test(arguments: [
        "--protocol Protocols/Scene decode \(packetHex)",
        "--protocol=Protocols/Scene decode \(packetHex)",
        "decode --protocol Protocols/Scene \(packetHex)",
        "decode \(packetHex) --protocol=Scene",
        "decode \(packetHex) --from client --protocol Protocols/Scene/",
        "--from server --from client decode \(packetHex)",
        "decode --hex -- \(packetHex)",
        "--hex decode -- \(packetHex)",
    ])
    func `options may be anywhere`(_ words: String) throws {
        #expect(try Workspace().shell("wire " + words) == .success(packetLine))
    }

    /// A line is a record, for people and for GitHub.
    @Test(arguments: [
        ["check"], ["check", "--format", "github"], ["generate", "swift", "--out", "made"], ["format", "--check", "P"],
        ["decode", "00"],
    ])
    func `a line feed in the name of a file begins no line of its own`(words: [String]) throws {
        let workspace = try Workspace()
        try workspace.write("message Cs_1 { nothing x;\n}", to: "P/a\n::error::forged.wire")
        let outcome = try workspace.wire(words + (words[0] == "format" ? [] : ["--protocol", "P"]))
        let lines = (outcome.output + outcome.errors).split(separator: "\n")
        #expect(outcome.status != 0)
        #expect(lines.contains { $0.contains("forged") }, "\(outcome)")
        #expect(!lines.contains { $0.hasPrefix("::error::forged") }, "\(outcome)")
    }

    @Test func `after two dashes no word is an option`() throws {
        let outcome = try Workspace().wire("decode", "--", "--hex")
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("error: HEX: not pairs of hexadecimal digits at offset 2\n"))
    }

    @Test func `the version is one line`() throws {
        let outcome = try Workspace().wire("--version")
        #expect(outcome.status == 0)
        #expect(outcome.output.wholeMatch(of: /wire \d+\.\d+\.\d+\n/) != nil)
    }

    @Test(arguments: ["--help", "-h", "help"])
    func `the tool's help lists the commands`(_ words: String) throws {
        let outcome = try Workspace().shell("wire " + words)
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(outcome.output.contains("\n    decode"))
    }

    @Test(arguments: ["decode --help", "--help decode", "decode zz -h", "help decode", "--hex decode --help"])
    func `a command's help shows its options`(_ words: String) throws {
        let outcome = try Workspace().shell("wire " + words)
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(outcome.output.contains("usage: wire decode [HEX] [options]"))
        #expect(outcome.output.contains("--from client|server"))
    }

    @Test(arguments: ["websocket --help", "-h websocket", "help websocket"])
    func `the help of a group lists its commands`(_ words: String) throws {
        let outcome = try Workspace().shell("wire " + words)
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(outcome.output.hasPrefix("usage: wire websocket COMMAND [options]\n"))
        for name in ["echo", "cases", "connect"] { #expect(outcome.output.contains("\n    websocket \(name)")) }
        #expect(!outcome.output.contains("decode"))
    }

    @Test func `output that cannot be written is an error`() throws {
        let outcome = try Workspace().shell("wire decode \(packetHex) > /dev/full")
        let errors = "error: cannot write to standard output: No space left on device\n"
        #expect(outcome == Outcome(status: 1, output: "", errors: errors))
    }

    @Test func `if the reader goes away, the program ends without an error`() throws {
        let line = "yes \(packetHex) | (wire decode --hex; echo status $? >&2) | head -n 1"
        let outcome = try Workspace().shell(line)
        #expect(outcome == Outcome(status: 0, output: packetLine, errors: "status 0\n"))
    }

    @Test(.amongAll)
    func `an interrupt exits with 130`() throws {
        // The first answer shows that the program is running. Only then can it be interrupted.
        let line = """
            mkfifo in out
            wire decode --hex < in > out &
            exec 3> in 4< out
            echo \(packetHex) >&3
            read -r answer <&4
            kill -INT $!
            wait $!
            echo $?
            """
        #expect(try Workspace().shell(line) == .success("130\n"))
    }
}
