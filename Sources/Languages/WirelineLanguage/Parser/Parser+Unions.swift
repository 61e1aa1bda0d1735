// SPDX-License-Identifier: Apache-2.0

extension Parser {
    /// Reads a union: `union U : uint8 sized(uint8) { 1: uint32 mileage; default: bytes other; }`.
    mutating func parseUnion() -> (UnionSyntax, Int)? {
        guard let name = expectName("the name of the union"),
            expect(.colon, "after the name", help: "say what its tag is, as in `union U : uint8 { … }`") != nil,
            let tag = expectName("the type of the tag")
        else { return nil }
        var sizePrefix: NameSyntax?
        if startsSizePrefix {
            guard let prefix = parseSizePrefix() else { return nil }
            sizePrefix = prefix
        }
        let bodyStart = position
        guard let open = expectLeftBrace("before the union's arms") else { return nil }
        var syntax = UnionSyntax(name: name, tag: tag, sizePrefix: sizePrefix, arms: [], isComplete: true)
        syntax.isComplete = parseMembers(of: name.text, openedBy: open) { parser in
            guard let arm = parser.parseArm() else { return false }
            syntax.arms.append(arm)
            return true
        }
        return (syntax, bodyStart)
    }

    var startsSizePrefix: Bool { current.kind == .name && text(of: current) == "sized" }

    /// Reads `sized(uint16)`.
    mutating func parseSizePrefix() -> NameSyntax? {
        advance()
        guard expect(.leftParenthesis, "after `sized`", help: "as in `sized(uint16)`") != nil else { return nil }
        guard let prefix = expectName("`uint8`, `uint16`, `uint32` or `varint`") else { return nil }
        guard expect(.rightParenthesis, "after the prefix's type") != nil else { return nil }
        return prefix
    }

    private mutating func parseArm() -> ArmSyntax? {
        let first = position
        if current.kind == .at {
            reportExpected("an arm's tag", help: "attributes stand after the `:`, as in `1: @max(32) string text;`")
            return nil
        }
        guard let tag = parseArmTag(),
            expect(.colon, "after the tag", help: "an arm is a tag and a field, as in `1: uint32 mileage;`") != nil
        else { return nil }
        if current.kind == .name, token(ahead: 1).kind == .semicolon {
            guard let name = expectName("the arm's name"), expectSemicolon(after: "the arm") else { return nil }
            return ArmSyntax(tag: tag, name: name, field: nil, documentation: armDocumentation(from: first))
        }
        guard var field = parseField() else { return nil }
        field.documentation = armDocumentation(from: first)
        return ArmSyntax(tag: tag, name: field.name, field: field, documentation: field.documentation)
    }

    private mutating func parseArmTag() -> ArmSyntax.Tag? {
        guard current.kind == .name else {
            return expectNumber("an arm, as in `1: uint32 mileage;`").map { .number($0) }
        }
        guard let name = expectName("an arm's tag") else { return nil }
        return name.text == "default" ? .default(name.span) : .name(name)
    }

    /// Returns the comments above an arm's tag or after its `;`, which has just been read.
    private func armDocumentation(from first: Int) -> String {
        documentation.text(from: first, bodyStart: nil, to: position - 1)
    }
}
