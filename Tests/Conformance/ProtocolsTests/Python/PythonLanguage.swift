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
        files: { try PythonGenerator($0).files() }, adapter: { try PythonGenerator($0).adapter() }, backEnd: "python",
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
}
