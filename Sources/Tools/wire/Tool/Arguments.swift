// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// The arguments of a command. All required ones are present.
struct Arguments: Equatable, Sendable {
    private(set) var words: [String] = []
    private var values: [String: [String]] = [:]

    /// Returns the word at a position; nil if an optional word is missing.
    func word(at place: Int) -> String? { words.indices.contains(place) ? words[place] : nil }

    /// The last value of the option; nil if the option is absent.
    subscript(option: Option) -> String? { values[option.name]?.last }

    /// Returns all values of the option, in order.
    func all(_ option: Option) -> [String] { values[option.name] ?? [] }

    func has(_ option: Option) -> Bool { values[option.name] != nil }
}

extension Arguments {
    /// Appends the values of other arguments' options. Their words are not added.
    mutating func add(_ others: Arguments) {
        values.merge(others.values) { $0 + $1 }
    }

    /// Parses the words after a command's name.
    ///
    /// Options can be anywhere before `--`. The value of an option is the next word, or follows an `=`.
    init(_ words: [String], of command: Command) throws(CommandError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                self.words += rest
                break
            } else if word.hasPrefix("-") && word != "-" {
                try takeOption(word, from: &rest, of: command)
            } else {
                self.words.append(word)
            }
        }
        try checkWords(of: command)
    }

    private mutating func takeOption(
        _ word: String, from rest: inout ArraySlice<String>, of command: Command
    ) throws(CommandError) {
        let name = word.optionName
        guard !Option.help.isNamed(name) else { throw .usage("option `\(name)` takes no value") }
        guard let option = command.options.first(where: { $0.name == name }) else {
            let known = command.options.map(\.name) + [Option.help.name]
            throw .usage("unknown option `\(name)`", hint: Spelling.help(for: name, among: known))
        }
        let attached = word.optionValue
        guard let value = option.value else {
            guard attached == nil else { throw .usage("option `\(name)` takes no value") }
            values[name] = [""]
            return
        }
        guard let given = attached ?? rest.popValue() else { throw .usage("option `\(name)` needs a value: \(value)") }
        try requireChoice(given, among: option.choices, of: "option `\(name)`")
        values[name, default: []].append(given)
    }

    private func checkWords(of command: Command) throws(CommandError) {
        if let missing = command.parameters.dropFirst(words.count).first(where: { !$0.isOptional }) {
            let choices = missing.choices.joined(separator: " or ")
            throw .usage("\(missing.name) is missing" + (choices.isEmpty ? "" : ": it is \(choices)"))
        }
        let isOpen = command.parameters.last?.isRepeated ?? false
        if !isOpen, let extra = words.dropFirst(command.parameters.count).first {
            throw .usage("unexpected argument `\(extra)`", hint: "a value with spaces stands in quotes")
        }
        for (parameter, word) in zip(command.parameters, words) {
            try requireChoice(word, among: parameter.choices, of: parameter.name)
        }
    }

    private func requireChoice(
        _ word: String, among choices: [String], of what: String
    ) throws(CommandError) {
        guard !choices.isEmpty && !choices.contains(word) else { return }
        let hint = Spelling.help(for: word, among: choices)
        throw .usage("\(what) is \(choices.joined(separator: " or ")), not `\(word)`", hint: hint)
    }
}

extension String {
    /// The part before the `=`: `--header` of `--header=…`.
    var optionName: String { String(prefix { $0 != "=" }) }

    /// The part after the first `=`; nil if there is none.
    var optionValue: String? { firstIndex(of: "=").map { String(self[index(after: $0)...]) } }
}

extension ArraySlice<String> {
    /// Removes and returns the next word as a value. A word that begins with two dashes is an option, so a value that
    /// does needs `=`.
    mutating func popValue() -> String? {
        guard let first, !first.hasPrefix("--") else { return nil }
        removeFirst()
        return first
    }
}
