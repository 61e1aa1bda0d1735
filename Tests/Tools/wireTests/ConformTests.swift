// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// `wire conform` against our own codec, and its reports.
struct ConformTests {
    /// The protocols in `Protocols/`.
    static let protocols: [String] = {
        let home = Checkout.url("Protocols")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: home.path)) ?? []
        return names.filter { FileManager.default.fileExists(atPath: home.appending(path: $0 + "/Vectors").path) }
            .sorted()
    }()

    /// Protocols that together have most of the language's constructs; a deep run takes all.
    static let samples =
        Depth.isDeep
        ? protocols
        : ["Bilibili", "Checksums", "Headers", "JTT808", "KeyedGame", "PostgreSQL", "Scene", "Senders", "States"]

    static func path(of name: String) -> String { Checkout.url("Protocols/" + name).path }

    /// The options with the keys that a live server of a protocol needs.
    static func keys(of name: String) -> [String] {
        name == "KeyedGame" ? ["--key", "session=5a17c3004e99f1207be6d488313cafe5"] : []
    }

    @Test func `all protocols have vectors`() { #expect(Self.protocols.count == 33) }

    @Test(arguments: protocols)
    func `the codec conforms to the vectors, and to generated ones`(name: String) throws {
        let workspace = try Workspace()
        let words = ["conform", "--protocol", Self.path(of: name)]
        let outcome = try workspace.wire(words[0], words[1], words[2])
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        let output = try #require(outcome.output.firstMatch(of: /^(\w+): (\d+) checks: (\d+) passed\n$/), "\(outcome)")
        #expect(output.1 == name && output.2 == output.3 && Int(output.2) ?? 0 > 10)
        let made = try workspace.wire(
            "conform", words[1], words[2], "--generate", "\(Depth.count(40, deep: 150))", "--write", "made")
        #expect(made.status == 0, "\(made)")
        // The written vectors are read again.
        let again = try workspace.wire("conform", "made", words[1], words[2])
        #expect(again.status == 0, "\(again)")
    }

    @Test func `a folder of vectors tells its protocol`() throws {
        let path = Self.path(of: "Scene")
        let told = try Workspace().wire("conform", path + "/Vectors")
        #expect(try told == Workspace().wire("conform", "--protocol", path))
        #expect(told.status == 0, "\(told)")
    }

    // MARK: Errors

    @Test func `vectors of a protocol with a message that no packet can carry are not made`() throws {
        let schema = """
            packet { @id uint8 id; uint16 form; @if(form & 1 and form == 2) @length(rest) uint16 size; }
            @id(1) @from(client) message Long { uint32 number; }

            """
        let outcome = try Workspace(["Protocols/Game/Game.wire": schema]).wire("conform", "--generate", "20")
        #expect(outcome.status == 1 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.hasPrefix("error: no packet of Long can be made: Long: length 0x07"), "\(outcome)")
    }

    private static let files: KeyValuePairs<String, String> = [
        "Protocols/Scene/Scene.wire": sceneSchema, "Protocols/Scene/Vectors/hi.hex": packetHex,
        "Protocols/Scene/Vectors/hi.json": packetLine,
        "Protocols/Scene/Vectors/Invalid/cut.hex": "# A comment.\n00000009 4e21 07 0000",
        "Protocols/Scene/Vectors/Invalid/cut.txt": "Cs_20001.Line: needs 4 bytes at offset 7, 2 are left\n",
        "Protocols/Scene/Vectors/Refused/big.json":
            #"{"message":"Cs_20001","fields":{"SceneId":256,"Line":2,"message":""}}"#,
        "Protocols/Scene/Vectors/Refused/big.txt": "Cs_20001.SceneId: 256 is not in 0...255",
    ]

    @Test func `vectors of every kind are run`() throws {
        let outcome = try Workspace(Self.files).wire("conform", "--verbose")
        #expect(
            outcome
                == .success(
                    """
                    ok   hi/decode
                    ok   hi/glued
                    ok   hi/cuts
                    ok   hi/encode
                    ok   Invalid/cut/refuse
                    ok   Refused/big/refuse
                    Scene: 6 checks: 6 passed

                    """))
    }

    @Test(arguments: [
        (
            "hi.json", packetLine.replacing("\"Line\":2", with: "\"Line\":3"),
            """
            FAIL hi/decode: fields.Line: expected 3, got 2
            FAIL hi/glued: fields.Line: expected 3, got 2
            FAIL hi/encode: byte 10 differs: expected …000f4e2101000000[02]00026869, got …000f4e2101000000[03]00026869

            """
        ),
        (
            "hi.hex", packetHex + "00",
            """
            FAIL hi/decode: 15 bytes were taken where the packet has 16
            FAIL hi/glued: 15 bytes were taken where the packet has 16
            FAIL hi/cuts: of the first 15 bytes of 16: expected that more bytes are needed, got a packet of 15 bytes: \
            {"message":"Cs_20001","id":20001,"header":{"length":15,"id":20001},"fields":{"SceneId":1,"Line":2,\
            "message":"hi"}}
            FAIL hi/encode: 15 bytes came where 16 were expected: expected …0000000200026869[00], got …0000000200026869[]

            """
        ),
        (
            "Invalid/cut.txt", "something else\n",
            "FAIL Invalid/cut/refuse: expected the error `something else`, got `Cs_20001.Line: needs 4 bytes at offset 7, "
                + "2 are left`\n"
        ),
        (
            "Invalid/cut.json", #"{"error":"truncated","field":"Cs_20001.Line","offset":8}"#,
            "FAIL Invalid/cut/refuse: the offset is 7 where 8 was expected\n"
        ),
        (
            "Invalid/cut.hex", packetHex,
            "FAIL Invalid/cut/refuse: expected the error `Cs_20001.Line: needs 4 bytes at offset 7, 2 are left`, got none\n"
        ),
        (
            "Refused/big.json", packetLine,
            "FAIL Refused/big/refuse: expected an error, got bytes: \(packetHex)\n"
        ),
    ])
    func `a wrong vector fails, and its place is shown`(file: String, text: String, lines: String) throws {
        let workspace = try Workspace(Self.files)
        try workspace.write(text, to: "Protocols/Scene/Vectors/" + file)
        let outcome = try workspace.wire("conform")
        #expect(outcome.status == 1 && outcome.errors.isEmpty)
        #expect(outcome.output.hasPrefix(lines), "\(outcome)")
        #expect(outcome.output.contains("\nScene: 6 checks: "))
    }

    @Test(arguments: [
        ("hi.hex", "0g", "error: Protocols/Scene/Vectors/hi.hex: not pairs of hexadecimal digits at offset 1\n"),
        ("hi.json", "{", "error: Protocols/Scene/Vectors/hi.json: the text ends where a key in quotes"),
        ("lost.json", "{}", "error: Protocols/Scene/Vectors/lost.json has no lost.hex beside it\n"),
        ("lost.hex", "00", "error: cannot read Protocols/Scene/Vectors/lost.json: No such file or directory\n"),
        ("Invalid/cut.json", "[]", "error: Protocols/Scene/Vectors/Invalid/cut.json is no error: "),
    ])
    func `the error names files that are not vectors`(file: String, text: String, error: String) throws {
        let workspace = try Workspace(Self.files)
        try workspace.write(text, to: "Protocols/Scene/Vectors/" + file)
        let outcome = try workspace.wire("conform")
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix(error), "\(outcome)")
    }

    @Test(arguments: [
        ("conform --write made", 2, "error: --write goes with --generate N\n"),
        ("conform --seed 1", 2, "error: --seed goes with --generate N\n"),
        ("conform --generate 0", 2, "error: --generate is a number from 1 to 1000000; `0` is not\n"),
        ("conform --filter nothing", 1, "error: no check's name has `nothing` in it\n"),
        ("conform nowhere", 1, "error: there is no nowhere\n"),
        ("conform Protocols/Scene/Scene.wire", 1, "error: Protocols/Scene/Scene.wire is no vector\n"),
        ("conform --expected-failures nowhere", 1, "error: cannot read nowhere: "),
        ("conform --other", 2, "error: unknown option `--other`\n"),
        ("conform --protocol Protocols/None", 1, "error: there is no folder Protocols/None\n"),
    ])
    func `a call that cannot work gives the reason`(words: String, status: Int32, error: String) throws {
        let outcome = try Workspace(Self.files).shell("wire " + words)
        #expect(outcome.status == status && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix(error), "\(outcome)")
    }

    @Test func `the error for a protocol without vectors says how to get some`() throws {
        let outcome = try Workspace().wire("conform")
        let help = "help: --generate 100 makes some from the schema\n"
        #expect(outcome.status == 1)
        #expect(outcome.errors == "error: there are no vectors in Protocols/Scene/Vectors\n" + help)
        #expect(try Workspace().wire("conform", "--generate", "30").output.hasPrefix("Scene: "))
    }

    // MARK: Filters and expected failures

    @Test func `a filter selects checks by name`() throws {
        let workspace = try Workspace(Self.files)
        #expect(try workspace.wire("conform", "--filter", "cut").output == "Scene: 2 checks: 2 passed\n")
        #expect(try workspace.wire("conform", "--filter", "hi*code").output == "Scene: 2 checks: 2 passed\n")
        #expect(try workspace.wire("conform", "--from", "client").output == "Scene: 6 checks: 6 passed\n")
        #expect(try workspace.wire("conform", "--from", "server").status == 1)
        let one = try workspace.wire("conform", "Protocols/Scene/Vectors/Invalid/cut.hex", "--verbose")
        #expect(one == .success("ok   Invalid/cut/refuse\nScene: 1 check: 1 passed\n"))
    }

    @Test func `expected failures must happen`() throws {
        let workspace = try Workspace(Self.files)
        try workspace.write(packetHex.dropLast(2) + "6a", to: "Protocols/Scene/Vectors/hi.hex")
        try workspace.write("# Known.\nhi/decode # a reason\n  hi/glued\n\nhi/encode\n", to: "known")
        let good = try workspace.wire("conform", "--expected-failures", "known")
        #expect(good == .success("Scene: 6 checks: 3 passed, 3 failed as expected\n"))
        try workspace.write("hi/decode\nhi/glued\nhi/encode\nhi/cuts\nbye/decode\n", to: "known")
        let bad = try workspace.wire("conform", "--expected-failures", "known")
        #expect(
            bad
                == Outcome(
                    status: 1,
                    output: """
                        FAIL hi/cuts: it passes, and is expected to fail
                        FAIL bye/decode: it is expected to fail, and there is no such check
                        Scene: 7 checks: 2 passed, 1 failed, 1 passed that should fail, 3 failed as expected

                        """, errors: ""))
        // If only some checks are run, the others are not missing.
        let some = try workspace.wire("conform", "--expected-failures", "known", "--filter", "decode")
        #expect(some == .success("Scene: 1 check: 1 failed as expected\n"))
        try workspace.write("hi/decode\nhi/decode\n", to: "known")
        let twice = try workspace.wire("conform", "--expected-failures", "known")
        #expect(twice.status == 1 && twice.errors == "error: known: hi/decode stands twice\n")
    }

    @Test(.enabled(if: Peers.isWanted("python3"), "there is no python3"))
    func `the XML is well-formed, whatever a failure's text contains`() throws {
        let workspace = try Workspace(Self.files)
        let evil = #"{"message":"Cs_20001","fields":{"SceneId":1,"Line":2,"message":"\u0000\u001b]]>\"<&'\uffff😀"}}"#
        try workspace.write(evil, to: "Protocols/Scene/Vectors/hi.json")
        try workspace.write("hi/encode\n", to: "known")
        let outcome = try workspace.wire("conform", "--junit", "out.xml", "--expected-failures", "known")
        #expect(outcome.status == 1)
        let program = """
            import xml.etree.ElementTree as tree
            root = tree.parse("out.xml").getroot()
            print(root.tag, root.get("tests"), root.get("failures"))
            for case in root.iter("testcase"):
                print(case.get("classname"), case.get("name"), float(case.get("time")) >= 0,
                      *[part.tag + " " + part.get("message")[:40] for part in case])
            """
        try workspace.write(program, to: "look.py")
        let parsed = try workspace.shell("PYTHONIOENCODING=utf-8 python3 look.py")
        #expect(
            parsed
                == .success(
                    """
                    testsuites 6 2
                    Scene.hi decode True failure fields.message: expected "\\u0000\\u001b]]
                    Scene.hi glued True failure fields.message: expected "\\u0000\\u001b]]
                    Scene.hi cuts True
                    Scene.hi encode True skipped it fails as expected: byte 3 differs: ex
                    Scene.Invalid/cut refuse True
                    Scene.Refused/big refuse True

                    """))
    }
}
