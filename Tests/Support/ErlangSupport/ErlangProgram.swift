// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// A real Erlang node, which does what the lines say that a test gives it: `Erlang/node.escript`.
public final class ErlangProgram {
    public static let name = "a@127.0.0.1"
    public static let cookie = "open sesame"

    public let epmd: EPMDTool
    private let node: Process
    private let input = Pipe()
    private let output = Pipe()
    private var unread: [UInt8] = []

    /// Starts a node, and an epmd for it.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - epmd: The epmd that it uses; nil: one of its own.
    ///   - tickSeconds: Its `net_ticktime`.
    public init(_ name: String = ErlangProgram.name, epmd: EPMDTool? = nil, tickSeconds: Int = 60) throws {
        self.epmd = try epmd ?? EPMDTool()
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Erlang/node.escript")
        node = try ErlangInterpreter.process(script: script, arguments: [name, Self.cookie, "\(tickSeconds)"])
        node.environment = ProcessInfo.processInfo.environment.merging(["ERL_EPMD_PORT": "\(self.epmd.port)"]) { $1 }
        node.standardInput = input
        node.standardOutput = output
        try node.runWatched()
        try #require(try line() == "ready")
    }

    public var epmdPort: UInt16 { epmd.port }

    /// Says something to the node, whose answer ``line()`` returns.
    public func say(_ command: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
    }

    /// The next line that the node prints.
    public func line() throws -> String {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "the node has ended")
            unread += data
        }
    }

    public func ask(_ command: String) throws -> String {
        try say(command)
        return try line()
    }

    /// The value of an expression, which the node evaluates; variables stay for the next one.
    public func evaluate(_ expression: String) throws -> String { try ask("eval " + expression) }

    /// Sends a signal to the node's process, such as `SIGKILL`.
    public func signal(_ number: Int32) { kill(node.processIdentifier, number) }

    deinit {
        // It may be waiting for a message that never comes, or be stopped.
        kill(node.processIdentifier, SIGKILL)
        node.waitUntilExit()
    }
}
