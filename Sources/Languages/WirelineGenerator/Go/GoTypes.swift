// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The Go spelling of a protocol's types and values, and the names that the package declares for itself.
struct GoTypes: TypeDialect {
    let plan: GeneratorModel
    /// The functions that make a structure or a message with its defaults; nil if Go's zero has them.
    private let structureMakers: [String?]
    private let messageMakers: [String?]

    init(_ plan: GeneratorModel) {
        var plan = plan
        structureMakers = zip(plan.structures, plan.names.structures).map { body, names in
            Self.needsMaker(body, plan) ? plan.uniqueName("New" + names.name) : nil
        }
        messageMakers = zip(plan.messages, plan.names.messages).map { body, names in
            Self.needsMaker(body, isMessage: true, plan) ? plan.uniqueName("New" + names.name) : nil
        }
        self.plan = plan
    }

    var description: ProtocolDescription { plan.description }

    // MARK: Types

    static let words = TypeWords(boolean: "bool", text: "string", bytes: "[]byte", properties: "[]Property")

    func float(byteCount: Int) -> String { byteCount == 4 ? "float32" : "float64" }
    var headerName: String { "*Header" }

    func list(of item: String, _ count: CountPlan) -> String {
        if case .exactly(let count) = count { "[\(count)]\(item)" } else { "[]" + item }
    }

    func text(_ field: GeneratedField) -> String {
        let type = typeName(field.value)
        return field.mayBeUnset && !Self.hasNil(field.value) ? "*" + type : type
    }

    /// Whether nil is a value of the type itself: a slice or a union.
    static func hasNil(_ value: ValuePlan) -> Bool {
        switch value {
        case .content(_, .bytes), .content(_, .properties), .union: true
        case .list(_, .exactly, _): false
        case .list: true
        case .sized(let content, _, _): hasNil(content)
        default: false
        }
    }

    static func integer(_ format: IntegerFormat) -> String {
        "\(format.isSigned ? "" : "u")int\(format.held.bitWidth)"
    }

    // MARK: Literals

    func literal(_ literal: LiteralPlan, _ value: ValuePlan) -> String {
        switch literal {
        case .integer(let number, .number(let own)):
            if case .enumeration(let index) = own.kind,
                let position = description.enumerations[index].cases.firstIndex(where: { $0.value == number })
            {
                return plan.names.enumerations[index].cases[position]
            }
            return String(number)
        case .integer(let number, _): return String(number)
        case .boolean(let value): return String(value)
        case .float(let number):
            if case .float(let byteCount, _, _) = value { return GoText.float(number, byteCount: byteCount) }
            return GoText.float(number)
        case .text(let text): return GoText.string(text)
        case .zeros(0), .noProperties, .list(_, 0): return "nil"
        case .zeros(let byteCount): return "make([]byte, \(byteCount))"
        case .list(let item, let count):
            guard case .list(let type, _, _) = value else { return "nil" }
            let items = Array(repeating: self.literal(item, type), count: Self.isZero(item, plan) ? 0 : count)
            return "\(typeName(value)){\(items.joined(separator: ", "))}"
        case .structure(let index):
            return structureMakers[index].map { "*\($0)()" } ?? "\(plan.names.structures[index].name){}"
        }
    }

    /// Whether a value equals the initial value of a Go variable.
    private static func isZero(_ literal: LiteralPlan, _ plan: GeneratorModel) -> Bool {
        switch literal {
        case .integer(let number, _): number == 0
        case .boolean(let value): !value
        case .float(let value): value == 0 && value.sign == .plus
        case .text(let text): text.isEmpty
        case .zeros(let byteCount): byteCount == 0
        case .noProperties: true
        case .list(let item, let count): count == 0 || isZero(item, plan)
        case .structure(let index): !needsMaker(plan.structures[index], plan)
        }
    }

    // MARK: Defaults

    /// Whether a new body differs from Go's zero, or has `@since` or optional fields with an initial value.
    private static func needsMaker(_ body: BodyFields, isMessage: Bool = false, _ plan: GeneratorModel) -> Bool {
        body.fields.contains { field in
            guard let value = field.initial(isMessage: isMessage) else { return false }
            return field.absent != nil || field.mayBeUnset || !isZero(value, plan)
        }
    }

    /// The function that makes a new message; nil if Go's zero has its defaults.
    func messageMaker(_ index: Int) -> String? { messageMakers[index] }

    /// The function that makes a new structure; nil if Go's zero has its defaults.
    func structureMaker(_ index: Int) -> String? { structureMakers[index] }

    /// Returns the statements that set the fields of a new body `m` to their defaults.
    func defaults(_ body: BodyFields, isMessage: Bool) -> [String] {
        body.fields.flatMap { field -> [String] in
            guard let value = field.initial(isMessage: isMessage) else { return [] }
            let (place, isZero) = ("m.\(field.ownName)", Self.isZero(value, plan))
            let literal = literal(value, field.value)
            guard field.mayBeUnset else { return isZero ? [] : ["\(place) = \(literal)"] }
            guard Self.hasNil(field.value) else {
                return ["\(place) = new(\(typeName(field.value)))"] + (isZero ? [] : ["*\(place) = \(literal)"])
            }
            return ["\(place) = \(isZero ? "\(typeName(field.value)){}" : literal)"]
        }
    }
}
