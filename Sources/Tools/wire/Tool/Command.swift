// SPDX-License-Identifier: Apache-2.0

/// A subcommand: its arguments and its action.
///
/// To add a command, write one file with an extension that makes a `Command`, and add it to ``Tool/commands``.
struct Command: Sendable {
    /// One or two words: `check`, `websocket echo`.
    let name: String
    /// Without a full stop.
    let summary: String
    /// In order; optional ones last.
    let parameters: [Parameter]
    /// They may be anywhere in a call.
    let options: [Option]
    /// It works from the repository's root.
    let example: String
    /// A thrown error is printed. Without one, the exit status is 0.
    let run: @Sendable (Arguments, Console) async throws(CommandError) -> Void
}

/// A parameter that is identified by its position.
struct Parameter: Sendable {
    /// In capitals.
    let name: String
    let help: String
    let isOptional: Bool
    /// Only the last parameter may be repeated.
    let isRepeated: Bool
    /// The allowed words; empty: any.
    let choices: [String]

    init(_ name: String, _ help: String, isOptional: Bool = false, isRepeated: Bool = false, choices: [String] = []) {
        self.name = name
        self.help = help
        self.isOptional = isOptional
        self.isRepeated = isRepeated
        self.choices = choices
    }

    /// For usage lines: the allowed words if they are few, or the name.
    var usage: String {
        let word =
            (isListedSeparately || choices.isEmpty ? name : choices.joined(separator: "|")) + (isRepeated ? "…" : "")
        return isOptional ? "[\(word)]" : word
    }

    /// The allowed words if a usage line has no room for them.
    var listedChoices: [String] { isListedSeparately ? choices : [] }

    private var isListedSeparately: Bool { choices.count > 4 }
}

/// A parameter that is identified by its name, such as `--header JSON`.
struct Option: Equatable, Sendable {
    /// With both dashes.
    let name: String
    /// The placeholder for the value, in capitals or as `a|b`; nil for an option without a value.
    let value: String?
    let help: String
    /// The allowed values; empty for any.
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

    /// True also for the short name.
    func isNamed(_ word: String) -> Bool { word == name || self == .help && word == "-h" }

    /// For help: `--header JSON`.
    var usage: String { value.map { "\(name) \($0)" } ?? name }
}

extension Option {
    /// Every command has it.
    static let help = Option("--help", "show this help")
    static let version = Option("--version", "show the version")
    /// See ``ProtocolFolder``.
    static let protocolFolder = Option(
        "--protocol", value: "DIR", "the protocol's folder (default: the only one under Protocols/)")
}
