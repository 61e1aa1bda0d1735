// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineCodec

/// `wire call` with options for how it connects.
@Suite(.aside)
struct NetworkOptionTests {
    #if os(Linux)
        private static let loopback = "lo"
    #else
        private static let loopback = "lo0"
    #endif

    private func call(_ words: [String], host: String = "127.0.0.1") async throws -> Outcome {
        let peer = try await peer(.standard) { connection in
            guard try await connection.next() != nil else { return }
            await connection.sendRaw(CallCommandTests.reply)
        }
        let words = ["wire", "call", "\(host):\(peer.address.port)", "Cs_20001", packetFields] + words.withPatience
        var outcome = try Workspace().shell(words.map { "'\($0)'" }.joined(separator: " "))
        await peer.shutDown(within: .seconds(60))
        outcome.errors.replace(":\(peer.address.port)", with: ":PORT")
        return outcome
    }

    @Test func `a call goes over the chosen interface`() async throws {
        #expect(try await call(["--interface", Self.loopback]) == .success(CallCommandTests.replyLine))
    }

    @Test func `the error names a missing interface`() async throws {
        let errors = "error: cannot connect to 127.0.0.1:PORT: there is no network interface \"none7\"\n"
        #expect(
            try await call(["--interface=none7"]) == Outcome(status: 1, output: "", errors: errors))
    }

    @Test(arguments: ["dns.example", "1.2.3", "1.2.3.4:", "1.2.3.4:70000", "[::1", "[::1]:x", ""])
    func `text that is not a DNS server's address is refused`(text: String) async throws {
        let errors =
            "error: --dns is an IP address, with a port or without, such as 192.0.2.53 or [2001:db8::53]:53; "
            + "`\(text)` is not\n"
        let outcome = try await call(["--dns=\(text)"])
        #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errors.hasPrefix(errors), "\(outcome)")
    }

    @Test(arguments: ["192.0.2.53", "::1", "[::1]", "[::1]:53", "192.0.2.53:5353"])
    func `a DNS server's address may have a port, and is not used for an IP address`(text: String) async throws {
        #expect(try await call(["--dns", text]) == .success(CallCommandTests.replyLine))
    }

    @Test(.enabled(if: DNSMasqTool.isWanted, "\(DNSMasqTool.absence)"))
    func `the chosen DNS servers are asked in order`() async throws {
        let unknowing = try DNSMasqTool([])
        let server = try DNSMasqTool(["--host-record=game.test,127.0.0.1", "--local=/test/"])
        let words = ["--dns", "127.0.0.1:\(unknowing.port)", "--dns", "127.0.0.1:\(server.port)"]
        #expect(try await call(words, host: "game.test") == .success(CallCommandTests.replyLine))
        let outcome = try await call(Array(words.suffix(2)), host: "none.test")
        let reason = "127.0.0.1:\(server.port) says that there is no such name"
        #expect(
            outcome.errors
                == "error: cannot connect to none.test:PORT: no address of \"none.test\" is known: \(reason)\n")
    }

    // MARK: In a network namespace

    /// Whether this user may create a network namespace with two interfaces.
    private static let hasNamespaces =
        (try? Workspace().shell("unshare -rn ip link add w0 type veth peer name w1").status) == 0

    @Test(.enabled(if: hasNamespaces, "no network namespaces: unshare -rn, or veth in it, is not allowed here"))
    func `a connection over an interface that does not lead to the server fails`() throws {
        let script = """
            ip link set lo up && ip link add w0 type veth peer name w1 && ip addr add 10.77.0.1/24 dev w0 &&
            ip link set w0 up && ip link set w1 up || exit 9
            : > ready
            wire serve 127.0.0.1:9001 --echo > ready & server=$!
            until grep -q listening ready; do kill -0 $server || exit 8; done
            call() {
                wire call 127.0.0.1:9001 Cs_20001 '\(packetFields)' --expect Cs_20001 --interface $1 --timeout $2
                echo "$1 $?"
            }
            call lo 20m
            call w0 2s
            kill -9 $server
            """
        let workspace = try Workspace()
        try workspace.write(script, to: "script")
        let outcome = try workspace.shell("unshare -rn sh ./script")
        #expect(outcome.output == packetLine + "lo 0\nw0 1\n")
        #expect(outcome.errors.hasPrefix("error: "))
        #expect(outcome.errors.contains("127.0.0.1:9001"))
    }
}
