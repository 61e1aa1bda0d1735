// SPDX-License-Identifier: Apache-2.0

/// What is made of the printed text.
///
/// The printers write TypeScript and JavaScript as one text with marks:
///
///     function u8(r‹: Reader›, f‹: Place›)‹: number› { return r.b[take(r, 1, f)]‹!›; }
///     sceneId: «seen_at(r, r.p, »u8(r, "SceneId")«, "SceneId")»,
///
/// What stands in `‹…›` is TypeScript's only, because it has no effect: types, interfaces, comments. What stands in `«…»` is the
/// script's only. A mark that is written twice is that character.
enum TypeScriptForm {
    /// A module of TypeScript.
    case module
    /// A module of JavaScript for pages. It also says which bytes each value was read from.
    case script

    /// Returns the text in this form.
    ///
    /// Lines of which nothing is left are left out. A script has no documentation comments, and no indentation.
    func text(of printed: String) -> String {
        var lines: [String] = []
        var reader = Reader(form: self)
        var wasLeftOut = false
        for line in printed.split(separator: "\n", omittingEmptySubsequences: false) {
            let text = reader.text(of: line)
            let isLeftOut = !line.isEmpty && text.allSatisfy { $0 == " " }
            // One of the empty lines around a part that is left out stays.
            if isLeftOut || wasLeftOut && line.isEmpty && lines.last?.isEmpty != false {
                wasLeftOut = true
                continue
            }
            wasLeftOut = false
            lines.append(self == .script ? String(text.drop { $0 == " " }) : text)
        }
        return lines.joined(separator: "\n")
    }

    /// Returns a text in which each mark is written twice.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if marks.contains(scalar) { result.unicodeScalars.append(scalar) }
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    /// Returns lines that only a module has.
    static func onlyModule(_ lines: [String]) -> [String] {
        guard !lines.isEmpty else { return [] }
        var marked = lines
        marked[0] = "‹" + marked[0]
        marked[marked.count - 1] += "›"
        return marked
    }

    private static let marks: Set<Unicode.Scalar> = ["‹", "›", "«", "»"]

    /// Takes marks out of lines.
    private struct Reader {
        let form: TypeScriptForm
        private var isInType = false
        private var isInScript = false
        private var isInComment = false

        init(form: TypeScriptForm) { self.form = form }

        mutating func text(of line: Substring) -> String {
            let text = line.utf8.contains(where: { $0 >= 0x80 }) ? withoutMarks(line) : isShown ? String(line) : ""
            return form == .script ? withoutComment(text) : text
        }

        private var isShown: Bool { form == .module ? !isInScript : !isInType }

        private mutating func withoutMarks(_ line: Substring) -> String {
            var result = ""
            let scalars = Array(line.unicodeScalars)
            var position = 0
            while position < scalars.count {
                let scalar = scalars[position]
                position += 1
                if marks.contains(scalar), position == scalars.count || scalars[position] != scalar {
                    switch scalar {
                    case "‹", "›": isInType = scalar == "‹"
                    default: isInScript = scalar == "«"
                    }
                    continue
                }
                if marks.contains(scalar) { position += 1 }
                if isShown { result.unicodeScalars.append(scalar) }
            }
            return result
        }

        /// Returns nothing for the lines of a documentation comment.
        private mutating func withoutComment(_ line: String) -> String {
            let start = line.drop { $0 == " " }
            if start.hasPrefix("/**") { isInComment = true }
            guard isInComment else { return line }
            if line.hasSuffix("*/") { isInComment = false }
            return ""
        }
    }
}
