// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation

/// Compares the speed of generated code in other languages with code that is written by hand for one message.
@main
enum LanguageBenchmarks {
    static func main() {
        runProgram { try run(try LanguageOptions(CommandLine.arguments.dropFirst())) }
    }

    private static func run(_ options: LanguageOptions) throws {
        guard !options.isHelp else { return print(LanguageOptions.help) }
        var samples: [(language: Language, samples: Samples)] = []
        for language in Language.allCases where options.only.map({ language.rawValue == $0 }) ?? true {
            guard language.tools.allSatisfy({ (try? Command.output(of: ["which", $0])) != nil }) else {
                try noteAbsence("no rows of \(language.rawValue)", "one of \(language.tools) is not installed")
                continue
            }
            let program = try LanguageProgram(language)
            defer { program.remove() }
            var measured = Samples()
            for _ in 1...(options.isSmoke ? 1 : options.rounds) {
                let milliseconds = options.isSmoke ? 1 : options.milliseconds
                for row in try program.run(milliseconds: milliseconds) {
                    measured.add(row.nanoseconds, row.caseName, row.implementation)
                }
            }
            samples.append((language, measured))
        }
        if options.isSmoke { return print("\(samples.count) languages write and read what code written by hand does") }
        print(table(samples, rounds: options.rounds))
    }

    private static func table(_ samples: [(language: Language, samples: Samples)], rounds: Int) -> String {
        var rows: [[String]] = []
        for (language, samples) in samples {
            for name in LanguageProgram.caseNames {
                let times = LanguageProgram.implementations.map { samples.median(name, $0)?.threeDigits ?? "–" }
                let ratio = samples.ratio(
                    name, LanguageProgram.implementations[0], to: LanguageProgram.implementations[1])
                let goal = language.goals[name].map { "\($0)×" } ?? ""
                rows.append([language.rawValue, name] + times + [ratio?.timesText ?? "–", goal])
            }
        }
        let heads = ["language", "case"] + LanguageProgram.implementations.map { "`\($0)`, ns" } + ["ratio", "goal"]
        return """
            \(Machine.description) \(rounds) rounds.

            ### Generated code in other languages

            \(markdownTable(heads, rows))
            """
    }
}

/// What the command line asks for.
struct LanguageOptions {
    var isHelp = false
    var isSmoke = false
    var only: String?
    var rounds = 5
    var milliseconds = 200

    static let help = """
        What generated code in other languages costs, beside code written by hand.

          (no option)       measures each language in rounds and prints a table
          --smoke           a few seconds: are all results right?
          --only LANGUAGE   measures only one of \(Language.allCases.map(\.rawValue).joined(separator: ", "))
          --rounds N        how many rounds the table is the median of (default 5)
          --milliseconds N  how long a measurement takes (default 200)
        """

    init(_ arguments: some Sequence<String>) throws(BadUsage) {
        var arguments = Arguments(arguments)
        while let argument = arguments.next() {
            switch argument {
            case "--help": isHelp = true
            case "--smoke": isSmoke = true
            case "--only": only = try arguments.value()
            case "--rounds": rounds = try arguments.number(from: 1)
            case "--milliseconds": milliseconds = try arguments.number(from: 1)
            default: throw BadUsage(description: "unknown option `\(argument)`")
            }
        }
        if let only, Language(rawValue: only) == nil { throw BadUsage(description: "no language `\(only)`") }
    }
}
