// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

extension Command {
    static let completions = Command(
        name: "completions",
        summary: "print the script with which a shell completes the words of wire",
        parameters: [
            Parameter(
                "SHELL", "the shell; with `words`, the words that can continue a line, as the scripts ask for them",
                choices: ShellScript.allCases.map(\.rawValue) + [lineWord]),
            Parameter("WORD", "the words of the line after `wire`, after `--`", isOptional: true, isRepeated: true),
        ],
        options: [],
        example: "wire completions bash",
        run: { arguments, console throws(CommandError) in
            if let script = arguments.word(at: 0).flatMap(ShellScript.init) {
                try console.print(styled: script.text)
                return
            }
            let completion = WordCompletion(
                commands: all, protocols: ProtocolFolder.namesInHome, schema: schema(in:), paths: paths(startingWith:))
            let answer = completion.answer(Array(arguments.words.dropFirst()))
            for word in answer.words where !word.text.utf8.contains(where: { $0 < 0x20 }) {
                // The shell needs the unescaped word.
                try console.print(styled: word.help.isEmpty ? word.text : word.text + "\t" + word.help)
            }
            if let paths = answer.paths { try console.print(":" + paths.rawValue) }
        })

    private static let lineWord = "words"

    /// Returns nil if there is no protocol or it has errors.
    private static func schema(in folder: String?) -> ProtocolDescription? {
        (try? ProtocolFolder(folder).check())?.description
    }

    /// Returns the paths that begin with a text. Hidden files are left out unless the text names one.
    private static func paths(startingWith text: String) -> [String] {
        let end = text.lastIndex(of: "/").map { text.index(after: $0) } ?? text.startIndex
        let (folder, start) = (String(text[..<end]), text[end...])
        let names = (try? System.names(inFolder: folder.isEmpty ? "." : folder)) ?? []
        return names.filter { $0.hasPrefix(start) && (start.hasPrefix(".") || !$0.hasPrefix(".")) }.sorted().map {
            name in
            let path = folder + name
            return (try? System.kind(of: path)) == .folder ? path + "/" : path
        }
    }
}
