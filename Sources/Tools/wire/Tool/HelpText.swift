// SPDX-License-Identifier: Apache-2.0

enum HelpText {
    static let usage = "\(Tool.name) COMMAND [options]"
    static let about = "Works with length-prefixed messages: schemas, packets, servers and connections."
    static let outcome =
        "Results go to standard output, errors to standard error. Exit status: 0 yes, 1 no or failed, 2 the call was wrong."
    static let options = [
        (Option.help.usage, "show this help, or that of a command"), (Option.version.usage, Option.version.help),
    ]

    static func usage(of command: Command) -> String {
        ([Tool.name, command.name] + command.parameters.map(\.usage) + ["[options]"]).joined(separator: " ")
    }

    static func text(of commands: [Command]) -> String {
        let examples = commands.map { "    " + $0.example }
        return """
            \(about)

            usage: \(usage)

            commands:
            \(table(commands.map { ($0.name, $0.summary) }))

            options:
            \(table(options))

            examples:
            \(examples.joined(separator: "\n"))

            \(outcome)
            """
    }

    /// Returns the help of a group of commands. Their names begin with the same word.
    static func text(of members: [Command], of group: String) -> String {
        """
        usage: \(Tool.name) \(group) COMMAND [options]

        commands:
        \(table(members.map { ($0.name, $0.summary) }))

        options:
        \(table([(Option.help.usage, "show this help, or that of a command")]))

        examples:
        \(members.map { "    " + $0.example }.joined(separator: "\n"))
        """
    }

    static func text(of command: Command) -> String {
        let parameters = command.parameters.flatMap { [($0.name, $0.help)] + lines(of: $0.listedChoices) }
        let options = (command.options + [.help]).map { ($0.usage, $0.help) }
        return """
            \(Tool.name) \(command.name): \(command.summary).

            usage: \(usage(of: command))
            \(parameters.isEmpty ? "" : "\narguments:\n\(table(parameters))\n")
            options:
            \(table(options))

            example:
                \(command.example)
            """
    }

    /// Returns the words as rows of a table, with six words in each row.
    private static func lines(of words: [String]) -> [(String, String)] {
        let count = 6
        return stride(from: 0, to: words.count, by: count).map { start in
            let end = min(start + count, words.count)
            return ("", "  " + words[start..<end].joined(separator: ", ") + (end < words.count ? "," : ""))
        }
    }

    private static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, help in
            "    " + name + String(repeating: " ", count: width - name.count + 2) + help
        }.joined(separator: "\n")
    }
}
