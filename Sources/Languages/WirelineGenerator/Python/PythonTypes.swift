// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WirelineCodec
import WirelineLanguage

/// The Python spelling of a protocol's types and values, and the names that the module declares for itself.
final class PythonTypes: Sendable, TypeDialect {
    let plan: GeneratorModel
    /// The functions that read and write messages, and those for the header fields that a message fixes.
    let messages: [(read: String, write: String, verifyHeader: String, fixHeader: String)]
    let structures: [(read: String, write: String)]
    /// The tables with the cases of enums.
    let cases: [String]

    private let declared: Mutex<Declared>

    /// Declarations that printing the code requires: formats of `struct`.
    private struct Declared: Sendable {
        var names: CodeNames
        var formats: [(text: String, name: String)] = []
    }

    init(_ plan: GeneratorModel) {
        // Names of other helpers differ from these.
        var plan = plan
        messages = plan.names.messages.map {
            (
                plan.uniqueName("_read_\($0.name)"), plan.uniqueName("_write_\($0.name)"),
                plan.uniqueName("_verify_header_of_\($0.name)"), plan.uniqueName("_fix_header_of_\($0.name)")
            )
        }
        structures = plan.names.structures.map {
            (plan.uniqueName("_read_\($0.name)"), plan.uniqueName("_write_\($0.name)"))
        }
        cases = plan.names.enumerations.map { plan.uniqueName("_cases_of_\($0.name)") }
        declared = Mutex(Declared(names: plan.names))
        self.plan = plan
    }

    var description: ProtocolDescription { plan.description }

    // MARK: Declared on the way

    /// Returns the name of a compiled format of `struct`, and declares it at its first use.
    func format(_ text: String) -> String {
        declared.withLock { declared in
            if let known = declared.formats.first(where: { $0.text == text }) { return known.name }
            let name = declared.names.unique("_" + (text.first == "<" ? "L" : "B") + "_" + text.dropFirst())
            declared.formats.append((text, name))
            return name
        }
    }

    /// The formats, in the order of their first use.
    var formatLines: [String] {
        declared.withLock(\.formats).map { "\($0.name): Final = struct.Struct(\"\($0.text)\")" }
    }

    // MARK: Types

    static let words = TypeWords(boolean: "bool", text: "str", bytes: "bytes", properties: "dict[str, str]")

    static func integer(_ format: IntegerFormat) -> String { "int" }
    func float(byteCount: Int) -> String { "float" }
    var headerName: String { "dict[str, \(plan.headerType)]" }
    func list(of item: String, _ count: CountPlan) -> String { "list[\(item)]" }

    func numberType(_ number: PlannedNumber) -> String {
        guard case .enumeration(let index) = number.kind else { return "int" }
        return plan.names.enumerations[index].name + (number.isClosed ? "" : " | int")
    }

    // MARK: Literals

    func literal(_ literal: LiteralPlan) -> String {
        switch literal {
        case .integer(let number, .number(let plan)):
            if case .enumeration(let index) = plan.kind,
                let position = description.enumerations[index].cases.firstIndex(where: { $0.value == number })
            {
                let names = self.plan.names.enumerations[index]
                return "\(names.name).\(names.cases[position])"
            }
            return String(number)
        case .integer(let number, _): return String(number)
        case .boolean(let value): return value ? "True" : "False"
        case .float(let value): return PythonText.float(value)
        case .text(let text): return PythonText.string(text)
        case .zeros(0): return "b\"\""
        case .zeros(let byteCount): return "bytes(\(byteCount))"
        case .noProperties: return "{}"
        case .list(_, 0): return "[]"
        case .list(let item, let count): return "[\(self.literal(item)) for _ in range(\(count))]"
        case .structure(let index):
            let members = plan.structures[index].fields.compactMap { field -> String? in
                field.isInZero ? "\(field.ownName)=\(self.literal(field.zero))" : nil
            }
            return "\(plan.names.structures[index].name)(\(members.joined(separator: ", ")))"
        }
    }
}

extension ByteOrder {
    /// The byte order, as `int.from_bytes` names it.
    var pythonText: String { self == .littleEndian ? "\"little\"" : "\"big\"" }
}

extension IntegerFormat {
    /// The letter for it in `struct`; nil for widths without one.
    var structLetter: String? {
        switch byteCount {
        case 1: isSigned ? "b" : "B"
        case 2: isSigned ? "h" : "H"
        case 4: isSigned ? "i" : "I"
        case 8: isSigned ? "q" : "Q"
        default: nil
        }
    }
}

extension GeneratorModel {
    /// The type of the values in a header: `int`, or `Any` if there are others.
    var headerType: String {
        description.layout.fields.allSatisfy { $0.role == .padding || $0.format.isNumber } ? "int" : "Any"
    }
}
