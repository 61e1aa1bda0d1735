// SPDX-License-Identifier: Apache-2.0

import Testing

struct DiffTests {
    private static let old = "message Cs_1 {\n    uint16 a;\n    uint8 b;\n}\n"
    private static let new = "message Cs_1 {\n    uint32 a;\n    uint8 c;\n    optional uint8 d;\n}\n"

    private func workspace(
        _ files: KeyValuePairs<String, String> = ["Old/a.wire": Self.old, "New/a.wire": Self.new]
    ) throws
        -> Workspace
    {
        try Workspace(files)
    }

    @Test func `each change is shown with its places, its effect, and what to do`() throws {
        let outcome = try workspace().wire("diff", "Old", "New")
        let output = """
            New/a.wire:4:20: fine: Cs_1.d is new, at the end [ADDITION]
            New/a.wire:2:12: breaks: Cs_1.a was `uint16`, is `uint32` [FIELD_SAME_TYPE]
              it was in Old/a.wire:2:12
              new clients send Cs_1 {"a":1,"c":2,"d":3}
                  as 0000000c000100000001 0203
                  and old servers read Cs_1 {"a":0,"b":0}
                  a at 6…7 (0000): sent 1, read 0
              old clients send Cs_1 {"a":1,"b":2}
                  as 000000090001000102
                  and new servers refuse it: Cs_1.a: needs 4 bytes at offset 6, 3 are left
              help: keep the field, and append another one in the new form, `optional` or with `@since`
            New/a.wire:3:11: code: Cs_1.c was called `b` [FIELD_SAME_NAME]
              it was in Old/a.wire:3:11
              help: keep it; where another name is wanted in code, use `@name`
            Old and New: 3 changes: 1 breaks packets, 1 changes code or JSON, 1 breaks nothing

            """.replacing("0001 0203", with: "00010203")
        #expect(outcome == Outcome(status: 1, output: output, errors: ""))
    }

    @Test(arguments: [
        ("uint16 a;", "uint16 a;", 0, 0),
        ("uint16 a;", "uint16 a; optional uint8 b;", 0, 0),
        ("uint16 a;", "uint16 b;", 0, 1),
        ("uint16 a;", "uint8 a;", 1, 1),
    ])
    func `the status shows whether packets break, and with --strict whether code does`(
        old: String, new: String, status: Int32, strict: Int32
    ) throws {
        let workspace = try workspace([
            "Old/a.wire": "message Cs_1 { \(old) }\n", "New/a.wire": "message Cs_1 { \(new) }\n",
        ])
        #expect(try workspace.wire("diff", "Old", "New").status == status)
        #expect(try workspace.wire("diff", "Old", "New", "--strict").status == strict)
    }

