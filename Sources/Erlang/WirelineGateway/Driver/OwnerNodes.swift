// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

struct OwnerNodes {
    private let names: Set<ErlangNodeName>
    private let patterns: [ErlangNodePattern]
    /// Other nodes with members of the group that were reported.
    private var others: Set<ErlangNodeName> = []

    /// Larger than any cluster.
    private static let mostOthers = 10_000

    init(_ names: [ErlangNodeName], _ patterns: [ErlangNodePattern]) {
        self.names = Set(names)
        self.patterns = patterns
    }

    func include(_ node: ErlangNodeName) -> Bool { names.contains(node) || patterns.contains { $0.matches(node) } }

    /// Notes another node that has members of the group. Returns whether to report it.
    mutating func noteOther(_ node: ErlangNodeName) -> Bool {
        others.count < Self.mostOthers && others.insert(node).inserted
    }
}
