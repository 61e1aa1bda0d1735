// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestingSupport
import WirelineGenerator
import WirelineSchema

extension Language {
    /// Python, whose types mypy checks.
    static let python: Language = Language(
        name: "Python", directory: "Python",
        absence: PythonInterpreter.isWanted ? nil : PythonInterpreter.absence, lacksBrotli: false,
        files: { try PythonGenerator($0).files() }, adapter: { try PythonGenerator($0).adapter() }, words: pythonWords,
        declaredNames: { module in
            module.split(separator: "\n").compactMap { line -> String? in
                guard let first = line.first, first.isLetter || first == "_" else { return nil }
                let words = line.split(separator: " ")
                let name = ["class", "def"].contains(words[0]) ? words[1] : words[0]
                return String(name.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
            }
        },
        compile: { code in
            guard PythonInterpreter.hasTypeChecker else { return "" }
            // Adapters of protocols without layers differ in their tables.
            let samples = code.representativeSamples
            let adapters = samples.filter { $0.source.layers != nil || $0.name == "Scene" }.map(\.adapter)
            return try PythonInterpreter.checkTypes(of: samples.map(\.module) + adapters, below: code.folder)
        },
        programs: [.adapter, .streams],
        job: { program, sample in
            program == .streams
                ? ProgramJob(python.peerFile("streams.py").path, [sample.module.path]) : ProgramJob(sample.adapter.path)
        },
        peer: { name, samples in ProgramJob(python.peerFile(name).path, samples.map(\.module.path)) },
        checks: [
            LanguageCheck(
                "a packet of a mebibyte that comes byte by byte takes linear time", "bytewise.py", ["Scene"], "linear\n"
            ),
            LanguageCheck(
                "wrong values are refused, nothing of them is changed, and secrets are not printed", "values.py",
                ["Scene", "Features", "Headers"]),
            LanguageCheck(
                "a program gives functions for layers, and gets packets in packets one by one", "layers.py",
                ["Bilibili"]),
            LanguageCheck("a part of a message sets no state", "parts.py", ["Streams"]),
        ],
        page: LanguagePage(
            name: "GeneratedPython.md", fence: "python", comment: "# ", commentCount: 8,
            file: { GeneratedFile(path: "page.py", text: $0.joined(separator: "\n")) },
            job: { ProgramJob($0.folder.appending(path: "page.py").path) }),
        objections: { sample in
            let text = sample.files[0].text
            let imports = text.split(separator: "\n").filter { $0.hasPrefix("import ") || $0.hasPrefix("from ") }
            let known: Set<Substring> = [
                "__future__", "binascii", "collections.abc", "dataclasses", "enum", "re", "struct", "typing", "zlib",
            ]
            // Layers need more.
            let unknown =
                sample.source.layers == nil ? imports.filter { !known.contains($0.split(separator: " ")[1]) } : []
            return unknown.map(String.init) + ["eval(", "exec(", "IntFlag("].filter(text.contains)
        })

    private static let pythonWords = """
        False None True and as assert async await break case class continue def del elif else except finally for from global if
        import in is lambda match nonlocal not or pass raise return try type while with yield _ __ __init__ __slots__ __eq__
        __repr__ __name__ __all__ __annotations__ a A abs all any ascii bin bool bytearray bytes callable chr dict dir enumerate
        eval exec filter float format frozenset getattr globals hash hex id input int isinstance iter len list locals map max
        memoryview min next object open ord pow print property range repr reversed round set slice sorted str sum super tuple
        vars zip __call __call_ __read __write Any Callable Exception Final Iterator Literal Mapping NotImplemented OverflowError RecursionError StopIteration
        TypeError UnicodeDecodeError UnicodeEncodeError ValueError annotations binascii collections dataclasses enum re struct
        typing zlib name value mro tag payload header message trailing self cls key known own read write b p e d f v i m h o q x
        t n s gap v0 x0 o0 n0 q0 fit start size last body end total count client server sender places Names Unwrapped
        """
}
