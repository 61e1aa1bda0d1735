// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How Go spells the statements that read and write packets.
///
/// Errors are kept by the reader and the writer, so statements follow each other as in languages with exceptions. Only values that may
/// nest leave a function early, because nothing else would end them.
struct GoDialect: Dialect {
    let types: GoTypes
    var plan: CodePlan { types.plan }

    // MARK: Types and literals

    func type(_ type: CodeType) -> String {
        switch type {
        case .value(let value): types.text(value)
        case .number(let format): GoTypes.integer(format)
        case .position: "int"
        case .boolean: "bool"
        case .text: "string"
        case .bytes: "[]byte"
        case .header: "*Header"
        }
    }

    /// The format of the type that holds the numbers of a format.
    private func held(_ format: IntegerFormat) -> IntegerFormat {
        let width = [8, 16, 32].first { format.bitWidth <= $0 } ?? 64
        return IntegerFormat(bitWidth: width, isSigned: format.isSigned)
    }

    func range(of format: IntegerFormat) -> ClosedRange<Int128> { held(format).range }

    func literal(_ number: Int128, _ format: IntegerFormat) -> String { String(number) }

    func string(_ text: String) -> String { GoText.string(text) }

    func bytes(_ bytes: [UInt8]) -> String { bytes.isEmpty ? "[]byte{}" : "[]byte(\(GoText.string(bytes)))" }

    func literal(_ literal: LiteralPlan, _ value: ValuePlan) -> String { types.literal(literal, value) }

    // MARK: Expressions

    func call(_ object: String, _ function: String, _ arguments: [String]) -> String {
        "\(object).\(function)(\(arguments.joined(separator: ", ")))"
    }

    func call(_ function: String, _ arguments: [String]) -> String {
        "\(function)(\(arguments.joined(separator: ", ")))"
    }

    func checksum(_ kind: ChecksumKind, _ bytes: String, from: String, to: String) -> String {
        // A copy has all that is needed, and no more.
        let range = bytes.count == 1 ? "\(bytes).part(\(place(from)), \(place(to)))" : bytes
        return "uint64(\(GoRuntime.function(kind))(\(range)))"
    }

    private func place(_ text: String) -> String {
        text.hasPrefix(packetStart + " + ") ? String(text.dropFirst(packetStart.count + 3)) : text
    }

    func convert(_ text: String, from: IntegerFormat, to: IntegerFormat) -> String {
        if let number = Int128(text) {
            // A literal that does not fit would not compile.
            let width = held(to).bitWidth
            let bits = number & ((1 << Int128(width)) - 1)
            let isNegative = to.isSigned && bits >> Int128(width - 1) == 1
            return "\(GoTypes.integer(to))(\(isNegative ? bits - (1 << Int128(width)) : bits))"
        }
        return held(from) == held(to) ? text : "\(GoTypes.integer(to))(\(text))"
    }

    func compare(_ text: String, _ mark: String, _ number: Int128, _ format: IntegerFormat) -> String {
        "\(text) \(mark) \(number)"
    }

    func convert(place text: String, to format: IntegerFormat) -> String { "\(GoTypes.integer(format))(\(text))" }

    func compare(float text: String, byteCount: Int, _ mark: String, _ number: Double) -> String {
        "\(byteCount == 4 ? "float64(\(text))" : text) \(mark) \(GoText.float(number))"
    }

    func shiftedRight(_ text: String, by count: String) -> String {
        "\(text) >> \(Int(count) == nil ? "(\(count))" : count)"
    }

    func number(of text: String, _ plan: NumberPlan) -> String {
        if case .plain = plan.kind { text } else { "\(GoTypes.integer(plan.format))(\(text))" }
    }

    func value(of text: String, _ plan: NumberPlan) -> String {
        if case .plain = plan.kind { text } else { "\(types.text(.number(plan)))(\(text))" }
    }

    func equal(_ text: String, _ other: String, _ type: CodeType) -> String {
        if case .bytes = type { return "bytes.Equal(\(text), \(other))" }
        return "\(text) == \(other)"
    }

    func member(_ own: String) -> String { "m.\(own)" }

    func headerMember(_ variable: String, _ own: String) -> String { "\(variable).\(own)" }

    func isSet(_ text: String) -> String { "\(text) != nil" }

    private func hasNil(_ type: CodeType) -> Bool {
        switch type {
        case .value(let value): GoTypes.hasNil(value)
        case .bytes: true
        case .number, .position, .boolean, .text, .header: false
        }
    }

    func present(_ text: String, _ type: CodeType) -> String { hasNil(type) ? text : "*\(text)" }

    func optional(_ variable: String, _ type: CodeType) -> String { hasNil(type) ? variable : "&\(variable)" }

    var nothing: String { "nil" }

    func isNotNull(_ text: String, _ value: ValuePlan) -> String? { nil }

    func newStructure(_ index: Int) -> String { "\(plan.names.structures[index].name){}" }

    func count(of list: String) -> String { "len(\(list))" }

    func item(_ list: String, _ index: String) -> String { "\(list)[\(index)]" }

    // MARK: Statements

