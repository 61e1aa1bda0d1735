// SPDX-License-Identifier: Apache-2.0

/// Two JSON values line by line: `-` marks what was expected, `+` what was received.
struct JSONDifference {
    private(set) var lines: [String] = []
    /// Equal values up to this number of characters are shown on one line.
    private static let width = 80

    init(expected: JSONTree, received: JSONTree) {
        add(expected, received, name: nil, depth: 0)
    }

    private mutating func add(_ expected: JSONTree?, _ received: JSONTree?, name: String?, depth: Int) {
        if let expected, expected == received { return addEqual(expected, name: name, depth: depth) }
        switch (expected, received) {
        case (.object(let left), .object(let right)):
            add("{", name, depth)
            for name in Self.names(left, right) {
                add(Self.value(name, in: left), Self.value(name, in: right), name: name, depth: depth + 1)
            }
            add("}", nil, depth)
        case (.array(let left), .array(let right)):
            add("[", name, depth)
            for index in 0..<max(left.count, right.count) {
                add(
                    index < left.count ? left[index] : nil, index < right.count ? right[index] : nil, name: nil,
                    depth: depth + 1)
            }
            add("]", nil, depth)
        default:
            if let expected { add(expected.line, name, depth, mark: "-") }
            if let received { add(received.line, name, depth, mark: "+") }
        }
    }

    private mutating func addEqual(_ value: JSONTree, name: String?, depth: Int) {
        guard value.line.count > Self.width else { return add(value.line, name, depth) }
        switch value {
        case .scalar(let text): add(String(text.prefix(Self.width)) + "…", name, depth)
        case .array(let items):
            add("[", name, depth)
            for item in items { addEqual(item, name: nil, depth: depth + 1) }
            add("]", nil, depth)
        case .object(let entries):
            add("{", name, depth)
            for entry in entries { addEqual(entry.value, name: entry.name, depth: depth + 1) }
            add("}", nil, depth)
        }
    }

    private mutating func add(_ text: String, _ name: String?, _ depth: Int, mark: String = " ") {
        let label = name.map { "\"\($0)\": " } ?? ""
        lines.append(mark + " " + String(repeating: "  ", count: depth) + label + text)
    }

    private static func names(_ left: [JSONTree.Entry], _ right: [JSONTree.Entry]) -> [String] {
        let known = Set(left.map(\.name))
        return left.map(\.name) + right.map(\.name).filter { !known.contains($0) }
    }

    private static func value(_ name: String, in entries: [JSONTree.Entry]) -> JSONTree? {
        entries.first { $0.name == name }?.value
    }
}
