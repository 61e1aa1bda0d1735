// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

extension Command {
    static let format = Command(
        name: "format",
        summary: "format .wire files in the one canonical way; comments stay",
        parameters: [
            Parameter(
                "PATH", "folders and .wire files (default: the only protocol under Protocols/)", isOptional: true,
                isRepeated: true)
        ],
        options: [.protocolFolder, .check],
        example: "wire format --check Protocols/Scene",
        run: { arguments, console throws(CommandError) in
            var isRight = true
            for path in try paths(arguments) {
                let bytes = try contents(path)
                switch SourceFile(path: path, bytes: bytes).formatted() {
                case .broken(let result):
                    isRight = false
                    DiagnosticText(style: TextStyle(of: System.Descriptor.standardError)).report(result, console)
                case .formatted(let formatted) where formatted != bytes:
                    if arguments.has(.check) { isRight = false } else { try replace(path, with: formatted) }
                    try console.print(path)
                case .formatted: break
                }
            }
            guard isRight else { throw .answerIsNo }
        })

    /// Returns the paths of the given files and of the files in the given folders.
    private static func paths(_ arguments: Arguments) throws(CommandError) -> [String] {
        if !arguments.words.isEmpty, arguments.has(.protocolFolder) {
            throw .usage("what to format is named twice, as PATH and by --protocol")
        }
        guard !arguments.words.isEmpty else { return try ProtocolFolder(arguments[.protocolFolder]).filePaths() }
        var paths: [String] = []
        for word in arguments.words {
            if word.hasSuffix(".wire"), (try? System.kind(of: word)) != .folder {
                paths.append(word)
            } else {
                paths += try ProtocolFolder(word).filePaths()
            }
        }
        return paths
    }

    private static func contents(_ path: String) throws(CommandError) -> [UInt8] {
        do throws(SystemError) {
            return try System.contents(ofFile: path, limit: ProtocolFolder.maximumFileByteCount)
        } catch {
            throw .failure("cannot read \(path): \(error.reason)")
        }
    }

    /// Replaces a file atomically, so that no other program reads a part of it.
    private static func replace(_ path: String, with bytes: [UInt8]) throws(CommandError) {
        do throws(SystemError) {
            try System.exchangeFile(path, with: bytes)
        } catch {
            throw .failure("cannot write \(path): \(error.reason)")
        }
    }
}

extension Option {
    fileprivate static let check = Option(
        "--check", "change nothing; list the files that would change, and exit with 1 if there are any")
}
