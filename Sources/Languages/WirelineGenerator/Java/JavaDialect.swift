// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How Java spells the statements of the shared tree.
struct JavaDialect: ClassDialect, TypeDialect {
    let plan: GeneratorModel

    init(_ plan: GeneratorModel) { self.plan = plan }

    var className: String { plan.description.upperCamelName + "Protocol" }

    // MARK: Types and literals

    private static func isLong(_ format: IntegerFormat) -> Bool {
        format.bitWidth > (format.isSigned ? 32 : 31)
    }

    static let words = TypeWords(
        boolean: "boolean", text: "String", bytes: "byte[]", properties: "java.util.Map<String, String>")

    static func integer(_ format: IntegerFormat) -> String { isLong(format) ? "long" : "int" }
    func float(byteCount: Int) -> String { byteCount == 4 ? "float" : "double" }
    /// Enums and flags are numbers.
    func numberType(_ number: PlannedNumber) -> String { Self.integer(number.format) }

    func optionalType(_ type: CodeType) -> String {
        switch self.type(type) {
        case "int": "Integer"
        case "long": "Long"
        case "boolean": "Boolean"
        case "float": "Float"
        case "double": "Double"
        case let other: other
        }
    }

    func range(of format: IntegerFormat) -> ClosedRange<Int128> {
        if format == .uint64 { return format.range }
        return Self.isLong(format) ? IntegerFormat.int64.range : IntegerFormat.int32.range
    }

    private func literal(_ number: Int128, _ type: CodeType) -> String {
        isLong(type) ? "\(Int64(truncatingIfNeeded: number))L" : String(number)
    }

    private func isLong(_ type: CodeType) -> Bool { type.format.map(Self.isLong) ?? false }

    private func literal(_ bytes: [UInt8]) -> String {
        bytes.isEmpty
            ? "new byte[0]" : "new byte[] {\(bytes.map { String(Int8(bitPattern: $0)) }.joined(separator: ", "))}"
    }

    private func literal(_ number: Double, byteCount: Int) -> String {
        let type = byteCount == 4 ? "Float" : "Double"
        if number.isNaN { return "\(type).NaN" }
        if number.isInfinite { return "\(type).\(number < 0 ? "NEGATIVE" : "POSITIVE")_INFINITY" }
        return byteCount == 4 ? "\(Float(number))f" : "\(number)"
    }

    func filled(_ array: Syntax, _ item: String) -> Syntax {
        .call(.atom("filled"), [array, .atom("() -> \(item)")])
    }

    func string(_ text: String) -> String { JavaText.string(text) }
    func noProperties(_ type: String) -> String { "new java.util.LinkedHashMap<>()" }

    // MARK: Expressions and statements

    let style = CodeStyle()

    func own(_ expression: Expression) -> Syntax? {
        switch expression {
        case .number(let number, let type): .atom(literal(number, type))
        case .float(let number, let byteCount): .atom(literal(number, byteCount: byteCount))
        case .bytes(let bytes): .atom(literal(bytes))
        case .own(let name): .atom(member(name))
        case .binary(let mark, let left, .number(let number, .number(.uint64))) where mark.isOrder:
            joined(mark, .call("Long", "compareUnsigned", [left, .number(number, .uint64)]), 0)
        case .convert(let inner, let from, let to) where isLong(from) && !isLong(to):
            .marked("(int) ", syntax(inner))
        case .same(let left, let right, .bytes):
            .call(.atom("java.util.Arrays.equals"), [syntax(left), syntax(right)])
        case .same(let left, let right, _): .call(.selector(syntax(left), "equals"), [syntax(right)])
        case .finished(let list, let count, _):
            .chosen(
                syntax(.binary(.equal, count, .count(.name(list)))), .atom(list),
                .call(.atom("java.util.Arrays.copyOf"), [.atom(list), syntax(count)]))
        default: common(expression)
        }
    }

    /// Returns the member of a body, with `this` if a variable may have its name.
    private func member(_ own: String) -> String {
        let isVariable =
            own.dropFirst().allSatisfy { $0.isNumber || $0 == "_" } || ["end", "gap", "start"].contains(own)
        return isVariable ? "this." + own : own
    }

    func resize(_ array: String, _ count: String) -> String {
        "\(array) = java.util.Arrays.copyOf(\(array), \(count));"
    }

    func spelled(_ name: String) -> String { name }
    func name(_ checksum: ChecksumKind) -> String { checksum.rawValue }
    func sender(_ sender: Sender) -> String { "Sender.\(sender == .client ? "CLIENT" : "SERVER")" }
    var classTest: String { "instanceof" }

    // MARK: Classes

    func comment(_ text: String, _ deprecation: String?, indent: String) -> [String] {
        JavaText.comment(text, deprecation, indent: indent)
    }

    func classHead(_ name: String, extends base: String?) -> String {
        "public static final class \(name)\(base.map { " extends " + $0 } ?? "") {"
    }

    func emptyBase(_ name: String) -> [String] {
        ["public abstract static class \(name) {", "    \(name)() {}", "}"]
    }

    func functionHead(
        _ kind: ClassPrinter.FunctionKind, _ result: String, _ name: String, _ parameters: String
    ) -> String {
        let modifiers =
            switch kind {
            case .helper: "private static "
            case .member: ""
            case .override: "@Override "
            }
        return "\(modifiers)\(result) \(name)(\(parameters)) throws WireException"
    }

    var runtime: RuntimeFile { JavaRuntime.file(for: plan) }

    var tableModifiers: String { "static final" }

    func constant(_ name: String, _ value: Expression, _ type: CodeType) -> String {
        "public static final \(self.type(type)) \(name) = \(text(value));"
    }

    func type(_ choice: ChoicePlan) -> [String] {
        var lines = ["public static final class \(choice.name) {"]
        for (item, own) in choice.cases {
            lines += comment(item.documentation, item.deprecation, indent: "    ")
            lines.append("    " + constant(own, .number(item.value, choice.format), .number(choice.format)))
        }
        return lines + ["", "    private \(choice.name)() {}", "}"]
    }

    func copying(_ members: [String]) -> String {
        let copies = members.map { "h.\($0) = \(text(.own($0)));" }
        return BraceText.function("Header copy()", ["Header h = new Header();"] + copies + ["return h;"])
    }

    func constants(_ name: String, _ numbers: [Int]) -> String {
        "private static final int[] \(name) = {\(numbers.map(String.init).joined(separator: ", "))};"
    }

    func facts(of message: MessageDescription) -> [String] {
        let id = text(.number(Int128(message.id), .uint64))
        let only = plan.takesSender && message.senders.count == 1 ? message.senders.first : nil
        return [
            "@Override public String messageName() { return \(text(.text(message.name))); }",
            "@Override public long messageId() { return \(id); }",
        ] + (only.map { ["@Override Sender messageSender() { return \(sender($0)); }"] } ?? [])
    }

    func fit(_ values: [String], _ type: String, _ function: String, given: String) -> [String] {
        let kinds = ["packet_too_long", "length_too_small", "invalid_message_id"]
        return [
            "\(type)[] values = {\(values.joined(separator: ", "))};", "int after = w.position();",
            "for (int i = 0; i + 1 < values.length; i++) {", "    try {",
            "        return \(function)(w, id, h, values[i]);", "    } catch (WireException error) {",
            "        boolean doesNotFit = \(kinds.map { "error.kind.equals(\"\($0)\")" }.joined(separator: " || "));",
            "        if (\(given) != null || !doesNotFit) throw error;", "        w.seek(after);", "    }", "}",
            "return \(function)(w, id, h, values[values.length - 1]);",
        ]
    }
}
