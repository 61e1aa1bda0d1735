// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

extension Command {
    static let diff = Command(
        name: "diff",
        summary: "show which schema changes break which side, with a packet that proves it",
        parameters: [
            Parameter("OLD", "a folder, a lock file, or a git revision: REV, or REV:DIR", isOptional: true),
            Parameter("NEW", "the same kinds (default: the protocol's folder as it is now)", isOptional: true),
        ],
        options: [.protocolFolder, .format, .strict, .lock, .writeLock],
        example: "wire diff Protocols/Scene Protocols/Scene --strict",
        run: { arguments, console throws(CommandError) in
            if let file = arguments[.writeLock] { return try writeLock(file, arguments, console) }
            let (before, after) = try sources(arguments)
            let old = try before.describe(console)
            let new = try after.describe(console)
            let report = ChangeReport(
                old: before.name, new: after.name, changes: new.changes(since: old), isStrict: arguments.has(.strict))
            switch arguments[.format] {
            case "json": try console.print(report.json.description)
            case "github": try report.printForGitHub(console)
            default: try report.printText(console)
            }
            guard report.isGood else { throw .answerIsNo }
        })

    private static func sources(_ arguments: Arguments) throws(CommandError) -> (SchemaSource, SchemaSource) {
        var words = arguments.words
        if let lock = arguments[.lock] {
            guard words.count < 2 else { throw .usage("the old version is named twice, as OLD and by --lock") }
            words.insert(lock, at: 0)
        }
        guard let before = words.first else {
            throw .usage("OLD is missing", hint: "a folder, a git revision, or a file that --write-lock has written")
        }
        let folder: String? =
            if words.count == 2, arguments[.protocolFolder] == nil { nil } else { try newFolder(arguments) }
        let after = words.count == 2 ? words[1] : folder ?? ""
        let old = try SchemaSource(before, folder: folder ?? after, mustBeLock: arguments.has(.lock))
        return (old, try SchemaSource(after, folder: folder ?? before))
    }

    /// Returns the folder of the new version. The default is the protocol's folder.
    private static func newFolder(_ arguments: Arguments) throws(CommandError) -> String {
        do throws(CommandError) {
            return try ProtocolFolder(arguments[.protocolFolder]).path
        } catch .usage(let text, _) {
            throw .usage("NEW is missing: \(text)", hint: "name it, or choose a protocol with --protocol DIR")
        }
    }

    private static func writeLock(_ file: String, _ arguments: Arguments, _ console: Console) throws(CommandError) {
        guard arguments.words.count < 2, !arguments.has(.lock) else {
            throw .usage("--write-lock takes one version", hint: "wire diff --write-lock FILE [DIR]")
        }
        let folder = try ProtocolFolder(arguments.word(at: 0) ?? arguments[.protocolFolder])
        let source = try SchemaSource(folder.path, folder: folder.path)
        _ = try source.describe(console)
        do throws(SystemError) {
            try System.replaceFile(file, with: LockFile(of: source.files, protocol: folder.name).bytes)
        } catch {
            throw .failure("cannot write \(file): \(error.reason)")
        }
        try console.print(file)
    }
}

extension Option {
    fileprivate static let format = Option(
        "--format", choices: ["text", "json", "github"],
        "the output: for people, for programs, or GitHub annotations (default text)")
    fileprivate static let strict = Option(
        "--strict", "also exit with 1 for changes that affect only generated code or JSON")
    fileprivate static let lock = Option(
        "--lock", value: "FILE", "the old version, written by --write-lock; CI then needs no git history")
    fileprivate static let writeLock = Option(
        "--write-lock", value: "FILE",
        "write the protocol's folder (OLD or --protocol) to one file; nothing is compared")
}
