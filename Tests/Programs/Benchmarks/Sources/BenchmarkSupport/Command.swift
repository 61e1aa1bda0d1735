// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Other programs, for what they print.
package enum Command {
    package struct Failure: Error, CustomStringConvertible {
        package var description: String

        package init(description: String) {
            self.description = description
        }
    }

    /// What a command writes to standard output and standard error.
    @discardableResult
    package static func output(of command: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self)
        guard process.terminationStatus == 0 else {
            throw Failure(description: "`\(command[0])` failed: \(text)")
        }
        return text
    }
}

/// Says how far a program is, apart from its results.
package func note(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
}

/// Runs a program's work and ends the program: with 2 where it was called wrongly, with 1 where the work fails.
package func runProgram(_ work: () throws -> Void) {
    do {
        try work()
    } catch let error as BadUsage {
        note("\(error); see --help")
        exit(2)
    } catch {
        note("\(error)")
        exit(1)
    }
}
