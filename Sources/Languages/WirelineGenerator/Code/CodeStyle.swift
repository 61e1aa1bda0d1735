// SPDX-License-Identifier: Apache-2.0

/// The words and marks of a language, as a table.
struct CodeStyle: Sendable {
    var indent = "    "
    var end = ";"
    var nothing = "null"
    var not = "!"
    /// The operators that differ from ``Expression/Operator``.
    var marks: [Expression.Operator: String] = [:]
    var shiftsBindTightly = false

    /// The text around the conditions of branches and loops.
    var branch = (before: "if (", after: ") {")
    var nextBranch = (before: "} else if (", after: ") {")
    var otherwise = "} else {"
    var loop = (before: "while (", after: ") {")
    /// The head of a loop up to a `break`.
    var endlessLoop = "while (true) {"
    var endOfBlock: String? = "}"

    func mark(_ mark: Expression.Operator) -> String { marks[mark] ?? mark.rawValue }

    /// How tightly an operator binds.
    ///
    /// Languages disagree about `&`, `|` and comparisons, so these get parentheses inside each other in all of them.
    func level(_ mark: Expression.Operator) -> Int {
        switch mark {
        case .or: 1
        case .and: 2
        case .bitAnd: 3
        case .bitOr: 4
        case .equal, .unequal, .less, .lessOrEqual, .greater, .greaterOrEqual: 5
        case .shiftLeft, .shiftRight, .shiftRightSigned: shiftsBindTightly ? 8 : 6
        case .plus, .minus: 7
        case .times: 8
        }
    }
}
