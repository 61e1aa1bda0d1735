// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation

/// epmd on a port of its own, and Erlang nodes that use it.
final class ErlangCluster {
    let epmdPort: UInt16
    private let epmd: Process
    private var peers: [ErlangPeer] = []

    static let cookie = "benchmark"

    init() throws {
        // epmd cannot choose a port by itself. One that is in use ends it.
        for _ in 0..<20 {
            let port = UInt16.random(in: 20_000..<32_768)
            let epmd = Process()
            epmd.executableURL = URL(filePath: "/usr/bin/env")
            epmd.arguments = ["epmd", "-port", "\(port)", "-address", "127.0.0.1", "-d", "-d"]
            let output = Pipe()
            epmd.standardError = output
            epmd.standardOutput = FileHandle.nullDevice
            try epmd.run()
            var text = ""
            while !text.contains("main select() loop") {
                let data = output.fileHandleForReading.availableData
                guard !data.isEmpty else { break }
                text += String(decoding: data, as: UTF8.self)
            }
            guard text.contains("main select() loop") else { continue }
            // A full pipe would stop it.
            output.fileHandleForReading.readabilityHandler = { handle in
                if handle.availableData.isEmpty { handle.readabilityHandler = nil }
            }
            (epmdPort, self.epmd) = (port, epmd)
            return
        }
        throw Failure(description: "epmd does not start")
    }

    /// Starts a node.
    func start(_ name: String) throws -> ErlangPeer {
        let peer = try ErlangPeer(name, epmdPort: epmdPort)
        peers.append(peer)
        return peer
    }

    func stop() {
        for peer in peers { peer.stop() }
        kill(epmd.processIdentifier, SIGKILL)
        epmd.waitUntilExit()
    }
}

/// An Erlang node that runs `erlang_peer.escript`.
final class ErlangPeer {
    let name: String
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread: [UInt8] = []

    fileprivate init(_ name: String, epmdPort: UInt16) throws {
        self.name = name
        process.executableURL = URL(filePath: "/usr/bin/env")
        let script = Machine.packageDirectory.appending(path: "erlang_peer.escript")
        process.arguments = ["escript", script.path, name, ErlangCluster.cookie]
        process.environment = ProcessInfo.processInfo.environment.merging(["ERL_EPMD_PORT": "\(epmdPort)"]) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        guard try line() == "ready" else { throw Failure(description: "the Erlang node does not start") }
    }

    /// Lets the node do something, and returns the numbers that it answers.
    func run(_ command: String, with node: String, count: Int) throws -> [Double] {
        try input.fileHandleForWriting.write(contentsOf: Data("\(command) \(node) \(count)\n".utf8))
        return try line().split(separator: " ").compactMap { Double($0) }
    }

    private func line() throws -> String {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Failure(description: "the Erlang node \(name) has ended") }
            unread += data
        }
    }

    fileprivate func stop() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

/// The processor time of all threads of this program, in nanoseconds.
func processorNanoseconds() throws -> Double {
    let folder = "/proc/self/task"
    return try FileManager.default.contentsOfDirectory(atPath: folder).reduce(0) { sum, thread in
        // A thread may have ended since.
        let text = try? String(contentsOfFile: "\(folder)/\(thread)/schedstat", encoding: .utf8)
        return sum + (text?.split(separator: " ").first.flatMap { Double($0) } ?? 0)
    }
}

/// A node did not do what it was asked.
struct Failure: Error, CustomStringConvertible {
    let description: String
}
