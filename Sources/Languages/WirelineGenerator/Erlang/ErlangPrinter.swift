// SPDX-License-Identifier: Apache-2.0

extension ErlangText {
    struct Printer {
        let dialect: ErlangDialect
        /// How often each variable occurs in the function.
        let counts: [String: Int]

        /// The longest line of a `case`.
        private static let width = 110

        private func indentation(_ count: Int) -> String { String(repeating: " ", count: count) }

        func text(_ clause: ErlangCode.Clause, _ function: String) -> String {
            let head = "\(ErlangText.atom(function))(\(list(clause.patterns)))" + condition(clause) + " ->"
            let line = clause.body.count == 1 ? text(clause.body[0], 4) : "\n"
            if !line.contains("\n"), head.count + line.count < Self.width { return "\(head) \(line)" }
            return head + lines(clause.body, 4)
        }

        private func condition(_ clause: ErlangCode.Clause) -> String {
            clause.condition.map { " when " + text($0, 0) } ?? ""
        }

        private func lines(_ body: [ErlangCode], _ indent: Int) -> String {
            body.map { "\n" + indentation(indent) + text($0, indent) }.joined(separator: ",")
        }

        private func list(_ items: [ErlangCode], _ indent: Int = 0) -> String {
            items.map { text($0, indent) }.joined(separator: ", ")
        }

        private func text(_ code: ErlangCode, _ indent: Int) -> String {
            switch code {
            case .expression(.name(let name)): counts[name] == 1 ? "_" : dialect.variable(name)
            case .expression(let expression): dialect.text(expression)
            case .literal(let text): text
            case .call(let function, let arguments): "\(function)(\(list(arguments, indent)))"
            case .reference(let function, let arity): "fun \(ErlangText.atom(function))/\(arity)"
            case .tuple(let items): "{\(list(items, indent))}"
            case .list(let items, let tail):
                "[\(list(items, indent))\(tail.map { (items.isEmpty ? "" : " | ") + text($0, indent) } ?? "")]"
            case .binary(let segments): "<<\(segments.map(text).joined(separator: ", "))>>"
            case .map(let members, let base):
                (base.map { text($0, indent) } ?? "")
                    + "#{\(members.map { "\(ErlangText.atom($0.key)) => \(text($0.value, indent))" }.joined(separator: ", "))}"
            case .mapPattern(let key, let value, let map):
                "#{\(ErlangText.atom(key)) := \(text(value, indent))} = \(text(map, indent))"
            case .record(let name, let fields):
                "#\(ErlangText.atom(name)){\(fields.map { "\(ErlangText.atom($0.name)) = \(text($0.value, indent))" }.joined(separator: ", "))}"
            case .match(let pattern, let value): assignment(text(pattern, indent), value, indent)
            case .bind(let name, let value): assignment(dialect.variable(name), value, indent)
            case .choose(let value, let clauses): choice(value, clauses, indent)
            case .chain(let mark, let parts):
                parts.map { operand($0, indent) }.joined(separator: " \(dialect.style.mark(mark)) ")
            case .function(let clause): "fun(\(list(clause.patterns))) -> \(list(clause.body, indent)) end"
            case .items(let value, let pattern, let bytes):
                "[\(text(value, indent)) || \(text(pattern, indent)) <= \(text(bytes, indent))]"
            }
        }

        /// Returns an operand of `andalso` or `orelse`.
        private func operand(_ code: ErlangCode, _ indent: Int) -> String {
            switch code {
            case .chain, .match, .expression(.chain), .expression(.binary(.or, _, _)), .expression(.binary(.and, _, _)):
                "(\(text(code, indent)))"
            default: text(code, indent)
            }
        }

        private func text(_ segment: ErlangCode.Segment) -> String {
            let value = text(segment.value, 0)
            let isPlain =
                switch segment.value {
                case .expression(.name): true
                case .expression(.number(let number, _)): number >= 0
                case .literal: true
                default: false
                }
            return (isPlain ? value : "(\(value))") + (segment.size.map { ":\(text($0, 0))" } ?? "")
                + (segment.types.isEmpty ? "" : "/" + segment.types.joined(separator: "-"))
        }

        private func assignment(_ pattern: String, _ value: ErlangCode, _ indent: Int) -> String {
            let line = text(value, indent)
            guard case .choose = value, line.contains("\n") else { return "\(pattern) = \(line)" }
            return "\(pattern) =\n\(indentation(indent + 4))\(text(value, indent + 4))"
        }

        private func choice(_ value: ErlangCode, _ clauses: [ErlangCode.Clause], _ indent: Int) -> String {
            let head = "case \(text(value, indent)) of"
            if clauses.allSatisfy({ $0.body.count == 1 }) {
                let line = clauses.map { self.head($0) + " " + text($0.body[0], indent) }.joined(separator: "; ")
                if !line.contains("\n"), indent + head.count + line.count < Self.width { return "\(head) \(line) end" }
            }
            let branches = clauses.map { clause -> String in
                let start = "\n" + indentation(indent + 4) + self.head(clause)
                let line = clause.body.count == 1 ? text(clause.body[0], indent + 4) : "\n"
                return line.contains("\n") ? start + lines(clause.body, indent + 8) : "\(start) \(line)"
            }
            return head + branches.joined(separator: ";") + "\n" + indentation(indent) + "end"
        }

        private func head(_ clause: ErlangCode.Clause) -> String {
            list(clause.patterns) + condition(clause) + " ->"
        }
    }
}
