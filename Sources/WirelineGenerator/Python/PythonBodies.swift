// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions that read and write messages, structures and unions.
struct PythonBodies {
    let types: PythonTypes
    private var plan: CodePlan { types.plan }
    private let printer: StatementPrinter
    private let writing: StatementPrinter
    /// The parameter for the header, which functions of messages have if a field of one looks at it.
    private let header: String

    init(types: PythonTypes) {
        self.types = types
        printer = StatementPrinter(PythonDialect(types: types, scope: .reading))
        writing = StatementPrinter(PythonDialect(types: types, scope: .writing))
        header = types.description.hasHeaderConditions ? ", h: Mapping[str, Any]" : ""
    }

    /// The functions for all messages, and for the types that they reach.
    var functions: [[String]] {
        plan.used.structures.sorted().flatMap { [readStructure($0), writeStructure($0)] }
            + plan.used.unions.sorted { $0.key < $1.key }.flatMap { union($0.key, tagsAt: $0.value) }
            + plan.messages.indices.flatMap { [readMessage($0), writeMessage($0)] }
    }

    private func lines(_ function: PrintedFunction, _ printer: StatementPrinter? = nil) -> [String] {
        let printer = printer ?? self.printer
        return printer.dialect.function(printer.statements(of: function))
    }

    /// Returns the types of variables that are not set in one place, and the expression for a body that has been read.
    private func made(_ body: BodyFields, _ name: String) -> (declarations: [String], value: String) {
        let fields = body.fields.filter(\.planned.hasValue)
        let declarations = fields.filter { $0.mayBeUnset || $0.planned.isAppended }.map { field in
            "v_\(field.ownName): \(types.typeName(field.value))\(field.mayBeUnset ? " | None" : "")"
        }
        let names = fields.map(\.ownName) + (body.trailing.map { [$0] } ?? [])
        let isOrdered = Self.isOrdered(body)
        let members = names.map { isOrdered ? "v_\($0)" : "\($0)=v_\($0)" }
        return (declarations, "\(name)(\(members.joined(separator: ", ")))")
    }

    /// Whether a class takes its fields without their names: none may follow one that can be left out.
    static func isOrdered(_ body: BodyFields) -> Bool {
        let fields = body.fields.filter(\.planned.hasValue)
        let optional = fields.firstIndex { $0.mayBeUnset || $0.absent != nil } ?? fields.count
        return fields[optional...].allSatisfy { $0.mayBeUnset || $0.absent != nil }
    }

    // MARK: Messages

    private func readMessage(_ index: Int) -> [String] {
        let (body, name) = (plan.messages[index], plan.names.messages[index].name)
        let (declarations, value) = made(body, name)
        return PythonText.block(
            "def \(types.messages[index].read)(b: bytes, p: int, e: int, d: int\(header)) -> \(name):",
            declarations + lines(.readMessage(index)) + ["return \(value)"])
    }

    private func writeMessage(_ index: Int) -> [String] {
        let name = plan.names.messages[index].name
        return PythonText.block(
            "def \(types.messages[index].write)(m: \(name), d: int\(header)) -> bytes:",
            lines(.writeMessage(index), writing))
    }

    // MARK: Structures

    private static let readerHead = "(b: bytes, p: int, e: int, d: int, f: str | int)"

    private func readStructure(_ index: Int) -> [String] {
        let (declarations, value) = made(plan.structures[index], plan.names.structures[index].name)
        return PythonText.block(
            "def \(types.structures[index].read)\(Self.readerHead) -> tuple[\(plan.names.structures[index].name), int]:",
            declarations + lines(.readStructure(index)) + ["return \(value), p"])
    }

    private func writeStructure(_ index: Int) -> [String] {
        let check = "if not isinstance(m, \(plan.names.structures[index].name)): raise _fail(\"wrong_type\", f)"
        return PythonText.block(
            "def \(types.structures[index].write)(m: Any, d: int, f: str | int) -> bytes:",
            [check] + lines(.writeStructure(index), writing))
    }

    // MARK: Unions

    private func union(_ index: Int, tagsAt places: UnionPlan.TagPlaces) -> [[String]] {
        var functions: [[String]] = []
        for hasTag in [true, false] where places.contains(hasTag ? .before : .elsewhere) {
            functions += [readUnion(index, hasTag: hasTag), writeUnion(index, hasTag: hasTag)]
        }
        if places.contains(.elsewhere) { functions.append(tagFunction(index)) }
        return functions
    }

    /// - Parameter hasTag: Whether the tag stands before the value; if not, it is a parameter.
    private func readUnion(_ index: Int, hasTag: Bool) -> [String] {
        let (own, union) = (printer.unions[index], plan.names.unions[index].name)
        return PythonText.block(
            "def \(hasTag ? own.read : own.readTagged)(b: bytes, p: int, e: int, d: int, \(hasTag ? "" : "t: Any, ")f: str | int)"
                + " -> tuple[\(union), int]:",
            (hasTag ? ["t: Any"] : []) + lines(.readUnion(index, hasTag: hasTag)))
    }

    private func writeUnion(_ index: Int, hasTag: Bool) -> [String] {
        let own = printer.unions[index]
        return PythonText.block(
            "def \(hasTag ? own.write : own.writeTagged)(m: Any, d: int, f: str | int) -> bytes:",
            lines(.writeUnion(index, hasTag: hasTag), writing))
    }

    /// Returns the function for the tag that stands in another field. A tag that does not fit is told when the union is written.
    private func tagFunction(_ index: Int) -> [String] {
        PythonText.block("def \(printer.unions[index].tag)(m: Any) -> int:", lines(.tagOfUnion(index), writing))
    }
}
