// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport

/// The checks of `wire serve --script` before it listens.
@Suite(.aside)
struct ScriptCheckTests {
    private func check(_ script: String, _ words: String...) throws -> Outcome {
        let workspace = try Workspace(["Protocols/Game/Game.wire": gameSchema, "a.script": script])
        let rest = words.isEmpty ? "--check" : words.joined(separator: " ")
        return try workspace.shell("wire serve --script a.script \(rest)")
    }

    @Test func `the rules of a valid script are counted`() throws {
        #expect(try check("on connect { close; } on any { echo; }") == .success("a.script: 2 rules, no problems\n"))
        #expect(try check("/* none yet */ // none") == .success("a.script: 0 rules, no problems\n"))
    }

    /// Each problem's first line, without the file, its marked text, and its help.
    @Test(arguments: [
        // Names.
        (
            "on Cs_11 { close; }",
            [Problem("1:4", "no message is named `Cs_11`", "Cs_11", help: "did you mean `Cs_1`?")]
        ),
        (
            "on Sc_1 { close; }",
            [Problem("1:4", "`Sc_1` is the server's: a client does not send it", "Sc_1")]
        ),
        (
            "on Cs_1 { reply Cs_1 { user: \"a\" }; }",
            [
                Problem(
                    "1:17", "`Cs_1` is the client's: a server does not send it", "Cs_1", help: "its reply is `Sc_1`")
            ]
        ),
        (
            "on Cs_3 { reply Cs_3 {}; }",
            [
                Problem(
                    "1:17", "`Cs_3` is the client's: a server does not send it", "Cs_3",
                    help: "its reply is `Sc_1` or `Tick`")
            ]
        ),
        (
            "on conect { } onn any { }",
            [
                Problem("1:4", "no message is named `conect`", "conect", help: "did you mean `connect`?"),
                Problem(
                    "1:15", "expected `on`, `state`, `shared` or `seed`, found `onn`", "onn",
                    help: "did you mean `on`?"),
            ]
        ),
        (
            "on Cs_1 { closee; b = 1; if usr == 1 { } }",
            [
                Problem("1:11", "`closee` is no statement", "closee", help: "did you mean `close`?"),
                Problem("1:19", "no variable is named `b`", "b", help: "declare it at the top: `state b = 0;`"),
                Problem(
                    "1:29", "nothing is named `usr`", "usr",
                    help: "a text stands in quotes; variables are declared at the top: `state usr = 0;`"),
            ]
        ),
        (
            "state count = 1; state a = [1]; state b = 1; shared b = 2;",
            [
                Problem("1:7", "`count` has a meaning of its own", "count", help: "take another name"),
                Problem(
                    "1:28", "a variable begins with a number, a text, true, false or null", "[1]",
                    help: "rules give it other values"),
                Problem("1:53", "`b` is declared twice", "b"),
            ]
        ),
        // Fields.
        (
            "on Cs_1 { reply Sc_1 { ok: 300, greeting: \"\" }; }",
            [Problem("1:28", "Sc_1.ok: 300 is not in 0...255", "300")]
        ),
        (
            "on Cs_1 {\n    reply Sc_1 { ok: 1 };\n}",
            [Problem("2:11", "Sc_1.greeting: is missing", "Sc_1")]
        ),
        (
            "on Cs_1 { reply Sc_1 { ok: 1, greting: \"\" }; }",
            [Problem("1:31", "Sc_1: no field is named \"greting\"; there is ok, greeting", "greting")]
        ),
        (
            "on Cs_2 { reply Sc_2 { number: 1, kind: \"golf\", big: 1, items: [] }; }",
            [Problem("1:41", "Sc_2.kind: there is no \"golf\"; there is none, gold", "\"golf\"")]
        ),
        (
            "on Cs_2 { reply Sc_2 { number: 1, kind: 0, big: 1, items: [{ id: 1, count: count }, { id: 2, count: 999 }] }; }",
            [Problem("1:101", "Sc_2.items[1].count: 999 is not in 0...255", "999")]
        ),
        (
            "on Cs_1 { send Tick { number: request.user, text: request.usr }; }",
            [Problem("1:59", "no field is named `usr`", "usr", help: "did you mean `user`?")]
        ),
        (
            "on Cs_1 { send Tick { number: request.user, text: 5 }; }",
            [Problem("1:31", "this is a string, where `number` needs a number", "request.user")]
        ),
        (
            "on Cs_2 { send Tick { number: 1, text: request.items[0] }; send Tick { number: size(request.big), text: \"\" }; }",
            [Problem("1:40", "this is an object, where `text` needs a string", "request.items[0]")]
        ),
        (
            "on Cs_1, Cs_2 { if request.user == \"x\" { close; } }\non any { if request.user == \"x\" { } }",
            [
                Problem("1:28", "no field is named `user`", "user", help: "there are none"),
                Problem("2:13", "`request` stands only in rules for messages that are named", "request"),
            ]
        ),
        // Kinds.
        (
            "on Cs_2 when request.kind == \"golf\" { }",
            [Problem("1:30", "`Kind` has no `golf`", "\"golf\"", help: "did you mean `gold`?")]
        ),
        (
            "on Cs_1 { if request.user { } if request.user + 1 == 5 { } if not 1 { } if 1 < 2 < 3 { } }",
            [
                Problem("1:14", "this is a string, where true or false is needed", "request.user"),
                Problem("1:51", "a string is never equal to a number", "=="),
                Problem("1:67", "this is a number, where true or false is needed", "1"),
                Problem("1:82", "comparisons do not stand in a row", "<", help: "write `and` between two"),
            ]
        ),
        // Headers.
        (
            """
            on Cs_1 { send Tick { number: 1, text: "" } header { Length: 1 }; }
            on Cs_2 { send Tick { number: 1, text: "" } wrong { Lenth: 1 } torn 3 every 1s; }
            on Cs_3 { echo; send Tick { number: 1, text: "" } wrong { Mark: 256 }; send Tick { number: value, text: "" }; }
            """,
            [
                Problem(
                    "1:54", "`Length` is computed", "Length",
                    help: "to send a wrong one, write `wrong` in place of `header`"),
                Problem("2:53", "the header has no `Lenth`", "Lenth", help: "did you mean `Length`?"),
                Problem("3:65", "256 is not in 0...255", "256"),
                Problem("3:92", "`value` stands only in `wrong`", "value"),
            ]
        ),
        // Places of statements.
        (
            "on connect { reply Sc_1 { ok: 1, greeting: \"\" }; echo; if id == 1 { } }",
            [
                Problem("1:14", "no message has come that could be answered", "reply", help: "write `send`"),
                Problem("1:50", "no message has come that could go back", "echo"),
                Problem("1:59", "`id` stands only in rules for messages", "id"),
            ]
        ),
        (
            "on Cs_2 { glue { wait 5s; echo torn 1 every 1s; } raw \"abc\"; }",
            [
                Problem("1:18", "`wait` cannot stand in `glue`: what is in it leaves in one piece", "wait"),
                Problem("1:32", "`torn` cannot stand in `glue`: what is in it leaves in one piece", "torn"),
                Problem("1:55", "not pairs of hexadecimal digits at offset 3", "\"abc\""),
            ]
        ),
        // Numbers and times.
        (
            "on Cs_1 { wait 5; wait 5s to 3s; repeat 0 { } every 1s times 200000 { } if random(1) == 2 { } if 5s == 1 { } }",
            [
                Problem(
                    "1:16", "`5` is no time", "5",
                    help: "it is a number above 0 with ms, s or m after it, such as 500ms"),
                Problem("1:30", "the longer time stands after `to`", "3s"),
                Problem("1:41", "`0` is not a number of times", "0", help: "it is from 1 to 100000"),
                Problem("1:62", "`200000` is not a number of times", "200000", help: "it is from 1 to 100000"),
                Problem(
                    "1:84", "expected `,` and the largest number, found `)`", ")",
                    help: "`random(1, 6)` is a number from 1 to 6"),
                Problem(
                    "1:98", "`5s` is no number", "5s", help: "times stand after `wait`, `after` and `every`"),
            ]
        ),
        // Marks.
        (
            "on Cs_1 {\n    close\n    stop;\n}\n}\non Cs_3 { echo; ",
            [
                Problem("2:10", "expected `;` after `close`", " ", help: "put `;` here"),
                Problem("5:1", "expected `on`, `state`, `shared` or `seed`, found `}`", "}"),
                Problem("6:17", "expected `}` after the statements, found the end of the script", " "),
            ]
        ),
        (
            "on Cs_1 when count == 1 && !(count > 2) { send Tick { number: 1, text: \"\\q\" }; }",
            [
                Problem("1:25", "`&` means nothing in a script", "&", help: "write `and`"),
                Problem("1:28", "`!` means nothing in a script", "!", help: "write `not`"),
                Problem("1:72", "a backslash before `q`", "\"\\q\""),
            ]
        ),
    ])
    func `each problem is reported with its place and what to do`(_ script: String, _ problems: [Problem]) throws {
        let outcome = try check(script)
        let texts = problems.map { $0.text(of: script) }
        #expect(outcome == Outcome(status: 1, output: "", errors: texts.joined()))
    }

