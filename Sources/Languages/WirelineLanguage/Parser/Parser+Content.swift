// SPDX-License-Identifier: Apache-2.0

extension Parser {
    /// Whether a line about the packet's content follows; in `uint8 packets;` the word is a name.
    var startsContent: Bool {
        guard current.kind == .name else { return false }
        let next = token(ahead: 1).kind
        switch text(of: current) {
        case "packets", "opaque": return next == .semicolon
        case "layer":
            let behindName = token(ahead: 2).kind
            return next == .semicolon || next == .name && (behindName == .semicolon || behindName == .leftParenthesis)
        default: return false
        }
    }

    /// Reads a line such as `layer xor(session);`, `packets;` or `opaque;`.
    ///
    /// - Parameter fieldCount: The number of header fields before the line.
    mutating func parseContent(_ attributes: [AttributeSyntax], afterFields fieldCount: Int) -> ContentSyntax? {
        let token = advance()
        let word = NameSyntax(text: text(of: token), span: span(of: token))
        var line = ContentSyntax(attributes: attributes, word: word, fieldCount: fieldCount)
        if word.text == "layer" {
            guard let transform = expectName("a transform, as in `layer zlib;`") else { return nil }
            line.transform = transform
            if take(.leftParenthesis) != nil {
                repeat {
                    guard let name = expectName("the name of a key or a field") else { return nil }
                    line.arguments.append(name)
                } while take(.comma) != nil
                guard expect(.rightParenthesis, "after the names") != nil else { return nil }
            }
        }
        return expectSemicolon(after: "the line") ? line : nil
    }
}
