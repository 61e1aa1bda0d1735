// SPDX-License-Identifier: Apache-2.0

import ErlangSupport
import Foundation
import Testing
import TestingSupport

/// `wire erlang`, as a program, against a real Erlang node.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct ErlangCommandTests {
    private static let node = ErlangProgram.name

    /// Runs a command with the cookie in a file.
    private func erlang(
        _ words: String..., epmdPort: UInt16, cookie: String = ErlangProgram.cookie, mode: Int = 0o400
    ) throws -> Outcome {
        let workspace = try Workspace()
        try workspace.write(cookie + "\n", to: "cookie")
        let path = workspace.folder.appending(path: "cookie").path
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return try workspace.wire(
            ["erlang"] + words + ["--epmd-port", "\(epmdPort)", "--cookie-file", "cookie", "--timeout", "60s"])
    }

    @Test func `an operator finds, pings, calls and sends`() throws {
        let program = try ErlangProgram()
        let names = try Workspace().wire("erlang", "names", "--epmd-port", "\(program.epmdPort)")
        #expect(names.status == 0 && names.output.hasPrefix("a at port "), "\(names)")
        let pong = try erlang("ping", Self.node, epmdPort: program.epmdPort)
        #expect(pong.status == 0 && pong.output.hasPrefix("pong from a@127.0.0.1 in "), "\(pong)")
        let reply = try erlang("call", Self.node, "server", "{get,7,<<\"x\">>}", epmdPort: program.epmdPort)
        #expect(reply == .success("{answer,{get,7,<<\"x\">>}}\n"))
        #expect(try erlang("send", Self.node, "main", "[1,2.5]", epmdPort: program.epmdPort) == .success(""))
        #expect(try program.evaluate("receive [1, 2.5] = M -> M end") == "[1,2.5]")
    }

    @Test func `what fails is said in one line`() throws {
        let program = try ErlangProgram()
        let port = program.epmdPort
        let nobody = try erlang("call", Self.node, "nobody", "x", epmdPort: port)
        #expect(nobody.status == 1)
        #expect(nobody.errors == "error: nobody at a@127.0.0.1: the process is not there: noproc\n")
        let absent = try erlang("ping", "b@127.0.0.1", epmdPort: port)
        #expect(absent.status == 1)
        #expect(absent.errors == "error: b@127.0.0.1 cannot be reached\n")
        let wrong = try erlang("ping", Self.node, epmdPort: port, cookie: "wrong")
        #expect(wrong.status == 1 && wrong.errors.contains("our cookie is not its cookie"), "\(wrong)")
        let exposed = try erlang("ping", Self.node, epmdPort: port, mode: 0o644)
        #expect(exposed.status == 1 && exposed.errors.contains("others may read the cookie"), "\(exposed)")
    }

    @Test(arguments: [
        (["ping", "nonsense"], "NODE is a node's full name, such as game1@10.0.0.5; `nonsense` is not"),
        (["call", "a@h", "server", "{get,"], "TERM `{get,`: the text ends inside a term at byte 5"),
        (["names", "--epmd-port", "0"], "--epmd-port is a number from 1 to 65535; `0` is not"),
        (["send", "a@h", "server"], "TERM is missing"),
    ])
    func `a wrong call exits with 2`(words: [String], error: String) throws {
        let outcome = try Workspace().wire(["erlang"] + words)
        #expect(outcome.status == 2 && outcome.errors.hasPrefix("error: \(error)\n"), "\(outcome)")
    }
}
