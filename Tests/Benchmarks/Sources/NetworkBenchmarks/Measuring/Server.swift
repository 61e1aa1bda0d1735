// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import CNetwork
internal import Foundation

/// A row of the tables: a program that follows the contract in `CNetwork.h`.
struct Server {
    let name: String
    let command: [String]

    /// What all ratios are to.
    static let limit = Server(.epoll)

    /// The limit once more: what is measured of the same program again says how far the other rows can be trusted.
    static let control = Server(name: "c-epoll, again", command: limit.command)

    /// All servers that can run here, the limit first.
    static func all() throws -> [Server] {
        OwnServer.allCases.filter { !OwnServer.faulty.contains($0) }.map(Server.init) + (try erlang.map { [$0] } ?? [])
    }

    init(name: String, command: [String]) {
        self.name = name
        self.command = command
    }

    init(_ own: OwnServer) {
        self.init(name: own.rawValue, command: [CommandLine.arguments[0], "--serve", own.rawValue])
    }

    /// - Parameter description: `NAME=COMMAND`, the command's words separated by spaces.
    init(description: String) throws(BadUsage) {
        let parts = description.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw BadUsage(description: "`\(description)` is not NAME=COMMAND") }
        self.init(name: parts[0], command: parts[1].split(separator: " ").map(String.init))
    }

    private static var erlang: Server? {
        get throws {
            if (try? Command.output(of: ["which", "escript"])) != nil {
                let script = Machine.packageDirectory.appending(path: "echo_server.erl").path
                return Server(name: "erlang", command: ["escript", script])
            }
            guard ProcessInfo.processInfo.environment["WIRELINE_REQUIRE_PEERS"] == nil else {
                throw BadUsage(description: "WIRELINE_REQUIRE_PEERS is set, and there is no Erlang")
            }
            note("no row of Erlang: there is no `escript` (Debian: erlang-base)")
            return nil
        }
    }

    /// Runs the program on a processor, lends it while it listens, and sees it end well.
    func running<Result>(
        on processor: Int32, _ body: (UnsafePointer<network_server>) throws -> Result
    ) throws -> Result {
        var process = network_server()
        var failure = network_failure()
        let words = command.map { strdup($0) }
        defer {
            for word in words { free(word) }
        }
        guard network_start(words.map { UnsafePointer($0) } + [nil], processor, &process, &failure) else {
            throw failure.error(of: name)
        }
        let result: Result
        do {
            result = try body(&process)
        } catch {
            _ = network_stop(&process, &failure)
            throw error
        }
        guard network_stop(&process, &failure) else { throw failure.error(of: name) }
        return result
    }
}
