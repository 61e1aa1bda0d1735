// SPDX-License-Identifier: Apache-2.0

package import WirelineLanguage
package import WirelineSwiftGenerator

/// A generator by its name in `wire generate`. Code that runs all generators uses this list.
package struct BackEnd: Sendable {
    package let name: String
    /// Whether generated code can be in a package or a namespace.
    package let takesPackage: Bool
    private let make: @Sendable (ProtocolDescription, Options) throws(GenerationError) -> [GeneratedFile]

    /// The settings beside the schema.
    private struct Options {
        let fileNames: [String]
        let package: String
    }

    private init(
        name: String, takesPackage: Bool = false,
        _ make: @escaping @Sendable (ProtocolDescription, Options) throws(GenerationError) -> [GeneratedFile]
    ) {
        self.name = name
        self.takesPackage = takesPackage
        self.make = make
    }

    /// Generates the files of a protocol.
    ///
    /// - Parameters:
    ///   - fileNames: The names of the schema's files.
    ///   - package: The package or the namespace; empty for the default one.
    package func files(
        _ description: ProtocolDescription, fileNames: [String], package: String = ""
    ) throws(GenerationError) -> [GeneratedFile] {
        try make(description, Options(fileNames: fileNames, package: package))
    }

    package static let all: [BackEnd] = [
        BackEnd(name: "swift") { description, options in
            SwiftGenerator(description, fileNames: options.fileNames).files()
        },
        BackEnd(name: "erlang") { description, _ in ErlangGenerator(description).files() },
        BackEnd(name: "erlang-adapter") { description, _ in [ErlangGenerator(description).adapter()] },
        BackEnd(name: "typescript") { description, _ throws(GenerationError) in
            try TypeScriptGenerator(description).files()
        },
        BackEnd(name: "typescript-adapter") { description, _ throws(GenerationError) in
            [try TypeScriptGenerator(description).adapter()]
        },
        BackEnd(name: "lua") { description, _ throws(GenerationError) in try LuaGenerator(description).files() },
        BackEnd(name: "lua-adapter") { description, _ throws(GenerationError) in
            [try LuaGenerator(description).adapter()]
        },
        BackEnd(name: "python") { description, _ throws(GenerationError) in try PythonGenerator(description).files() },
        BackEnd(name: "python-adapter") { description, _ throws(GenerationError) in
            [try PythonGenerator(description).adapter()]
        },
        BackEnd(name: "java", takesPackage: true) { description, options throws(GenerationError) in
            try JavaGenerator(description, package: options.package).files()
        },
        BackEnd(name: "java-adapter", takesPackage: true) { description, options throws(GenerationError) in
            [try JavaGenerator(description, package: options.package).adapter()]
        },
        BackEnd(name: "csharp", takesPackage: true) { description, options throws(GenerationError) in
            try CSharpGenerator(description, namespace: options.package).files()
        },
        BackEnd(name: "csharp-adapter", takesPackage: true) { description, options throws(GenerationError) in
            [try CSharpGenerator(description, namespace: options.package).adapter()]
        },
        BackEnd(name: "go", takesPackage: true) { description, options throws(GenerationError) in
            try GoGenerator(description, package: options.package).files()
        },
        BackEnd(name: "go-adapter") { description, _ throws(GenerationError) in
            [try GoGenerator(description).adapter()]
        },
        BackEnd(name: "cpp", takesPackage: true) { description, options throws(GenerationError) in
            try CppGenerator(description, namespace: options.package).files()
        },
        BackEnd(name: "cpp-adapter", takesPackage: true) { description, options throws(GenerationError) in
            [try CppGenerator(description, namespace: options.package).adapter()]
        },
        BackEnd(name: "rust") { description, _ in RustGenerator(description).files() },
        BackEnd(name: "rust-adapter") { description, _ in [RustGenerator(description).adapter()] },
        BackEnd(name: "wireshark") { description, _ in WiresharkGenerator(description).files() },
        BackEnd(name: "html") { description, _ in HTMLGenerator(description).files() },
        BackEnd(name: "markdown") { description, _ in MarkdownGenerator(description).files() },
    ]
}

extension BackEnd {
    /// The words of a language that no variable can have as its name, and the names that generated code needs.
    package var reservedWords: Set<String> {
        switch name {
        case "typescript": NameStyle.typeScriptWords.union(NameStyle.typeScriptGlobals)
        case "lua": LuaText.words
        case "python": NameStyle.pythonWords
        case "java": NameStyle.javaWords.union(NameStyle.javaTypes)
        case "go": GoGenerator.keywords
        case "cpp": NameStyle.cppWords
        case "rust": NameStyle.rustWords.union(NameStyle.rustTypes)
        default: []
        }
    }
}
