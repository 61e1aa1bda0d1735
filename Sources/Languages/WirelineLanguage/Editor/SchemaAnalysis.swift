// SPDX-License-Identifier: Apache-2.0

/// The files of one protocol as an editor sees them: parsed and checked, with or without errors.
///
/// It is a class because it makes the index of names at its first use.
package final class SchemaAnalysis {
    package let name: String
    let checked: CheckedFiles
    package private(set) lazy var names = NameIndex(checked.trees)

    /// Parses and checks the files of a folder.
    ///
    /// - Complexity: Nearly linear in the files' bytes.
    package init(name: String, files: [SourceFile]) {
        self.name = name
        checked = CheckedFiles(name: name, files: files)
    }

    /// The files in the order of their paths' bytes; the `file` of every span is an index into them.
    package var sources: [SourceText] { checked.sources }

    /// The protocol; nil if there is any error.
    package var description: ProtocolDescription? { checked.description }

    /// The problems by file, then by position; at most 1,000 are kept.
    package private(set) lazy var problems = checked.reporter.sortedProblems()

    package func file(_ path: String) -> Int? { sources.firstIndex { $0.path == path } }

    // MARK: Tokens

    /// Returns the index of the first token of a file that ends after an offset.
    func firstToken(of file: Int, endingAfter offset: Int) -> Int {
        let tokens = checked.lexed[file].tokens
        var low = 0
        var high = tokens.count - 1
        while low < high {
            let middle = low + (high - low) / 2
            if tokens[middle].end <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func text(of token: Token, in file: Int) -> String { sources[file].text(token.range) }
}
