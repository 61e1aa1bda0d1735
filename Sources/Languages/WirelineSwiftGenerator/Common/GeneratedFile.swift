// SPDX-License-Identifier: Apache-2.0

/// A generated file that has not been written to disk yet.
public struct GeneratedFile: Equatable, Sendable {
    /// The path relative to the output folder; a name without folders.
    public var path: String
    /// The whole text; lines end in LF.
    public var text: String

    /// Makes a file from its path and its text.
    public init(path: String, text: String) {
        self.path = path
        self.text = text
    }
}
