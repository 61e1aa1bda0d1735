// SPDX-License-Identifier: Apache-2.0

/// A subcommand: its arguments and its action.
///
/// To add a command, write one file with an extension that makes a `Command`, and add it to ``Tool/commands``.
struct Command: Sendable {
    /// The name has one or two words: `check`, `websocket echo`.
    let name: String
    /// One sentence without a full stop.
    let summary: String
    /// The parameters in order. Optional ones are last.
    let parameters: [Parameter]
    /// The options. They can be anywhere in a call.
    let options: [Option]
    /// A call that works in the root folder of the repository.
    let example: String
    /// The action. An error that it throws is printed. Otherwise the exit status is 0.
    let run: @Sendable (Arguments, Console) async throws(CommandError) -> Void
}

/// A parameter without a dash. Its position identifies it.
struct Parameter: Sendable {
    /// The name, in capitals.
    let name: String
    let help: String
    let isOptional: Bool
    /// Only the last parameter may be repeated.
    let isRepeated: Bool
    /// The allowed words; empty means any word.
    let choices: [String]

    init(_ name: String, _ help: String, isOptional: Bool = false, isRepeated: Bool = false, choices: [String] = []) {
        self.name = name
        self.help = help
        self.isOptional = isOptional
        self.isRepeated = isRepeated
        self.choices = choices
    }

    /// The text for usage lines: the allowed words if they are few, otherwise the name.
    var usage: String {
        let word =
            (isListedSeparately || choices.isEmpty ? name : choices.joined(separator: "|")) + (isRepeated ? "…" : "")
        return isOptional ? "[\(word)]" : word
    }

    /// The allowed words if the usage line has no space for them; otherwise empty.
    var listedChoices: [String] { isListedSeparately ? choices : [] }

    private var isListedSeparately: Bool { choices.count > 4 }
}

/// A parameter with a name, such as `--header JSON`.
struct Option: Equatable, Sendable {
    /// The name, with both dashes.
    let name: String
    /// The placeholder of the value, in capitals or as `a|b`; nil if the option has no value.
    let value: String?
    let help: String
    /// The allowed values; empty means any value.
    let choices: [String]

    init(_ name: String, _ help: String) {
        self.name = name
        self.help = help
        value = nil
        choices = []
    }

    init(_ name: String, value: String, _ help: String) {
        self.name = name
        self.value = value
        self.help = help
        choices = []
    }

    init(_ name: String, choices: [String], _ help: String) {
        self.name = name
        self.help = help
        self.choices = choices
        value = choices.joined(separator: "|")
    }

    /// Whether the word is the option's name or its short name.
    func isNamed(_ word: String) -> Bool { word == name || self == .help && word == "-h" }

    /// The text for help: `--header JSON`.
    var usage: String { value.map { "\(name) \($0)" } ?? name }
}

extension Option {
    /// Every command has this option.
    static let help = Option("--help", "show this help")
    static let version = Option("--version", "show the version")
    /// The option for ``ProtocolFolder``.
    static let protocolFolder = Option(
        "--protocol", value: "DIR", "the protocol's folder (default: the only one under Protocols/)")
}