    func statement(_ expression: String) -> String {
        if ["r.deeper(", "w.deeper("].contains(where: expression.hasPrefix) {
            return "if !\(expression) {\u{2}return\u{2}}"
        }
        // A conversion cannot stand by itself.
        return GoFormat.isCall(expression) ? expression : "_ = \(expression)"
    }

    func constant(_ name: String, _ type: CodeType, _ value: String) -> String {
        if case .position = type { return "\(name) := \(value)" }
        return Double(value) == nil ? "\(name) := \(value)" : "\(name) := \(self.type(type))(\(value))"
    }

    func variable(_ name: String, _ type: CodeType, _ value: String) -> [String] {
        let isZero = ["0", "false", "\"\"", nothing].contains(value)
        let declaration = isZero ? "var \(name) \(self.type(type))" : constant(name, type, value)
        // It is left out of a function that uses the variable.
        return [declaration, "_ = \(name)"]
    }

    func assign(_ target: String, _ value: String) -> String {
        value == "\(target) + 1" ? "\(target)++" : "\(target) = \(value)"
    }

    func choose(_ branches: [(condition: String, lines: [String])], otherwise: [String]) -> [String] {
        var lines: [String] = []
        for branch in branches {
            lines.append((lines.isEmpty ? "if " : "} else if ") + branch.condition + " {")
            lines += GoText.indented(branch.lines)
        }
        if !otherwise.isEmpty { lines += ["} else {"] + GoText.indented(otherwise) }
        return lines + ["}"]
    }

    func loop(while condition: String?, _ lines: [String]) -> [String] {
        GoText.block("for" + (condition.map { " " + $0 } ?? ""), lines)
    }

    func loop(_ variable: String, below count: String, _ lines: [String]) -> [String] {
        GoText.block("for \(variable) := 0; \(variable) < \(count); \(variable)++", lines)
    }

    var breakLoop: String { "break" }

    func returns(_ value: String?) -> String { value.map { "return \($0)" } ?? "return" }

    var returnMore: String { "return false" }

    // MARK: Lists

    func newList(_ variable: String, _ item: ValuePlan, capacity: String, fixedCount: Int?) -> [String] {
        if let fixedCount { return ["var \(variable) [\(fixedCount)]\(types.text(item))"] }
        return ["\(variable) := make([]\(types.text(item)), 0, \(capacity))"]
    }

    func append(_ value: String, to list: String, at index: String, fixedCount: Int?) -> [String] {
        [fixedCount == nil ? "\(list) = append(\(list), \(value))" : "\(list)[\(index)] = \(value)"]
    }

    func finished(_ list: String, count: String, fixedCount: Int?) -> String { list }

    // MARK: Unions

    /// The name of a member of an arm.
    private func own(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    func makeArm(_ arm: String, _ members: [(name: String, value: String)]) -> [String] {
        ["m = \(arm){\(members.map { "\(own($0.name)): \($0.value)" }.joined(separator: ", "))}"]
    }

    func armMember(_ name: String) -> String { "a.\(own(name))" }

    func arms(_ arms: [(name: String, lines: [String])], otherwise: [String]) -> [String] {
        let uses = arms.flatMap(\.lines).contains {
            RuntimeText.words(of: $0[...], lineComment: "//", hasKeys: false).contains("a")
        }
        var lines = [uses ? "switch a := m.(type) {" : "switch m.(type) {"]
        for arm in arms { lines += ["case \(arm.name):"] + GoText.indented(arm.lines) }
        if !otherwise.isEmpty { lines += ["default:"] + GoText.indented(otherwise) }
        return lines + ["}"]
    }

    // MARK: Connections

    func isSent(by sender: Sender) -> String { "sender == \(sender == .client ? "Client" : "Server")" }

    func refuse(_ kind: String, path: String) -> String {
        "return 0, &Error{\(string(kind)), \(string(path)), -1}"
    }

    func select(_ number: String, _ branches: [[String]]) -> [String] {
        guard let last = branches.last else { return [] }
        let cases = branches.dropLast().enumerated().flatMap { ["case \($0):"] + GoText.indented($1) }
        return (cases.isEmpty ? [] : ["switch \(number) {"] + cases + ["}"]) + last
    }

    // MARK: Packets

    var newHeader: String { "&packet.Header" }
    var packetBytes: String { "r" }
    var packetStart: String { "0" }
    var writtenBytes: String { "w" }

    func received(_ shape: PacketShape, places: [String]) -> [String] {
        let known = places.isEmpty ? [] : ["packet.places = []int{\(places.joined(separator: ", "))}"]
        return ["packet.Size = total", "packet.id = id"] + known + ["return true"]
    }

    var newPartHeader: String { "&Header{}" }

    func received(_ part: ReceivedPart) -> [String] {
        var members = ["id: id", "header: header", "body: body", "end: end", "after: total", "first: \(part.first)"]
        if let counter = part.counter {
            members += ["hasCount: \(counter.isThere)", "count: \(counter.number)", "place: \(counter.place)"]
        }
        members.append("rules: []bool{\(part.rules.joined(separator: ", "))}")
        if !part.places.isEmpty { members.append("places: []int{\(part.places.joined(separator: ", "))}") }
        return ["*p = part{\(members.joined(separator: ", "))}", "return true"]
    }
}
