// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// `wire conform --command`: other implementations, and programs that are not adapters.
@Suite(.aside)
struct ConformHarnessTests {
    private static let files: KeyValuePairs<String, String> = [
        "Protocols/Scene/Scene.wire": "option max_packet = 4096;\n" + sceneSchema,
        "Protocols/Scene/Vectors/hi.hex": packetHex, "Protocols/Scene/Vectors/hi.json": packetLine,
        "Protocols/Scene/Vectors/Invalid/cut.hex": "00000009 4e21 07 0000",
        "Protocols/Scene/Vectors/Invalid/cut.txt": "Cs_20001.Line: needs 4 bytes at offset 7, 2 are left\n",
    ]
    /// So long that only a failed test reaches it.
    private static let patience = "20m"

    @Test(arguments: ConformTests.samples)
    func `our own adapter conforms`(name: String) throws {
        let path = ConformTests.path(of: name)
        let outcome = try Workspace().shell(
            "wire conform --protocol \(path) --generate 20 --strict --timeout \(Self.patience) "
                + "--command 'wire conform --adapter --protocol \(path)'")
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        #expect(outcome.output.wholeMatch(of: /\w+: (\d+) checks: \1 passed\n/) != nil, "\(outcome)")
    }

    /// Makes one check with a shell script as the program. The check asks whether `hi` can be decoded.
    private func check(
        _ script: String, _ filter: String = "hi/decode", _ words: String = "--timeout 20m"
    ) throws -> Outcome {
        let workspace = try Workspace(Self.files)
        try workspace.write("#!/bin/sh\n" + script + "\n", to: "program")
        return try workspace.shell("wire conform --command 'exec sh ./program' --filter '\(filter)' \(words)")
    }

