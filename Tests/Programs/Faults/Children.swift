// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import TestingSupport
import Wireline

/// What this program does as its own child process: each child prints its port, and ends with its standard input.
enum Children {
    /// A server that remembers. For a line with a login, it prints the rooms that it has taken of that login. For
    /// `descriptors N` it limits its descriptors to N, and prints the old limit.
    static func remember() async throws {
        let remembering = RememberingServer()
        let server = try await remembering.start()
        say("\(server.address.port)")
        while let line = readLine() {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == "descriptors", let count = rlim_t(words[1]) {
                say("\(FewDescriptors.limitDescriptors(to: count))")
            } else {
                say(remembering.rooms(of: line).joined(separator: ","))
            }
        }
    }

    /// A relay at a port. It ends with its next connection, after so many bytes.
    ///
    /// - Parameter cut: `PORT:BYTES:SENDER`, which counts the bytes of the `server` or the `client`; or `PORT` for no
    ///   cut.
    static func relay(to server: String, _ cut: String) async throws {
        let parts = cut.split(separator: ":").map(String.init)
        guard let server = UInt16(server), let port = parts.first.flatMap({ UInt16($0) }) else {
            fail("no ports: \(server) \(cut)", code: 2)
        }
        let relay = try Relay(to: server, at: port)
        if parts.count == 3, let count = Int(parts[1]), let sender = Relay.Sender(rawValue: parts[2]) {
            relay.begin(cut: Relay.Cut(behind: count, of: sender, .kill))
        }
        say("\(relay.port)")
        while readLine() != nil {}
    }

    /// A server that reads ten kilobytes a second, and whose system buffers little more than one kilobyte.
    static func readSlowly() throws {
        let listener = try RawSocket.listen(receiveBuffer: 4_096)
        say("\(try listener.port())")
        Thread.detachNewThread {
            while let client = try? listener.accept() {
                Thread.detachNewThread {
                    while let bytes = try? client.receive(atMost: 1_024), !bytes.isEmpty {
                        Thread.sleep(forTimeInterval: 0.1)
                    }
                }
            }
        }
        while readLine() != nil {}
    }

    private static func say(_ line: String) {
        print(line)
        flush()
    }
}

/// A child process of this program. It is killed when this value is released, if it has not ended before.
///
/// The lock for `@unchecked Sendable`: only the pipes change, and one task at a time uses them.
final class Child: @unchecked Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let hasEnded: Gate
    let port: UInt16

    init(_ arguments: String...) throws {
        process.executableURL = Self.ownPath
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        hasEnded = try process.runNoted()
        port = UInt16(Self.line(from: output)) ?? 0
        guard port > 0 else { fail("\(arguments) did not start", code: 1) }
    }

    deinit { send(SIGKILL) }

    static let ownPath = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()

    private static func line(from pipe: Pipe) -> String {
        String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    var id: Int32 { process.processIdentifier }

    var endpoint: ServerEndpoint { ServerEndpoint("127.0.0.1", port: port) }

    func send(_ signal: Int32) { if process.isRunning { kill(id, signal) } }

    /// Stops all its threads. A thread that runs takes a signal later than `kill` returns.
    func stop() async throws {
        send(SIGSTOP)
        _ = try await eventually { try states().allSatisfy { $0 == "T" } }
    }

    /// The states of its threads in /proc. A thread may end meanwhile.
    private func states() throws -> [Substring] {
        let threads = "/proc/\(id)/task"
        return try FileManager.default.contentsOfDirectory(atPath: threads).compactMap { thread in
            try? Self.fields(of: "\(threads)/\(thread)/stat").first
        }
    }

    /// The fields of a `stat` file of proc(5) from the third field on, which comes after the name in parentheses.
    private static func fields(of path: String) throws -> [Substring] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: ")").last?.split(separator: " ") ?? []
    }

    /// The child's answer to a line.
    func answer(to line: String) throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
        return Self.line(from: output)
    }

    func waitUntilExit() async { await hasEnded.wait() }

    /// Whether SIGKILL has ended it.
    var wasKilled: Bool { process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL }

    /// How much processor time it has used.
    func processorTime() throws -> Duration {
        // The 14th and 15th fields.
        let fields = try Self.fields(of: "/proc/\(id)/stat")
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
            fail("/proc says nothing of the child's time", code: 1)
        }
        return .seconds(1) / Int(sysconf(Int32(_SC_CLK_TCK))) * (user + system)
    }
}

// `waitUntilExit()` runs its thread's run loop. Tasks have none, so it might never return.
extension Process {
    /// Starts the process.
    ///
    /// - Returns: A gate that opens when the process has ended.
    func runNoted() throws -> Gate {
        let hasEnded = Gate()
        terminationHandler = { _ in hasEnded.open() }
        try run()
        return hasEnded
    }
}
