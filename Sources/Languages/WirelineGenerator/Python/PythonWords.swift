// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The common parts of the reader's and the writer's words: offsets, paths and errors.
protocol PythonWords {
    var dialect: PythonDialect { get }
}

extension PythonWords {
    var types: PythonTypes { dialect.types }
    var scope: PythonDialect.Scope { dialect.scope }
    var plan: GeneratorModel { dialect.plan }

    func string(_ text: String) -> String { dialect.string(text) }
    func syntax(_ expression: Expression) -> Syntax { dialect.syntax(expression) }
    func text(_ expression: Expression) -> String { dialect.text(expression) }
    func text(_ syntax: Syntax) -> String { dialect.text(syntax) }
    func slice(_ bytes: String, _ from: Syntax, _ to: Syntax) -> Syntax { dialect.slice(bytes, from, to) }

    /// Returns an offset of the packet as an offset in the reader's bytes.
    func place(_ place: Expression) -> Syntax {
        guard case .packet = scope else { return syntax(place) }
        if case .number(0, _) = place { return .atom("start") }
        return syntax(Expression.name("start").plus(place))
    }

    /// Returns the path of a value, as far as its function knows it.
    func path(_ name: Expression) -> Syntax {
        switch (name, scope) {
        case (.text(let text), .packet), (.text(let text), .fixedHeader): .atom(string("packet." + text))
        default: syntax(name)
        }
    }

    /// Returns the statement that raises an error in a value.
    func failure(_ kind: Expression, _ name: Expression, _ place: [Syntax]) -> String {
        let function = if case .text = name { "WireError" } else { "_fail" }
        return "raise \(text(.call(.atom(function), [syntax(kind), path(name)] + place)))"
    }

    /// Returns a limit; -1 means none.
    func limit(_ limit: Expression) -> Syntax {
        if case .number(-1, _) = limit { .atom("4294967295") } else { syntax(limit) }
    }

    func codec(_ isLittle: Expression) -> Syntax {
        .atom(Self.order(isLittle) == .littleEndian ? "\"utf-16-le\"" : "\"utf-16-be\"")
    }

    /// Returns the statement that raises an error unless a condition holds.
    func unless(_ good: Expression, _ arguments: [Syntax]) -> [String] {
        ["if \(text(good.negated)): raise \(text(.call(.atom("WireError"), arguments)))"]
    }

    static func order(_ isLittle: Expression?) -> ByteOrder {
        if case .boolean(true)? = isLittle { .littleEndian } else { .bigEndian }
    }

    func call(_ function: String, _ arguments: [Expression], path: Expression, _ last: [Syntax] = []) -> Syntax {
        .call(.atom(function), arguments.map(syntax) + [self.path(path)] + last)
    }

    func call(_ function: String, _ place: [String], _ arguments: [Syntax], path: Expression) -> Syntax {
        .call(.atom(function), place.map(Syntax.atom) + arguments + [self.path(path)])
    }
}
