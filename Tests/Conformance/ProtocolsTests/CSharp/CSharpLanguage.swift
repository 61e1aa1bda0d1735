// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestingSupport
import WirelineGenerator
import WirelineSchema

extension Language {
    /// C#, compiled by Mono to one program.
    static let cSharp: Language = Language(
        name: "C#", directory: "CSharp", absence: CSharpTool.isWanted ? nil : CSharpTool.absence,
        sources: ["Conversations.cs", "Each.cs", "Layers.cs", "Streams.cs", "Values.cs"],
        files: { try CSharpGenerator($0).files() }, adapter: { try CSharpGenerator($0).adapter() }, backEnd: "csharp",
        compile: { code in
            let own = (code.language.sources + ["Page.cs"]).map { code.folder.appending(path: $0) }
            return try CSharpTool.compile(
                code.files + own, to: code.folder.appending(path: "all.exe"), main: "Each")
        },
        job: { program, sample in
            let module = sample.module.deletingPathExtension().lastPathComponent
            return switch program {
            case .adapter: ProgramJob(sample.adapter.deletingPathExtension().lastPathComponent)
            case .streams: ProgramJob("StreamPeer", [module])
            case .conversations: ProgramJob("Conversations", [module])
            }
        },
        peer: { name, _ in ProgramJob(name) },
        checks: [
            LanguageCheck(
                "wrong values are refused, and a packet that comes byte by byte takes linear time", "Values",
                ["Features", "Scene"],
                """
                null: wrong_type Cs_2.password
                low surrogate: invalid_utf8 Cs_2.password
                high surrogate: invalid_utf16 WideGrown.code
                no structure: wrong_type Deep.tree
                no list: wrong_type Deep.tree.branches
                too deep: too_deep Deep.tree.branches[0].branches[0].branches[0]
                too large: out_of_range Cs_1.u24
                NaN: quiet
                byte by byte: 2 packets

                """),
            LanguageCheck(
                "a program gives layers and keys, and gets packets in packets one by one", "Layers", ["Bilibili"]),
        ],
        page: LanguagePage(
            name: "GeneratedCSharp.md", fence: "csharp", commentCount: 9,
            file: { lines in
                // `using` stands outside of the function.
                GeneratedFile(
                    path: "Page.cs",
                    text: lines[0] + "\n\npublic static class Page {\n    public static void Main() {\n"
                        + lines[1...].joined(separator: "\n") + "\n    }\n}\n")
            },
            job: { _ in ProgramJob("Page") }),
        objections: { sample in
            // Platforms that compile ahead of time lack these.
            let plain = ["System.Reflection", "Emit", "System.Linq", "dynamic ", "\nusing "]
            let layered = ["System.Reflection", "typeof", "dynamic", "Emit", "unsafe"]
            let words = sample.name == "Reserved" ? [] : sample.source.layers == nil ? plain : layered
            return words.filter(sample.files[0].text.contains)
        })
}