    @Test func `a field at the end of a long message is shown with its bytes and both values`() throws {
        let fields = (0..<60).map { "uint8 f\($0);" }.joined(separator: " ")
        let item = "struct Item { \(fields) int64 big; }\n"
        let message = "message Cs_1 { \(fields) Item[] items; }\n"
        let workspace = try workspace([
            "Old/a.wire": message + item, "New/a.wire": message + item.replacing(" int64", with: " uint64"),
        ])
        let outcome = try workspace.wire("diff", "Old", "New")
        let field = "      items[0].big at 128…135"
        let old = #"(8000000000000000): sent "9223372036854775808", read "-9223372036854775808""#
        let new = #"(ffffffffffffffff): sent -1, read "18446744073709551615""#
        for reading in [old, new] { #expect(outcome.output.contains("\(field) \(reading)\n"), "\(outcome)") }
        let json = try workspace.wire("diff", "Old", "New", "--format", "json")
        #expect(json.output.contains(#""field":"items[0].big","offset":128,"byteCount":8,"#))
    }

    @Test func `JSON output is one object on one line`() throws {
        let workspace = try workspace([
            "Old/a.wire": "message Cs_1 { int8 a; }\n", "New/a.wire": "message Cs_1 { uint8 a; }\n",
        ])
        let line =
            #"{"old":"Old","new":"New","compatible":false,"changes":[{"effect":"wire","rule":"FIELD_SAME_TYPE","#
            + #""subject":"Cs_1.a","summary":"was `int8`, is `uint8`","#
            + #""old":{"file":"Old/a.wire","line":1,"column":21},"new":{"file":"New/a.wire","line":1,"column":22},"#
            + #""messages":["Cs_1"],"failures":[{"reader":"old","sender":"client","message":"Cs_1","sent":{"a":128},"#
            + #""packet":"00000007000180","byteCount":7,"reading":{"outcome":"misread","error":null,"message":"Cs_1","#
            + #""field":"a","offset":6,"byteCount":1,"read":{"a":-128}}},{"reader":"new","sender":"client","message":"Cs_1","sent":{"a":-1},"#
            + #""packet":"000000070001ff","byteCount":7,"reading":{"outcome":"misread","error":null,"message":"Cs_1","#
            + #""field":"a","offset":6,"byteCount":1,"read":{"a":255}}}],"alternative":"keep the field, and append another one in the new form, "#
            + #"`optional` or with `@since`"}]}"# + "\n"
        let outcome = try workspace.wire("diff", "Old", "New", "--format", "json")
        #expect(outcome == Outcome(status: 1, output: line, errors: ""))
    }

    @Test func `GitHub's format has a workflow command for each change`() throws {
        let workspace = try workspace([
            "Old/a.wire": "message Cs_1 { uint8 a; }\nmessage Cs_2 {}\n", "New,/a.wire": "message Cs_1 { uint8 b; }\n",
        ])
        let output = """
            ::warning file=New%2C/a.wire,line=1,col=22::Cs_1.b was called `a` [FIELD_SAME_NAME]%0A\
            help: keep it; where another name is wanted in code, use `@name`
            ::error::Cs_2 is gone [MESSAGE_NO_DELETE]%0A  old clients send Cs_2 {}%0A      as 000000060002%0A\
                  and new servers have no message of its ID%0Ahelp: keep it, marked `@deprecated`; when nobody sends it \
            any more, put its ID into `reserved`
            Old and New,: 2 changes: 1 breaks packets, 1 changes code or JSON

            """
        let outcome = try workspace.wire("diff", "Old", "New,", "--format=github")
        #expect(outcome == Outcome(status: 1, output: output, errors: ""))
    }

    @Test(.enabled(if: hasGit, "there is no git")) func `a revision of git can be the old version`() throws {
        let workspace = try workspace(["Protocols/P/a.wire": Self.old, "Protocols/P/b.wire": "message Sc_1 {}\n"])
        let git = "git -c user.name=a -c user.email=a@example.com"
        let preparation = "git init -q . && git add . && \(git) commit -qm one && git tag v1 && rm Protocols/P/b.wire"
        #expect(try workspace.shell(preparation).status == 0)
        let summary = "MESSAGE_NO_DELETE"
        for line in [
            "wire diff v1", "wire diff v1 Protocols/P", "wire diff v1:Protocols/P Protocols/P",
            "cd Protocols && wire diff v1:P P", "cd Protocols/P && wire diff v1 .", "wire diff v1 $PWD/Protocols/P",
        ] {
            let outcome = try workspace.shell(line)
            #expect(
                outcome.status == 1 && outcome.output.contains(summary) && outcome.errors.isEmpty, "\(line): \(outcome)"
            )
        }
        let broken = try workspace.shell("wire diff v2; wire diff v1:Q Protocols/P")
        #expect(broken.output.isEmpty && broken.status == 1)
        #expect(broken.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("error: git: fatal: ") })
    }

    @Test func `a lock file contains a released version`() throws {
        let workspace = try workspace(["P/a.wire": Self.old, "P/b.wire": "message Sc_1 {}\n"])
        #expect(try workspace.wire("diff", "--write-lock", "P.lock", "P") == .success("P.lock\n"))
        let lock = try workspace.read("P.lock")
        #expect(lock.hasPrefix("// The protocol P, written by `wire diff --write-lock`; not to be edited. CRC-32: "))
        #expect(lock.hasSuffix("\n\nmessage Cs_1 {\n    uint16 a;\n    uint8  b;\n}\n\nmessage Sc_1 {}\n"))
        #expect(try workspace.wire("diff", "--lock", "P.lock", "P") == .success("P.lock and P: the same\n"))
        try workspace.write(Self.new, to: "P/a.wire")
        let outcome = try workspace.wire("diff", "P", "--lock=P.lock")
        #expect(outcome.status == 1 && outcome.output.contains("FIELD_SAME_TYPE"))
        try workspace.write(lock.replacing("uint16", with: "uint32"), to: "P.lock")
        let edited = try workspace.wire("diff", "--lock", "P.lock", "P")
        #expect(edited.status == 1 && edited.output.isEmpty)
        #expect(edited.errors.hasPrefix("error: P.lock has been changed by hand"))
        let other = try workspace.wire("diff", "--lock", "P/a.wire", "P")
        #expect(other.errors.hasPrefix("error: P/a.wire is not a lock file\n"))
    }

    @Test(arguments: [
        ("diff", "error: OLD is missing\n"),
        ("diff --lock a b c", "error: the old version is named twice, as OLD and by --lock\n"),
        ("diff --write-lock a b c", "error: --write-lock takes one version\n"),
        ("diff a b c", "error: unexpected argument `c`\n"),
    ])
    func `a call without meaning exits with 2`(_ words: String, _ errors: String) throws {
        let outcome = try Workspace().shell("wire " + words)
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix(errors))
    }

    @Test func `errors in a version are shown like in a check`() throws {
        let outcome = try workspace(["P/a.wire": CheckTests.broken, "New/a.wire": Self.new]).wire("diff", "P", "New")
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        #expect(outcome.errors == CheckTests.brokenText + "error: P is not a protocol that can be used\n")
    }

    /// git comes with every checkout, but the tests may have been copied.
    private static var hasGit: Bool { (try? Workspace().shell("git --version").status) == 0 }
}
