// SPDX-License-Identifier: Apache-2.0

/// One subcommand: what it is called with, and what it does.
///
/// A new command is one file with an extension that makes one of these, and its name in ``Tool/commands``.
struct Command: Sendable {
    /// The word, or the words with a space between them: `check`, `websocket echo`.
    let name: String
    /// What it does, without a full stop.
    let summary: String
    /// What stands beside the options, in order; optional ones last.
    let parameters: [Parameter]
    /// What may stand anywhere.
    let options: [Option]
    /// A call that works from the repository's root.
    let example: String
    /// Does the work. Errors that it throws are printed; otherwise the process ends with 0.
    let run: @Sendable (Arguments, Console) async throws(CommandError) -> Void
}

/// A word that is told by its place.
struct Parameter: Sendable {
    /// In capitals.
    let name: String
    let help: String
    let isOptional: Bool
    /// Any number of them may stand there; it is the last one then.
    let isRepeated: Bool
    /// The words that may stand here; empty for any.
    let choices: [String]

    init(_ name: String, _ help: String, isOptional: Bool = false, isRepeated: Bool = false, choices: [String] = []) {
        self.name = name
        self.help = help
        self.isOptional = isOptional
        self.isRepeated = isRepeated
        self.choices = choices
    }

    /// As it stands in the line that shows how to call a command.
    var usage: String {
        let word = (choices.isEmpty ? name : choices.joined(separator: "|")) + (isRepeated ? "…" : "")
        return isOptional ? "[\(word)]" : word
    }
}

/// A word that is told by its name, such as `--header JSON`.
struct Option: Equatable, Sendable {
    /// With both dashes.
    let name: String
    /// What its value is, in capitals or as `a|b`; nil for an option without a value.
    let value: String?
    let help: String
    /// The values that it may have; empty for any.
    let choices: [String]

    /// An option without a value.
    init(_ name: String, _ help: String) {
        self.name = name
        self.help = help
        value = nil
        choices = []
    }

    /// An option with any value.
    init(_ name: String, value: String, _ help: String) {
        self.name = name
        self.value = value
        self.help = help
        choices = []
    }

    /// An option with one of these values.
    init(_ name: String, choices: [String], _ help: String) {
        self.name = name
        self.help = help
        self.choices = choices
        value = choices.joined(separator: "|")
    }

    /// As it stands in help: `--header JSON`.
    var usage: String { value.map { "\(name) \($0)" } ?? name }
}

extension Option {
    /// Every command has it.
    static let help = Option("--help", "show this")
    static let version = Option("--version", "show the version")
    /// Which protocol; see ``ProtocolFolder``.
    static let protocolFolder = Option(
        "--protocol", value: "DIR", "the protocol's folder (default: the only one under Protocols/)")
}
