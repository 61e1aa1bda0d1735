// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineSchema

/// Finds the words that can continue a command line, from the descriptions of the commands.
struct WordCompletion {
    let commands: [Command]
    let protocols: () -> [String]
    /// Returns the named protocol, or for nil the only one. The result is nil if there is none or it has errors.
    let schema: (String?) -> ProtocolDescription?
    /// Returns the paths that begin with a text. The path of a folder ends with `/`.
    let paths: (String) -> [String]

    struct Word: Equatable {
        var text: String
        var help = ""
    }

    /// The words and paths that are possible at a position.
    struct Answer: Equatable {
        var words: [Word] = []
        /// The kind of paths that the shell itself completes; nil for none.
        var paths: Paths?
    }

    enum Paths: String {
        case files, folders
    }

    /// - Parameter line: The words after the program's name. The last one is incomplete, and may be empty.
    func answer(_ line: [String]) -> Answer {
        let current = line.last ?? ""
        let reading = LineReading(line.dropLast(), commands: commands)
        if let option = reading.openOption { return values(of: option, current, in: reading).starting(with: current) }
        if !reading.hasDashes, current.hasPrefix("-") { return options(current, in: reading) }
        guard let command = reading.command, !reading.asksForHelp else {
            return Answer(words: nextNames(after: reading.words, withHelp: !reading.asksForHelp))
                .starting(with: current)
        }
        let position = reading.words.count - command.nameWords.count
        let isOpen = command.parameters.last?.isRepeated ?? false
        let place = isOpen ? min(position, command.parameters.count - 1) : position
        guard command.parameters.indices.contains(place) else { return Answer() }
        return values(of: command.parameters[place], in: reading).starting(with: current)
    }

    // MARK: Names

    private func nextNames(after words: [String], withHelp: Bool) -> [Word] {
        var found: [Word] = []
        for command in commands where command.nameWords.starts(with: words) {
            guard let word = command.nameWords.dropFirst(words.count).first else { continue }
            let isWhole = command.nameWords.count == words.count + 1
            if found.last?.text != word { found.append(Word(text: word, help: isWhole ? command.summary : "")) }
        }
        if words.isEmpty, withHelp { found.append(Word(text: "help", help: Option.help.help)) }
        return found
    }

    // MARK: Options

    private func options(_ current: String, in reading: LineReading) -> Answer {
        let known = (reading.command?.options ?? []) + [.help] + (reading.words.isEmpty ? [.version] : [])
        guard let value = current.optionValue else {
            return Answer(words: known.map { Word(text: $0.name, help: $0.help) }).starting(with: current)
        }
        // An option can come before the name of the command.
        let all = reading.command == nil ? commands.flatMap(\.options) : known
        guard let option = all.first(where: { $0.name == current.optionName }), option.value != nil else {
            return Answer()
        }
        var answer = values(of: option, value, in: reading).starting(with: value)
        answer.words = answer.words.map { Word(text: option.name + "=" + $0.text, help: $0.help) }
        return answer
    }

    /// - Parameter current: The part of the value that is already typed.
    private func values(of option: Option, _ current: String, in reading: LineReading) -> Answer {
        if !option.choices.isEmpty { return Answer(words: option.choices.map { Word(text: $0) }) }
        if option == .protocolFolder {
            return Answer(words: protocols().map { Word(text: $0) }, paths: .folders)
        }
        if option == .state { return states(current, reading) }
        if option == .key { return keys(current, reading) }
        switch option.value {
        case "FILE": return Answer(paths: .files)
        case "DIR": return Answer(paths: .folders)
        case "MESSAGE": return messages(reading)
        default: return Answer()
        }
    }

    private func messages(_ reading: LineReading) -> Answer {
        Answer(words: (schema(reading.protocolFolder)?.messages ?? []).map { Word(text: $0.name) })
    }

    /// Returns the names of states, such as `phase=`. After the `=` it returns values, such as `phase=play`.
    private func states(_ current: String, _ reading: LineReading) -> Answer {
        guard let schema = schema(reading.protocolFolder) else { return Answer() }
        guard let equals = current.firstIndex(of: "=") else {
            return Answer(
                words: schema.states.map { state in
                    Word(text: state.name + "=", help: String(state.documentation.prefix { $0 != "\n" }))
                })
        }
        let name = String(current[..<equals])
        return Answer(words: schema.words(ofState: name).map { Word(text: "\(name)=\($0)") })
    }

    /// Returns the names of keys, such as `session=` and `client.session=`. After `session=@` it returns paths of
    /// files.
    private func keys(_ current: String, _ reading: LineReading) -> Answer {
        guard let schema = schema(reading.protocolFolder) else { return Answer() }
        guard let equals = current.firstIndex(of: "=") else {
            var names: [String] = []
            for name in schema.layout.content.layers.flatMap(\.kind.keyNames) where !names.contains(name) {
                names.append(name)
            }
            let sides = names.flatMap { name in
                Sender.allCases.map { Word(text: "\($0.rawValue).\(name)=", help: "for packets of the \($0.rawValue)") }
            }
            return Answer(words: names.map { Word(text: $0 + "=", help: "for packets of both sides") } + sides)
        }
        let (name, value) = (current[...equals], current[equals...].dropFirst())
        guard value.hasPrefix("@") else { return Answer(words: [Word(text: "\(name)@", help: "the bytes of a file")]) }
        return Answer(words: paths(String(value.dropFirst())).map { Word(text: "\(name)@\($0)") })
    }

    private func values(of parameter: Parameter, in reading: LineReading) -> Answer {
        if !parameter.choices.isEmpty { return Answer(words: parameter.choices.map { Word(text: $0) }) }
        switch parameter.name.prefix(while: { $0 != " " }) {
        case "DIR": return Answer(words: protocols().map { Word(text: $0) }, paths: .folders)
        case "FILE", "PATH", "VECTORS", "OLD", "NEW": return Answer(paths: .files)
        case "MESSAGE": return messages(reading)
        default: return Answer()
        }
    }
}

extension WordCompletion.Answer {
    fileprivate func starting(with prefix: String) -> Self {
        var result = self
        result.words.removeAll { !$0.text.hasPrefix(prefix) }
        return result
    }
}

extension Command {
    /// The words of the name. A name such as `websocket echo` has two.
    fileprivate var nameWords: [String] { name.split(separator: " ").map(String.init) }
}

/// What the words before the current one mean.
private struct LineReading {
    /// The command; nil until its name is complete.
    private(set) var command: Command?
    /// The words that are neither options nor values of options.
    private(set) var words: [String] = []
    /// The option whose value is the next word; nil if none is.
    private(set) var openOption: Option?
    private(set) var protocolFolder: String?
    private(set) var asksForHelp = false
    /// Whether `--` was one of the words. No options follow it.
    private(set) var hasDashes = false

    init(_ line: ArraySlice<String>, commands: [Command]) {
        let options = commands.flatMap(\.options)
        for word in line {
            if let option = openOption {
                if option == .protocolFolder { protocolFolder = word }
                openOption = nil
            } else if hasDashes || !word.hasPrefix("-") || word == "-" {
                if words.isEmpty, word == "help" { asksForHelp = true } else { words.append(word) }
            } else if word == "--" {
                hasDashes = true
            } else if let option = options.first(where: { $0.isNamed(word.optionName) }), option.value != nil {
                if let value = word.optionValue {
                    if option == .protocolFolder { protocolFolder = value }
                } else {
                    openOption = option
                }
            }
        }
        command = commands.first { words.starts(with: $0.nameWords) }
    }
}
