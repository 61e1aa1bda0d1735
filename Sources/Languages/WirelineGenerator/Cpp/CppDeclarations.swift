// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSwiftGenerator

struct CppDeclarations {
    let types: CppTypes
    let builder: StatementBuilder
    private var plan: GeneratorModel { types.plan }
    private var description: ProtocolDescription { plan.description }
    private var names: CodeNames { plan.names }

    // MARK: Constants, enums and flags

    var constants: [String] {
        zip(description.constants, names.constants).map { constant, name in
            let value = CppTypes.literal(constant.value, constant.format)
            let line = "inline constexpr \(CppTypes.integer(constant.format)) \(name) = \(value);"
            return (CppText.comment(constant.documentation) + [line]).joined(separator: "\n")
        }
    }

    var choices: [String] { plan.choices.map(choice) }

    private func choice(_ choice: ChoicePlan) -> String {
        let lines = choice.cases.flatMap { item, own in
            CppText.comment(item.documentation, item.deprecation)
                + ["\(own) = \(CppTypes.literal(item.value, choice.format)),"]
        }
        let number = CppTypes.integer(choice.format)
        let type = CppText.block("enum class \(choice.name) : \(number)", lines, end: "};")
        return (CppText.comment(choice.documentation, choice.deprecation) + type).joined(separator: "\n")
            + (choice.isFlags ? operators(choice.name, number) : "")
    }

    /// Returns the operators of flags; each returns flags.
    private func operators(_ name: String, _ number: String) -> String {
        func cast(_ value: String, _ type: String) -> String { "static_cast<\(type)>(\(value))" }
        let (a, b) = (cast("a", number), cast("b", number))
        func line(_ mark: String, _ parameters: String, _ value: String) -> String {
            "\n\nconstexpr \(name) operator\(mark)(\(parameters)) { return \(cast(cast(value, number), name)); }"
        }
        return line("|", "\(name) a, \(name) b", "\(a) | \(b)") + line("&", "\(name) a, \(name) b", "\(a) & \(b)")
            + line("~", "\(name) a", "~\(a)")
    }

    // MARK: Structures, unions and messages

    /// The forward declarations of all types that may contain each other, and the unions.
    var forwards: [String] {
        let structures = names.structures.map(\.name) + names.unions.flatMap(\.cases)
        let all = structures.isEmpty ? [] : [structures.map { "struct \($0);" }.joined(separator: "\n")]
        return all
            + zip(description.unions, names.unions).map { union, name in
                let declaration = "using \(name.name) = Union<\(name.cases.joined(separator: ", "))>;"
                return (CppText.comment(union.documentation, union.deprecation) + [declaration])
                    .joined(separator: "\n")
            }
    }

    /// A struct to print: its members, each with its comment.
    private struct Struct {
        let name: String
        let comment: [String]
        var members: [(own: String, lines: [String])]
        /// Whether it may contain an incomplete type, so that its comparison is defined later.
        var isOpen = false

        var comparison: String {
            let (a, b) = members.isEmpty ? ("", "") : (" a", " b")
            let equal = members.map { "a.\($0.own) == b.\($0.own)" }.joined(separator: " && ")
            return
                "bool operator==(const \(name)&\(a), const \(name)&\(b)) { return \(members.isEmpty ? "true" : equal); }"
        }

        /// The declaration.
        ///
        /// Only comparisons that must be are defined outside: compilers try each such function wherever values are
        /// compared.
        var text: String {
            let comparison = isOpen ? "bool operator==(const \(name)& a, const \(name)& b);" : comparison
            let lines =
                members.flatMap(\.lines) + (members.isEmpty ? [] : [""]) + [
                    "friend " + comparison, "",
                    "friend bool operator!=(const \(name)& a, const \(name)& b) { return !(a == b); }",
                ]
            return (comment + CppText.block("struct \(name)", lines, end: "};")).joined(separator: "\n")
        }
    }

    /// The structures and the arms of unions, each after those that it contains, with their comparisons.
    var ordered: [String] {
        let all = types.order.flatMap { node -> [Struct] in
            switch node {
            case .structure(let index):
                let source = description.structures[index]
                let comment = CppText.comment(source.documentation, source.deprecation)
                var item = body(plan.structures[index], names.structures[index].name, comment, node)
                item.isOpen = types.open.contains(node)
                return [item]
            case .union(let index): return arms(index, isOpen: types.open.contains(node))
            }
        }
        return all.map(\.text) + all.filter(\.isOpen).map { "inline " + $0.comparison }
    }

