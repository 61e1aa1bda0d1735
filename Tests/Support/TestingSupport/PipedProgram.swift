// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program that answers requests until its standard input is closed, which is the end of these tests at the latest.
///
/// Only one test uses it at a time.
final class PipedProgram: @unchecked Sendable {
    private static let secondsToAnswer: Int32 = 600

    private let process = Process()
    private let requests = Pipe()
    private let answers = Pipe()
    /// What has been read of the next answer.
    private var received = Data()

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(_ path: String, _ arguments: [String]) throws {
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = requests
        process.standardOutput = answers
        process.standardError = answers
        try process.run()
    }

    deinit {
        // A program that hangs does not end by itself. Foundation has given it its own process group.
        kill(-process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func write(_ data: Data) throws { try requests.fileHandleForWriting.write(contentsOf: data) }

    /// Returns what the program writes before the next of these bytes.
    func read(until end: UInt8) throws -> Data {
        while true {
            if let index = received.firstIndex(of: end) {
                defer { received = Data(received[(index + 1)...]) }
                return Data(received[..<index])
            }
            let output = answers.fileHandleForReading
            var place = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&place, 1, Self.secondsToAnswer * 1000) > 0 else {
                throw Failure(description: "nothing for \(Self.secondsToAnswer) seconds")
            }
            let data = output.availableData
            guard !data.isEmpty else {
                throw Failure(description: "it has ended: \(String(decoding: received, as: UTF8.self))")
            }
            received += data
        }
    }
}
