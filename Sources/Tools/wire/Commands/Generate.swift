// SPDX-License-Identifier: Apache-2.0

import WirelineGenerator

extension Command {
    static let generate = Command(
        name: "generate",
        summary: "generate code or documentation from a protocol's schema",
        parameters: [
            Parameter(
                "LANGUAGE",
                "what to generate; the script of an adapter belongs beside the module",
                choices: BackEnd.all.map(\.name))
        ],
        options: [.protocolFolder, .output, .package],
        example: "wire generate swift --out /tmp/Generated --protocol Protocols/Scene",
        run: { arguments, console throws(CommandError) in
            guard let output = arguments[.output] else { throw .usage("\(Option.output.usage) is missing") }
            guard let backEnd = BackEnd.all.first(where: { $0.name == arguments.word(at: 0) }) else { return }
            let package = arguments[.package]
            if let package { try check(package, for: backEnd.name) }
            let folder = try ProtocolFolder(arguments[.protocolFolder])
            let names = try folder.fileNames()
            let description = try folder.describe(console)
            let files: [GeneratedFile]
            do throws(GenerationError) {
                files = try backEnd.files(description, fileNames: names, package: package ?? "")
            } catch {
                throw .failure("\(backEnd.name): \(error)")
            }
            try makeFolder(output)
            for file in files {
                let path = output.joiningPath(file.path)
                if let end = file.path.lastIndex(of: "/") {
                    try makeFolder(output.joiningPath(String(file.path[..<end])))
                }
                try write(Array(file.text.utf8), to: path)
                try console.print(path)
                guard backEnd.name == "wireshark" else { continue }
                let note = dissectorNote(WiresharkGenerator(description).filter, at: TextStyle.harmless(path))
                console.report(styled: TextStyle.harmless(lines: note))
            }
        })

    /// Throws unless the package is a list of words with points between them, or a namespace of C++.
    private static func check(_ package: String, for language: String) throws(CommandError) {
        guard BackEnd.all.contains(where: { $0.name == language && $0.takesPackage }) else {
            throw .usage("\(Option.package.usage) does not go with \(language)")
        }
        let isNamespace = language.hasPrefix("cpp")
        let words = package.split(separator: isNamespace ? "::" : ".", omittingEmptySubsequences: false)
        let isName = words.allSatisfy { word in
            word.first.map { $0.isLetter || $0 == "_" } == true
                && word.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
        }
        guard isName else {
            throw .usage("\(Option.package.usage) needs words with \(isNamespace ? "::" : "points") between them")
        }
    }

    /// Returns the note with the name of a dissector and how to load it.
    private static func dissectorNote(_ name: String, at path: String) -> String {
        """
        note: the dissector and its filter are called \(name); this loads it for a server's port 9001:
          wireshark -X lua_script:\(path) -o \(name).server_ports:9001
        to load it always, copy it to the folder that Help > About Wireshark > Folders calls Personal Lua Plugins
        """
    }

    private static func makeFolder(_ path: String) throws(CommandError) {
        do throws(SystemError) {
            try System.makeFolder(path)
        } catch {
            throw .failure("cannot make the folder \(path): \(error.reason)")
        }
    }

    /// Writes a file if its content changes, so that build systems do not rebuild unchanged files.
    private static func write(_ bytes: [UInt8], to path: String) throws(CommandError) {
        if let present = try? System.contents(ofFile: path, limit: bytes.count), present == bytes { return }
        do throws(SystemError) {
            try System.replaceFile(path, with: bytes)
        } catch {
            throw .failure("cannot write \(path): \(error.reason)")
        }
    }
}

extension Option {
    fileprivate static let output = Option(
        "--out", value: "DIR", "the folder to write to; it is created if it does not exist")
    fileprivate static let package = Option(
        "--package", value: "NAME", "the package of Java or Go, or the namespace of C# or C++, such as com.example.net")
}
