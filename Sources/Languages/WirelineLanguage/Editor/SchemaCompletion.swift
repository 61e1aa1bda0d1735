// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

package struct CompletionWord: Equatable, Sendable {
    package var text: String
    package var kind: Kind
    /// Its syntax or its type.
    package var detail: String
    /// Its meaning: one line, or the schema's comment.
    package var meaning: String

    package enum Kind: Equatable, Sendable {
        case keyword, type, attribute, value, message, structure, enumeration, constant, enumerationCase
    }

    init(_ text: String, _ kind: Kind, detail: String = "", meaning: String = "") {
        self.text = text
        self.kind = kind
        self.detail = detail
        self.meaning = meaning
    }
}

extension SchemaAnalysis {
    /// Returns the words that fit at a place, and the range of the partial word there.
    ///
    /// - Returns: The bytes to replace, which end at `offset`, and the words, most useful first.
    package func completion(in file: Int, at offset: Int) -> (replaced: Range<Int>, words: [CompletionWord]) {
        let lexed = checked.lexed[file]
        var index = firstToken(of: file, endingAfter: max(0, offset - 1))
        var start = offset
        let token = lexed.tokens[index]
        if token.start < offset, offset <= token.end {
            switch token.kind {
            case .name: start = token.start
            case .string, .number: return (offset..<offset, [])
            default: index += 1
            }
        }
        guard !isInComment(lexed.comments, offset) else { return (offset..<offset, []) }
        let context = StatementContext(lexed.tokens, upTo: index, in: sources[file])
        return (start..<offset, words(for: context, at: index, in: file))
    }

    private func isInComment(_ comments: [Comment], _ offset: Int) -> Bool {
        comments.contains { comment in
            // A line comment includes the cursor at its end.
            comment.range.lowerBound < offset
                && (offset < comment.range.upperBound || !comment.isBlock && offset == comment.range.upperBound)
        }
    }

    private func words(for context: StatementContext, at index: Int, in file: Int) -> [CompletionWord] {
        if context.isAfterAt { return Self.attributes(at: Self.places(of: context)) }
        if let attribute = context.openAttribute {
            return AttributeKind(rawValue: attribute).map { values(of: $0, before: index, in: file) } ?? []
        }
        switch context.owner {
        case nil: return topLevel(context.words)
        case .message, .struct: return member(context.words)
        case .packet: return context.isInFrame ? [] : packetMember(context)
        case .enum: return context.words.isEmpty ? [CompletionWord("reserved", .keyword)] : []
        case .union: return arm(context)
        case .flags, .const, .reserved, .option: return []
        }
    }

    // MARK: Attributes

    /// The declarations that can follow an attribute at this place.
    private static func places(of context: StatementContext) -> [AttributeKind.Place] {
        switch context.owner {
        case .message, .struct, .union: [.field]
        case .packet: [.headerField, .content]
        case .enum: [.enumerationCase]
        case .flags: [.flag]
        case nil, .const, .reserved, .option: [.message, .structure, .union, .enumeration, .flags, .packet]
        }
    }

    private static func attributes(at places: [AttributeKind.Place]) -> [CompletionWord] {
        AttributeKind.allCases.filter { kind in places.contains { kind.places.contains($0) } }.map { kind in
            CompletionWord(
                kind.rawValue, .attribute, detail: kind.example(amongPlaces: places), meaning: kind.summary)
        }
    }

    private func values(of attribute: AttributeKind, before index: Int, in file: Int) -> [CompletionWord] {
        switch attribute {
        case .from: return Self.values(["client", "server", "both"])
        case .reply: return messages
        case .count, .size: return Self.prefixes + earlierFields(before: index, in: file)
        case .checksum: return checksumWords(before: index, in: file)
        case .header: return headerWords(before: index, in: file)
        case .sets: return stateWords(before: index, in: file)
        case .accept: return Self.values([Checker.acceptableFault])
        case .sequence: return Self.values(["failure"])
        case .condition: return conditionWords(before: index, in: file)
        case .tag: return earlierFields(before: index, in: file)
        case .length: return Self.values(["packet", "payload", "rest", "content"])
        case .default, .exampleValue, .constant: return values(ofFieldAfter: index, in: file)
        default: return []
        }
    }

    /// Returns the kinds of checksums or, after the comma, the ranges that a checksum can cover.
    private func checksumWords(before index: Int, in file: Int) -> [CompletionWord] {
        let tokens = checked.lexed[file].tokens[..<index]
        let open = tokens.lastIndex { $0.kind == .leftParenthesis } ?? tokens.startIndex
        guard tokens[open...].contains(where: { $0.kind == .comma }) else {
            return ChecksumKind.allCases.map { CompletionWord($0.rawValue, .value, detail: $0.displayName) }
        }
        let fields = packetFields.filter { $0.padding == nil }.map(\.name.text)
        return Self.values((tokens.last?.kind == .dots ? ["payload"] : ["payload", "rest"]) + fields)
    }

