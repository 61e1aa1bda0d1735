// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// Lua, for all interpreters in one file.
enum LuaLanguage: AdapterLanguage {
    static let shared = Result { try AdapterSamples(LuaLanguage.self) }

    static func sample(_ name: String) throws -> AdapterSample {
        try #require(shared.get().samples[name])
    }

    static let name = "Lua"

    static func files(_ description: ProtocolDescription) throws -> [GeneratedFile] {
        try LuaGenerator(description).files()
    }

    static func adapter(_ description: ProtocolDescription) throws -> GeneratedFile {
        try LuaGenerator(description).adapter()
    }

    /// Each interpreter compiles a module when it loads it.
    static func compile(_ samples: [AdapterSample]) throws -> String { "" }

    /// The words of Lua, the names of its library, and some that objects have in tables of functions.
    private static let words = """
        and break do else elseif end false for function goto if in local nil not or repeat return then true until while self
        _G _ENV _VERSION arg assert bit bit32 coroutine debug dofile error getmetatable io ipairs jit load math next os package
        pairs pcall print rawget rawset require select setmetatable string table tonumber tostring type utf8 __index __newindex
        __tostring __eq __len __call __gc __mode __metatable decode encode has splitter push finish name id header message payload
        size kind value tag bytes trailing path offset client server packet length read write get put fix verify zero closed
        ids senders aliases start at top depth m h s p e f n o q t v0 x1 n2 h3 b4 c5 w6 y7 t8 gap d
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    static func reservedNames(declaredIn module: String) -> [String] {
        let declared = module.split(separator: "\n").flatMap { line -> [String] in
            guard line.hasPrefix("local ") else { return [] }
            let names = line.dropFirst("local ".count).replacing("function ", with: "").prefix {
                $0 != "=" && $0 != "("
            }
            return names.split(separator: ",").map { $0.filter { $0.isLetter || $0.isNumber || $0 == "_" } }
        }
        return words + declared.filter { !$0.isEmpty }
    }

    /// Returns the path of a script beside these tests.
    static func script(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers").appending(path: name)
    }
}
