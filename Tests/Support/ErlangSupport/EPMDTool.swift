// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// A real epmd on a port of its own.
public final class EPMDTool {
    /// Its port on 127.0.0.1.
    public let port: UInt16
    private var process: Process

    /// Starts epmd, and waits until it listens.
    public init() throws {
        // epmd cannot choose a port by itself. One in use ends it, and another one is tried. From 32,768 on the system
        // chooses ports, also for the tests' own sockets.
        while true {
            let port = UInt16.random(in: 20_000..<32_768)
            if let process = try Self.start(at: port) {
                (self.port, self.process) = (port, process)
                return
            }
        }
    }

    /// - Returns: nil if it has ended.
    private static func start(at port: UInt16) throws -> Process? {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // It says what it does, so that we know when it listens.
        process.arguments = ["epmd", "-port", "\(port)", "-address", "127.0.0.1", "-d", "-d"]
        let output = Pipe()
        process.standardError = output
        process.standardOutput = FileHandle.nullDevice
        try process.runWatched()
        var text = ""
        while !text.contains("main select() loop") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { return nil }
            text += String(decoding: data, as: UTF8.self)
        }
        // A full pipe would stop it.
        output.fileHandleForReading.readabilityHandler = { handle in
            if handle.availableData.isEmpty { handle.readabilityHandler = nil }
        }
        return process
    }

    /// Ends epmd. All names are gone.
    public func stop() {
        // Started from a test, it ignores the signal that asks it to end.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Starts it again, at the same port.
    public func restart() throws { process = try #require(try Self.start(at: port), "the port \(port) is taken") }

    deinit { stop() }
}
