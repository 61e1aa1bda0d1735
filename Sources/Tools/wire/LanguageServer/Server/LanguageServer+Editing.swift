// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

extension LanguageServer {
    // MARK: Completion

    mutating func completion(_ params: JSONValue) throws(RPCError) -> JSONValue {
        let place = try place(params)
        let (replaced, words) = place.analysis.completion(in: place.file, at: place.offset)
        let span = SourceSpan(file: place.file, start: replaced.lowerBound, end: replaced.upperBound)
        let range = range(of: span, in: place.source)
        return .array(
            words.prefix(limits.resultCount).enumerated().map { index, word in
                var members: [JSONValue.Member] = [
                    .init("label", .string(word.text)), .init("kind", .integer(word.kind.number)),
                ]
                if !word.detail.isEmpty { members.append(.init("detail", .string(word.detail))) }
                if !word.meaning.isEmpty { members.append(.init("documentation", .string(word.meaning))) }
                let place = String(index)
                members.append(
                    .init("sortText", .string(String(repeating: "0", count: max(0, 5 - place.count)) + place)))
                members.append(.init("textEdit", ["range": range, "newText": .string(word.text)]))
                return .object(members)
            })
    }

    // MARK: Formatting

    /// Returns the edit that formats a document. There is none if it is already formatted or has syntax errors.
    ///
    /// The layout is fixed, so the client's formatting options are ignored.
    mutating func formatting(_ params: JSONValue) throws(RPCError) -> JSONValue {
        let document = try document(params)
        let source = document.text
        guard case .formatted(let bytes) = SourceFile(path: document.name, bytes: source.bytes).formatted(),
            bytes != source.bytes
        else { return [] }
        let (range, replacement) = Self.changedLines(from: source.bytes, to: bytes)
        let span = SourceSpan(file: 0, start: range.lowerBound, end: range.upperBound)
        return [
            [
                "range": self.range(of: span, in: source),
                "newText": .string(String(decoding: replacement, as: UTF8.self)),
            ]
        ]
    }

    /// Returns the range of lines to replace, and the new lines. Unchanged lines are left out, so that the cursor
    /// stays.
    private static func changedLines(from old: [UInt8], to new: [UInt8]) -> (Range<Int>, ArraySlice<UInt8>) {
        var start = zip(old, new).prefix { $0 == $1 }.count
        while start > 0, old[start - 1] != UInt8(ascii: "\n") { start -= 1 }
        var end = zip(old[start...].reversed(), new[start...].reversed()).prefix { $0 == $1 }.count
        while end > 0, !isLineStart(old.count - end, in: old) || !isLineStart(new.count - end, in: new) { end -= 1 }
        return (start..<old.count - end, new[start..<new.count - end])
    }

    private static func isLineStart(_ offset: Int, in bytes: [UInt8]) -> Bool {
        offset == 0 || bytes[offset - 1] == UInt8(ascii: "\n")
    }

    // MARK: Renaming

    mutating func renamingPlace(_ params: JSONValue) throws(RPCError) -> JSONValue {
        let place = try place(params)
        guard let use = place.analysis.names.use(in: place.file, at: place.offset) else { return .null }
        return ["range": range(of: use.span, in: place.source), "placeholder": .string(use.name.text)]
    }

    mutating func renaming(_ params: JSONValue) throws(RPCError) -> JSONValue {
        let place = try place(params)
        let newName = try params.requiredText("newName")
        guard let use = place.analysis.names.use(in: place.file, at: place.offset) else {
            throw RPCError(.requestFailed, "there is no name here")
        }
        let spans: [SourceSpan]
        do throws(RenamingError) {
            spans = try place.analysis.renaming(use.name, to: newName)
        } catch {
            throw RPCError(.requestFailed, error.reason)
        }
        let byFile = Dictionary(grouping: spans, by: \.file)
        let edits = byFile.keys.sorted().map { file -> (name: String, edits: JSONValue) in
            let source = place.analysis.sources[file]
            let spans = byFile[file, default: []]
            let table = table(of: spans, in: source)
            return (
                source.path,
                .array(spans.map { ["range": table.range($0), "newText": .string(newName)] })
            )
        }
        return workspaceEdit(edits, in: place.project)
    }

    private func workspaceEdit(_ edits: [(name: String, edits: JSONValue)], in project: Project) -> JSONValue {
        guard capabilities.editsVersions else {
            return ["changes": .object(edits.map { JSONValue.Member(project.uri(of: $0.name), $0.edits) })]
        }
        let changes = edits.map { name, edits -> JSONValue in
            let version = project.open[name].map { JSONValue.integer(Int128($0.version)) } ?? .null
            return [
                "textDocument": ["uri": .string(project.uri(of: name)), "version": version], "edits": edits,
            ]
        }
        return ["documentChanges": .array(changes)]
    }
}

extension CompletionWord.Kind {
    /// The number of LSP 3.17, "CompletionItemKind".
    fileprivate var number: Int128 {
        switch self {
        case .keyword: 14
        case .type: 25
        case .attribute: 10
        case .value: 12
        case .message: 7
        case .structure: 22
        case .enumeration: 13
        case .constant: 21
        case .enumerationCase: 20
        }
    }
}
