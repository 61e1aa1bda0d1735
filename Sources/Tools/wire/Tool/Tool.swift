// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

struct Tool {
    static let name = "wire"
    static let version = "0.1.0"

    let commands: [Command]
    let console: Console

    func run(_ words: [String]) async -> ExitStatus {
        var command: Command?
        do throws(CommandError) {
            command = try await run(words, &command)
            try console.flush()
            return .success
        } catch {
            return report(error, of: command)
        }
    }

    /// - Parameter command: Set as soon as the command is known, for error messages.
    private func run(_ words: [String], _ command: inout Command?) async throws(CommandError) -> Command? {
        let request = try Request(words, commands: commands)
        switch request {
        case .version:
            try console.print("\(Self.name) \(Self.version)")
        case .help:
            try console.print(lines: HelpText.text(of: commands))
        case .helpWithCommand(let command):
            try console.print(lines: HelpText.text(of: command))
        case .helpWithGroup(let name, let members):
            try console.print(lines: HelpText.text(of: members, of: name))
        case .run(let found, let rest):
            command = found
            try await found.run(Arguments(rest, of: found), console)
        }
        return command
    }

    private func report(_ error: CommandError, of command: Command?) -> ExitStatus {
        if error == .outputIsClosed { return .success }
        // Output before the error is printed first. If this fails, one error is enough.
        try? console.flush()
        switch error {
        case .usage(let text, let hint):
            console.report(error: text, hint: hint)
            console.report("usage: " + (command.map(HelpText.usage) ?? HelpText.usage))
            return .usage
        case .failure(let text, let hint):
            console.report(error: text, hint: hint)
            return .failure
        case .answerIsNo, .outputIsClosed:
            return .failure
        }
    }
}

/// What the arguments ask for.
enum Request {
    case version
    case help
    case helpWithCommand(Command)
    /// The help of several commands. Their names begin with this word.
    case helpWithGroup(String, [Command])
    case run(Command, [String])

    private static let listHint = "`\(Tool.name) --help` lists them"

    /// Parses the words. Options can come before the command's name, so it needs the options of all commands.
    init(_ words: [String], commands: [Command]) throws(CommandError) {
        let place = try Self.placeOfName(words, commands: commands)
        guard let place else {
            self = try Self.withoutCommand(words.prefix { $0 != "--" })
            return
        }
        if words[place] == "help" {
            let rest = words[(place + 1)...].filter { !$0.hasPrefix("-") }
            self = try rest.isEmpty ? .help : Self.help(rest, commands: commands)
            return
        }
        if words.prefix(while: { $0 != "--" }).contains(where: \.asksForHelp) {
            self = try Self.help(words[place...].filter { !$0.hasPrefix("-") }, commands: commands)
            return
        }
        let (command, wordCount) = try Self.command(Array(words[place...]), commands: commands)
        self = .run(command, Array(words[..<place] + words[(place + wordCount)...]))
    }

    /// Returns the request for the help of a command or a group.
    private static func help(_ words: [String], commands: [Command]) throws(CommandError) -> Request {
        let group = members(of: words.first ?? "", commands)
        if let word = words.first, words.count == 1, !group.isEmpty { return .helpWithGroup(word, group) }
        return .helpWithCommand(try command(words, commands: commands).command)
    }

    private static func members(of group: String, _ commands: [Command]) -> [Command] {
        commands.filter { $0.name.hasPrefix(group + " ") }
    }

    private static func withoutCommand(_ options: ArraySlice<String>) throws(CommandError) -> Request {
        if options.contains(where: \.asksForHelp) { return .help }
        if options.contains(Option.version.name) { return .version }
        throw .usage("a command is missing", hint: listHint)
    }

    /// Returns the position of the first word that is neither an option nor the value of one.
    private static func placeOfName(_ words: [String], commands: [Command]) throws(CommandError) -> Int? {
        let options = commands.flatMap(\.options) + [.help, .version]
        var rest = words[...]
        while let word = rest.first {
            let place = rest.startIndex
            rest.removeFirst()
            guard word.hasPrefix("-"), word != "--" else { return word == "--" ? nil : place }
            guard !word.asksForHelp else { continue }
            guard let option = options.first(where: { $0.isNamed(word.optionName) }) else {
                let hint = Spelling.help(for: word.optionName, among: options.map(\.name))
                throw .usage("unknown option `\(word.optionName)`", hint: hint)
            }
            if option.value == nil, word.optionValue != nil {
                throw .usage("option `\(word.optionName)` takes no value")
            }
            if option.value != nil, word.optionValue == nil { _ = rest.popValue() }
        }
        return nil
    }

    private static func command(
        _ words: [String], commands: [Command]
    ) throws(CommandError) -> (command: Command, wordCount: Int) {
        for command in commands {
            let name = command.name.split(separator: " ").map(String.init)
            if words.starts(with: name) { return (command, name.count) }
        }
        let word = words.first ?? ""
        let inside = members(of: word, commands).map(\.name)
        guard inside.isEmpty else { throw .usage("`\(word)` needs another word: \(inside.joined(separator: ", "))") }
        let hint = Spelling.help(for: word, among: commands.map(\.name)) ?? listHint
        throw .usage("unknown command `\(word)`", hint: hint)
    }
}

extension String {
    fileprivate var asksForHelp: Bool { Option.help.isNamed(self) }
}
