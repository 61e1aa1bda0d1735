// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How C# spells the statements of the shared tree.
struct CSharpDialect: ClassDialect, TypeDialect {
    let plan: GeneratorModel
    let namespace: String

    init(_ plan: GeneratorModel, namespace: String) {
        self.plan = plan
        self.namespace = namespace
    }

    var className: String { plan.description.upperCamelName + "Protocol" }

    // MARK: Types and literals

    static func integer(_ format: IntegerFormat) -> String {
        switch format.bitWidth {
        case ...8: format.isSigned ? "sbyte" : "byte"
        case ...16: format.isSigned ? "short" : "ushort"
        case ...32: format.isSigned ? "int" : "uint"
        default: format.isSigned ? "long" : "ulong"
        }
    }

    static let words = TypeWords(
        boolean: "bool", text: "string", bytes: "byte[]",
        properties: "System.Collections.Generic.List<System.Collections.Generic.KeyValuePair<string, string>>")

    func float(byteCount: Int) -> String { byteCount == 4 ? "float" : "double" }

    func optionalType(_ type: CodeType) -> String { self.type(type) + (type.isScalar ? "?" : "") }

    func range(of format: IntegerFormat) -> ClosedRange<Int128> { format.held.range }

    private func literal(_ number: Int128, _ type: CodeType) -> String {
        guard let format = type.format, format.bitWidth > 32 else { return String(number) }
        return "\(number)\(format.isSigned ? "L" : "UL")"
    }

    func string(_ text: String) -> String { TypeScriptText.string(text) }

    private func literal(_ bytes: [UInt8]) -> String {
        bytes.isEmpty ? "new byte[0]" : "new byte[] {\(bytes.map { String($0) }.joined(separator: ", "))}"
    }

    private func literal(_ number: Double, byteCount: Int) -> String {
        let type = byteCount == 4 ? "float" : "double"
        if number.isNaN { return "\(type).NaN" }
        if number.isInfinite { return "\(type).\(number < 0 ? "Negative" : "Positive")Infinity" }
        return byteCount == 4 ? "\(Float(number))f" : "\(number)"
    }

    func filled(_ array: Syntax, _ item: String) -> Syntax {
        .call(.atom("Packets.Filled"), [array, .atom("() => \(item)")])
    }

    func noProperties(_ type: String) -> String { "new \(type)()" }

    // MARK: Expressions and statements

    let style = CodeStyle(marks: [.shiftRight: ">>"])

    func own(_ expression: Expression) -> Syntax? {
        switch expression {
        case .number(let number, let type): .atom(literal(number, type))
        case .float(let number, let byteCount): .atom(literal(number, byteCount: byteCount))
        case .bytes(let bytes): .atom(literal(bytes))
        case .call(nil, let function, let arguments):
            .call(.selector(.atom("Packets"), spelled(function)), arguments.map(syntax))
        case .convert(let inner, .value(.float), _): syntax(inner)
        case .convert(let inner, let from, let to): converted(inner, type(from), type(to))
        case .same(let left, let right, .bytes): syntax(.call(nil, "sameBytes", [left, right]))
        case .same(let left, let right, _): joined(.equal, left, right)
        case .present(let inner, let type): type.isScalar ? .selector(syntax(inner), "Value") : syntax(inner)
        case .finished(let list, let count, _): syntax(.call("r", "trimmed", [.name(list), count]))
        default: common(expression)
        }
    }

    private func converted(_ inner: Expression, _ from: String, _ type: String) -> Syntax {
        if from == type { return syntax(inner) }
        // The compiler refuses to convert a constant that does not fit.
        if case .number(let number, _) = inner, number < 0 {
            return .call(.atom("unchecked"), [.prefix("(\(type))", .parentheses(syntax(inner)))])
        }
        return .marked("(\(type))", syntax(inner))
    }

    func resize(_ array: String, _ count: String) -> String { "System.Array.Resize(ref \(array), \(count));" }

    func spelled(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    func name(_ checksum: ChecksumKind) -> String {
        checksum.rawValue.split(separator: "_").map { spelled(String($0)) }.joined()
    }

    func sender(_ sender: Sender) -> String { "Sender.\(sender == .client ? "Client" : "Server")" }
    var classTest: String { "is" }

    // MARK: Classes

    func comment(_ text: String, _ deprecation: String?, indent: String) -> [String] {
        CSharpText.comment(text, deprecation, indent: indent)
    }

    func classHead(_ name: String, extends base: String?) -> String {
        "public sealed class \(name)\(base.map { " : " + $0 } ?? "") {"
    }

    func emptyBase(_ name: String) -> [String] {
        ["public abstract class \(name) {", "    internal \(name)() {}", "}"]
    }

    func functionHead(
        _ kind: ClassPrinter.FunctionKind, _ result: String, _ name: String, _ parameters: String
    ) -> String {
        let modifiers =
            switch kind {
            case .helper: "internal static"
            case .member: "internal"
            case .override: "internal override"
            }
        return "\(modifiers) \(result) \(name)(\(parameters))"
    }

    var runtime: RuntimeFile { CSharpRuntime.file(for: plan) }

    var tableModifiers: String { "internal static readonly" }

    func constant(_ name: String, _ value: Expression, _ type: CodeType) -> String {
        "public const \(self.type(type)) \(name) = \(text(value));"
    }

    func type(_ choice: ChoicePlan) -> [String] {
        var lines = choice.isFlags ? ["[System.Flags]"] : []
        lines.append("public enum \(choice.name) : \(type(.number(choice.format))) {")
        for (item, own) in choice.cases {
            lines += comment(item.documentation, item.deprecation, indent: "    ")
            lines.append("    \(own) = \(text(.number(item.value, choice.format))),")
        }
        return lines + ["}"]
    }

    func copying(_ members: [String]) -> String { "internal Header Copy() { return (Header)MemberwiseClone(); }" }

    func constants(_ name: String, _ numbers: [Int]) -> String {
        "private static readonly int[] \(name) = {\(numbers.map(String.init).joined(separator: ", "))};"
    }

    func facts(of message: MessageDescription) -> [String] {
        let id = text(.number(Int128(message.id), .uint64))
        let only = plan.takesSender && message.senders.count == 1 ? message.senders.first : nil
        // A member of the class may be called `Sender`.
        let own = only.map { "global::\(namespace).\(sender($0))" }
        return [
            "public override string MessageName { get { return \(string(message.name)); } }",
            "public override ulong MessageId { get { return \(id); } }",
        ] + (own.map { ["internal override Sender? MessageSender { get { return \($0); } }"] } ?? [])
    }

    func fit(_ values: [String], _ type: String, _ function: String, given: String) -> [String] {
        let kinds = ["packet_too_long", "length_too_small", "invalid_message_id"]
        return [
            "var values = new \(type)[] {\(values.joined(separator: ", "))};", "int after = w.Position();",
            "for (int i = 0; i + 1 < values.Length; i++) {", "    try {",
            "        return \(function)(w, id, h, values[i]);", "    } catch (WireException error) {",
            "        bool doesNotFit = \(kinds.map { "error.Kind == \"\($0)\"" }.joined(separator: " || "));",
            "        if (\(given) != null || !doesNotFit) throw;", "        w.Seek(after);", "    }", "}",
            "return \(function)(w, id, h, values[values.Length - 1]);",
        ]
    }
}
