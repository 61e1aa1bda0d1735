// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// Calls that are always wrong: they exit with 2, do nothing, and show how to call the command.
@Suite(.aside)
struct WrongCallTests {
    /// A call, and its error.
    typealias Row = (words: String, error: String)

    private func expectUsage(_ row: Row, _ workspace: Workspace) throws {
        let outcome = try workspace.shell("wire " + row.words)
        #expect(outcome.status == 2 && outcome.output.isEmpty, "\(row.words): \(outcome)")
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.first.map(String.init) == "error: " + row.error, "\(row.words): \(outcome)")
        #expect(lines.last?.hasPrefix("usage: wire ") == true, "\(row.words): \(outcome)")
    }

    private static func hostPort(_ text: String, of name: String = "HOST:PORT", from port: Int = 1) -> String {
        "\(name) is a name or an IP address, and a port from \(port) to 65535, or unix: and a path; `\(text)` is not"
    }

    @Test(arguments: [
        "localhost", "localhost:", ":1", "localhost:x", "localhost:65536", "localhost:-1", "localhost:+1",
    ])
    func `an address is a host and a port`(_ text: String) throws {
        let rows: [Row] = [
            ("call \(text) Cs_20001 '{}'", Self.hostPort(text)),
            ("probe \(text)", Self.hostPort(text)),
            ("serve \(text) --echo", Self.hostPort(text, from: 0)),
            ("websocket echo \(text)", Self.hostPort(text, from: 0)),
            ("conform --target \(text) --generate 1", Self.hostPort(text, of: "--target")),
            ("proxy --listen \(text) --to 127.0.0.1:1", Self.hostPort(text, of: "--listen", from: 0)),
            ("proxy --to \(text) --listen 127.0.0.1:0", Self.hostPort(text, of: "--to")),
        ]
        let workspace = try Workspace()
        for row in rows { try expectUsage(row, workspace) }
    }

    @Test func `port 0 cannot be connected to, and an IPv6 address needs brackets`() throws {
        try expectUsage(("call 127.0.0.1:0 Cs_20001 '{}'", Self.hostPort("127.0.0.1:0")), try Workspace())
        try expectUsage(("probe 127.0.0.1:0", Self.hostPort("127.0.0.1:0")), try Workspace())
        try expectUsage(("probe ::1:1", Self.hostPort("::1:1")), try Workspace())
    }

    private static func time(_ option: String, _ text: String, _ more: String = "") -> String {
        "\(option) is a number above 0 with ms, s or m after it, such as 500ms\(more); `\(text)` is not"
    }

    /// Calls with a time, and the words that are also allowed there.
    private static let timed: [(words: String, option: String, more: String)] = [
        ("call 127.0.0.1:1 Cs_20001 '{}'", "--timeout", ""),
        ("probe 127.0.0.1:1", "--timeout", ""),
        ("probe 127.0.0.1:1", "--silence", ""),
        ("conform --generate 1", "--timeout", ""),
        ("websocket connect ws://127.0.0.1:1/", "--wait", ""),
        ("serve 127.0.0.1:0 --echo", "--idle-timeout", ", or `none`"),
        ("serve 127.0.0.1:0 --echo", "--first-packet-timeout", ", or `none`"),
        ("websocket echo 127.0.0.1:0", "--write-timeout", ", or `none`"),
        ("proxy --listen 127.0.0.1:0 --to 127.0.0.1:1", "--idle-timeout", ", or `none`"),
    ]

    @Test(arguments: ["5", "0s", "-1s", "1h", "s", "", "99999999999s"])
    func `a time is a number and a unit`(_ text: String) throws {
        let workspace = try Workspace()
        for call in Self.timed {
            let row = ("\(call.words) \(call.option)='\(text)'", Self.time(call.option, text, call.more))
            try expectUsage(row, workspace)
        }
    }

    @Test(arguments: ["0", "1025", "-1", "x", "1.5", "+1", ""])
    func `the number of threads is from 1 to 1024`(_ text: String) throws {
        let error = "--threads is a number from 1 to 1024; `\(text)` is not"
        try expectUsage(("serve 127.0.0.1:0 --echo --threads='\(text)'", error), try Workspace())
        try expectUsage(("websocket echo 127.0.0.1:0 --threads='\(text)'", error), try Workspace())
    }

    @Test(arguments: ["1024", "1024/", "/30s", "0/30s", "1024/30", "x/30s", ""])
    func `a minimum rate is a number of bytes and a time`(_ text: String) throws {
        let error = "--minimum-rate is bytes and a time, such as 1024/30s, or `none`; `\(text)` is not"
        try expectUsage(("serve 127.0.0.1:0 --echo --minimum-rate='\(text)'", error), try Workspace())
    }

    static let values: [Row] = [
        ("serve 127.0.0.1:0 --echo --connection-limit 0", number("--connection-limit", "0")),
        ("serve 127.0.0.1:0 --echo --connection-limit none", number("--connection-limit", "none")),
        (
            "serve 127.0.0.1:0 --echo --connection-limit-per-address 0",
            number("--connection-limit-per-address", "0", ", or `none`")
        ),
        ("websocket echo 127.0.0.1:0 --held-bytes 1M", number("--held-bytes", "1M", ", or `none`")),
        (
            "websocket echo 127.0.0.1:0 --max-message=-1",
            "--max-message is a number from 0 to 1099511627776; `-1` is not"
        ),
        (
            "proxy --listen 127.0.0.1:0 --to 127.0.0.1:1 --web 65536",
            "--web is a number from 0 to 65535; `65536` is not"
        ),
        ("conform --generate 0", "--generate is a number from 1 to 1000000; `0` is not"),
        ("conform --generate 1 --seed x", "--seed is a number from 0 to 18446744073709551615; `x` is not"),
        ("decode zz", "HEX: not pairs of hexadecimal digits at offset 0"),
        ("decode 000", "HEX: not pairs of hexadecimal digits at offset 3"),
        ("decode ''", "HEX has no bytes"),
        ("probe 127.0.0.1:1 --send zz", "--send: not pairs of hexadecimal digits at offset 0"),
        ("probe 127.0.0.1:1 --send ''", "--send has no bytes"),
        ("decode 00 --from nobody", "option `--from` is client or server, not `nobody`"),
        ("check --format xml", "option `--format` is text or json or github, not `xml`"),
        ("diff a b --format xml", "option `--format` is text or json or github, not `xml`"),
        (
            "call 127.0.0.1:1 Cs_20001 '{}' --websocket sub",
            "--websocket is a path that begins with a slash, such as /sub; `sub` is not"
        ),
        (
            "serve 127.0.0.1:0 --echo --websocket '/a?b'",
            "--websocket has no query where a server listens; `/a?b` has one"
        ),
        (
            "call 127.0.0.1:1 Cs_20001 '{}' --proxy ftp://127.0.0.1",
            "--proxy: not the address of a proxy: http:// or socks5://, a host and a port"
        ),
        (
            "websocket connect ws://127.0.0.1:1/ --tls",
            "TLS needs an address that begins with wss://; ws://127.0.0.1:1/ does not"
        ),
        (
            "websocket cases 'ws://127.0.0.1:1/?a' --agent x",
            "the address of a test server has no query; ws://127.0.0.1:1/?a has"
        ),
    ]

    private static func number(_ option: String, _ text: String, _ more: String = "") -> String {
        "\(option) is a number from 1 to 1099511627776\(more); `\(text)` is not"
    }

    @Test(arguments: values)
    func `an option accepts only the values that its help names`(_ row: Row) throws {
        try expectUsage(row, try Workspace())
    }

    static let missing: [Row] = [
        ("call", "HOST:PORT is missing"),
        ("call 127.0.0.1:1", "MESSAGE is missing"),
        ("encode", "MESSAGE is missing"),
        ("probe", "HOST:PORT is missing"),
        ("serve 127.0.0.1:0", "--echo or --script is missing"),
        ("serve --echo", "HOST:PORT is missing"),
        ("websocket echo", "HOST:PORT is missing"),
        ("websocket connect", "URL is missing"),
        ("websocket cases ws://127.0.0.1:1/", "--agent is missing"),
        ("proxy --to 127.0.0.1:1", "--listen is missing"),
        ("proxy --listen 127.0.0.1:0", "--to is missing"),
        ("generate swift", "--out DIR is missing"),
        ("diff", "OLD is missing"),
        ("call 127.0.0.1:1 Cs_20001 --timeout", "option `--timeout` needs a value: TIME"),
        ("serve 127.0.0.1:0 --echo --threads", "option `--threads` needs a value: N"),
        ("--help=1", "option `--help` takes no value"),
        ("check --help=1", "option `--help` takes no value"),
        ("--help=1 check", "option `--help` takes no value"),
        ("websocket echo --help=", "option `--help` takes no value"),
        ("-h=1", "option `-h` takes no value"),
        ("check -h=1", "option `-h` takes no value"),
        ("--version=1", "option `--version` takes no value"),
        ("serve 127.0.0.1:0 --echo=1", "option `--echo` takes no value"),
    ]

    @Test(arguments: missing)
    func `the error names what is missing, or too much`(_ row: Row) throws {
        try expectUsage(row, try Workspace())
    }

    @Test func `diff with one argument says what the other one would be`() throws {
        let none = try Workspace(["old/a.wire": sceneSchema])
        try expectUsage(
            ("diff old", "NEW is missing: no protocol is chosen, and there is none under Protocols/"), none)
        let two = try Workspace(["Protocols/A/a.wire": sceneSchema, "Protocols/B/b.wire": sceneSchema])
        try expectUsage(("diff Protocols/A", "NEW is missing: no protocol is chosen; there are A, B"), two)
        #expect(try two.shell("wire diff Protocols/A --protocol B").status == 0)
    }

    @Test(arguments: [
        "encode Cs_20001 '{'", "encode Nothing '{}'", "decode 00", "decode --hex", "check nowhere",
        "call 127.0.0.1:1 Nothing '{}'", "diff nowhere Protocols/Scene",
    ])
    func `a correct call that fails exits with 1`(_ words: String) throws {
        let outcome = try Workspace().shell("wire " + words, input: Data("zz".utf8))
        #expect(outcome.status == 1 && !outcome.errors.contains("usage:"), "\(outcome)")
    }
}