    @Test func `a rule that is hidden by another one gets a warning`() throws {
        let script = "on any { echo; }\non Cs_1, Cs_2 { close; }\non connect { }"
        let outcome = try check(script)
        #expect(outcome.status == 0 && outcome.output == "a.script: 3 rules, no problems\n")
        #expect(
            outcome.errors == """
                a.script:2:1: warning: this rule is never followed: the one in line 1 comes first
                on Cs_1, Cs_2 { close; }
                ^^^^^^^^^^^^^
                help: put it in front, or give the other one a condition: `when …`

                """)
    }

    @Test func `deep nesting is refused, and does not overflow the stack`() throws {
        for opening in ["(", "not ", "-", "[", "{ a: "] {
            let script = "on Cs_1 when " + String(repeating: opening, count: 10_000)
            let outcome = try check(script)
            #expect(outcome.status == 1 && outcome.errors.contains("stands in more than 64 others"), "\(opening)")
        }
        for opening in ["if true { ", "if true { } else "] {
            let script = "on Cs_1 { " + String(repeating: opening, count: 10_000)
            let outcome = try check(script)
            #expect(outcome.status == 1 && outcome.errors.contains("stands in more than 64 others"), "\(opening)")
        }
        // Operators in a row nest to the left.
        for (first, link) in [("1", " + 1"), ("true", " and true"), ("s", ".a"), ("s", "[0]")] {
            let script = "state s = 0; on Cs_1 { s = " + first + String(repeating: link, count: 10_000) + "; }"
            let outcome = try check(script)
            #expect(outcome.status == 1 && outcome.errors.contains("stands in more than 64 others"), "\(link)")
        }
    }

    @Test(arguments: [
        ("flags: 1, text: \"a\"", ""), ("flags: 0", ""), ("flags: request.n, text: \"a\"", ""),
        ("flags: request.n", ""),
        ("flags: 0, text: null", ""), ("flags: 1", "is not set, but its condition holds"),
        ("flags: 0, text: \"a\"", "is set, but its condition does not hold"),
        ("flags: request.n, text: 3", "a string is needed, not a number"),
    ])
    func `a field must be set as its condition says if that is known before the script runs`(
        fields: String, error: String
    ) throws {
        let schema = """
            @id(1) @from(client) @reply(Answer) message Ask { uint8 n; }
            @id(1) @from(server) message Answer { uint8 flags; @if(flags & 1) string text; }
            """
        let workspace = try Workspace([
            "Protocols/Game/Game.wire": schema, "a.script": "on Ask { reply Answer { \(fields) }; }",
        ])
        let outcome = try workspace.shell("wire serve --script a.script --check")
        #expect(outcome.status == (error.isEmpty ? 0 : 1) && outcome.errors.contains(error), "\(outcome)")
    }

    @Test(arguments: [
        ("{ mileage: 3 }", ""), ("{ nothing: null }", ""), ("{ place: { x: request.n, flag: 0 } }", ""),
        ("{ other: { tag: request.n, bytes: \"AAE=\" } }", ""),
        ("{ mileage: 70000 }", "70000 is not in 0...65535"), ("{ speed: 3 }", "no field is named \"speed\""),
        ("{ mileage: 3, nothing: null }", "one arm is needed, not 2"), ("3", "an object is needed, not a number"),
        ("{ nothing: 3 }", "null is needed, not a number"),
        ("{ place: { x: true, flag: 0 } }", "an integer is needed, not a boolean"),
        ("{ other: { tag: 9 } }", "is missing"), ("{ place: { x: 1, flag: 1 } }", "is not set"),
        ("{ place: { x: 1, flag: request.n } }", ""),
    ])
    func `a union is an object with one key`(value: String, error: String) throws {
        let schema = """
            union Extra : uint8 sized(uint8) { 1: uint16 mileage; 2: nothing; 3: Place place; default: bytes other; }
            struct Place { uint8 x; uint8 flag; @if(flag) uint8 y; }
            @id(1) @from(client) @reply(Answer) message Ask { uint8 n; Extra extra; }
            @id(1) @from(server) message Answer { Extra extra; }
            """
        let workspace = try Workspace([
            "Protocols/Game/Game.wire": schema, "a.script": "on Ask { reply Answer { extra: \(value) }; }",
        ])
        let outcome = try workspace.shell("wire serve --script a.script --check")
        #expect(outcome.status == (error.isEmpty ? 0 : 1) && outcome.errors.contains(error), "\(outcome)")
    }

    @Test(arguments: [
        ("", ""), ("data: \"AQI=\", item: { kind: 1 }, items: [{ kind: request.n }]", ""),
        ("data: null, item: null", ""), ("item: { kind: request.n }", ""),
        ("item: { sort: 1 }", "no field is named \"sort\""), ("items: [{}]", "is missing"),
    ])
    func `a value whose prefix has a sign may be left out`(fields: String, error: String) throws {
        let schema = """
            struct Item { uint8 kind; }
            @id(1) @from(client) @reply(Answer) message Ask { uint8 n; }
            @id(1) @from(server)
            message Answer { @count(int32) bytes data; @size(int16) Item item; @size(zigzag) Item[] items; }
            """
        let workspace = try Workspace([
            "Protocols/Game/Game.wire": schema, "a.script": "on Ask { reply Answer { \(fields) }; }",
        ])
        let outcome = try workspace.shell("wire serve --script a.script --check")
        #expect(outcome.status == (error.isEmpty ? 0 : 1) && outcome.errors.contains(error), "\(outcome)")
    }

    @Test(arguments: [
        ("{ text: \"a\" } header { urgent: true }", ""), ("{}", ""), ("{} header { urgent: false }", ""),
        ("{ text: \"a\" }", "is set, but its condition does not hold"),
        ("{} header { urgent: true }", "is not set, but its condition holds"),
        ("{ text: \"a\" } header { urgent: request.n == 1 }", ""),
    ])
    func `a field must be set as the header says if that is known before the script runs`(
        message: String, error: String
    ) throws {
        let schema = """
            packet { @length(packet) uint16 length; @id uint8 id; bool urgent; }
            @id(1) @from(client) @reply(Answer) message Ask { uint8 n; }
            @id(1) @from(server) message Answer { @if(header.urgent) string text; }
            """
        let workspace = try Workspace([
            "Protocols/Game/Game.wire": schema, "a.script": "on Ask { reply Answer \(message); }",
        ])
        let outcome = try workspace.shell("wire serve --script a.script --check")
        #expect(outcome.status == (error.isEmpty ? 0 : 1) && outcome.errors.contains(error), "\(outcome)")
    }

    @Test func `a seed can be any number of 64 bits`() throws {
        #expect(try check("seed 18446744073709551615;").status == 0)
        #expect(try check("seed 0xFFFFFFFFFFFFFFFF;").status == 0)
        for number in ["18446744073709551616", "-1", "1.5"] {
            #expect(try check("seed \(number);").status == 1, "\(number)")
        }
    }

    @Test(arguments: [
        ("--echo 127.0.0.1:0", 2, "error: --echo and --script exclude each other\n"),
        ("--benchmark 127.0.0.1:0", 2, "error: --benchmark goes with --echo\n"),
        ("--threads 1", 2, "error: HOST:PORT is missing\n"),
        ("--script b.script --check", 1, "error: cannot read b.script: No such file or directory\n"),
        ("--script Protocols --check", 1, "error: cannot read Protocols: Is a directory\n"),
    ])
    func `a call without meaning is refused`(_ words: String, _ status: Int32, _ error: String) throws {
        let outcome = try check("", words)
        #expect(outcome.status == status && outcome.output.isEmpty && outcome.errors.hasPrefix(error), "\(outcome)")
    }

    @Test func `with a broken script the server does not listen`() throws {
        let outcome = try check("on Cs_1 { clos; }", "127.0.0.1:0")
        #expect(outcome.status == 1 && outcome.output.isEmpty && outcome.errors.contains("did you mean `close`?"))
    }

    @Test(arguments: ["--check", "--benchmark", ""])
    func `serve requires an echo or a script`(_ word: String) throws {
        let outcome = try Workspace().shell("wire serve 127.0.0.1:0 \(word)")
        #expect(outcome.status == 2 && outcome.errors.hasPrefix("error: --echo or --script is missing\n"))
    }
}

/// A problem as it should be reported.
struct Problem: Sendable {
    /// `12:5`
    let place: String
    let message: String
    /// The marked text.
    let marked: String
    let help: String?

    init(_ place: String, _ message: String, _ marked: String, help: String? = nil) {
        self.place = place
        self.message = message
        self.marked = marked
        self.help = help
    }

    /// All its lines.
    func text(of script: String) -> String {
        let numbers = place.split(separator: ":").compactMap { Int($0) }
        let line = script.split(separator: "\n", omittingEmptySubsequences: false)[numbers[0] - 1]
        let carets = String(repeating: " ", count: numbers[1] - 1) + String(repeating: "^", count: marked.count)
        return "a.script:\(place): error: \(message)\n\(line)\n\(carets)\n" + (help.map { "help: \($0)\n" } ?? "")
    }
}
