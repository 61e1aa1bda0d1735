// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How Java spells the statements of the common printer.
struct JavaDialect: ClassDialect {
    let plan: CodePlan

    init(_ plan: CodePlan) { self.plan = plan }

    var className: String { plan.description.upperCamelName + "Protocol" }

    // MARK: Types and literals

    private static func isLong(_ format: IntegerFormat) -> Bool {
        format.bitWidth > (format.isSigned ? 32 : 31)
    }

    func type(_ type: CodeType) -> String {
        switch type {
        case .value(let value): self.type(value)
        case .number(let format): Self.isLong(format) ? "long" : "int"
        case .position: "int"
        case .boolean: "boolean"
        case .text: "String"
        case .bytes: "byte[]"
        case .header: "Header"
        }
    }

    private func type(_ value: ValuePlan) -> String {
        switch value {
        case .number(let number): type(.number(number.format))
        case .varint: "long"
        case .float(let byteCount, _, _): byteCount == 4 ? "float" : "double"
        case .boolean: "boolean"
        case .text, .utf16, .digits: "String"
        case .bytes: "byte[]"
        case .properties: "java.util.Map<String, String>"
        case .structure(let index): plan.names.structures[index].name
        case .union(let index, _): plan.names.unions[index].name
        case .list(let item, _, _): type(item) + "[]"
        case .sized(let content, _, _): type(content)
        }
    }

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

    func literal(_ number: Int128, _ format: IntegerFormat) -> String {
        Self.isLong(format) ? "\(Int64(truncatingIfNeeded: number))L" : String(number)
    }

    func string(_ text: String) -> String { JavaText.string(text) }

    func bytes(_ bytes: [UInt8]) -> String {
        bytes.isEmpty
            ? "new byte[0]" : "new byte[] {\(bytes.map { String(Int8(bitPattern: $0)) }.joined(separator: ", "))}"
    }

    func float(_ number: Double, byteCount: Int) -> String {
        let type = byteCount == 4 ? "Float" : "Double"
        if number.isNaN { return "\(type).NaN" }
        if number.isInfinite { return "\(type).\(number < 0 ? "NEGATIVE" : "POSITIVE")_INFINITY" }
        return byteCount == 4 ? "\(Float(number))f" : "\(number)"
    }

    func filled(_ array: String, _ item: String) -> String { "filled(\(array), () -> \(item))" }
    func noProperties(_ type: String) -> String { "new java.util.LinkedHashMap<>()" }

    // MARK: Expressions

    func call(_ object: String, _ function: String, _ arguments: [String]) -> String {
        "\(object).\(function)(\(arguments.joined(separator: ", ")))"
    }

    func call(_ function: String, _ arguments: [String]) -> String {
        "\(function)(\(arguments.joined(separator: ", ")))"
    }

    func convert(_ text: String, from: IntegerFormat, to: IntegerFormat) -> String {
        Self.isLong(from) && !Self.isLong(to) ? "(int) \(text)" : text
    }

    func convert(place text: String, to format: IntegerFormat) -> String { text }

    func compare(_ text: String, _ mark: String, _ number: Int128, _ format: IntegerFormat) -> String {
        let literal = literal(number, format)
        guard format == .uint64, !["==", "!="].contains(mark) else { return "\(text) \(mark) \(literal)" }
        return "Long.compareUnsigned(\(text), \(literal)) \(mark) 0"
    }

    func shiftedRight(_ text: String, by count: String) -> String { "\(text) >>> \(count)" }
    func number(of text: String, _ plan: NumberPlan) -> String { text }
    func value(of text: String, _ plan: NumberPlan) -> String { text }

    func equal(_ text: String, _ other: String, _ type: CodeType) -> String {
        if case .bytes = type { return "java.util.Arrays.equals(\(text), \(other))" }
        return "\(text).equals(\(other))"
    }

    /// Returns the member of a body; one that is called as a variable may be, with `this`.
    func member(_ own: String) -> String {
        let isVariable =
            own.dropFirst().allSatisfy { $0.isNumber || $0 == "_" } || ["end", "gap", "start"].contains(own)
        return isVariable ? "this." + own : own
    }

    func present(_ text: String, _ type: CodeType) -> String { text }

    func count(of list: String) -> String { "\(list).length" }

    // MARK: Lists, unions and packets

    func resize(_ array: String, _ count: String) -> String {
        "\(array) = java.util.Arrays.copyOf(\(array), \(count));"
    }

    func finished(_ list: String, count: String, fixedCount: Int?) -> String {
        "\(count) == \(list).length ? \(list) : java.util.Arrays.copyOf(\(list), \(count))"
    }

    func spelled(_ name: String) -> String { name }
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

    func constants(_ name: String, _ numbers: [Int]) -> String {
        "private static final int[] \(name) = {\(numbers.map(String.init).joined(separator: ", "))};"
    }

    func facts(of message: MessageDescription) -> [String] {
        let id = literal(Int128(message.id), .uint64)
        let only = plan.takesSender && message.senders.count == 1 ? message.senders.first : nil
        return [
            "@Override public String messageName() { return \(string(message.name)); }",
            "@Override public long messageId() { return \(id); }",
        ] + (only.map { ["@Override Sender messageSender() { return \(sender($0)); }"] } ?? [])
    }

    func fitting(_ type: String, _ values: [String], _ fitted: String, own: String) -> [String] {
        let kinds = ["packet_too_long", "length_too_small", "invalid_message_id"]
        return [
            "\(type)[] values = {\(values.joined(separator: ", "))};", "int after = w.position();",
            "for (int i = 0; i + 1 < values.length; i++) {", "    try {",
            "        return \(fitted)(w, id, h, values[i]);", "    } catch (WireException error) {",
            "        boolean doesNotFit = \(kinds.map { "error.kind.equals(\"\($0)\")" }.joined(separator: " || "));",
            "        if (\(isSet(own)) || !doesNotFit) throw error;", "        w.seek(after);", "    }", "}",
            "return \(fitted)(w, id, h, values[values.length - 1]);",
        ]
    }
}
