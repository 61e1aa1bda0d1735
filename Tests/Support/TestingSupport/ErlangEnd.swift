// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A running `connection.escript`: the other end of connections, written in Erlang.
public final class ErlangEnd {
    private let process: Process
    private let input = Pipe()
    private let pipe = Pipe()

    public init(_ arguments: [String]) throws {
        let script = Checkout.url("Tests/Core/WirelineTests/Erlang/connection.escript")
        process = try ErlangInterpreter.process(script: script, arguments: arguments)
        process.standardInput = input
        process.standardOutput = pipe
        try process.runWatched()
    }

    /// The port that it prints when it listens.
    public func port() throws -> UInt16 {
        let line = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
        return try #require(UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines)), "it printed \(line)")
    }

    /// All that it prints until it ends.
    public func output() throws -> String {
        let text = try String(decoding: pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }

    /// Ends it by closing its input.
    public func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
