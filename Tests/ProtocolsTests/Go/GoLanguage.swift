// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

/// Go, whose samples are the programs of one module, so that one start of the compiler builds all.
enum GoLanguage: AdapterLanguage {
    static let shared = Result { try AdapterSamples(GoLanguage.self) }

    static func sample(_ name: String) throws -> AdapterSample {
        try #require(shared.get().samples[name])
    }

    static let name = "Go"

    static func files(_ description: ProtocolDescription) throws -> [GeneratedFile] {
        try GoGenerator(description, package: "main").files()
    }

    static func adapter(_ description: ProtocolDescription) throws -> GeneratedFile {
        try GoGenerator(description).adapter()
    }

    static func compile(_ samples: [AdapterSample]) throws -> String {
        guard let first = samples.first else { return "" }
        let module = first.folder(of: first.module).deletingLastPathComponent()
        try Data("module example.com/samples\n\ngo 1.18\n".utf8).write(to: module.appending(path: "go.mod"))
        for sample in samples {
            let folder = sample.folder(of: sample.module)
            // What a test asks of all samples is a part of each program, and of one sample a part of that one.
            let hasStates = sample.translator.description.layout.hasStates
            let coder = hasStates ? "connected.go" : "unconnected.go"
            for peer in ["streams.go", coder, sample.name + ".go"] where GoPeer.exists(peer) {
                try FileManager.default.copyItem(at: GoPeer.file(peer), to: folder.appending(path: "peer_" + peer))
            }
        }
        try FileManager.default.createDirectory(at: module.appending(path: "bin"), withIntermediateDirectories: true)
        let built = try GoTool.run(in: module, ["build", "-o", "bin", "./..."])
        // Random schemas have conditions such as `a and a`, which are printed as they are.
        return try built + GoTool.run(in: module, ["vet", "-bools=false", "./..."])
    }

    /// The words of Go, the names that it finds everywhere and that the package imports, and those of the code's own lines.
    private static let words = """
        _ __ any append bool break byte cap case chan close comparable complex complex64 complex128 const continue copy default
        defer delete else error fallthrough false float32 float64 for func go goto if imag import init int int16 int32 int64 int8
        interface iota len main make map new nil package panic print println range real recover return rune select string struct
        switch true type uint uint16 uint32 uint64 uint8 uintptr var adler32 binary bytes crc32 math strconv strings utf16 utf8
        a b d e f h i k m n p r s t u v w x y z id header total body end count start found fit gap union sender value tag
        Value Tag Bytes Trailing MessageName MessageID Error String GoString Format NewHeader newHeader NewS0 NewM0
        v0 x1 h2 t0 p1 c1 n1 q0 w1 y0 x_ X X_ _1 X1
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    static func reservedNames(declaredIn module: String) -> [String] {
        let declared = module.split(separator: "\n").compactMap { line -> String? in
            let words = line.split(separator: " ")
            guard let kind = words.first, ["func", "type", "const", "var"].contains(kind), words.count > 1 else {
                return nil
            }
            let name = words[1].hasPrefix("(") ? words.dropFirst(3).first : words[1]
            return name.map { String($0.prefix { $0.isLetter || $0.isNumber || $0 == "_" }) }
        }
        return words + declared.filter { !$0.isEmpty }
    }
}

extension AdapterSample {
    /// The folder of a file.
    fileprivate func folder(of file: URL) -> URL { file.deletingLastPathComponent() }

    /// The program that answers for the package.
    var goProgram: URL {
        let folder = folder(of: module)
        return folder.deletingLastPathComponent().appending(path: "bin").appending(path: folder.lastPathComponent)
    }
}

/// Parts of programs in Go beside these tests.
enum GoPeer {
    static func file(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers").appending(path: name)
    }

    static func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name).path) }
}
