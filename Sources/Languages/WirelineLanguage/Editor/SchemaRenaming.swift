// SPDX-License-Identifier: Apache-2.0

package struct RenamingError: Error, Equatable, Sendable {
    /// The reason, in the style of ``Diagnostic/message``.
    package var reason: String
}

extension SchemaAnalysis {
    /// Returns the places where a name must be replaced.
    ///
    /// The new name must be valid and free. The schema must be as valid as before, and its packets must have the same
    /// bytes. For example, the digits of `Cs_20001` are an ID, so another number changes more than a name.
    ///
    /// - Complexity: That of a check, because it checks the renamed schema.
    package func renaming(_ name: SchemaName, to newName: String) throws(RenamingError) -> [SourceSpan] {
        try requireDeclaration(of: name)
        try Self.requireValid(newName)
        if case .declaration = name, BuiltinType(name: newName) != nil {
            throw RenamingError(reason: "\(newName.quoted) is a type of the language")
        }
        let spans = names.uses(of: name).map(\.span)
        guard newName != name.text else { return spans }
        guard !names.neighbours(of: name).contains(newName) else {
            throw RenamingError(reason: "the name \(newName.quoted) is taken")
        }
        try requireSameMeaning(after: CheckedFiles(name: self.name, files: files(replacing: spans, by: newName)))
        return spans
    }

    private func requireDeclaration(of name: SchemaName) throws(RenamingError) {
        switch names.declarations(of: name).count {
        case 0: throw RenamingError(reason: "\(name.text.quoted) is not declared in this protocol")
        case 1: break
        default: throw RenamingError(reason: "\(name.text.quoted) is declared twice")
        }
    }

    private static func requireValid(_ name: String) throws(RenamingError) {
        let source = SourceText(SourceFile(path: "", bytes: Array(name.utf8)))
        let tokens = Lexer.lex(source, file: 0, reporter: Reporter(sources: [source])).tokens
        guard tokens.count == 2, tokens[0].kind == .name, !tokens[0].isFaulty, tokens[0].end == source.bytes.count,
            tokens[0].start == 0
        else {
            throw RenamingError(reason: "\(name.quoted) is not a name: letters, digits and `_`, first no digit")
        }
    }

    private func files(replacing spans: [SourceSpan], by text: String) -> [SourceFile] {
        sources.enumerated().map { index, source in
            var bytes = source.bytes
            for span in spans.reversed() where span.file == index {
                bytes.replaceSubrange(span.start..<span.end, with: text.utf8)
            }
            return SourceFile(path: source.path, bytes: bytes)
        }
    }

    private func requireSameMeaning(after renamed: CheckedFiles) throws(RenamingError) {
        let errors = renamed.reporter.sortedProblems().filter { $0.diagnostic.severity == .error }
        let count = problems.count { $0.diagnostic.severity == .error }
        if errors.count > count, let first = errors.first {
            throw RenamingError(reason: "with this name, \(first.diagnostic.message)")
        }
        guard let old = description, let new = renamed.description else { return }
        let (oldReplies, newReplies) = (old.replyPlaces(), new.replyPlaces())
        for (index, (before, after)) in zip(old.messages, new.messages).enumerated() {
            guard before.id == after.id, before.senders == after.senders else {
                throw RenamingError(
                    reason: "with this name, \(before.name.quoted) would have another ID or direction: edit the schema")
            }
            guard oldReplies[index] == newReplies[index] else {
                throw RenamingError(
                    reason: "with this name, \(before.name.quoted) would have another reply: edit the schema")
            }
        }
    }
}

extension ProtocolDescription {
    /// Returns the indices of each message's replies, which stay the same when messages are renamed.
    fileprivate func replyPlaces() -> [[Int]] {
        let places = Dictionary(
            messages.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        return messages.map { message in message.replies.compactMap { places[$0] } }
    }
}
