// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

extension Command {
    static let check = Command(
        name: "check",
        summary: "parse and check a protocol's .wire files",
        parameters: [Parameter("DIR", "the protocol's folder; the same as --protocol", isOptional: true)],
        options: [.protocolFolder, .format],
        example: "wire check Protocols/Scene",
        run: { arguments, console throws(CommandError) in
            if arguments.word(at: 0) != nil, arguments.has(.protocolFolder) {
                throw .usage("the folder is named twice, as DIR and by --protocol")
            }
            let folder = try ProtocolFolder(arguments.word(at: 0) ?? arguments[.protocolFolder])
            let result = try folder.check()
            switch arguments[.format] {
            case "json": try console.print(CheckReport(folder, result).json.description)
            case "github": try CheckReport(folder, result).printForGitHub(console)
            default: try CheckReport(folder, result).printText(console)
            }
            guard result.isValid else { throw .answerIsNo }
        })
}

extension Option {
    fileprivate static let format = Option(
        "--format", choices: ["text", "json", "github"],
        "the output: for people, for programs, or GitHub annotations (default text)")
}

/// The result of a check, which can be printed in three formats.
private struct CheckReport {
    let folder: ProtocolFolder
    let result: CheckResult

    init(_ folder: ProtocolFolder, _ result: CheckResult) {
        self.folder = folder
        self.result = result
    }

    /// Prints the problems to standard error, as compilers do, and the summary to standard output.
    func printText(_ console: Console) throws(CommandError) {
        DiagnosticText(style: TextStyle(of: System.Descriptor.standardError)).report(result, console)
        try console.print(summary)
    }

    /// The summary, such as `Protocols/Scene: 2 messages, no problems`.
    private var summary: String {
        var parts: [String] = []
        if let description = result.description { parts.append(count(description.messages.count, "message")) }
        let errorCount = result.count(of: .error)
        let warningCount = result.count(of: .warning)
        if errorCount > 0 { parts.append(count(errorCount, "error")) }
        if warningCount > 0 { parts.append(count(warningCount, "warning")) }
        if result.omittedDiagnosticCount > 0 { parts.append("\(result.omittedDiagnosticCount) more problems") }
        if errorCount + warningCount == 0 { parts.append("no problems") }
        return folder.path + ": " + parts.joined(separator: ", ")
    }

    private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// The report as one object. It is printed on one line.
    var json: JSONValue {
        [
            "protocol": .string(folder.name),
            "folder": .string(folder.path),
            "valid": .boolean(result.isValid),
            "messages": result.description.map { .integer(Int128($0.messages.count)) } ?? .null,
            "diagnostics": .array(result.diagnostics.map(json)),
            "omitted": .integer(Int128(result.omittedDiagnosticCount)),
        ]
    }

    private func json(_ diagnostic: Diagnostic) -> JSONValue {
        [
            "severity": .string(diagnostic.severity.rawValue),
            "file": .string(diagnostic.location.file),
            "line": .integer(Int128(diagnostic.location.line)),
            "column": .integer(Int128(diagnostic.location.column)),
            "endLine": .integer(Int128(diagnostic.endLocation.line)),
            "endColumn": .integer(Int128(diagnostic.endLocation.column)),
            "byteCount": .integer(Int128(diagnostic.byteCount)),
            "message": .string(diagnostic.message),
            "help": diagnostic.hint.map { .string($0) } ?? .null,
        ]
    }

    /// Prints workflow commands, which GitHub shows next to the changed lines.
    func printForGitHub(_ console: Console) throws(CommandError) {
        for diagnostic in result.diagnostics {
            let text = diagnostic.message + (diagnostic.hint.map { "\nhelp: " + $0 } ?? "")
            let command = WorkflowCommand(
                diagnostic.severity.rawValue, at: diagnostic.location, to: diagnostic.endLocation, text)
            try console.print(command.text)
        }
        try console.print(summary)
    }
}
