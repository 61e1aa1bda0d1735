// SPDX-License-Identifier: Apache-2.0

extension Checker {
    /// Checks that each attribute is known, allowed here, present once, and has the argument that it needs.
    mutating func attributes(_ list: [AttributeSyntax], at place: AttributeKind.Place) -> AttributeSet {
        var set = AttributeSet()
        for syntax in list where !syntax.name.isFaulty {
            guard let kind = attributeKind(syntax, at: place) else { continue }
            let arguments = arguments(of: syntax, kind, at: place)
            if !set.insert(kind, arguments, at: syntax.span) {
                let several = kind == .reply ? "several replies stand in one: `\(kind.example(at: place))`" : nil
                reporter.error(
                    "`@\(kind.rawValue)` stands here twice", at: syntax.span, help: several ?? "remove one of them")
            }
        }
        return set
    }

    private mutating func attributeKind(_ syntax: AttributeSyntax, at place: AttributeKind.Place) -> AttributeKind? {
        guard let kind = AttributeKind(rawValue: syntax.name.text) else {
            let suggestion = spelling.suggestion(
                for: syntax.name.text,
                among: AttributeKind.allCases.lazy.filter { $0.places.contains(place) }.map(\.rawValue))
            reporter.error(
                "unknown attribute \("@\(syntax.name.text)".quoted)", at: syntax.span,
                help: suggestion.map { "did you mean `@\($0)`?" })
            return nil
        }
        guard kind.places.contains(place) else {
            let places = kind.places.map(\.rawValue)
            let list = [places.dropLast().joined(separator: ", "), places.last ?? ""].filter { !$0.isEmpty }
            reporter.error(
                "`@\(kind.rawValue)` cannot stand before \(place.rawValue)", at: syntax.span,
                help: "it stands before " + list.joined(separator: " or "))
            return nil
        }
        return kind
    }

    private func arguments(
        of syntax: AttributeSyntax, _ kind: AttributeKind, at place: AttributeKind.Place
    ) -> [ArgumentSyntax] {
        let arguments = syntax.arguments ?? []
        if case .faulty? = arguments.first { return [] }
        let shape = kind.shape(at: place)
        let fits =
            syntax.arguments == nil ? shape == .none || shape == .failure : shape.counts.contains(arguments.count)
        if fits, arguments.enumerated().allSatisfy({ shape.accepts($1, at: $0) }) { return arguments }
        if arguments.contains(where: \.isFaulty) { return [] }
        reporter.error(
            "`@\(kind.rawValue)` takes \(kind.argumentDescription(at: place))", at: syntax.span,
            help: "write `\(kind.example(at: place))`")
        return []
    }

    // MARK: Attributes of several declarations

    func alias(_ attributes: AttributeSet) -> String? { attributes.name(.name)?.text }

    /// Returns the text in `@deprecated("why")`.
    func deprecation(_ attributes: AttributeSet) -> String? { attributes.string(.deprecated) }

    /// Reports attributes of a declaration that takes none.
    mutating func refuseAttributes(_ list: [AttributeSyntax], at place: AttributeKind.Place) {
        _ = attributes(list, at: place)
    }
}

extension AttributeKind.Shape {
    fileprivate var counts: ClosedRange<Int> {
        switch self {
        case .checksum: 1...2
        case .assignments: 1...Int.max
        default: 1...1
        }
    }

    fileprivate func accepts(_ argument: ArgumentSyntax, at index: Int) -> Bool {
        switch (self, argument) {
        case (.checksum, .name): true
        case (.checksum, .nameRange): index == 1
        case (.integer, .number(let number)): number.integer != nil || number.isFaulty
        case (.range, .range), (.name, .name), (.string, .string): true
        case (.names, .name), (.names, .names): true
        case (.length, .name), (.length, .sum): true
        case (.size, .name), (.size, .sum): true
        case (.size, .number(let number)): number.integer != nil || number.isFaulty
        case (.value, .number), (.value, .name), (.value, .string): true
        case (.setting, .name): true
        case (.assignments, .assignment(_, let value)), (.setting, .assignment(_, let value)):
            AttributeKind.Shape.value.accepts(value, at: index)
        case (.condition, .condition): true
        case (.failure, .assignment(let name, .number(let number))): name.text == "failure" && number.integer != nil
        default: false
        }
    }
}

extension ArgumentSyntax {
    fileprivate var isFaulty: Bool {
        switch self {
        case .faulty: true
        case .number(let number), .sum(_, let number): number.isFaulty
        case .range(let lower, let upper): lower.isFaulty || upper.isFaulty
        case .names(let names): names.contains(where: \.isFaulty)
        case .nameRange(let first, let last): first.isFaulty || last.isFaulty
        case .assignment(_, let value): value.isFaulty
        case .name, .string, .condition: false
        }
    }
}
