// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestingSupport
import Wireline

/// A server in its own process, measured from outside.
final class ServerProcess {
    let address: SocketAddress
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let descriptorCountAtStart: Int

    init(handler: String) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--serve", handler]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        guard let port = UInt16(Self.line(from: output)) else { fail("the server did not start", code: 1) }
        address = .loopback(port: port)
        descriptorCountAtStart = try Self.descriptorCount(of: process.processIdentifier)
    }

    private static func line(from pipe: Pipe) -> String {
        String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// How many bytes the server has allocated with malloc and not freed; nil if they are not counted.
    func liveByteCount() throws -> Int? {
        try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        guard let count = Int(Self.line(from: output)) else { fail("the server says nothing of its heap", code: 1) }
        return count < 0 ? nil : count
    }

    /// The memory of the process without that of files, in KiB.
    func memory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        guard let value = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
            fail("/proc says nothing of the server's memory", code: 1)
        }
        return value
    }

    /// How many descriptors the process has open, without those at its start.
    func descriptorCount() throws -> Int {
        try Self.descriptorCount(of: process.processIdentifier) - descriptorCountAtStart
    }

    private static func descriptorCount(of process: Int32) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
    }

    /// Waits until the process has released all connections; ends the program if it never does.
    func waitUntilIdle() async throws {
        let end = ContinuousClock.now + .seconds(500)
        while try descriptorCount() > 0 {
            guard ContinuousClock.now < end else {
                fail("\(try descriptorCount()) descriptors are left of connections that have ended", code: 1)
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Lets the process end by itself.
    func stop(_ findings: Findings) async throws {
        try await waitUntilIdle()
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        findings.check(process.terminationStatus == 0, "the server ended with \(process.terminationStatus)")
    }
}