    /// Returns the fields of the packet or, after `=`, the values of the field before it.
    private func headerWords(before index: Int, in file: Int) -> [CompletionWord] {
        let fields = packetFields.filter { $0.padding == nil }
        let tokens = checked.lexed[file].tokens[..<index]
        guard tokens.last?.kind == .equals, let name = tokens.dropLast().last.map({ text(of: $0, in: file) }) else {
            return fields.map {
                CompletionWord($0.name.text, .value, detail: $0.typeName.text, meaning: $0.documentation)
            }
        }
        guard let type = fields.first(where: { $0.name.text == name })?.typeName.text else { return [] }
        return type == "bool" || type == "bit" ? Self.values(["true", "false"]) : cases(of: type) ?? []
    }

    /// Returns the states of the packet or, after `=`, the values of the state before it.
    private func stateWords(before index: Int, in file: Int) -> [CompletionWord] {
        let tokens = checked.lexed[file].tokens[..<index]
        guard tokens.last?.kind == .equals, let name = tokens.dropLast().last.map({ text(of: $0, in: file) }) else {
            return states.map {
                CompletionWord($0.name.text, .value, detail: $0.typeName.text, meaning: $0.documentation)
            }
        }
        guard let type = states.first(where: { $0.name.text == name })?.typeName.text else { return [] }
        return type == "bool" || type == "bit" ? Self.values(["true", "false"]) : cases(of: type) ?? []
    }

    /// Returns the cases of the type of the field that follows an open attribute.
    private func values(ofFieldAfter index: Int, in file: Int) -> [CompletionWord] {
        let tokens = checked.lexed[file].tokens
        let end = tokens[index...].firstIndex { $0.kind == .semicolon || $0.kind == .rightBrace } ?? tokens.endIndex
        let names = tokens[index..<max(index, end)].filter { $0.kind == .name }.map { text(of: $0, in: file) }
        for name in names {
            if name == "bool" || name == "bit" { return Self.values(["true", "false"]) }
            if let cases = cases(of: name) { return cases }
        }
        return []
    }

    func cases(of type: String) -> [CompletionWord]? {
        for declaration in declarations {
            switch declaration.body {
            case .enumeration(let syntax) where syntax.name.text == type,
                .flags(let syntax) where syntax.name.text == type:
                return syntax.cases.map {
                    CompletionWord($0.name.text, .enumerationCase, meaning: $0.documentation)
                }
            default: break
            }
        }
        return nil
    }

    // MARK: Statements

    private func topLevel(_ words: [String]) -> [CompletionWord] {
        switch (words.first.flatMap(Keyword.init), words.count) {
        case (_, 0): return Keyword.allCases.map { CompletionWord($0.rawValue, .keyword) }
        case (.const, 1): return Self.integers
        case (.option, 1):
            return OptionKind.allCases.map { CompletionWord($0.rawValue, .value, meaning: "It is \($0.choices).") }
        case (.option, 3):
            return OptionKind(rawValue: words[1]).map { Self.values($0.words) } ?? []
        case (.enum, 3) where words[2] == ":", (.flags, 3) where words[2] == ":": return Self.integers
        case (.union, 3) where words[2] == ":": return tagTypes
        case (.union, 4) where words[2] == ":": return [CompletionWord("sized", .keyword, detail: "sized(uint8)")]
        case (.union, 6) where words[4] == "sized": return Self.counts
        case (.struct, 2): return [CompletionWord("sized", .keyword, detail: "sized(uint16)")]
        case (.struct, 4) where words[2] == "sized": return Self.counts
        default: return []
        }
    }

    private func member(_ words: [String]) -> [CompletionWord] {
        switch words {
        case []: return Self.fieldWords + types
        case ["optional"]: return [CompletionWord("repeated", .keyword)] + types
        case ["repeated"], ["optional", "repeated"]: return types
        default: return words.last == "[" ? constants : []
        }
    }

    /// The words that can begin a line of a message or a struct, besides types.
    private static let fieldWords = [
        CompletionWord("optional", .keyword), CompletionWord("repeated", .keyword),
        CompletionWord(
            "padding", .keyword, detail: "padding 3;", meaning: "So many bytes are written as 0 and not looked at."),
    ]
    /// Returns the words for the body of a union: a tag or, after it, a field.
    private func arm(_ context: StatementContext) -> [CompletionWord] {
        guard let colon = context.words.firstIndex(of: ":") else {
            guard context.words.isEmpty else { return [] }
            let tags = context.declaration.dropFirst(3).first.flatMap { cases(of: $0) } ?? []
            let meaning = "Keeps a value with another tag."
            return tags + [CompletionWord("default", .keyword, detail: "default: bytes other;", meaning: meaning)]
        }
        let words = Array(context.words[(colon + 1)...])
        return words.isEmpty ? types : member(words)
    }

