// SPDX-License-Identifier: Apache-2.0

/// Finds the comments that document a declaration: directly above it, or after it on its line.
///
///     // Above, without an empty line between.
///     uint32 Line = 2;   // After it,
///                        // continued in the same column.
struct DocumentationFinder {
    private let source: SourceText
    private let tokens: [Token]
    private let comments: [Comment]

    init(source: SourceText, lexed: LexedFile) {
        self.source = source
        tokens = lexed.tokens
        comments = lexed.comments
    }

    /// Returns the documentation of the tokens from `first` to `last`.
    ///
    /// - Parameter bodyStart: The token of a `{` that may have documentation after it.
    func text(from first: Int, bodyStart: Int?, to last: Int) -> String {
        guard !comments.isEmpty else { return "" }
        var found = above(first)
        if let bodyStart, tokens[bodyStart].line != tokens[last].line {
            found += behind(bodyStart)
        } else {
            found += behind(last)
        }
        return DocumentationText.text(of: found, in: source)
    }

    /// Returns the comments that end before a token, up to the first empty line.
    func above(_ token: Int) -> ArraySlice<Comment> {
        let candidates = comments(before: token).dropFirst(token == 0 ? 0 : behind(token - 1).count)
        var start = candidates.endIndex
        var line = tokens[token].line
        while start > candidates.startIndex, line - candidates[start - 1].lastLine <= 1 {
            start -= 1
            line = candidates[start].firstLine
        }
        return candidates[start...]
    }

    /// Returns the comments after a token on its line, and those that continue below in the same column.
    ///
    /// A comment before another token on the same line belongs to that token.
    func behind(_ token: Int) -> ArraySlice<Comment> {
        let candidates = comments(before: token + 1)
        let nextLine = token + 1 < tokens.count && tokens[token + 1].kind != .endOfFile ? tokens[token + 1].line : .max
        var end = candidates.startIndex
        while end < candidates.endIndex, candidates[end].firstLine == tokens[token].line { end += 1 }
        guard end > candidates.startIndex, candidates[end - 1].lastLine < nextLine else {
            return candidates[..<candidates.startIndex]
        }
        guard end < candidates.endIndex, isContinued(candidates[end - 1], by: candidates[end]) else {
            return candidates[..<end]
        }
        let column = source.displayColumn(at: candidates[end - 1].range.lowerBound)
        while end < candidates.endIndex, candidates[end].lastLine < nextLine,
            isContinued(candidates[end - 1], by: candidates[end]),
            source.displayColumn(at: candidates[end].range.lowerBound) == column
        {
            end += 1
        }
        return candidates[..<end]
    }

    private func isContinued(_ comment: Comment, by next: Comment) -> Bool {
        !comment.isBlock && !next.isBlock && next.isFirstOnLine && next.firstLine == comment.lastLine + 1
    }

    /// Returns the comments between a token and the previous one.
    func comments(before token: Int) -> ArraySlice<Comment> {
        let start = firstComment(notBefore: token)
        return comments[start..<firstComment(notBefore: token + 1)]
    }

    private func firstComment(notBefore token: Int) -> Int {
        var low = 0
        var high = comments.count
        while low < high {
            let middle = low + (high - low) / 2
            if comments[middle].nextToken < token { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
