// SPDX-License-Identifier: Apache-2.0

import Testing

struct CheckTests {
    static let broken = "message Cs_1 {\n    Unit8 SceneId = 1;   // 进入场景ID\n}\n"
    static let brokenText = """
        P/a.wire:2:5: error: unknown type `Unit8`
            Unit8 SceneId = 1;   // 进入场景ID
            ^^^^^
        help: did you mean `uint8`?

        """

    @Test(arguments: ["check", "check Protocols/Scene", "check Scene", "check --protocol Protocols/Scene"])
    func `a valid protocol has no problems`(_ words: String) throws {
        let outcome = try Workspace().shell("wire " + words)
        #expect(outcome == .success("Protocols/Scene: 2 messages, no problems\n"))
    }

    @Test func `problems are shown with their line, and the check exits with 1`() throws {
        let outcome = try Workspace(["P/a.wire": Self.broken]).wire("check", "P")
        #expect(outcome == Outcome(status: 1, output: "P: 1 error\n", errors: Self.brokenText))
    }

    @Test func `with warnings only, the check exits with 0`() throws {
        let workspace = try Workspace(["P/a.wire": "message Cs_1 {\n@little uint8 a;\n}\n"])
        let outcome = try workspace.wire("check", "P")
        #expect(outcome.status == 0)
        #expect(outcome.output == "P: 1 message, 1 warning\n")
        #expect(outcome.errors.hasPrefix("P/a.wire:2:1: warning: "))
    }

    @Test func `misleading lists, and names that hide Swift's, are warnings in every format`() throws {
        let workspace = try Workspace(["P/a.wire": "message Cs_1 {\n    bytes[8] hash;\n}\nstruct Task { uint8 a; }\n"])
        let text = try workspace.wire("check", "P")
        #expect(text.status == 0)
        #expect(text.output == "P: 1 message, 2 warnings\n")
        #expect(text.errors.hasPrefix("P/a.wire:2:5: warning: `bytes[8]` is not 8 bytes"))
        #expect(text.errors.contains("P/a.wire:4:8: warning: in Swift `Task` hides `Swift.Task`"))
        let json = try workspace.wire("check", "P", "--format", "json")
        #expect(json.status == 0)
        #expect(json.output.contains(#""valid":true"#))
        #expect(json.output.contains(#"{"severity":"warning","file":"P/a.wire","line":2,"column":5,"#))
        let annotations = try workspace.wire("check", "P", "--format", "github")
        #expect(annotations.status == 0)
        #expect(annotations.output.hasPrefix("::warning file=P/a.wire,line=2,endLine=2,col=5,endColumn=13::`bytes[8]`"))
    }

