// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

extension Language {
    /// C++, whose samples are a program each.
    static let cpp: Language = Language(
        name: "C++", directory: "Cpp", absence: CppTool.isWanted ? nil : CppTool.absence, hasFolders: true,
        files: { try CppGenerator($0).files() },
        adapter: { description in
            let file = try CppGenerator(description).adapter()
            return GeneratedFile(path: file.path, text: file.text.replacing("int main()", with: "void answerAll()"))
        },
        backEnd: "cpp",
        compile: build,
        job: { program, sample in
            switch program {
            case .adapter: ask(sample)
            case .streams: ask(sample, "streams")
            case .conversations: ask(sample, "conversations")
            }
        },
        peer: { name, samples in ask(samples[0], name) },
        checks: [
            LanguageCheck(
                "a packet of a mebibyte that comes byte by byte takes linear time", "bytewise", ["Scene"], "linear\n"),
            LanguageCheck("wrong values are refused, and nothing of them is changed", "values", ["Features"]),
            LanguageCheck(
                "refused packets move no keystreams, and keys begin them anew", "keystreams", ["Ciphers"]),
            LanguageCheck("a part of a message sets no state", "parts", ["Streams"]),
            LanguageCheck(
                "a program gives layers, and gets packets in packets one by one", "layers", ["Bilibili"]),
            LanguageCheck(
                "a threshold decides from how many bytes on a content is compressed", "threshold", ["Minecraft"]),
        ],
        page: LanguagePage(
            name: "GeneratedCpp.md", fence: "cpp", commentCount: 8,
            file: { GeneratedFile(path: "page/main.cpp", text: $0.joined(separator: "\n") + "\n") },
            job: { ProgramJob($0.folder.appending(path: "page/page").path) }),
        objections: { sample in
            ["iostream", "throw ", "dynamic_cast<", "typeid(", "std::get<", ".at("].filter(
                sample.files[0].text.contains)
        })

    /// Clang makes a program of each adapter and what tests ask it; those of some have sanitizers, and GCC looks at them, too.
    @Sendable private static func build(_ code: LanguageCode) throws -> String {
        // Half of the time would be that for the standard library.
        let header = code.folder.appending(path: "standard.hpp")
        try Data(standardHeaders.utf8).write(to: header)
        let plain = ["clang++", "-O0"] + CppTool.warnings
        let sanitizing = plain + ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fuse-ld=bfd"]
        var commands: [[String]] = []
        // The one with all names is large, and does nothing of its own when it runs.
        let sanitized = code.representativeSamples.filter { $0.name != "Reserved" }.map(\.name)
        for sample in code.samples {
            let main = sample.folder.appending(path: "main.cpp")
            try Data(program(of: sample).utf8).write(to: main)
            let files = [main.path, "-o", sample.folder.appending(path: "program").path]
            guard sanitized.contains(sample.name) else {
                commands.append(plain + ["-include-pch", header.path + ".pch"] + files)
                continue
            }
            commands.append(sanitizing + files)
            commands.append(["g++", "-fsyntax-only"] + CppTool.warnings + [main.path])
        }
        let page = code.folder.appending(path: "page")
        let folders = try ["Scene", "PostgreSQL", "KeyedGame"].map { try code.sample($0).folder.path }
        commands.append(
            ["g++"] + CppTool.warnings + folders.map { "-I" + $0 } + [
                page.appending(path: "main.cpp").path, "-o", page.appending(path: "page").path,
            ])
        return try CppTool.compile([plain + ["-x", "c++-header", header.path, "-o", header.path + ".pch"]])
            + CppTool.compile(commands)
    }

    private static let standardHeaders = [
        "algorithm", "array", "cmath", "cstddef", "cstdint", "cstdio", "cstdlib", "cstring", "functional",
        "initializer_list", "iostream", "limits", "map", "memory", "new", "optional", "random", "string", "string_view",
        "type_traits", "utility", "vector",
    ].map { "#include <\($0)>\n" }.joined()

    /// Returns a program that is the adapter of a sample, or answers a question.
    private static func program(of sample: LanguageCode.Sample) -> String {
        let isConnected = sample.source.layers != nil || sample.source.description.layout.hasStates
        var (files, questions) = (["streams.hpp"], ["streams": "streams"])
        if sample.source.layers != nil {
            files.append("conversations.hpp")
            questions["conversations"] = "conversations"
        }
        let own = cpp.peerFile(sample.name + ".hpp")
        if FileManager.default.fileExists(atPath: own.path) {
            files.append(own.lastPathComponent)
            for check in cpp.checks where check.samples == [sample.name] { questions[check.peer] = check.peer }
        }
        let lines = questions.sorted { $0.key < $1.key }.map {
            "    if (question == \"\($0.key)\") peer::\($0.value)();\n"
        }
        return """
            \(isConnected ? "#define CONNECTED\n" : "")#include "\(sample.adapter.lastPathComponent)"
            \(files.map { "#include \"\(cpp.peerFile($0).path)\"\n" }.joined())
            int main(int count, char** arguments) {
                const std::string_view question = count > 1 ? arguments[1] : "";
                if (question.empty()) answerAll();
            \(lines.joined())}

            """
    }

    private static func ask(_ sample: LanguageCode.Sample, _ question: String...) -> ProgramJob {
        ProgramJob(sample.folder.appending(path: "program").path, question)
    }
}
