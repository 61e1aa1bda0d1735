// SPDX-License-Identifier: Apache-2.0

public import WirelineErlang

/// A pattern for names of nodes, such as `game*@*`: a `*` stands for any number of characters, also for none.
public struct ErlangNodePattern: Equatable, Sendable, CustomStringConvertible {
    public let description: String

    /// All nodes.
    public static let any = ErlangNodePattern("*")

    public init(_ text: String) { description = text }

    /// Whether a node has one of the names.
    public func matches(_ node: ErlangNodeName) -> Bool {
        let parts = description.split(separator: "*", omittingEmptySubsequences: false).map { Array($0.utf8) }
        var rest = Array(node.description.utf8)[...]
        guard parts.count > 1 else { return Array(rest) == parts[0] }
        guard rest.starts(with: parts[0]) else { return false }
        rest = rest.dropFirst(parts[0].count)
        let last = parts[parts.count - 1]
        guard rest.count >= last.count, rest.suffix(last.count).elementsEqual(last) else { return false }
        rest = rest.dropLast(last.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let start = rest.indices.first(where: { rest[$0...].starts(with: part) }) else { return false }
            rest = rest[(start + part.count)...]
        }
        return true
    }
}
