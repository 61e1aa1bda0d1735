// SPDX-License-Identifier: Apache-2.0

/// A subcommand: its arguments and its action.
///
/// A new command is one file with an extension that makes a `Command`, and its name in ``Tool/commands``.
struct Command: Sendable {
    /// The word, or the words separated by a space: `check`, `websocket echo`.
    let name: String
    /// A description, without a full stop.
    let summary: String
    /// The positional parameters, in order; optional ones last.
    let parameters: [Parameter]
    /// The options, which may be anywhere.
    let options: [Option]
    /// An example that works from the repository's root.
    let example: String
    /// Runs the command. Errors that it throws are printed; otherwise the exit status is 0.
    let run: @Sendable (Arguments, Console) async throws(CommandError) -> Void
}

/// A parameter identified by its position.
struct Parameter: Sendable {
    /// The name, in capitals.
    let name: String
    let help: String
    let isOptional: Bool
    /// Whether it may be repeated; only the last parameter may be.
    let isRepeated: Bool
    /// The allowed words; empty for any.
    let choices: [String]

    init(_ name: String, _ help: String, isOptional: Bool = false, isRepeated: Bool = false, choices: [String] = []) {
        self.name = name
        self.help = help
        self.isOptional = isOptional
        self.isRepeated = isRepeated
        self.choices = choices
    }

    /// The notation in usage lines: the allowed words if they are few, or the name.
    var usage: String {
        let word = (isListedApart || choices.isEmpty ? name : choices.joined(separator: "|")) + (isRepeated ? "…" : "")
        return isOptional ? "[\(word)]" : word
    }

    /// The allowed words that a usage line has no room for.
    var listedChoices: [String] { isListedApart ? choices : [] }

    private var isListedApart: Bool { choices.count > 4 }
}

/// A parameter identified by its name, such as `--header JSON`.
struct Option: Equatable, Sendable {
    /// The name, with both dashes.
    let name: String
    /// The placeholder for the value, in capitals or as `a|b`; nil for an option without a value.
    let value: String?
    let help: String
    /// The allowed values; empty for any.
    let choices: [String]

    /// Makes an option without a value.
    init(_ name: String, _ help: String) {
        self.name = name
        self.help = help
        value = nil
        choices = []
    }

    /// Makes an option with any value.
    init(_ name: String, value: String, _ help: String) {
        self.name = name
        self.value = value
        self.help = help
        choices = []
    }

    /// Makes an option with one of these values.
    init(_ name: String, choices: [String], _ help: String) {
        self.name = name
        self.help = help
        self.choices = choices
        value = choices.joined(separator: "|")
    }

    /// Returns whether a word is the option's name or its short name.
    func isNamed(_ word: String) -> Bool { word == name || self == .help && word == "-h" }

    /// The notation in help: `--header JSON`.
    var usage: String { value.map { "\(name) \($0)" } ?? name }
}

extension Option {
    /// The option that every command has.
    static let help = Option("--help", "show this help")
    static let version = Option("--version", "show the version")
    /// The option for the protocol; see ``ProtocolFolder``.
    static let protocolFolder = Option(
        "--protocol", value: "DIR", "the protocol's folder (default: the only one under Protocols/)")
}
