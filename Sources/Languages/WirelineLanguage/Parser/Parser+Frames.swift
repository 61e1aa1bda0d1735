// SPDX-License-Identifier: Apache-2.0

extension Parser {
    /// Whether a frame follows; in `frame x;` the word is the name of a type.
    var startsFrame: Bool {
        guard current.kind == .name, text(of: current) == "frame" else { return false }
        let next = token(ahead: 1).kind
        return next == .number || next == .minus || next == .leftBrace
    }

    /// Reads a frame: `frame 0x7E..0x7E { 0x7E = 0x7D02; 0x7D = 0x7D01; }`.
    mutating func parseFrame() -> FrameSyntax? {
        let keyword = span(of: advance())
        guard let start = expectNumber("the start mark, as in `frame 0x7E..0x7E { … }`"),
            expect(.dots, "after the start mark", help: "write both marks, as in `0x7E..0x7E`") != nil,
            let end = expectNumber("the end mark"), let open = expectLeftBrace("after the marks")
        else { return nil }
        var frame = FrameSyntax(keyword: keyword, start: start, end: end, escapes: [], isComplete: true)
        frame.isComplete = parseMembers(of: "frame", openedBy: open) { parser in
            guard let escape = parser.parseEscape() else { return false }
            frame.escapes.append(escape)
            return true
        }
        return frame
    }

    private mutating func parseEscape() -> EscapeSyntax? {
        guard let byte = expectNumber("a byte and what replaces it, as in `0x7E = 0x7D02;`"),
            expect(.equals, "after the byte", help: "two bytes replace it, as in `0x7E = 0x7D02;`") != nil,
            let pair = expectNumber("the two bytes that replace it"), expectSemicolon(after: "the two bytes")
        else { return nil }
        return EscapeSyntax(byte: byte, pair: pair)
    }
}
