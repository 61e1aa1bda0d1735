// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// Python, which needs no compiler.
enum PythonLanguage: AdapterLanguage {
    static let shared = Result { try AdapterSamples(PythonLanguage.self) }

    static func sample(_ name: String) throws -> AdapterSample {
        try #require(shared.get().samples[name])
    }

    static let name = "Python"

    static func files(_ description: ProtocolDescription) throws -> [GeneratedFile] {
        try PythonGenerator(description).files()
    }

    static func adapter(_ description: ProtocolDescription) throws -> GeneratedFile {
        try PythonGenerator(description).adapter()
    }

    static func compile(_ samples: [AdapterSample]) throws -> String { "" }

    /// The words of Python, names that it finds everywhere or that data classes and enums use, and those of the code's own lines.
    private static let words = """
        False None True and as assert async await break case class continue def del elif else except finally for from global if
        import in is lambda match nonlocal not or pass raise return try type while with yield _ __ __init__ __slots__ __eq__
        __repr__ __name__ __all__ __annotations__ a A abs all any ascii bin bool bytearray bytes callable chr dict dir enumerate
        eval exec filter float format frozenset getattr globals hash hex id input int isinstance iter len list locals map max
        memoryview min next object open ord pow print property range repr reversed round set slice sorted str sum super tuple
        vars zip __call __call_ __read __write Any Callable Exception Final Iterator Literal Mapping NotImplemented OverflowError RecursionError StopIteration
        TypeError UnicodeDecodeError UnicodeEncodeError ValueError annotations binascii collections dataclasses enum re struct
        typing zlib name value mro tag payload header message trailing self cls key known own read write b p e d f v i m h o q x
        t n s gap v0 x0 o0 n0 q0 fit start size last body end total count client server sender places Names Unwrapped
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    static func reservedNames(declaredIn module: String) -> [String] {
        let declared = module.split(separator: "\n").compactMap { line -> String? in
            guard let first = line.first, first.isLetter || first == "_" else { return nil }
            let words = line.split(separator: " ")
            let name = ["class", "def"].contains(words[0]) ? words[1] : words[0]
            return String(name.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
        }
        return words + declared
    }
}

/// Scripts for Python beside these tests.
enum PythonPeer {
    static func script(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers").appending(path: name)
    }
}
