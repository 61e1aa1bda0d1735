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
    func `a right protocol has no problems`(_ words: String) throws {
        let outcome = try Workspace().shell("wire " + words)
        #expect(outcome == .success("Protocols/Scene: 2 messages, no problems\n"))
    }

    @Test func `problems are shown with their line, and end with 1`() throws {
        let outcome = try Workspace(["P/a.wire": Self.broken]).wire("check", "P")
        #expect(outcome == Outcome(status: 1, output: "P: 1 error\n", errors: Self.brokenText))
    }

    @Test func `warnings alone end with 0`() throws {
        let workspace = try Workspace(["P/a.wire": "message Cs_1 {\n@little uint8 a;\n}\n"])
        let outcome = try workspace.wire("check", "P")
        #expect(outcome.status == 0)
        #expect(outcome.output == "P: 1 message, 1 warning\n")
        #expect(outcome.errors.hasPrefix("P/a.wire:2:1: warning: "))
    }

    @Test func `JSON is one object in one line`() throws {
        let outcome = try Workspace(["P/a.wire": Self.broken]).wire("check", "P", "--format", "json")
        let line =
            #"{"protocol":"P","folder":"P","valid":false,"messages":null,"diagnostics":[{"severity":"error","#
            + #""file":"P/a.wire","line":2,"column":5,"endLine":2,"endColumn":10,"byteCount":5,"message":"unknown type `Unit8`","#
            + #""help":"did you mean `uint8`?"}],"omitted":0}"# + "\n"
        #expect(outcome == Outcome(status: 1, output: line, errors: ""))
    }

    @Test func `GitHub's form is a workflow command for each problem`() throws {
        let outcome = try Workspace(["P,1/a%.wire": Self.broken]).wire("check", "P,1", "--format=github")
        let lines =
            "::error file=P%2C1/a%25.wire,line=2,endLine=2,col=5,endColumn=10::unknown type `Unit8`%0Ahelp: did you mean `uint8`?\n"
            + "P,1: 1 error\n"
        #expect(outcome == Outcome(status: 1, output: lines, errors: ""))
    }

    @Test func `all files of a folder are read together, and none of its subfolders`() throws {
        let workspace = try Workspace([
            "P/b.wire": "message Cs_1 { Place place; }\n", "P/a.wire": "struct Place { uint8 x; }\n",
            "P/.hidden.wire": "nonsense", "P/notes.txt": "nonsense", "P/Old/c.wire": "nonsense",
            "P/folder.wire/d.wire": "nonsense",
        ])
        #expect(try workspace.wire("check", "P") == .success("P: 1 message, no problems\n"))
    }

    @Test func `a folder may be named by a dot`() throws {
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
    func `what is not a protocol's folder is refused with 1`(_ folder: String, _ errors: String) throws {
        let outcome = try Workspace().shell("wire check \(folder)")
        #expect(outcome == Outcome(status: 1, output: "", errors: errors))
    }

    @Test func `a file that cannot be read is named with the system's reason`() throws {
        let outcome = try Workspace().shell("ln -s nowhere Protocols/Scene/b.wire; wire check")
        let errors = "error: cannot read Protocols/Scene/b.wire: No such file or directory\n"
        #expect(outcome == Outcome(status: 1, output: "", errors: errors))
    }

    @Test func `without a choice the protocols are listed`() throws {
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

    /// Links in a circle: nobody can read them, not even root.
    @Test(arguments: [
        ("ln -s circle Protocols/circle", ""),
        ("mkdir Protocols/B; ln -s b.wire Protocols/B/b.wire", "--protocol Scene"),
        ("mkdir Protocols/B; echo nonsense > Protocols/B/b.wire", "--protocol Protocols/Scene"),
    ])
    func `what is wrong with one folder does not keep another from being used`(
        _ preparation: String, _ options: String
    ) throws {
        let workspace = try Workspace()
        let decoded = try workspace.shell("\(preparation); wire decode \(packetHex) \(options)")
        #expect(decoded == .success(packetLine))
        let encoded = try workspace.shell("wire encode Cs_20001 '\(packetFields)' \(options)")
        #expect(encoded == .success(packetHex + "\n"))
    }

    @Test func `a folder that cannot be read is one to choose from`() throws {
        let outcome = try Workspace().shell(
            "mkdir Protocols/B; ln -s b.wire Protocols/B/b.wire; ln -s circle Protocols/circle; wire check")
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("error: no protocol is chosen; there are B, Scene\n"))
    }

    @Test func `a name is suggested though one of the folders cannot be read`() throws {
        let outcome = try Workspace().shell("ln -s circle Protocols/circle; wire check Sceen")
        let errors = "error: there is no folder Sceen\nhelp: did you mean `Scene`?\n"
        #expect(outcome == Outcome(status: 1, output: "", errors: errors))
    }

    @Test func `without any protocol the call is wrong`() throws {
        let outcome = try Workspace([:]).wire("check")
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("error: no protocol is chosen, and there is none under Protocols/\n"))
    }

    @Test func `a broken protocol cannot be used, and says why`() throws {
        let outcome = try Workspace(["P/a.wire": Self.broken]).wire("decode", packetHex, "--protocol", "P")
        let errors = Self.brokenText + "error: P is not a protocol that can be used\n"
        #expect(outcome == Outcome(status: 1, output: "", errors: errors))
    }
}
