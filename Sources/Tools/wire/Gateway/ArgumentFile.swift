// SPDX-License-Identifier: Apache-2.0

/// Reads options from a file, one on each line, without a shell. The argument `@FILE` names the file.
///
///     # The gateway of the first zone.
///     --name gw1@10.0.0.4
///     --listen tls://0.0.0.0:9001
///     --goodbye Sc_Goodbye {"Reason": 3}
enum ArgumentFile {
    private static let byteCountLimit = 1 << 20

    /// Replaces each `@FILE` by the options in it. If an option may occur only once, the command line overrides the
    /// file.
    static func expand(_ arguments: Arguments, of command: Command) throws(CommandError) -> Arguments {
        var expanded = Arguments()
        for word in arguments.words {
            guard word.hasPrefix("@"), word.utf8.count > 1 else { throw .usage("unexpected argument `\(word)`") }
            let file = String(word.dropFirst())
            let words = try words(in: file)
            do throws(CommandError) {
                let given = try Arguments(words, of: command)
                if let extra = given.words.first { throw .usage("unexpected argument `\(extra)`") }
                expanded.add(given)
            } catch {
                guard case .usage(let text, let hint) = error else { throw error }
                throw .usage("\(file): \(text)", hint: hint)
            }
        }
        expanded.add(arguments)
        return expanded
    }

    private static func words(in file: String) throws(CommandError) -> [String] {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try System.contents(ofFile: file, limit: byteCountLimit)
        } catch {
            throw .failure("cannot read \(file): \(error.reason)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .failure("\(file) is not UTF-8") }
        var words: [String] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let line = trimmed(line)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let name = line.prefix { !$0.isWhitespace }
            words.append(String(name))
            let value = unquoted(trimmed(line.dropFirst(name.count)))
            guard !value.isEmpty else { continue }
            // With `=`, a value can begin with dashes.
            words[words.count - 1] += "=" + value
        }
        return words
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    /// Removes quotes as a shell does.
    private static func unquoted(_ text: Substring) -> Substring {
        guard text.count >= 2, let first = text.first, first == "'" || first == "\"", text.last == first
        else { return text }
        return text.dropFirst().dropLast()
    }
}
