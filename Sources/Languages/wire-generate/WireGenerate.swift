// SPDX-License-Identifier: Apache-2.0

import Foundation
import WirelineLanguage
import WirelineSwiftGenerator

/// The generator alone. It is small, because every user of the plugin builds it.
@main
enum WireGenerate {
    static let help = """
        Generates Swift from the .wire files of one folder, subfolders not included.

        wire-generate FOLDER --out FOLDER [--parts N] [--erlang]

        Each `name.wire` gives `name.wire.swift`, and the folder `Scene` gives `SceneProtocol.swift`. With `--parts 3`,
        the types are divided among `name.wire.swift`, `name.wire.2.swift` and `name.wire.3.swift`. With `--erlang`,
        `SceneProtocol+Erlang.swift` makes messages records of Erlang. Files whose text is the same already are left alone. Diagnostics go to standard error. The exit code is 0, 1 when something in the
        files or with the disk is wrong, or 2 when the call is.

        """

    static func main() {
        do throws(Complaint) {
            let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
            if arguments.wantsHelp {
                Files.print(help, to: .standardOutput)
            } else {
                try generate(arguments)
            }
        } catch {
            Files.print(error.text + "\n", to: .standardError)
            exit(error.status)
        }
    }

    private static func generate(_ arguments: Arguments) throws(Complaint) {
        let (input, output) = (arguments.input, arguments.output)
        let names = try Files.names(in: input).filter { $0.hasSuffix(".wire") && !$0.hasPrefix(".") }
        guard !names.isEmpty else { throw Complaint("error: there is no .wire file in \(input)") }
        var files: [SourceFile] = []
        for name in names {
            let path = Files.path(input, name)
            files.append(SourceFile(path: path, bytes: try Files.read(path)))
        }
        let result = ProtocolDescription.check(name: Files.folderName(input), files: files)
        let diagnostics = result.renderedDiagnostics()
        guard let description = result.description else { throw Complaint(diagnostics) }
        if !diagnostics.isEmpty { Files.print(diagnostics + "\n", to: .standardError) }
        try Files.makeFolder(output)
        let generator = SwiftGenerator(description, fileNames: names, partCount: arguments.partCount)
        for file in generator.files() + (arguments.makesRecords ? [generator.erlangFile(files)] : []) {
            try Files.write(file.text, to: Files.path(output, file.path))
        }
    }
}

/// The parsed command line.
struct Arguments {
    private(set) var input = ""
    private(set) var output = ""
    private(set) var partCount = 1
    /// Whether messages become records of Erlang.
    private(set) var makesRecords = false
    private(set) var wantsHelp = false

    init(_ arguments: [String]) throws(Complaint) {
        var rest = arguments[...]
        var hasFolder = false
        var hasOutput = false
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h": wantsHelp = true
            case "--out":
                guard let value = rest.popFirst(), !hasOutput else { throw .call("--out takes one folder") }
                (output, hasOutput) = (value, true)
            case "--parts":
                guard let count = rest.popFirst().flatMap(Int.init), 1...64 ~= count else {
                    throw .call("--parts takes a number from 1 to 64")
                }
                partCount = count
            case "--erlang": makesRecords = true
            case _ where argument.hasPrefix("-"): throw .call("there is no option \(argument)")
            default:
                guard !hasFolder else { throw .call("one folder is expected, not \(input) and \(argument)") }
                (input, hasFolder) = (argument, true)
            }
        }
        guard !wantsHelp else { return }
        guard hasFolder else { throw .call("the folder of the .wire files is missing") }
        guard hasOutput else { throw .call("--out and a folder are missing") }
    }
}

/// The reason why the program stops, as shown to the user.
struct Complaint: Error {
    let text: String
    let status: Int32

    init(_ text: String, status: Int32 = 1) {
        self.text = text
        self.status = status
    }

    /// Returns the error for wrong arguments.
    static func call(_ text: String) -> Complaint {
        Complaint("error: \(text); see wire-generate --help", status: 2)
    }
}
