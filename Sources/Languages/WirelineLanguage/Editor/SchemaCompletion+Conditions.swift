// SPDX-License-Identifier: Apache-2.0

extension SchemaAnalysis {
    /// Returns the words that can follow in a condition: fields, values, or words between tests.
    func conditionWords(before index: Int, in file: Int) -> [CompletionWord] {
        let tokens = checked.lexed[file].tokens[..<index]
        let words = ["and", "or", "not"]
        guard let last = tokens.last else { return [] }
        let (fields, owner) = body(at: last, in: file)
        let isMessage = owner == .message
        if last.kind == .dot { return isMessage ? headerFields.filter(\.canDecide).map(Self.word) : [] }
        if last.kind == .comparison {
            let operand = tokens.dropLast()
            let isOfPacket = operand.dropLast().last?.kind == .dot
            guard let name = operand.last.map({ text(of: $0, in: file) }) else { return [] }
            if owner == .packet, fields.first(named: name) == nil,
                let state = states.first(where: { $0.name.text == name })
            {
                let isTruth = ["bool", "bit"].contains(state.typeName.text)
                return isTruth ? Self.values(["true", "false"]) : cases(of: state.typeName.text) ?? []
            }
            guard let field = (isOfPacket ? headerFields : fields).first(named: name) else {
                return owner == .packet ? PacketWord(rawValue: name).map { Self.values($0.values) } ?? [] : []
            }
            if ["bool", "bit"].contains(field.typeName.text) { return Self.values(["true", "false"]) }
            return cases(of: field.typeName.text) ?? []
        }
        if last.kind == .leftParenthesis || last.kind == .name && words.contains(text(of: last, in: file)) {
            let header = CompletionWord("header", .value, detail: "header.field", meaning: "A field of the packet.")
            let canSeeHeader = isMessage && headerFields.contains(where: \.canDecide)
            let packetWords =
                owner == .packet ? PacketWord.allCases.filter { fields.first(named: $0.rawValue) == nil } : []
            let states = owner == .packet ? states.filter { $0.name.span.end <= last.start } : []
            return earlierFields(before: index, in: file) + (canSeeHeader ? [header] : [])
                + states.map {
                    CompletionWord(
                        $0.name.text, .value, detail: "state " + $0.typeName.text, meaning: $0.documentation)
                }
                + packetWords.map { CompletionWord($0.rawValue, .value, meaning: $0.summary) }
                + [CompletionWord("not", .keyword)]
        }
        return words.dropLast().map { CompletionWord($0, .keyword) }
    }

    private static func word(_ field: FieldSyntax) -> CompletionWord {
        CompletionWord(field.name.text, .value, detail: field.typeText, meaning: field.documentation)
    }

    /// Returns the fields of the same message or struct that end before a token.
    func earlierFields(before index: Int, in file: Int) -> [CompletionWord] {
        guard let last = checked.lexed[file].tokens[..<index].last else { return [] }
        return body(at: last, in: file).fields.prefix { $0.name.span.end <= last.start }
            .filter { $0.padding == nil }.map(Self.word)
    }

    /// Returns the language's word for a token in the packet, unless a field has this name.
    func packetWord(at token: Token, in file: Int) -> PacketWord? {
        let (fields, owner) = body(at: token, in: file)
        let word = text(of: token, in: file)
        guard owner == .packet, fields.first(named: word) == nil else { return nil }
        return PacketWord(rawValue: word)
    }

    /// The declaration with the conditional fields.
    private enum Owner { case message, structure, packet }

    /// Returns the fields of the message or the struct around a token, or those of the packet's header.
    private func body(at token: Token, in file: Int) -> (fields: [FieldSyntax], owner: Owner?) {
        for declaration in checked.trees[file].declarations.reversed() where declaration.keyword.start < token.start {
            switch declaration.body {
            case .message(_, let fields): return (fields, .message)
            case .structure(let syntax): return (syntax.fields, .structure)
            case .packet(let syntax): return (syntax.header, .packet)
            default: return ([], nil)
            }
        }
        return ([], nil)
    }
}

extension FieldSyntax {
    /// Whether conditions can refer to this header field, as far as its attributes tell.
    fileprivate var canDecide: Bool {
        let others = [AttributeKind.length, .id, .sequence, .constant, .checksum, .condition, .fit].map(\.rawValue)
        return padding == nil && SizedType(rawValue: typeName.text) == nil
            && !attributes.contains { others.contains($0.name.text) }
    }
}

extension [FieldSyntax] {
    fileprivate func first(named name: String) -> FieldSyntax? { first { $0.name.text == name } }
}
