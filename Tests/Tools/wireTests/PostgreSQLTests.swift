// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// The schema in `Protocols/PostgreSQL` against Debian's server and `psql`, which `wire proxy` watches.
@Suite(.enabled(if: PostgreSQLServer.isWanted, "PostgreSQL is not installed: install postgresql"), .aside)
struct PostgreSQLTests {
    private static let schema = Checkout.url("Protocols/PostgreSQL").path

    @Test func `every packet of psql's sessions is named, on both sides`() async throws {
        let server = try await PostgreSQLServer()
        let proxy = try ServingTool(
            running: [
                "proxy", "--listen", "127.0.0.1:0", "--to", "127.0.0.1:\(server.port)", "--protocol", Self.schema,
            ], files: [:])
        let port = try #require(proxy.address.split(separator: ":").last.map(String.init))
        let script = """
            select 1 as one, null::text as nothing;
            select nope;
            do $$ begin raise notice 'careful'; end $$;
            ;
            begin;
            listen events;
            notify events, 'now';
            commit;
            create temp table numbers(n int, t text);
            copy numbers from stdin;
            5\tfive
            \\.
            copy numbers to stdout;

            """
        let session = try server.psql(port: port, user: "wire", password: "secret", input: script)
        #expect(session.status == 0, "\(session)")
        #expect(session.output.contains("5\tfive"))
        let refused = try server.psql(port: port, user: "wire", password: "wrong", input: "")
        #expect(refused.status == 2 && refused.errors.contains("password authentication failed"))
        for user in ["clear", "digest", "trusted"] {
            let session = try server.psql(port: port, user: user, password: "plain", input: "select 2")
            #expect(session.status == 0, "\(session)")
        }
        let outcome = proxy.end()
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        let packets = lines.filter { $0.contains(" client: ") || $0.contains(" server: ") }
        for name in [
            "Startup", "AuthenticationRequest", "Password", "ParameterStatus", "BackendKeyData", "ReadyForQuery",
            "Query",
            "RowDescription", "DataRow", "CommandComplete", "ErrorResponse", "NoticeResponse", "EmptyQueryResponse",
            "NotificationResponse", "CopyInResponse", "CopyOutResponse", "CopyData", "CopyDone", "Terminate",
        ] {
            #expect(packets.contains { $0.contains(": \(name) {") }, "\(name)")
        }
        #expect(packets.filter { $0.contains("unknown") || $0.contains("no packets") } == [])
        // A password is not shown.
        #expect(!outcome.output.contains("secret\""))
        #expect(!outcome.output.contains("plain\""))
    }

    @Test func `a call logs in and asks`() async throws {
        let server = try await PostgreSQLServer()
        let workspace = try Workspace([:])
        let startup = #"{"parameters":[{"name":"user","value":"trusted"},{"name":"database","value":"postgres"}]}"#
        let outcome = try workspace.wire(
            "call", "127.0.0.1:\(server.port)", "Startup", startup, "Query",
            #"{"sql":"select 6 * 7 as answer; select nope"}"#, "Query", #"{"sql":"select 'again'"}"#, "--protocol",
            Self.schema,
            "--timeout", "20m")
        #expect(outcome.status == 0, "\(outcome)")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first?.contains(#""fields":{"request":{"ok":null}}"#) == true)
        #expect(lines.contains { $0.contains(#""message":"DataRow""#) && $0.contains(#""data":"NDI=""#) })
        #expect(lines.contains { $0.contains(#""message":"ErrorResponse""#) && $0.contains("nope") })
        #expect(lines.last?.contains(#""tag":"SELECT 1""#) == true)
    }

    @Test func `a wrong first packet is answered by an error`() async throws {
        let server = try await PostgreSQLServer()
        let workspace = try Workspace([:])
        let startup = #"{"parameters":[{"name":"database","value":"postgres"}]}"#
        let outcome = try workspace.wire(
            "call", "127.0.0.1:\(server.port)", "Startup", startup, "--protocol", Self.schema, "--timeout", "20m")
        #expect(outcome.output.contains(#""message":"ErrorResponse""#), "\(outcome)")
    }
}

/// A server of PostgreSQL in a temporary folder. It stops with this value.
private final class PostgreSQLServer {
    /// The folder with `initdb` and `postgres`, which is on no PATH; nil if they are not installed.
    private static let programs: String? = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let newest = versions.max { $0.compare($1, options: .numeric) == .orderedAscending }
        return newest.map { "\(root)/\($0)/bin" }
    }()

    /// Whether it is installed, or must be.
    static var isWanted: Bool { programs != nil || Peers.isWanted("psql") }

    private let folder: Workspace
    private let process: PeerProcess
    var port: UInt16 { process.port }

    /// It refuses to run as root.
    private static let user = geteuid() == 0 ? "setpriv --reuid postgres --regid postgres --clear-groups " : ""

    init() async throws {
        let programs = try #require(Self.programs, "install postgresql")
        let folder = try Workspace(["password": "secret\n"])
        let owned = geteuid() == 0 ? "chown postgres . && " : ""
        let made = try folder.shell(
            owned + Self.user + "\(programs)/initdb -D data -U wire -A scram-sha-256 --pwfile password --no-sync "
                + "--locale C > initdb.log")
        try #require(made.status == 0, "\(made)")
        let methods = ["wire scram-sha-256", "clear password", "digest md5", "trusted trust", "nobody trust"]
        try folder.write(
            methods.map { $0.split(separator: " ") }.map { "host all \($0[0]) 127.0.0.1/32 \($0[1])\n" }.joined(),
            to: "data/pg_hba.conf")
        process = try await PeerProcess.onFreePort { port in
            try PeerProcess(
                Self.user + "\(programs)/postgres -D data -p \(port) -c listen_addresses=127.0.0.1 "
                    + "-c unix_socket_directories= -c fsync=off",
                in: folder, port: port, announcing: "ready to accept connections")
        }
        self.folder = folder
        let roles = try psql(
            port: "\(port)", user: "wire", password: "secret",
            input: """
                create role clear login password 'plain';
                create role trusted login;
                set password_encryption = md5;
                create role digest login password 'plain';
                """)
        try #require(roles.status == 0, "\(roles)")
    }

    deinit { process.stop() }

    /// Runs a script with `psql`, without TLS, which is negotiated before packets.
    func psql(port: String, user: String, password: String, input: String) throws -> Outcome {
        let environment = [
            "PGPASSWORD": password, "PGSSLMODE": "disable", "PGGSSENCMODE": "disable", "PATH": "/usr/bin:/bin",
        ]
        let words = environment.map { "\($0)='\($1)'" }.joined(separator: " ")
        return try folder.shell(
            "env \(words) psql -X -h 127.0.0.1 -p \(port) -U \(user) -d postgres", input: Data(input.utf8))
    }
}
