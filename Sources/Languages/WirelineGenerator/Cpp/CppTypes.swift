// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The C++ spelling of a protocol's types and values, and the order of its types.
struct CppTypes: Sendable, TypeDialect {
    let plan: GeneratorModel
    /// Structures and unions, each after those that it contains. Items of lists may be incomplete types, but come first
    /// if an order allows it.
    let order: [Node]
    /// The types with lists or boxes of types that are declared later.
    let open: Set<Node>
    /// Whether some type contains itself, through a box.
    let hasBoxes: Bool
    /// The types that each type contains, directly or indirectly.
    private let reached: [Node: Set<Node>]

    enum Node: Hashable, Sendable {
        case structure(Int)
        case union(Int)
    }

    init(_ plan: GeneratorModel) {
        self.plan = plan
        let nodes = plan.structures.indices.map(Node.structure) + plan.unions.indices.map(Node.union)
        let reached = Dictionary(uniqueKeysWithValues: nodes.map { ($0, Self.reach(from: $0, plan, Self.node)) })
        let listed = Dictionary(uniqueKeysWithValues: nodes.map { ($0, Self.reach(from: $0, plan, Self.inmost)) })
        var (order, complete, open) = ([Node](), Set<Node>(), Set<Node>())
        var (seen, hasBoxes) = (Set<Node>(), false)
        func visit(_ node: Node) {
            guard seen.insert(node).inserted else { return }
            let fields = Self.fields(of: node, plan)
            for field in fields {
                if Self.isBoxed(field, in: node, reached) {
                    hasBoxes = true
                } else if let inner = Self.node(field.value) {
                    visit(inner)
                } else if let inner = Self.inmost(field.value), listed[inner]?.contains(node) == false {
                    visit(inner)
                }
            }
            if !complete.isSuperset(of: fields.compactMap { Self.inmost($0.value) }) { open.insert(node) }
            complete.insert(node)
            order.append(node)
        }
        for node in nodes { visit(node) }
        (self.order, self.open, self.hasBoxes, self.reached) = (order, open, hasBoxes, reached)
    }

    // MARK: Order

    private static func node(_ value: ValuePlan) -> Node? {
        switch value.content {
        case .structure(let index): .structure(index)
        case .union(let index, _): .union(index)
        default: nil
        }
    }

    /// Returns the type of a value, or of a list's items.
    private static func inmost(_ value: ValuePlan) -> Node? {
        if case .list(let item, _, _) = value.content { inmost(item) } else { node(value) }
    }

    private static func fields(of node: Node, _ plan: GeneratorModel) -> [GeneratedField] {
        switch node {
        case .structure(let index): plan.structures[index].fields.filter(\.planned.hasValue)
        case .union(let index): plan.unions[index].arms.flatMap(\.fields)
        }
    }

    private static func reach(
        from node: Node, _ plan: GeneratorModel, _ inner: (ValuePlan) -> Node?
    ) -> Set<Node> {
        var (found, waiting) = (Set<Node>(), [node])
        while let next = waiting.popLast() {
            for field in fields(of: next, plan) {
                if let inner = inner(field.value), found.insert(inner).inserted { waiting.append(inner) }
            }
        }
        return found
    }

    /// Whether a field's type contains its own type, so that it needs a box. A structure's required field cannot.
    private static func isBoxed(_ field: GeneratedField, in node: Node, _ reached: [Node: Set<Node>]) -> Bool {
        if case .structure = node, !field.mayBeUnset { return false }
        return Self.node(field.value).map { $0 == node || reached[$0]?.contains(node) == true } ?? false
    }

    var hasProperties: Bool { plan.description.uses { if case .properties = $0 { true } else { false } } }

    // MARK: Types

    static let words = TypeWords(
        boolean: "bool", text: "std::string", bytes: "Bytes", properties: "std::vector<Property>",
        position: "std::ptrdiff_t")

    func float(byteCount: Int) -> String { byteCount == 4 ? "float" : "double" }
    func list(of item: String, _ count: CountPlan) -> String { "std::vector<\(item)>" }

    /// - Parameter node: The structure or union with the field; nil for a message.
    func text(_ field: GeneratedField, in node: Node?) -> String {
        let isBoxed = node.map { Self.isBoxed(field, in: $0, reached) } ?? false
        let type = isBoxed ? "Box<\(typeName(field.value))>" : typeName(field.value)
        return field.mayBeUnset ? "std::optional<\(type)>" : type
    }

    static func integer(_ format: IntegerFormat) -> String {
        "std::\(format.isSigned ? "" : "u")int\(format.held.bitWidth)_t"
    }

    // MARK: Literals

    static func literal(_ number: Int128, _ format: IntegerFormat?) -> String {
        if number == Int128(Int64.min) { return "(-9223372036854775807LL - 1)" }
        guard let format, format.held.bitWidth == 64 else { return String(number) }
        return "\(number)\(format.isSigned ? "LL" : "ULL")"
    }

    func literal(_ literal: LiteralPlan, _ value: ValuePlan) -> String {
        switch (literal, value) {
        case (_, .sized(let content, _, _)): return self.literal(literal, content)
        case (.integer(let number, .number(let own)), _):
            if case .plain = own.kind { return Self.literal(number, own.format) }
            return "static_cast<\(numberType(own))>(\(Self.literal(number, own.format)))"
        case (.integer(let number, .varint(let format, _)), _): return Self.literal(number, format.numberFormat)
        case (.integer(let number, _), _): return String(number)
        case (.boolean(let value), _): return String(value)
        case (.float(let number), .float(let byteCount, _, _)): return CppText.float(number, byteCount: byteCount)
        case (.float(let number), _): return CppText.float(number, byteCount: 8)
        case (.text(let text), _): return string(text)
        case (.zeros(0), _), (.noProperties, _), (.list(_, 0), _): return typeName(value) + "()"
        case (.zeros(let byteCount), _): return "Bytes(\(byteCount))"
        case (.list(let item, let count), .list(let type, _, _)):
            return "\(typeName(value))(\(count), \(self.literal(item, type)))"
        case (.list, _): return typeName(value) + "()"
        case (.structure(let index), _): return plan.names.structures[index].name + "()"
        }
    }

    /// Returns a text as a value. A text with a NUL needs its count.
    func string(_ text: String) -> String {
        text.utf8.contains(0) ? "std::string(\(CppText.string(text)), \(text.utf8.count))" : CppText.string(text)
    }

    /// Whether a literal equals the initial value of its type.
    static func isDefault(_ literal: LiteralPlan) -> Bool {
        switch literal {
        case .text(""), .zeros(0), .noProperties, .list(_, 0), .structure: true
        default: false
        }
    }
}
