// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// What the languages with braces and semicolons have in common: Java and C#.
protocol BraceDialect: Dialect {
    /// Returns a float of 4 or 8 bytes.
    func float(_ number: Double, byteCount: Int) -> String

    /// Returns an array whose items are made by an expression each.
    func filled(_ array: String, _ item: String) -> String

    /// Returns the expression for no properties.
    func noProperties(_ type: String) -> String

    /// Returns the statement that gives an array so many items.
    func resize(_ array: String, _ count: String) -> String

    /// Returns the name of a class, a member or a function in printed code.
    func spelled(_ name: String) -> String

    /// Returns a sender.
    func sender(_ sender: Sender) -> String

    /// The operator that tests whether an object is of a class.
    var classTest: String { get }
}

extension BraceDialect {
    var nothing: String { "null" }
    var breakLoop: String { "break;" }
    var returnMore: String { "return null;" }

    func statement(_ expression: String) -> String { expression + ";" }

    func constant(_ name: String, _ type: CodeType, _ value: String) -> String {
        "\(self.type(type)) \(name) = \(value);"
    }

    func variable(_ name: String, _ type: CodeType, _ value: String) -> [String] { [constant(name, type, value)] }

    func assign(_ target: String, _ value: String) -> String { "\(target) = \(value);" }

    func returns(_ value: String?) -> String { value.map { "return \($0);" } ?? "return;" }

