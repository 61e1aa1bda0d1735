// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions that read and write packets: heads, and the statements of ``StatementBuilder``.
struct TypeScriptFunctions {
    let dialect: TypeScriptDialect
    let builder: StatementBuilder
    private var plan: GeneratorModel { dialect.plan }

    init(_ dialect: TypeScriptDialect) {
        self.dialect = dialect
        builder = StatementBuilder(dialect)
    }

    /// The functions for all types that messages reach.
    var bodies: [String] {
        plan.used.structures.sorted().flatMap { [text(.readStructure($0)), text(.writeStructure($0))] }
            + builder.unionFunctions.map(text)
    }

    var packets: [String] { builder.packetFunctions.map(text) }

    private func parameter(_ name: String, _ type: String) -> String { name + dialect.typed(": ", type) }

    private func text(_ function: PrintedFunction) -> String {
        let statements = dialect.completed(builder.statements(of: function).withoutUnusedVariables)
        let (reader, place) = (parameter("r", "Reader"), parameter("f", "Place"))
        let writer = parameter("w", "Writer")
        let inPacket = #"w.at = ["packet"];"#
        func text(_ name: String, _ parameters: [String], _ result: String, _ first: String? = nil) -> String {
            let head = "function \(name)(\(parameters.joined(separator: ", ")))\(dialect.typed(": ", result)) {"
            let lines = [head] + dialect.indented((first.map { [$0] } ?? []) + dialect.lines(statements)) + ["}", ""]
            return lines.joined(separator: "\n")
        }
        func structure(_ index: Int) -> String { plan.names.structures[index].name }
        func union(_ index: Int) -> String { plan.names.unions[index].name }
        func wrapping(_ header: String) -> [String] {
            [writer, parameter("id", dialect.type(.number(builder.idFormat))), parameter(header, "Partial<Header>")]
        }
        let header = statements.uses["h"] == nil ? "_h" : "h"
        switch function {
        case .readStructure(let index): return text(builder.structures[index].read, [reader, place], structure(index))
        case .writeStructure(let index):
            return text(
                builder.structures[index].write, [writer, parameter("m", structure(index)), place], "void",
                "checkObject(w, m, f);")
        case .readUnion(let index, let hasTag):
            let tag = hasTag ? [] : [parameter("t", dialect.typeName(builder.tag(index)))]
            let functions = builder.unions[index]
            return text(hasTag ? functions.read : functions.readTagged, [reader] + tag + [place], union(index))
        case .writeUnion(let index, let hasTag):
            let functions = builder.unions[index]
            return text(
                hasTag ? functions.write : functions.writeTagged, [writer, parameter("m", union(index)), place], "void")
        case .tagOfUnion(let index):
            let tag = TypeScriptDialect.isWide(builder.tag(index)) ? "bigint" : "number"
            return text(builder.unions[index].tag, [parameter("m", union(index) + " | undefined")], tag)
        case .unwrap(let shape):
            let result = (shape.part == nil ? "Unwrapped" : "Part") + " | undefined"
            return text("unwrap" + dialect.suffix(of: shape), [reader], result)
        case .wrap(let shape):
            let fits = shape.writePlan.fitting != nil
            let parameters = wrapping(fits ? "h" : header)
            return text(
                "wrap" + dialect.suffix(of: shape), parameters.dropLast() + [parameters[2] + " = {}"], "Uint8Array",
                fits ? nil : inPacket)
        case .wrapFitted(let shape):
            let field = shape.positions[shape.writePlan.fitting?.field ?? 0]
            let fit = parameter("fit", dialect.type(builder.headerType(field)))
            return text("fitted" + dialect.suffix(of: shape), wrapping(header) + [fit], "Uint8Array", inPacket)
        case .readMessage, .writeMessage, .verifyHeader, .fixHeader, .shapeOf, .change, .unwrapAnyShape, .wrapAnyShape:
            preconditionFailure("\(function) is a member of a message, or not printed")
        }
    }

    // MARK: Members of messages

    func members(ofMessage index: Int) -> [String] {
        builder.functions(ofMessage: index).flatMap { function -> [String] in
            switch function {
            case .readMessage: member("read", ["r", "h"], function)
            case .writeMessage: member("write", ["w", "m", "h"], function)
            case .verifyHeader: member("fixed", ["r", "h", "at"], function, first: #"r.at[0] = "packet";"#)
            default:
                ["fix: (w, given) => {"]
                    + dialect.indented(
                        ["const h\(dialect.typed(": ", "Partial<Header>")) = Object.assign({}, given);"]
                            + dialect.function(builder.statements(of: function)) + ["return h;"]) + ["},"]
            }
        }
    }

    /// Returns a function as a member. Its parameters end with the last one that it uses.
    private func member(
        _ name: String, _ parameters: [String], _ function: PrintedFunction, first: String? = nil
    ) -> [String] {
        let statements = dialect.completed(builder.statements(of: function).withoutUnusedVariables)
        let uses = statements.uses
        let isUsed = parameters.enumerated().map { uses[$1] != nil || $0 == 0 && first != nil }
        let count = isUsed.lastIndex(of: true).map { $0 + 1 } ?? 0
        let used = zip(parameters, isUsed).prefix(count).map { $1 ? $0 : "_" + $0 }
        return ["\(name): (\(used.joined(separator: ", "))) => {"]
            + dialect.indented((first.map { [$0] } ?? []) + dialect.lines(statements)) + ["},"]
    }

    var zeros: [String] {
        dialect.zeros.sorted { $0.key < $1.key }.map { index, name in
            let members = plan.structures[index].fields.compactMap { field -> (name: String, value: Expression)? in
                guard field.isInZero else { return nil }
                let value = field.absent.map { builder.absent(field, $0) } ?? builder.zero(field)
                return (field.ownName, value)
            }
            let type = dialect.typed(": ", plan.names.structures[index].name)
            return "function \(name)()\(type) { return \(dialect.text(.record(members))); }"
        }
    }
}