    @Test func `a schema with which a peer could fill the memory is refused`() throws {
        let source =
            "struct Slot sized(uint8) { uint8 id; @since(2) uint32[1024] history; }\nmessage Cs_1 { Slot[] slots; }\n"
        let outcome = try Workspace(["P/a.wire": source]).wire("check", "P")
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("P/a.wire:2:23: error: an item of `slots` takes 8288 bytes of memory"))
    }

    @Test func `JSON output is one object on one line`() throws {
        let outcome = try Workspace(["P/a.wire": Self.broken]).wire("check", "P", "--format", "json")
        let line =
            #"{"protocol":"P","folder":"P","valid":false,"messages":null,"diagnostics":[{"severity":"error","#
            + #""file":"P/a.wire","line":2,"column":5,"endLine":2,"endColumn":10,"byteCount":5,"message":"unknown type `Unit8`","#
            + #""help":"did you mean `uint8`?"}],"omitted":0}"# + "\n"
        #expect(outcome == Outcome(status: 1, output: line, errors: ""))
    }

    @Test func `GitHub's format has a workflow command for each problem`() throws {
        let outcome = try Workspace(["P,1/a%.wire": Self.broken]).wire("check", "P,1", "--format=github")
        let lines =
            "::error file=P%2C1/a%25.wire,line=2,endLine=2,col=5,endColumn=10::unknown type `Unit8`%0Ahelp: did you mean `uint8`?\n"
            + "P,1: 1 error\n"
        #expect(outcome == Outcome(status: 1, output: lines, errors: ""))
    }

    @Test func `all files of a folder are read together, without subfolders`() throws {
        let workspace = try Workspace([
            "P/b.wire": "message Cs_1 { Place place; }\n", "P/a.wire": "struct Place { uint8 x; }\n",
            "P/.hidden.wire": "nonsense", "P/notes.txt": "nonsense", "P/Old/c.wire": "nonsense",
            "P/folder.wire/d.wire": "nonsense",
        ])
        #expect(try workspace.wire("check", "P") == .success("P: 1 message, no problems\n"))
    }

    @Test func `a folder can be named by a dot`() throws {
        let outcome = try Workspace().shell("cd Protocols/Scene && wire check . --format json")
        #expect(outcome.output.hasPrefix(#"{"protocol":"Scene","folder":".","valid":true"#))
    }

    @Test(arguments: [
        ("nowhere", "error: there is no folder nowhere\n"),
        ("Scnee", "error: there is no folder Scnee\nhelp: did you mean `Scene`?\n"),
        ("a/b/c", "error: there is no folder a/b/c\n"),
        ("''", "error: the name of the protocol's folder is empty\n"),
        ("Protocols", "error: there is no .wire file in Protocols\nhelp: did you mean `Protocols/Scene`?\n"),
        (
            "Protocols; mkdir Protocols/B; cp Protocols/Scene/*.wire Protocols/B; wire check Protocols",
            "error: there is no .wire file in Protocols\nhelp: did you mean `Protocols/Scene`?\n"
                + "error: there is no .wire file in Protocols\n"
                + "help: did you mean one of its folders: Protocols/B, Protocols/Scene\n"
        ),
        (
            "Protocols/Scene/..",
            "error: there is no .wire file in Protocols/Scene/..\n"
                + "help: did you mean `Protocols/Scene/../Scene`?\n"
        ),
        (
            "Protocols/Scene/Scene.wire",
            "error: Protocols/Scene/Scene.wire is a file\n"
                + "help: a protocol is a folder, and all its .wire files belong to it\n"
        ),
        ("/dev/null", "error: /dev/null is not a folder\n"),
    ])
    func `a folder without a protocol is refused with 1`(_ folder: String, _ errors: String) throws {
        let outcome = try Workspace().shell("wire check \(folder)")
        #expect(outcome == Outcome(status: 1, output: "", errors: errors))
    }

    @Test func `the error for a file that cannot be read has the system's reason`() throws {
        let outcome = try Workspace().shell("ln -s nowhere Protocols/Scene/b.wire; wire check")
        let errors = "error: cannot read Protocols/Scene/b.wire: No such file or directory\n"
        #expect(outcome == Outcome(status: 1, output: "", errors: errors))
    }

    @Test func `if no protocol is chosen, the error lists the protocols`() throws {
        let workspace = try Workspace([
            "Protocols/B/b.wire": sceneSchema, "Protocols/A/a.wire": sceneSchema, "Protocols/Empty/readme": "",
        ])
        let errors = """
            error: no protocol is chosen; there are A, B
            help: choose one with --protocol DIR
            usage: wire decode [HEX] [options]

            """
        #expect(try workspace.wire("decode", packetHex) == Outcome(status: 2, output: "", errors: errors))
    }

    /// Links in a circle: no user can read them, not even root.
    @Test(arguments: [
        ("ln -s circle Protocols/circle", ""),
        ("mkdir Protocols/B; ln -s b.wire Protocols/B/b.wire", "--protocol Scene"),
        ("mkdir Protocols/B; echo nonsense > Protocols/B/b.wire", "--protocol Protocols/Scene"),
    ])
    func `a fault in one folder does not prevent the use of another`(
        _ preparation: String, _ options: String
    ) throws {
        let workspace = try Workspace()
        let decoded = try workspace.shell("\(preparation); wire decode \(packetHex) \(options)")
        #expect(decoded == .success(packetLine))
        let encoded = try workspace.shell("wire encode Cs_20001 '\(packetFields)' \(options)")
        #expect(encoded == .success(packetHex + "\n"))
    }

    @Test func `a folder that cannot be read is still listed as a choice`() throws {
        let outcome = try Workspace().shell(
            "mkdir Protocols/B; ln -s b.wire Protocols/B/b.wire; ln -s circle Protocols/circle; wire check")
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("error: no protocol is chosen; there are B, Scene\n"))
    }

    @Test func `a name is suggested even if one of the folders cannot be read`() throws {
        let outcome = try Workspace().shell("ln -s circle Protocols/circle; wire check Sceen")
        let errors = "error: there is no folder Sceen\nhelp: did you mean `Scene`?\n"
        #expect(outcome == Outcome(status: 1, output: "", errors: errors))
    }

    @Test func `a call without any protocol is wrong`() throws {
        let outcome = try Workspace([:]).wire("check")
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("error: no protocol is chosen, and there is none under Protocols/\n"))
    }

    @Test func `a broken protocol cannot be used, and the error says why`() throws {
        let outcome = try Workspace(["P/a.wire": Self.broken]).wire("decode", packetHex, "--protocol", "P")
        let errors = Self.brokenText + "error: P is not a protocol that can be used\n"
        #expect(outcome == Outcome(status: 1, output: "", errors: errors))
    }
}
