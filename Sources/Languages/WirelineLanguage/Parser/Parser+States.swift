// SPDX-License-Identifier: Apache-2.0

extension Parser {
    /// Whether a state follows; in `state x;` the word is the name of a type.
    var startsState: Bool {
        current.kind == .name && text(of: current) == "state" && token(ahead: 1).kind == .name
            && token(ahead: 2).kind == .name
    }

    /// Reads a state: `state bit started;`.
    mutating func parseState() -> StateSyntax? {
        let first = position
        advance()
        guard let typeName = expectName("a type"), let name = expectName("the state's name"),
            expectSemicolon(after: "the state")
        else { return nil }
        return StateSyntax(
            documentation: documentation.text(from: first, bodyStart: nil, to: position - 1), typeName: typeName,
            name: name)
    }
}
