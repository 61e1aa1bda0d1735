// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// TypeScript, compiled to modules of ECMAScript.
enum TypeScriptLanguage: AdapterLanguage {
    static let shared = Result { try AdapterSamples(TypeScriptLanguage.self) }

    static func sample(_ name: String) throws -> AdapterSample {
        try #require(shared.get().samples[name])
    }

    static let name = "TypeScript"

    static func files(_ description: ProtocolDescription) throws -> [GeneratedFile] {
        try TypeScriptGenerator(description).files()
    }

    static func adapter(_ description: ProtocolDescription) throws -> GeneratedFile {
        try TypeScriptGenerator(description).adapter()
    }

    static func compile(_ samples: [AdapterSample]) throws -> String {
        try TypeScriptTool.compile(samples.map(\.module), target: "ES2015")
    }

    /// The words of JavaScript and TypeScript, the names of its library, and members that all objects have.
    private static let words = """
        abstract any arguments as async await bigint boolean break case catch class const constructor continue debugger declare
        default delete do else enum eval export extends false finally for from function get hasOwnProperty if implements import in
        instanceof interface is keyof let module namespace never new null number object of package private protected prototype
        public readonly require return set static string super switch symbol this throw toString true try type typeof undefined
        unique unknown valueOf var void while with yield __proto__ _ __ a A Array ArrayBuffer BigInt Boolean DataView Date Error
        Function Infinity Int32Array Map Math NaN Number Object Omit Partial Pick Promise ReadonlyMap RegExp String Symbol
        TextDecoder TextEncoder Uint8Array globalThis process value kind tag bytes name id header message payload byteCount trailing
        read write at r w m f v0 x1 h2 t0 p1 c1 n1 q0 end start
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    static func reservedNames(declaredIn module: String) -> [String] {
        let declared = module.split(separator: "\n").compactMap { line -> String? in
            let words = line.split(separator: " ").drop { ["export", "declare"].contains($0) }
            guard let kind = words.first, ["function", "const", "let", "class", "interface", "type"].contains(kind)
            else {
                return nil
            }
            return words.dropFirst().first.map { String($0.prefix { $0.isLetter || $0.isNumber || $0 == "_" }) }
        }
        return words + declared.filter { !$0.isEmpty }
    }
}

extension AdapterSample {
    /// The module of ECMAScript that the compiler makes of the generated one.
    var compiledModule: URL { module.deletingPathExtension().appendingPathExtension("js") }
}
