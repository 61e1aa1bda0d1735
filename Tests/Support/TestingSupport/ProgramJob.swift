// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program to run, with what it reads.
public struct ProgramJob: Sendable {
    /// Its file, or the name by which a process that runs many programs knows it.
    public let program: String
    public let arguments: [String]
    /// What it reads from its standard input.
    public var input = ""

    public init(_ program: String, _ arguments: [String] = []) {
        self.program = program
        self.arguments = arguments
    }

    /// Runs the program in a process of its own, and returns what it prints.
    public func run() throws -> String { try ProgramRun.output(of: program, arguments, input: input) }

    /// Runs many programs one after another in one process, because an interpreter takes long to begin.
    ///
    /// - Parameter process: Runs the process. It reads a line for each program: the file that the program reads instead of its
    ///   standard input, the file that it writes, its name and its arguments, with tabs between. If a program fails, the process
    ///   writes why, and goes on.
    /// - Returns: What each one prints.
    public static func outputs(
        of jobs: [ProgramJob], in process: (_ list: String) throws -> String
    ) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = jobs.indices.map { (folder.appending(path: "\($0).in"), folder.appending(path: "\($0).out")) }
        for (job, file) in zip(jobs, files) { try Data(job.input.utf8).write(to: file.0) }
        let list = zip(jobs, files).map { job, file in
            ([file.0.path, file.1.path, job.program] + job.arguments).joined(separator: "\t") + "\n"
        }
        _ = try process(list.joined())
        return try files.map { String(decoding: try Data(contentsOf: $0.1), as: UTF8.self) }
    }
}
