// SPDX-License-Identifier: Apache-2.0

/// An expectation that was not met. Its description says where, what was expected, and what has come.
public struct TestFailure: Error, CustomStringConvertible, Sendable {
    /// The whole text, in several lines.
    public let description: String

    init(_ place: CodePlace, _ summary: String, _ details: [String] = []) {
        description = (["\(place): " + summary] + details.map { "  " + $0 }).joined(separator: "\n")
    }
}

/// A line of a test.
struct CodePlace: Sendable, CustomStringConvertible {
    private let fileID: String
    private let line: Int

    init(_ fileID: String, _ line: Int) {
        self.fileID = fileID
        self.line = line
    }

    var description: String { "\(fileID):\(line)" }
}