    @Test(arguments: [
        ("read line; exit 3", "the program ended with status 3 before it replied"),
        ("exit 0", "the program ended with status 0 before it replied"),
        ("exec >&-; sleep 1000", "the program has closed its output and goes on"),
        ("kill -9 $$", "the program was ended by signal 9 before it replied"),
        (
            "echo first >&2; echo second >&2; exit 1",
            "the program ended with status 1 before it replied; it said: first / second"
        ),
        (
            "echo garbage",
            "what it replied is no line of JSON: `g` where a value was expected at byte 0 of the JSON: garbage"
        ),
        ("read line; echo '{}'; read line", #"its reply does not have `"id":1`: {}"#),
        ("read line; echo '{\"id\":2,\"reply\":\"more\"}'; read line", #"its reply does not have `"id":1`: "#),
        ("read line; echo '{\"id\":1}'; read line", "its reply cannot be understood: there is no `reply`: {\"id\":1}"),
        (
            "read line; echo '{\"id\":1,\"reply\":\"perhaps\"}'; read line",
            "its reply cannot be understood: `reply` is ok, more, error or skip, not \"perhaps\": "
        ),
        (
            "read line; echo '{\"id\":1,\"reply\":\"ok\"}'; read line",
            "its reply cannot be understood: to `decode`, `ok` has a `count` of bytes and a `line`: "
        ),
        (
            "read line; echo '{\"id\":1,\"reply\":\"ok\",\"count\":0,\"line\":{}}'; read line",
            "its reply cannot be understood: `count` is an integer above 0: "
        ),
        (
            "read line; echo '{\"id\":1,\"reply\":\"more\",\"count\":3}'; read line",
            "expected a packet, got that more bytes are needed: 3"
        ),
        (
            "read line; echo '{\"id\":1,\"reply\":\"error\",\"text\":\"no\"}'; read line",
            "expected a packet, got an error: no"
        ),
        ("read line; yes | tr -d '\\n'", "a reply of more than 1179648 bytes"),
        ("read line; printf '{\"id\":1'", "the program ended with status 0 before it replied"),
        ("read line; printf '\\377\\000\\n'; read line", "what it replied is no line of JSON: "),
        ("exec ./nothing", "the program ended with status 127 before it replied; it said: "),
    ])
    func `a program that is not an adapter fails, and the reason is shown`(script: String, reason: String) throws {
        var outcome = try check(script)
        // The program has some seconds to end after its output. A busy machine may need more.
        let goesOn = "the program has closed its output and goes on"
        for _ in 0..<3 where reason != goesOn && outcome.output.contains(goesOn) { outcome = try check(script) }
        #expect(outcome.status == 1 && outcome.errors.isEmpty)
        #expect(outcome.output.hasPrefix("FAIL hi/decode: " + reason), "\(outcome)")
        #expect(outcome.output.hasSuffix("\nScene: 1 check: 1 failed\n"))
    }

    @Test(arguments: [
        ("cat > /dev/null", "no first reply within 10 times 20ms"),
        ("sleep 1000", "no first reply within 10 times 20ms"),
        ("printf '{\"id\":1'; sleep 1000", "no first reply within 10 times 20ms"),
    ])
    func `a silent program runs into the timeout`(script: String, reason: String) throws {
        let outcome = try check(script, "hi/decode", "--timeout 20ms")
        #expect(
            outcome == Outcome(status: 1, output: "FAIL hi/decode: \(reason)\nScene: 1 check: 1 failed\n", errors: ""))
    }

    @Test func `a program that never works is started only a few times`() throws {
        let outcome = try check("echo x >> starts; exit 1", "*")
        #expect(outcome.status == 1)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 6 && lines.allSatisfy { !$0.contains("not asked") }, "\(outcome)")
        let workspace = try Workspace(Self.files)
        let many = try workspace.shell(
            "wire conform --generate 20 --junit out.xml --command 'echo >> starts; exit 1' | tail -n 3; wc -l < starts")
        let ends = many.output.split(separator: "\n")
        try #require(ends.count == 4, "\(many)")
        #expect(ends[0].hasSuffix("the program ended with status 1 before it replied") && ends[3] == "10", "\(many)")
        // The other checks are one line, and each of them is in the report.
        let reason = "not asked: the program was lost 10 times in a row"
        let count = try #require(ends[1].wholeMatch(of: /FAIL (\d+) more checks: (.*)/))
        #expect(count.2 == reason && Int(count.1) ?? 0 > 20, "\(many)")
        #expect(ends[2].hasSuffix(" checks: 10 failed, \(count.1) not made"), "\(many)")
        let report = try workspace.read("out.xml")
        #expect(report.matches(of: try Regex("<error message=\"\(reason)\"/>")).count == Int(count.1))
        #expect(report.contains(#"failures="10" errors="\#(count.1)" skipped="0""#))
    }

    /// The correct adapter, with a change in its output.
    private func changed(_ change: String, _ filter: String, _ words: String = "") throws -> Outcome {
        let workspace = try Workspace(Self.files)
        try workspace.write("wire conform --adapter | sed -u '\(change)'\n", to: "program")
        return try workspace.shell(
            "wire conform --timeout 20m --command 'sh ./program' --filter '\(filter)' \(words)")
    }

    @Test(arguments: [
        (#"s/"Line":2/"Line":3/"#, "hi/decode", "FAIL hi/decode: fields.Line: expected 2, got 3\n"),
        (#"s/"count":15/"count":14/"#, "hi/decode", "FAIL hi/decode: 14 bytes were taken where the packet has 15\n"),
        (
            #"s/"count":15,"line".*/"count":30,"line":{}}/"#, "hi/glued",
            "FAIL hi/glued: 30 bytes were taken where the packet has 15\n"
        ),
        (
            #"s/000200026869/000300026869/"#, "hi/encode",
            "FAIL hi/encode: byte 10 differs: expected …000f4e2101000000[02]…, got …000f4e2101000000[03]…\n"
        ),
        (
            #"s/"reply":"more","count":[0-9]*/"reply":"more","count":99/"#, "hi/cuts",
            "FAIL hi/cuts: of the first 0 bytes of 15: needs 99 more, which is not 1 to 15\n"
        ),
        (
            #"s/"reply":"more"/"reply":"error"/"#, "hi/cuts",
            "FAIL hi/cuts: of the first 0 bytes of 15: expected that more bytes are needed, got an error: {}\n"
        ),
        (
            #"s/"offset":7/"offset":8/"#, "Invalid*", "FAIL Invalid/cut/refuse: the offset is 8 where 7 was expected\n"
        ),
        (
            #"s/20001.Line"/20001.SceneId"/"#, "Invalid*",
            "FAIL Invalid/cut/refuse: the field is Cs_20001.SceneId where Cs_20001.Line was expected\n"
        ),
        (
            #"s/"error":"truncated"/"error":"too_long"/"#, "Invalid*",
            "FAIL Invalid/cut/refuse: the error is too_long where truncated was expected\n"
        ),
    ])
    func `a wrong answer fails, and the expected one is shown`(change: String, filter: String, text: String) throws {
        let outcome = try changed(change, filter)
        let shown = outcome.output.replacing(/\](?:00026869)/, with: "]…")
        #expect(outcome.status == 1 && shown.hasPrefix(text), "\(outcome)")
    }

    @Test func `an error may have fewer details, except with --strict`() throws {
        let change = #"s/"error":"truncated",.*"text"/"text"/"#
        #expect(try changed(change, "Invalid*") == .success("Scene: 1 check: 1 passed\n"))
        let strict = try changed(change, "Invalid*", "--strict")
        #expect(
            strict.output.hasPrefix("FAIL Invalid/cut/refuse: the error is not said where truncated was expected\n"))
    }

    @Test func `checks that an adapter skips are shown, and do not fail`() throws {
        let change = #"s/"reply":.*/"reply":"skip","text":"not yet"}/"#
        let outcome = try changed(change, "hi/encode")
        #expect(outcome == .success("skip hi/encode: not yet\nScene: 1 check: 1 skipped\n"))
    }

    @Test func `a program that has died is started again for the next check`() throws {
        // Each one exits after its first reply.
        let workspace = try Workspace(Self.files)
        try workspace.write("head -n 1 | wire conform --adapter\n", to: "program")
        let outcome = try workspace.shell(
            "wire conform --timeout 20m --command 'sh ./program' --verbose --filter 'hi/*code'")
        #expect(outcome.status == 1)
        #expect(outcome.output.hasPrefix("ok   hi/decode\nFAIL hi/encode: the program ended with status 0"))
        let lost = try workspace.shell(
            "wire conform --timeout 20m --command 'sh ./program' --verbose --filter 'hi/*d*'")
        #expect(lost.output.contains("ok   hi/decode\nFAIL hi/glued: the program ended"), "\(lost)")
        #expect(lost.output.contains("ok   hi/encode"), "\(lost)")
    }

    @Test func `processes that a program has started end with it`() throws {
        let workspace = try Workspace(Self.files)
        try workspace.write("sleep 1000 & echo $! > pid; read line; exit 1\n", to: "program")
        let outcome = try workspace.shell("wire conform --timeout 20m --command 'sh ./program' --filter hi/decode")
        #expect(outcome.status == 1)
        // No process waits for it any more, but it may still be a zombie.
        let gone = "while kill -0 $(cat pid) 2> /dev/null && ! grep -q 'State:.*Z' /proc/$(cat pid)/status; do :; done"
        #expect(try workspace.shell(gone).status == 0)
    }

    @Test(arguments: ["INT", "TERM"])
    func `an interruption ends the program, too, and the results so far are reported`(signal: String) throws {
        let workspace = try Workspace(Self.files)
        try workspace.write("echo $$ > started; sleep 1000\n", to: "program")
        let line = """
            mkfifo started
            wire conform --timeout 20m --command 'exec sh ./program' --junit out.xml &
            read -r pid < started
            kill -\(signal) $!
            wait $!
            echo status $?
            grep -c '<testsuite ' out.xml
            while kill -0 $pid 2> /dev/null && ! grep -q 'State:.*Z' /proc/$pid/status; do :; done
            """
        let outcome = try workspace.shell(line)
        #expect(outcome.output == "Scene: no check was made\nstatus 1\n1\n")
        #expect(outcome.errors == "error: interrupted: 5 checks were not made\n")
    }

    // MARK: The adapter

    @Test func `the adapter replies to each line, whatever the line is`() throws {
        let workspace = try Workspace(Self.files)
        let requests = """
            {"id":1,"protocol":"Scene","ask":"decode","from":"client","hex":"\(packetHex)ff"}
            {"id":2,"protocol":"Scene","ask":"decode","from":"client","hex":"0000000f4e"}
            {"id":3,"protocol":"Scene","ask":"decode","from":"client","hex":"000000064e21"}
            {"id":4,"protocol":"Scene","ask":"encode","from":"client","line":\(packetLine.dropLast())}
            {"id":5,"ask":"encode","line":{"message":"Cs_20001","fields":{"SceneId":256,"Line":2,"message":""}}}
            {"id":6,"protocol":"Goim","ask":"decode","from":"client","hex":""}
            {"id":7,"ask":"explain"}
            {"id":8,"ask":"decode","hex":"0"}
            garbage
            {"id":10,"ask":"explain"}
            """
        let outcome = try workspace.wire("conform", "--adapter", input: Data(requests.utf8))
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(outcome.status == 0 && lines.count == 10)
        #expect(lines[0] == #"{"id":1,"reply":"ok","count":15,"line":\#(packetLine.dropLast())}"#)
        #expect(lines[1] == #"{"id":2,"reply":"more","count":10}"#)
        #expect(
            lines[2] == #"{"id":3,"reply":"error","error":"truncated","field":"Cs_20001.SceneId","offset":6,"#
                + #""text":"Cs_20001.SceneId: needs 1 byte at offset 6, 0 are left"}"#)
        #expect(lines[3] == #"{"id":4,"reply":"ok","hex":"\#(packetHex)"}"#)
        #expect(
            lines[4] == #"{"id":5,"reply":"error","error":"out_of_range","field":"Cs_20001.SceneId","#
                + #""text":"Cs_20001.SceneId: 256 is not in 0...255"}"#)
        #expect(lines[5] == #"{"id":6,"reply":"skip","text":"this adapter is of Scene"}"#)
        #expect(lines[6] == #"{"id":7,"reply":"skip","text":"this question is not known"}"#)
        #expect(lines[7].hasPrefix(#"{"id":8,"reply":"skip","text":"`hex` is"#))
        #expect(lines[8].hasPrefix(#"{"id":null,"reply":"skip","text":"the line is no JSON"#))
        // The last line has no newline.
        #expect(lines[9] == #"{"id":10,"reply":"skip","text":"this question is not known"}"#)
    }
}

/// The generated Erlang, run by its own script.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct ConformErlangTests {
    @Test(arguments: ConformTests.samples)
    func `the generated Erlang conforms`(name: String) throws {
        let workspace = try Workspace()
        let path = ConformTests.path(of: name)
        let outcome = try workspace.shell(
            """
            wire generate erlang --out out --protocol \(path) && \
            wire generate erlang-adapter --out out --protocol \(path) && \
            exec wire conform --protocol \(path) --generate 20 --timeout 20m --command 'exec escript out/*.escript'
            """)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        let lines = outcome.output.split(separator: "\n")
        let skipped = lines.filter { $0.hasPrefix("skip ") }
        // Erlang does not bring brotli.
        #expect(skipped.allSatisfy { $0.hasSuffix(": no transform brotli") }, "\(outcome)")
        let counts = try #require(
            lines.last?.wholeMatch(of: /\w+: (\d+) checks: (\d+) passed(?:, \d+ skipped)?/), "\(outcome)")
        #expect(Int(counts.1) == Int(counts.2).map { $0 + skipped.count }, "\(outcome)")
    }

    /// A protocol whose header and trailer have numbers of 64 bits, signed and unsigned.
    private static let wideSchema = """
        packet {
            @length(packet)                uint64 length;
            @id                            uint64 id;
            @sequence                      uint64 sequence;
            @default(-9223372036854775808) int64  zone;
                                           bool   is_last;
                                           varint mark;
            payload;
                                           uint64 token;
                                           int64  balance;
            @constant(0xFFFFFFFFFFFFFFFF)  uint64 end;
        }
        @id(0xFFFFFFFFFFFFFFFF) @from(client) message Transfer { uint64 amount; int64 change; }
        """

    /// Each line sets every number to the last integer of one form in JSON, or the first of the other: 2^53 - 1 is the
    /// largest that JSON has as a number, in both directions from 0.
    private static let wideHeaders = [
        #"{"sequence":9007199254740991,"zone":-9007199254740991,"mark":9007199254740991,"#
            + #""token":9007199254740991,"balance":-9007199254740991}"#,
        #"{"sequence":"9007199254740992","zone":"-9007199254740992","is_last":true,"mark":"9007199254740992","#
            + #""token":"9007199254740992","balance":"9007199254740992"}"#,
        #"{"sequence":"18446744073709551615","zone":"9223372036854775807","is_last":true,"#
            + #""mark":"18446744073709551615","token":"18446744073709551615","balance":"-9223372036854775808"}"#,
    ]

    @Test func `the generated Erlang's adapter keeps header and trailer values of 64 bits`() throws {
        let workspace = try Workspace(["Protocols/Wide/wide.wire": Self.wideSchema])
        let fields = #"{"amount":"18446744073709551615","change":"-9223372036854775808"}"#
        for (index, header) in Self.wideHeaders.enumerated() {
            let packet = try workspace.wire("encode", "Transfer", fields, "--header", header).output
            try workspace.write(packet, to: "Protocols/Wide/Vectors/\(index).hex")
            let line = try workspace.wire("decode", packet.trimmingCharacters(in: .newlines)).output
            try workspace.write(line, to: "Protocols/Wide/Vectors/\(index).json")
        }
        let outcome = try workspace.shell(
            """
            wire generate erlang --out out && wire generate erlang-adapter --out out && \
            exec wire conform --generate 20 --timeout 20m --command 'exec escript out/*.escript'
            """)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        let last = outcome.output.split(separator: "\n").last ?? ""
        #expect(last.wholeMatch(of: /Wide: (\d+) checks: \1 passed/) != nil, "\(outcome)")
    }

    @Test func `the generated Erlang's adapter refuses header values that are not integers, like our own`() throws {
        let workspace = try Workspace(["Protocols/Wide/wide.wire": Self.wideSchema])
        let members = [
            #""sequence":"12x""#, #""sequence":true"#, #""is_last":1"#, #""sequence":"18446744073709551616""#,
        ]
        let requests = members.enumerated().map { index, member in
            #"{"id":\#(index),"ask":"encode","line":{"message":"Transfer","header":{\#(member)},"#
                + #""fields":{"amount":1,"change":1}}}"#
        }
        try workspace.write(requests.joined(separator: "\n") + "\n", to: "requests")
        let outcome = try workspace.shell(
            """
            wire generate erlang --out out > made && wire generate erlang-adapter --out out >> made && \
            escript out/*.escript < requests && wire conform --adapter < requests
            """)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        let kinds = outcome.output.matches(of: /"error":"(\w+)"/).map { String($0.1) }
        let expected = ["not_an_integer", "wrong_kind", "wrong_kind", "out_of_range"]
        #expect(kinds == expected + expected, "\(outcome)")
    }

    @Test func `the generated Erlang's adapter takes cases by their numbers, like our own`() throws {
        let schema = """
            @closed enum Mode : uint8 { off = 0; on = 1; }
            @closed enum Wide : uint64 { none = 0; most = 18446744073709551615; }
            enum Open : uint8 { one = 1; }
            @id(1) @from(client) message Set { Mode mode; Wide wide; Open[] open; }
            """
        let workspace = try Workspace(["Protocols/Modes/modes.wire": schema])
        let fields = [
            #"{"mode":1,"wide":"18446744073709551615","open":[1,2]}"#,
            #"{"mode":"on","wide":"most","open":["one",2]}"#, #"{"mode":2,"wide":0,"open":[]}"#,
        ]
        let requests = fields.enumerated().map { index, fields in
            #"{"id":\#(index),"ask":"encode","line":{"message":"Set","fields":\#(fields)}}"#
        }
        try workspace.write(requests.joined(separator: "\n") + "\n", to: "requests")
        let outcome = try workspace.shell(
            """
            wire generate erlang --out out > made && wire generate erlang-adapter --out out >> made && \
            escript out/*.escript < requests && wire conform --adapter < requests
            """)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        let packets = outcome.output.matches(of: /"hex":"(\w+)"/).map { String($0.1) }
        #expect(packets.count == 4 && Set(packets).count == 1, "\(outcome)")
        let places = outcome.output.matches(of: /"field":"([\w.]+)"/).map { String($0.1) }
        #expect(places == ["Set.mode", "Set.mode"], "\(outcome)")
    }
}
