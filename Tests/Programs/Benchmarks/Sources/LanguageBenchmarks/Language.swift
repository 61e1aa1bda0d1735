// SPDX-License-Identifier: Apache-2.0

internal import WirelineGenerator
internal import WirelineLanguage

/// A language of `wire generate`, as its benchmark is compiled and run.
enum Language: String, CaseIterable {
    case typescript, lua, python, java, csharp, go, cpp, rust

    /// Returns the generated files for a protocol.
    func files(_ description: ProtocolDescription) throws -> [GeneratedFile] {
        switch self {
        case .typescript: try TypeScriptGenerator(description).files()
        case .lua: try LuaGenerator(description).files()
        case .python: try PythonGenerator(description).files()
        case .java: try JavaGenerator(description).files()
        case .csharp: try CSharpGenerator(description).files()
        case .go: try GoGenerator(description, package: "main").files()
        case .cpp: try CppGenerator(description).files()
        case .rust: RustGenerator(description).files()
        }
    }

    /// The file in `languages` that measures the generated code.
    var benchmark: String {
        switch self {
        case .typescript: "scene_benchmark.mjs"
        case .lua: "scene_benchmark.lua"
        case .python: "scene_benchmark.py"
        case .java: "SceneBenchmark.java"
        case .csharp: "SceneBenchmark.cs"
        case .go: "scene_benchmark.go"
        case .cpp: "scene_benchmark.cpp"
        case .rust: "scene_benchmark.rs"
        }
    }

    /// What must be installed.
    var tools: [String] {
        switch self {
        case .typescript: ["tsc", "node"]
        case .lua: ["lua5.4"]
        case .python: ["python3"]
        case .java: ["javac", "java"]
        case .csharp: ["mcs", "mono"]
        case .go: ["go"]
        case .cpp: ["g++"]
        case .rust: ["rustc"]
        }
    }

    /// The commands that compile the files, in their folder.
    var compilation: String {
        switch self {
        case .typescript:
            #"echo '{"type":"module"}' > package.json; tsc --target ES2020 --module ES2020 scene_protocol.ts"#
        case .lua, .python: ":"
        case .java: "javac --release 8 -Xlint:-options SceneBenchmark.java SceneProtocol.java"
        case .csharp: "mcs -out:scene_benchmark.exe SceneBenchmark.cs SceneProtocol.cs"
        case .go: "go build -o scene_benchmark scene_benchmark.go scene_protocol.go"
        case .cpp: "g++ -std=c++17 -O2 -fno-exceptions -fno-rtti scene_benchmark.cpp -o scene_benchmark"
        case .rust: "rustc --edition 2021 -O scene_benchmark.rs"
        }
    }

    /// The command that runs the benchmark, in their folder.
    var command: String {
        switch self {
        case .typescript: "node scene_benchmark.mjs"
        case .lua: "lua5.4 scene_benchmark.lua"
        case .python: "python3 scene_benchmark.py"
        case .java: "java -XX:+UseSerialGC SceneBenchmark"
        case .csharp: "mono scene_benchmark.exe"
        case .go, .cpp, .rust: "./scene_benchmark"
        }
    }

    /// The most that generated code should take, in times of the other code.
    var goals: [String: Double] {
        switch self {
        case .typescript: ["encode_16": 1, "decode_16": 1, "encode_1024": 1, "decode_1024": 1]
        case .lua: ["encode_16": 5, "decode_16": 5]
        case .python: ["encode_16": 6, "decode_16": 4]
        case .java, .csharp, .go: ["encode_16": 1.3, "decode_16": 1.3, "encode_1024": 1.3, "decode_1024": 1.3]
        case .cpp, .rust: ["encode_16": 1.2, "decode_16": 1.2, "encode_1024": 1.2, "decode_1024": 1.2]
        }
    }
}
