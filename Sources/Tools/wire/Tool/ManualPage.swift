// SPDX-License-Identifier: Apache-2.0

/// The manual page, in the macros of man(7). groff and mandoc can read them.
struct ManualPage {
    let commands: [Command]

    var text: String {
        let about = HelpText.about
        let name = about.prefix(1).lowercased() + about.dropFirst().dropLast()
        let head =
            [
                ".TH \(Tool.name.uppercased()) 1 \"\" \"\(Tool.name) \(Tool.version)\" \"User Commands\"",
                ".SH NAME",
            ] + Self.lines(Tool.name, dash: name)
            + [".SH SYNOPSIS", ".B \"\(Self.quoted(HelpText.usage))\"", ".SH DESCRIPTION"] + Self.lines(about)
        let lines =
            head + [".SH OPTIONS"] + Self.list(HelpText.options) + [".SH COMMANDS"] + commands.flatMap(lines)
            + [".SH EXIT STATUS"] + Self.lines(HelpText.outcome)
        return lines.joined(separator: "\n")
    }

    private func lines(about command: Command) -> [String] {
        let parameters = command.parameters.map { parameter in
            let choices = parameter.listedChoices.joined(separator: ", ")
            return (parameter.name, parameter.help + (choices.isEmpty ? "" : ": \(choices)"))
        }
        let options = command.options.map { ($0.usage, $0.help) }
        return [".SS \"\(Self.quoted(HelpText.usage(of: command)))\""]
            + Self.lines(Self.sentence(command.summary)) + Self.list(parameters + options)
            + [".PP", "Example:", ".PP", ".RS 4", ".EX", Self.escaped(command.example), ".EE", ".RE"]
    }

    /// Returns a list. Each row is a name and its explanation.
    private static func list(_ rows: [(String, String)]) -> [String] {
        rows.flatMap { [".TP", ".B \"\(quoted($0))\""] + lines(sentence($1)) }
    }

    private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() + "." }

    /// Splits a paragraph into lines of at most 80 bytes. A longer word has its own line.
    ///
    /// - Parameter dash: The text after a dash. The section NAME needs a dash here and not a hyphen (man(7)).
    private static func lines(_ text: String, dash: String? = nil) -> [String] {
        var words = text.split(separator: " ").map { escaped($0) }
        if let dash { words += ["\\-"] + dash.split(separator: " ").map { escaped($0) } }
        var lines: [String] = []
        for word in words {
            if let last = lines.last, last.utf8.count + word.utf8.count < 80 {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(word)
            }
        }
        return lines
    }

    // MARK: Text

    /// Escapes text so that troff prints it unchanged (groff_char(7), "Escape sequences").
    private static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "\n": result += " "
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
            }
        }
        // A line that begins with a dot would be a request, and each word can be the first of a line.
        return result.hasPrefix(".") ? "\\&" + result : result
    }

    /// Escapes text for an argument in quotes.
    private static func quoted(_ text: String) -> String {
        escaped(text).split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\(dq")
    }
}
