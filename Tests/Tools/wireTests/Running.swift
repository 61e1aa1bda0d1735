// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// The results of a process.
struct Outcome: Equatable, CustomStringConvertible {
    var status: Int32
    var output: String
    var errors: String

    var description: String { "status \(status)\n--- output\n\(output)--- errors\n\(errors)---" }

    /// The outcome of a process that printed this, and no error.
    static func success(_ output: String) -> Outcome { Outcome(status: 0, output: output, errors: "") }
}

/// A temporary folder with protocols, in which `wire` is run. It is removed with the value.
final class Workspace {
    let folder: URL

    /// Makes a workspace.
    ///
    /// - Parameter files: Paths and contents.
    init(_ files: KeyValuePairs<String, String> = ["Protocols/Scene/Scene.wire": sceneSchema]) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("wire-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (path, text) in files { try write(text, to: path) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ text: String, to path: String) throws { try write(Data(text.utf8), to: path) }

    func write(_ data: Data, to path: String) throws {
        let file = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
    }

    func read(_ path: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
    }

    /// Runs `wire` with these arguments.
    func wire(_ words: String..., input: Data = Data(), environment: [String: String] = [:]) throws -> Outcome {
        try wire(words, input: input, environment: environment)
    }

    /// Runs `wire` with these arguments.
    func wire(_ words: [String], input: Data = Data(), environment: [String: String] = [:]) throws -> Outcome {
        try run(wirePath, words, input: input, environment: environment)
    }

    /// Runs a shell command, in which `wire` is the program.
    func shell(_ line: String, input: Data = Data(), in folder: URL? = nil) throws -> Outcome {
        let path = wirePath.deletingLastPathComponent().path
        let program = URL(fileURLWithPath: "/bin/sh")
        return try run(program, ["-c", "PATH=\"\(path):$PATH\"\n" + line], input: input, in: folder)
    }

    /// `wire` with these arguments, not yet running.
    func process(_ words: [String]) -> Process {
        let process = Process()
        process.executableURL = wirePath
        process.arguments = words
        process.currentDirectoryURL = folder
        process.environment = Self.environment
        return process
    }

    /// With it, a debug build ends if it does too many steps in one go (`LoopStep`).
    private static let environment = ProcessInfo.processInfo.environment.merging(["WIRELINE_CHECK_STEPS": "1"]) { $1 }

    /// A shell command, not yet running.
    func process(shell line: String) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", line]
        process.currentDirectoryURL = folder
        return process
    }

    private func run(
        _ program: URL, _ words: [String], input: Data = Data(), environment: [String: String] = [:],
        in folder: URL? = nil
    ) throws -> Outcome {
        let name = UUID().uuidString
        try write(input, to: name + ".in")
        try write(Data(), to: name + ".out")
        try write(Data(), to: name + ".err")
        let process = Process()
        process.executableURL = program
        process.arguments = words
        process.currentDirectoryURL = folder ?? self.folder
        process.environment = Self.environment.merging(environment) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: self.folder.appendingPathComponent(name + ".in"))
        process.standardOutput = try FileHandle(forWritingTo: self.folder.appendingPathComponent(name + ".out"))
        process.standardError = try FileHandle(forWritingTo: self.folder.appendingPathComponent(name + ".err"))
        try process.runToEnd()
        let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        return Outcome(status: status, output: try read(name + ".out"), errors: try read(name + ".err"))
    }
}

/// The program is beside the test bundle.
private let wirePath: URL = {
    let words = CommandLine.arguments + [Bundle.main.executablePath ?? ""]
    var bundle = URL(fileURLWithPath: words.first { $0.contains(".xctest") } ?? words[0])
    while bundle.path.contains(".xctest"), bundle.pathExtension != "xctest" { bundle.deleteLastPathComponent() }
    return bundle.deletingLastPathComponent().appendingPathComponent("wire")
}()

/// Two messages of the seed.
let sceneSchema = """
    message Cs_20001{
        uint8 SceneId = 1;
        uint32 Line = 2;
        String message = 3;
    }
    message Sc_20001{
        uint8 Res = 1;
        uint32 SceneId = 2;
    }

    """

/// A `Cs_20001` in hexadecimal digits, and its line in JSON.
let packetHex = "0000000f4e21010000000200026869"
let packetLine =
    #"{"message":"Cs_20001","id":20001,"header":{"length":15,"id":20001},"#
    + #""fields":{"SceneId":1,"Line":2,"message":"hi"}}"# + "\n"
let packetFields = #"{"SceneId":1,"Line":2,"message":"hi"}"#
let packetBytes = Data([0, 0, 0, 15, 0x4E, 0x21, 1, 0, 0, 0, 2, 0, 2, 0x68, 0x69])
