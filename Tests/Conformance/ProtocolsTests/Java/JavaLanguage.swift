// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestingSupport
import WirelineGenerator
import WirelineSchema

extension Language {
    /// Java, compiled as Java 8.
    static let java: Language = Language(
        name: "Java", directory: "Java", absence: JavaTool.isWanted ? nil : JavaTool.absence,
        sources: ["Conversations.java", "Each.java", "Layers.java", "Streams.java", "Values.java"],
        files: { try JavaGenerator($0).files() }, adapter: { try JavaGenerator($0).adapter() }, backEnd: "java",
        compile: { try JavaTool.compile([$0.folder]) },
        job: { program, sample in
            let module = sample.module.deletingPathExtension().lastPathComponent
            return switch program {
            case .adapter: ProgramJob(sample.adapter.deletingPathExtension().lastPathComponent)
            case .streams: ProgramJob("Streams", [module])
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
                too large: out_of_range Cs_1.u8
                NaN: quiet
                byte by byte: 2 packets

                """),
            LanguageCheck(
                "a program gives layers and keys, and gets packets in packets one by one", "Layers", ["Bilibili"]),
        ],
        page: LanguagePage(
            name: "GeneratedJava.md", fence: "java", commentCount: 9,
            file: { lines in
                GeneratedFile(
                    path: "Page.java",
                    text: "public class Page {\n    public static void main(String[] arguments) throws Exception {\n"
                        + lines.joined(separator: "\n") + "\n    }\n}\n")
            },
            job: { _ in ProgramJob("Page") }),
        objections: { sample in
            ["java.lang.reflect", "Class.forName", "\nimport "].filter(sample.files[0].text.contains)
        })
}