    private func arms(_ index: Int, isOpen: Bool) -> [Struct] {
        let (union, bodies) = plan.unions[index]
        return union.arms.indices.map { position in
            let comment = CppText.comment(description.unions[index].arms[position].documentation)
            var arm = Struct(
                name: names.unions[index].cases[position], comment: comment, members: [], isOpen: isOpen)
            if union.arms[position].tag == nil {
                let tag = types.typeName(plan.coding.value(union.tag, nil, in: []))
                arm.members = [("tag", ["\(tag) tag{};"]), ("bytes", ["Bytes bytes;"])]
            } else if let field = bodies[position].fields.first {
                arm.members = [("value", ["\(types.text(field, in: .union(index))) value\(initial(field));"])]
            }
            return arm
        }
    }

    var messages: [String] {
        description.messages.indices.map { index in
            let message = description.messages[index]
            let text = message.documentation + "\n" + description.facts(of: message)
            let comment = CppText.comment(text, message.deprecation)
            return body(plan.messages[index], names.messages[index].name, comment, nil).text
        }
    }

    private func body(_ body: BodyFields, _ name: String, _ comment: [String], _ node: CppTypes.Node?) -> Struct {
        var made = Struct(name: name, comment: comment, members: [])
        for field in body.fields where field.planned.hasValue {
            // In a structure's zero, a conditional field is present if the condition holds.
            let isInZero =
                node != nil && field.planned.condition != nil && field.isInZero && field.hasZero
            let value = field.mayBeUnset ? (isInZero ? " = " + zero(field) : "") : initial(field)
            let comment = CppText.comment(field.description.documentation, field.description.deprecation)
            made.members.append(
                (field.ownName, comment + ["\(types.text(field, in: node)) \(field.ownName)\(value);"]))
        }
        if let trailing = body.trailing {
            let comment = "/// Bytes after the last field that this schema knows, from a peer with a newer one."
            made.members.append((trailing, [comment, "Bytes \(trailing);"]))
        }
        return made
    }

    private func zero(_ field: GeneratedField) -> String { builder.dialect.text(builder.zero(field)) }

    /// Returns the initializer of a member that is always present.
    private func initial(_ field: GeneratedField) -> String {
        let isDefault = !field.hasZero || CppTypes.isDefault(field.zero)
        return isDefault ? "" : " = " + types.literal(field.zero, field.value)
    }

    // MARK: Header and connection

    var header: String {
        let members = plan.headerMembers.map { position, own, documentation -> (own: String, lines: [String]) in
            let (type, comment) = (plan.headerType(position), CppText.comment(documentation))
            guard plan.hasAlways(headerField: position) else {
                return (own, comment + ["std::optional<\(builder.dialect.type(type))> \(own);"])
            }
            let value = builder.initial(headerField: position).map { " = " + literal($0) }
            let usual = type.isScalar ? "{}" : ""
            return (own, comment + ["\(builder.dialect.type(type)) \(own)\(value ?? usual);"])
        }
        let comment =
            "/// A packet's header and trailer. Lengths, IDs, constants and checksums are computed when it is written."
        return Struct(name: "Header", comment: [comment], members: members).text
    }

    private func literal(_ value: Expression) -> String {
        guard case .bytes(let bytes) = value else { return builder.dialect.text(value) }
        return "{" + bytes.map { String($0) }.joined(separator: ", ") + "}"
    }

    /// The type of a connection, with its states; empty without states and layers.
    var connection: [String] {
        guard let context = plan.context else { return [] }
        let statements = ContextStatements(builder, context)
        var lines = zip(context.states.enumerated(), names.states).flatMap { item, own in
            CppText.comment(item.element.documentation)
                + ["\(builder.dialect.type(statements.type(item.offset))) \(own){};"]
        }
        if plan.layers != nil {
            let members = CppRuntime.file(for: plan).text("members")
            lines += members.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        }
        let comment = CppText.comment(plan.connectionDocumentation)
        return [(comment + CppText.block("struct Connection", lines, end: "};")).joined(separator: "\n")]
    }
}
