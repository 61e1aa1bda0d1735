// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// Another program at the other end, which ends when this object does.
final class PeerProcess {
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()
    private var text = ""

    init(_ process: Process) throws {
        self.process = process
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.runWatched()
    }

    deinit {
        // Threads of a pool block most signals, and child processes inherit that, so only SIGKILL works.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// The port at the end of the first line that begins with `start`.
    func port(behind start: String) throws -> UInt16 {
        while true {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            if let line = lines.first(where: { $0.hasPrefix(start) }) {
                let digits = line.reversed().prefix { $0.isNumber }.reversed()
                return try #require(UInt16(String(digits)), "it printed \(line)")
            }
            let more = output.fileHandleForReading.availableData
            try #require(!more.isEmpty, "it printed \(text)")
            text += String(decoding: more, as: UTF8.self)
        }
    }

    func write(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(line.utf8))
    }

    func endInput() throws {
        try input.fileHandleForWriting.close()
    }

    /// All that the program prints until it ends, and whether it succeeds.
    func finish() throws -> (text: String, isSuccess: Bool) {
        text += try String(decoding: output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (text, process.terminationStatus == 0)
    }
}

/// Files with certificates for other programs; removed at the end.
final class CertificateFiles {
    let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)

    init(_ certificates: Certificates) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write("root", certificates.root.own.certificate)
        try write("server", certificates.server)
        try write("client", certificates.client)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Writes `name`, `name-issuers`, `name-chain` and `name-key`.
    func write(_ name: String, _ issued: IssuedCertificate) throws {
        try write(name, issued.certificate)
        try write(name + "-issuers", issued.issuers)
        try write(name + "-chain", issued.chain)
        try write(name + "-key", issued.key)
    }

    private func write(_ name: String, _ text: String) throws {
        try text.write(to: folder.appending(path: name), atomically: false, encoding: .utf8)
    }
}