    private func packetMember(_ context: StatementContext) -> [CompletionWord] {
        if context.words == ["state"] {
            return Self.integers + Self.types(["bit", "bool"]) + declaredTypes.filter { $0.kind == .enumeration }
        }
        if context.words == ["layer"] {
            return Checker.layerExamples.sorted { $0.key < $1.key }.map {
                CompletionWord($0.key, .value, detail: $0.value)
            }
        }
        guard context.words.isEmpty else { return [] }
        let state = CompletionWord(
            "state", .keyword, detail: "state bit started;",
            meaning: "A number that belongs to the connection, and is 0 at first; conditions test it.")
        let frame = CompletionWord(
            "frame", .keyword, detail: "frame 0x7E..0x7E { 0x7E = 0x7D02; 0x7D = 0x7D01; }",
            meaning: "Each packet stands between two marks, and bytes that look like them are escaped.")
        return (context.isFirst ? [frame] : []) + [state] + Self.integers
            + Self.types(["bool"] + VarintFormat.Encoding.allCases.map(\.name))
            + declaredTypes.filter { $0.kind == .enumeration }
            + Self.contentWords
    }

    /// The words that can begin a line of the packet, besides types and a frame.
    private static let contentWords = [
        CompletionWord("payload", .keyword, detail: "payload;", meaning: "Here stand the message's fields."),
        CompletionWord(
            "layer", .keyword, detail: "layer zlib;",
            meaning: "What stands after the line is compressed or enciphered."),
        CompletionWord(
            "packets", .keyword, detail: "packets;", meaning: "In place of a message there are whole packets."),
        CompletionWord(
            "opaque", .keyword, detail: "opaque;", meaning: "What stands in place of a message is not read."),
    ]

    // MARK: Words

    private var declarations: some Sequence<DeclarationSyntax> { checked.trees.lazy.flatMap(\.declarations) }

    private var packetFields: [FieldSyntax] { fields { $0.header + $0.trailer } }

    var states: [StateSyntax] {
        declarations.flatMap { declaration -> [StateSyntax] in
            if case .packet(let syntax) = declaration.body { syntax.states } else { [] }
        }
    }

    var headerFields: [FieldSyntax] { fields(\.header) }

    private func fields(_ list: (PacketSyntax) -> [FieldSyntax]) -> [FieldSyntax] {
        declarations.flatMap { declaration -> [FieldSyntax] in
            if case .packet(let syntax) = declaration.body { list(syntax) } else { [] }
        }
    }

    private var types: [CompletionWord] { Self.types(BuiltinType.names) + declaredTypes }

    private var declaredTypes: [CompletionWord] {
        declarations.compactMap { declaration -> CompletionWord? in
            switch declaration.body {
            case .structure(let syntax):
                CompletionWord(syntax.name.text, .structure, detail: "struct", meaning: declaration.documentation)
            case .union(let syntax):
                CompletionWord(syntax.name.text, .structure, detail: "union", meaning: declaration.documentation)
            case .enumeration(let syntax):
                CompletionWord(syntax.name.text, .enumeration, detail: "enum", meaning: declaration.documentation)
            case .flags(let syntax):
                CompletionWord(syntax.name.text, .enumeration, detail: "flags", meaning: declaration.documentation)
            case .message, .constant, .reserved, .option, .packet: nil
            }
        }
    }

    private var messages: [CompletionWord] {
        declarations.compactMap { declaration in
            guard case .message(let name, _) = declaration.body else { return nil }
            return CompletionWord(name.text, .message, detail: "message", meaning: declaration.documentation)
        }
    }

    private var constants: [CompletionWord] {
        declarations.compactMap { declaration in
            guard case .constant(let syntax) = declaration.body else { return nil }
            return CompletionWord(syntax.name.text, .constant, detail: "const", meaning: declaration.documentation)
        }
    }

    private var tagTypes: [CompletionWord] {
        let enumerations = declaredTypes.filter { $0.kind == .enumeration && $0.detail == "enum" }
        return Self.integers + Self.types(["varint"]) + enumerations
    }

    private static var integers: [CompletionWord] {
        types(BuiltinType.names.filter { IntegerFormat(name: $0) != nil })
    }

    private static var counts: [CompletionWord] { types(CountFormat.unsigned.map(\.name)) }

    /// The prefixes of a field. One with a sign can say that the field is absent.
    private static var prefixes: [CompletionWord] { types(CountFormat.allCases.map(\.name)) }

    private static func types(_ names: [String]) -> [CompletionWord] {
        names.map { name in
            let meaning = BuiltinType(name: name)?.summary ?? SizedType(rawValue: name)?.summary ?? ""
            return CompletionWord(name, .type, meaning: meaning)
        }
    }

    static func values(_ words: [String]) -> [CompletionWord] { words.map { CompletionWord($0, .value) } }
}

extension OptionKind {
    fileprivate var words: [String] {
        switch self {
        case .byteOrder: ["big", "little"]
        case .stringCount, .listCount: CountFormat.unsigned.map(\.name)
        case .maximumPacket, .maximumDepth, .maximumInflated, .maximumNested: []
        case .trailing: ["keep", "reject"]
        case .properties: ["strict", "lenient"]
        case .varints: ["shortest", "any"]
        }
    }
}
