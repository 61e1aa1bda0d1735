// SPDX-License-Identifier: Apache-2.0

/// A file that was generated, before anybody has written it anywhere.
public struct GeneratedFile: Equatable, Sendable {
    /// Where the file belongs, relative to the folder of the output; a name without folders.
    public var path: String
    /// The whole file; lines end in LF.
    public var text: String

    /// Makes a file of its name and its text.
    public init(path: String, text: String) {
        self.path = path
        self.text = text
    }
}