    func choose(_ branches: [(condition: String, lines: [String])], otherwise: [String]) -> [String] {
        var lines: [String] = []
        for (index, branch) in branches.enumerated() {
            lines.append("\(index == 0 ? "" : "} else ")if (\(branch.condition)) {")
            lines += branch.lines.map(Self.indented)
        }
        return lines + (otherwise.isEmpty ? [] : ["} else {"] + otherwise.map(Self.indented)) + ["}"]
    }

    func loop(while condition: String?, _ lines: [String]) -> [String] {
        ["while (\(condition ?? "true")) {"] + lines.map(Self.indented) + ["}"]
    }

    func loop(_ variable: String, below count: String, _ lines: [String]) -> [String] {
        ["for (int \(variable) = 0; \(variable) < \(count); \(variable)++) {"] + lines.map(Self.indented) + ["}"]
    }

    static func indented(_ line: String) -> String { line.isEmpty ? "" : "    " + line }

    func isSet(_ text: String) -> String { "\(text) != null" }
    func item(_ list: String, _ index: String) -> String { "\(list)[\(index)]" }
    func headerMember(_ variable: String, _ own: String) -> String { "\(variable).\(own)" }

    func checksum(_ kind: ChecksumKind, _ bytes: String, from: String, to: String) -> String {
        "Checksum.\(kind.rawValue)(\(bytes), \(from), \(to))"
    }

    func compare(float text: String, byteCount: Int, _ mark: String, _ number: Double) -> String {
        "\(text) \(mark) \(float(number, byteCount: 8))"
    }

    /// Returns the type of a list's items without its brackets, and these.
    func parts(ofItem item: ValuePlan) -> (type: String, brackets: String) {
        var type = self.type(.value(item))
        var brackets = ""
        while type.hasSuffix("[]") {
            type.removeLast(2)
            brackets += "[]"
        }
        return (type, brackets)
    }

    // MARK: Values that are not there

    func literal(_ literal: LiteralPlan, _ value: ValuePlan) -> String {
        switch (literal, value) {
        case (_, .union): return "null"
        case (_, .sized(let content, _, _)): return self.literal(literal, content)
        case (.integer(let number, let type), _):
            switch type {
            case .number(let plan): return self.value(of: self.literal(number, plan.format), plan)
            case .varint(let format, _): return self.literal(number, format.numberFormat)
            default: return String(number)
            }
        case (.boolean(let value), _): return String(value)
        case (.float(let number), .float(let byteCount, _, _)): return float(number, byteCount: byteCount)
        case (.float(let number), _): return float(number, byteCount: 8)
        case (.text(let text), _): return string(text)
        case (.zeros(let byteCount), _): return "new byte[\(byteCount)]"
        case (.noProperties, _): return noProperties(type(.value(value)))
        case (.list(let item, let count), .list(let plan, _, _)): return list(item, count, plan)
        case (.list, _): return nothing
        case (.structure(let index), _): return newStructure(index)
        }
    }

    private func list(_ item: LiteralPlan, _ count: Int, _ plan: ValuePlan) -> String {
        let (type, brackets) = parts(ofItem: plan)
        let empty = "new \(type)[\(count)]\(brackets)"
        switch item {
        case .integer, .boolean, .float: return empty
        default: return count == 0 ? empty : filled(empty, literal(item, plan))
        }
    }

    func optional(_ variable: String, _ type: CodeType) -> String { variable }

    func isNotNull(_ text: String, _ value: ValuePlan) -> String? {
        switch value {
        case .structure, .list: isSet(text)
        default: nil
        }
    }

    func newStructure(_ index: Int) -> String { "new \(plan.names.structures[index].name)()" }

    // MARK: Lists and unions

    func newList(_ variable: String, _ item: ValuePlan, capacity: String, fixedCount: Int?) -> [String] {
        let (type, brackets) = parts(ofItem: item)
        return ["\(type)[]\(brackets) \(variable) = new \(type)[\(capacity)]\(brackets);"]
    }

    func append(_ value: String, to list: String, at index: String, fixedCount: Int?) -> [String] {
        [
            "if (\(index) == \(count(of: list))) \(resize(list, "2 * \(index) + 4"))", "\(list)[\(index)] = \(value);",
        ]
    }

    func makeArm(_ arm: String, _ members: [(name: String, value: String)]) -> [String] {
        guard !members.isEmpty else { return ["m = new \(arm)();"] }
        return ["\(arm) a = new \(arm)();"] + members.map { "\(armMember($0.name)) = \($0.value);" } + ["m = a;"]
    }

    func armMember(_ name: String) -> String { "a.\(spelled(name))" }

    func arms(_ arms: [(name: String, lines: [String])], otherwise: [String]) -> [String] {
        let branches = arms.map { arm in
            let usesArm = arm.lines.contains {
                RuntimeText.words(of: $0[...], lineComment: "//").contains("a")
            }
            let declaration = usesArm ? ["\(arm.name) a = (\(arm.name)) m;"] : []
            return (condition: "m \(classTest) \(arm.name)", lines: declaration + arm.lines)
        }
        return branches.isEmpty ? otherwise : choose(branches, otherwise: otherwise)
    }

    // MARK: Connections

    func isSent(by sender: Sender) -> String { "sender == \(self.sender(sender))" }

    func refuse(_ kind: String, path: String) -> String {
        "throw new WireException(\(string(kind)), \(string(path)), -1);"
    }

    func select(_ number: String, _ branches: [[String]]) -> [String] {
        let cases = branches.enumerated().flatMap { index, lines in
            [index + 1 == branches.count ? "default:" : "case \(index):"] + lines.map(Self.indented)
        }
        return ["switch (\(number)) {"] + cases.map(Self.indented) + ["}"]
    }

    // MARK: Packets

    var newHeader: String { "new Header()" }
    var packetBytes: String { "r.b" }
    var packetStart: String { "r.start" }
    var writtenBytes: String { "w.b" }

    func received(_ shape: PacketShape, places: [String]) -> [String] {
        var arguments = ["r", "id", "header", "total", shape.sender.map(sender) ?? "sender"]
        if !places.isEmpty { arguments.append("new int[] {\(places.joined(separator: ", "))}") }
        return ["return \(spelled("receive"))(\(arguments.joined(separator: ", ")));"]
    }

    var newPartHeader: String { newHeader }

    func received(_ part: ReceivedPart) -> [String] {
        let counter = part.counter ?? (number: "0", place: "0", isThere: "false")
        let rules = "new \(type(.boolean))[] {\(part.rules.joined(separator: ", "))}"
        let places = part.places.isEmpty ? "null" : "new int[] {\(part.places.joined(separator: ", "))}"
        let arguments = [
            "id", "header", "body", "end", "total", part.first, counter.isThere, counter.number, counter.place, rules,
            places,
        ]
        return ["return new Part(\(arguments.joined(separator: ", ")));"]
    }
}
