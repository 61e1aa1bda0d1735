// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

struct RustTypes: TypeDialect {
    let plan: GeneratorModel
    /// The longest list of fixed length that becomes an array: traits such as `Default` cover no longer ones.
    private static let longestArray = 32

    init(_ plan: GeneratorModel) { self.plan = plan }

    var description: ProtocolDescription { plan.description }

    // MARK: Types

    static let words = TypeWords(
        boolean: "bool", text: "String", bytes: "Vec<u8>", properties: "Vec<(String, String)>", position: "i64")

    func float(byteCount: Int) -> String { byteCount == 4 ? "f32" : "f64" }

    func list(of item: String, _ count: CountPlan) -> String {
        Self.arrayCount(count).map { "[\(item); \($0)]" } ?? "Vec<\(item)>"
    }

    func text(_ field: GeneratedField) -> String {
        let type = typeName(field.value)
        return field.mayBeUnset ? "Option<\(type)>" : type
    }

    /// Returns the number of items of an array; nil for other lists.
    static func arrayCount(_ count: CountPlan) -> Int? {
        if case .exactly(let count) = count, count <= longestArray { count } else { nil }
    }

    static func integer(_ format: IntegerFormat) -> String {
        "\(format.isSigned ? "i" : "u")\(format.held.bitWidth)"
    }

    func arm(_ name: String, of union: Int) -> String {
        let own = name.dropFirst(plan.names.unions[union].name.count)
        return own == "Self" ? "Self_" : String(own)
    }

    // MARK: Values

    func literal(_ literal: LiteralPlan, _ value: ValuePlan) -> String {
        switch (literal, value) {
        case (_, .sized(let content, _, _)): return self.literal(literal, content)
        case (_, .union): return "Default::default()"
        case (.integer(let number, .number(let own)), _):
            guard case .plain = own.kind else { return "\(typeName(value))(\(number))" }
            return String(number)
        case (.integer(let number, _), _): return String(number)
        case (.boolean(let value), _): return String(value)
        case (.float(let number), .float(let byteCount, _, _)): return RustText.float(number, byteCount: byteCount)
        case (.float(let number), _): return RustText.float(number)
        case (.text(""), _): return "String::new()"
        case (.text(let text), _): return "String::from(\(RustText.string(text)))"
        case (.zeros(0), _), (.noProperties, _), (.list(_, 0), .list(_, .prefix, _)): return "Vec::new()"
        case (.zeros(let byteCount), _): return "vec![0; \(byteCount)]"
        case (.list(let item, let count), .list(let type, let plan, _)):
            if Self.arrayCount(plan) != nil { return "std::array::from_fn(|_| \(self.literal(item, type)))" }
            return count == 0 ? "Vec::new()" : "vec![\(self.literal(item, type)); \(count)]"
        case (.list, _): return "Vec::new()"
        case (.structure(let index), _): return "\(plan.names.structures[index].name)::default()"
        }
    }

    /// Whether a value equals the one from `Default`.
    func isZero(_ literal: LiteralPlan, _ value: ValuePlan) -> Bool {
        switch literal {
        case .integer(let number, _): number == 0
        case .boolean(let value): !value
        case .float(let value): value == 0 && value.sign == .plus
        case .text(let text): text.isEmpty
        case .zeros(let byteCount): byteCount == 0
        case .noProperties, .structure: true
        case .list(let item, let count):
            if case .list(let type, let plan, _) = value.content {
                count == 0 || Self.arrayCount(plan) != nil && isZero(item, type)
            } else {
                true
            }
        }
    }

    /// Returns a field's value in a new body; nil if `Default` gives it.
    func initial(_ field: GeneratedField, isMessage: Bool) -> String? {
        guard let value = field.initial(isMessage: isMessage) else { return nil }
        let literal = literal(value, field.value)
        if field.mayBeUnset { return "Some(\(literal))" }
        return isZero(value, field.value) ? nil : literal
    }
}
