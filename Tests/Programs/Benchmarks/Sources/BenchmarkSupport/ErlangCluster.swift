// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// epmd on a port of its own, and Erlang nodes that use it.
package final class ErlangCluster {
    package let epmdPort: UInt16
    private let epmd: Process
    private var peers: [ErlangPeer] = []

    package static let cookie = "benchmark"

    package init() throws {
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
        throw ErlangFailure(description: "epmd does not start")
    }

    /// Starts a node that prints `ready`.
    ///
    /// - Parameters:
    ///   - script: An escript of this package, which takes the node's name and the cookie.
    ///   - more: What else it takes.
    package func start(_ name: String, _ script: String, _ more: [String] = []) throws -> ErlangPeer {
        let peer = try ErlangPeer(name, script, more, epmdPort: epmdPort)
        peers.append(peer)
        return peer
    }

    package func stop() {
        for peer in peers { peer.stop() }
        kill(epmd.processIdentifier, SIGKILL)
        epmd.waitUntilExit()
    }
}

/// An Erlang node that runs a script.
package final class ErlangPeer {
    package let name: String
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread: [UInt8] = []

    fileprivate init(_ name: String, _ file: String, _ more: [String], epmdPort: UInt16) throws {
        self.name = name
        process.executableURL = URL(filePath: "/usr/bin/env")
        let script = Machine.packageDirectory.appending(path: file)
        process.arguments = ["escript", script.path, name, ErlangCluster.cookie] + more
        process.environment = ProcessInfo.processInfo.environment.merging(["ERL_EPMD_PORT": "\(epmdPort)"]) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        guard try line() == "ready" else { throw ErlangFailure(description: "the Erlang node does not start") }
    }

    /// Lets the node do something, and returns the numbers that it answers.
    package func run(_ command: String, with node: String, count: Int) throws -> [Double] {
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
            guard !data.isEmpty else { throw ErlangFailure(description: "the Erlang node \(name) has ended") }
            unread += data
        }
    }

    fileprivate func stop() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

/// A node did not do what it was asked.
package struct ErlangFailure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}
