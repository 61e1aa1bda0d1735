// SPDX-License-Identifier: Apache-2.0

import WirelineGenerator
import WirelineSchema

extension LanguageServer {
    // MARK: Hover

    mutating func hover(_ params: JSONValue) throws(RPCError) -> JSONValue {
        let place = try place(params)
        if let use = place.analysis.names.use(in: place.file, at: place.offset) {
            return text(about: use.name, in: place).map { hover($0, use.span, place.source) } ?? .null
        }
        guard let (span, code, meaning) = place.analysis.explanation(in: place.file, at: place.offset) else {
            return .null
        }
        return hover("```wire\n\(code)\n```\n\n\(meaning)", span, place.source)
    }

    private func hover(_ markdown: String, _ span: SourceSpan, _ source: SourceText) -> JSONValue {
        [
            "contents": [
                "kind": .string(capabilities.showsMarkdown ? "markdown" : "plaintext"), "value": .string(markdown),
            ],
            "range": range(of: span, in: source),
        ]
    }

    /// Returns the hover text of a name. It has sizes and offsets only if the protocol has no errors.
    private func text(about name: SchemaName, in place: RequestLocation) -> String? {
        guard let description = place.analysis.description else {
            guard !place.analysis.names.declarations(of: name).isEmpty else { return nil }
            return "`\(name.text)`\n\nIts bytes are shown when the protocol has no errors."
        }
        let hover = place.project.hover(description)
        switch name {
        case .declaration(let text): return hover.declaration(text)
        case .member(let text, let owner): return hover.member(text, of: owner)
        case .packetField(let text): return hover.packetField(text)
        case .alias(let text):
            let owner = description.message(named: text)?.name
            return owner.flatMap { hover.declaration($0) } ?? "The name in generated code."
        case .memberAlias: return "The name in generated code."
        }
    }

    // MARK: Definitions and references

    mutating func definition(_ params: JSONValue) throws(RPCError) -> JSONValue {
        let place = try place(params)
        guard let use = place.analysis.names.use(in: place.file, at: place.offset) else { return .null }
        return locations(of: place.analysis.names.declarations(of: use.name), in: place)
    }

    mutating func references(_ params: JSONValue) throws(RPCError) -> JSONValue {
        let place = try place(params)
        guard let use = place.analysis.names.use(in: place.file, at: place.offset) else { return .null }
        let withDeclaration = params.at("context", "includeDeclaration")?.isTrue ?? false
        let uses = place.analysis.names.uses(of: use.name).filter { withDeclaration || !$0.isDeclaration }
        return locations(of: uses, in: place)
    }

    mutating func highlights(_ params: JSONValue) throws(RPCError) -> JSONValue {
        let place = try place(params)
        guard let use = place.analysis.names.use(in: place.file, at: place.offset) else { return .null }
        let uses = place.analysis.names.uses(of: use.name).filter { $0.span.file == place.file }
        let table = table(of: uses.map(\.span), in: place.source)
        return .array(uses.prefix(limits.resultCount).map { ["range": table.range($0.span)] })
    }

    private func locations(of uses: [NameUse], in place: RequestLocation) -> JSONValue {
        let byFile = Dictionary(grouping: uses.prefix(limits.resultCount), by: \.span.file)
        let list = byFile.keys.sorted().flatMap { file -> [JSONValue] in
            let source = place.analysis.sources[file]
            let spans = byFile[file, default: []].map(\.span)
            let table = table(of: spans, in: source)
            let uri = JSONValue.string(place.project.uri(of: source.path))
            return spans.map { ["uri": uri, "range": table.range($0)] }
        }
        return .array(list)
    }

    // MARK: Ranges

    func range(of span: SourceSpan, in source: SourceText) -> JSONValue {
        table(of: [span], in: source).range(span)
    }

    func table(of spans: [SourceSpan], in source: SourceText) -> PositionTable {
        PositionTable(spans.flatMap { [$0.start, max($0.start, $0.end)] }, in: source, capabilities.encoding)
    }
}
