// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// Text reaches standard output and standard error in one way, which escapes what strangers have named: `Console` of `wire`.
struct PrinterTests {
    /// Who writes bytes to standard output or standard error.
    private static let printers: Set<String> = ["wire/Tool/Console.swift", "wire/Output/ProgressLine.swift"]
    /// Who prints text with colours, or for a program, and escapes it itself.
    private static let escapers: Set<String> = [
        "wire/Commands/Completions.swift", "wire/Commands/Generate.swift", "wire/Commands/LSP.swift",
        "wire/Decode/StreamDecoder.swift", "wire/Demo/Demo.swift", "wire/Output/ChangeReport.swift",
        "wire/Output/DiagnosticText.swift", "wire/Tool/Console.swift",
    ]
    /// Rooms with other programs. `demo` prints what it has made; `wire-generate` escapes what it prints.
    private static let otherPrograms: Set<String> = ["demo", "wire-generate"]

    /// The files of which a line matches; generators are left out, because they contain code of other programs.
    private func files(matching pattern: some RegexComponent) throws -> Set<String> {
        var found: Set<String> = []
        for room in Module.all where !room.hasSuffix("Generator") && !Self.otherPrograms.contains(room) {
            let folder = Checkout.url(Module.path(room))
            let files = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
            for file in files where file.hasSuffix(".swift") {
                let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
                let lines = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
                if lines.contains(where: { $0.contains(pattern) }) { found.insert(room + "/" + file) }
            }
        }
        return found
    }

    @Test func `only the console writes to standard output and standard error`() throws {
        let writers = try files(
            matching: /System\.write\(System\.Descriptor\.|FileHandle\.standard|STDOUT|STDERR|\bf?puts\(|\bf?printf\(/)
        #expect(writers == Self.printers)
        // A file with a function of that name calls it.
        let callers = try files(matching: /(^|[^.\w])print\(/)
        let owners = try files(matching: /func print\(/)
        #expect(callers.subtracting(owners) == [])
    }

    @Test func `text that is not escaped by the console is printed in few places`() throws {
        let found = try files(matching: /\.(print|report)\(\s*styled:|^\s*styled:|console\.write\(/)
        #expect(found.subtracting(Self.escapers) == [])
    }
}
