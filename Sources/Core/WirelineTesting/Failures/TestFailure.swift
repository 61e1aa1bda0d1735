// SPDX-License-Identifier: Apache-2.0

/// An expectation that was not met. The description has the line of the test, the expectation, and what was received.
public struct TestFailure: Error, CustomStringConvertible, Sendable {
    /// The whole text, with several lines.
    public let description: String

    init(_ place: CodePlace, _ summary: String, _ details: [String] = []) {
        description = (["\(place): " + summary] + details.map { "  " + $0 }).joined(separator: "\n")
    }
}

struct CodePlace: Sendable, CustomStringConvertible {
    private let fileID: String
    private let line: Int

    init(_ fileID: String, _ line: Int) {
        self.fileID = fileID
        self.line = line
    }

    var description: String { "\(fileID):\(line)" }
}
