// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// Compares what Documentation/Architecture.md says about wings and modules with the imports in the code.
struct ArrowTests {
    /// Each module, and the modules below it that it may import. An import that is not listed here fails the test.
    static let arrows: [String: Set<String>] = [
        "WirelineCodec": [],
        "WirelineLanguage": ["WirelineCodec"],
        "WirelineSchema": ["WirelineCodec", "WirelineLanguage", "WirelineLayers"],
        "WirelineLibraries": [],
        "WirelineTLS": ["WirelineLibraries"],
        "WirelineWebSocket": ["WirelineCodec", "WirelineLibraries"],
        "WirelineLayers": ["WirelineCodec", "WirelineLibraries"],
        "WirelineErlang": [
            "WirelineCodec", "WirelineLanguage", "WirelineLayers", "WirelineSchema", "WirelineTransport",
        ],
        "WirelineTransport": ["CWirelineSystem", "WirelineCodec"],
        "WirelineSwiftGenerator": ["WirelineCodec", "WirelineLanguage"],
        "WirelineGenerator": [
            "CWirelineRuntimes", "WirelineCodec", "WirelineLanguage", "WirelineSchema", "WirelineSwiftGenerator",
        ],
        "Wireline": ["WirelineCodec", "WirelineLayers", "WirelineTLS", "WirelineTransport", "WirelineWebSocket"],
        "WirelineGateway": [
            "WirelineCodec", "WirelineErlang", "WirelineLanguage", "WirelineLayers", "WirelineTransport",
            "WirelineWebSocket", "Wireline",
        ],
        "WirelineTesting": ["WirelineCodec", "WirelineTransport", "Wireline"],
        "WirelineDemo": ["Scene", "WirelineCodec", "WirelineTransport", "Wireline"],
        "wire": [
            "WirelineCodec", "WirelineLayers", "WirelineSchema", "WirelineErlang", "WirelineGateway",
            "WirelineGenerator", "WirelineDemo", "WirelineTLS", "WirelineTransport", "WirelineWebSocket",
            "Wireline", "Scene",
        ],
        "demo": ["Scene", "WirelineCodec", "WirelineDemo"],
        "wire-generate": ["WirelineLanguage", "WirelineSwiftGenerator", "WirelineCodec"],
        "WirelinePlugin": [],
    ]

    /// Folders that may import less than their module: what decides and what translates has no sockets.
    static let folders: [String: Set<String>] = [
        "Wireline/Decisions": [],
        "WirelineErlang/Distribution": ["WirelineCodec"],
        "WirelineErlang/Epmd": ["WirelineCodec"],
        "WirelineErlang/External": ["WirelineCodec"],
        "WirelineErlang/Groups": ["WirelineCodec"],
        "WirelineErlang/Handshake": ["WirelineCodec"],
        "WirelineErlang/Node": ["WirelineCodec"],
        "WirelineErlang/Records": ["WirelineCodec", "WirelineLanguage", "WirelineLayers", "WirelineSchema"],
        "WirelineErlang/Terms": ["WirelineCodec"],
        "WirelineErlang/Text": ["WirelineCodec"],
        "WirelineGateway/Decisions": ["WirelineCodec", "WirelineErlang"],
        "wire/LanguageServer": ["WirelineGenerator", "WirelineSchema"],
    ]

    /// The modules of the toolchain and the system that a module may import.
    static let outside: [String: Set<String>] = [
        "Wireline": ["Synchronization"],
        "WirelineCodec": ["Synchronization"],
        "WirelineLibraries": ["Glibc", "Musl", "Darwin"],
        "WirelineErlang": ["Glibc", "Musl", "Darwin"],
        "WirelineTLS": ["Glibc", "Musl", "Darwin", "Synchronization"],
        "WirelineWebSocket": ["Glibc", "Musl", "Synchronization"],
        "WirelineLayers": ["Glibc", "Musl", "Darwin"],
        "WirelineTransport": ["Glibc", "Musl", "Darwin", "Synchronization"],
        "WirelineGenerator": ["Synchronization"],
        "wire": ["Glibc", "Musl", "Darwin", "Synchronization"],
        "wire-generate": ["Glibc", "Musl", "Darwin", "Foundation"],
        "WirelinePlugin": ["PackagePlugin", "Foundation"],
    ]

    @Test(arguments: Module.all)
    func `a module is on the map, and imports only modules below it`(room: String) throws {
        let below = try #require(Self.arrows[room])
        let imports = try Self.imports(below: Module.path(room))
        #expect(!imports.files.isEmpty)
        #expect(imports.modules.subtracting(below.union(Self.outside[room, default: []])) == [])
    }

    @Test(arguments: Module.all)
    func `a module imports only modules of its wing and of those below it`(module: String) throws {
        let height = try #require(Module.wingsFromBelow.firstIndex(of: Module.wing(of: module)))
        for below in try #require(Self.arrows[module]) where Module.all.contains(below) {
            #expect(try #require(Module.wingsFromBelow.firstIndex(of: Module.wing(of: below))) <= height, "\(below)")
        }
    }

    @Test(arguments: folders.keys.sorted())
    func `a folder without sockets imports no module that has them`(folder: String) throws {
        let parts = folder.split(separator: "/", maxSplits: 1)
        let imports = try Self.imports(below: "\(Module.path(String(parts[0])))/\(parts[1])")
        #expect(!imports.files.isEmpty)
        #expect(imports.modules.subtracting(Self.folders[folder, default: []]) == [])
    }

    @Test func `modules are found`() {
        #expect(Module.all.contains("WirelineCodec"))
    }

    @Test func `the imports of the modules make no circle`() {
        #expect(Self.rooms(inCirclesOf: Self.arrows) == [])
    }

    @Test(
        arguments: [
            ([:], []), (["a": ["b", "c"], "b": ["d"], "c": ["d"]], []), (["a": ["a"]], ["a"]),
            (["a": ["b"], "b": ["a"]], ["a", "b"]),
            (["top": ["a"], "a": ["b", "below"], "b": ["c"], "c": ["a"], "below": []], ["a", "b", "c"]),
        ] as [([String: Set<String>], Set<String>)])
    func `a circle of any length is detected`(arrows: [String: Set<String>], rooms: Set<String>) {
        #expect(Self.rooms(inCirclesOf: arrows) == rooms)
    }

    @Test func `the Swift of a protocol imports at most the codec`() throws {
        let imports = try Self.imports(below: "Protocols")
        #expect(imports.modules.subtracting(["WirelineCodec"]) == [])
    }

    @Test func `the manifest depends on no package`() throws {
        let manifest = try String(contentsOf: Checkout.url("Package.swift"), encoding: .utf8)
        #expect(!manifest.contains(".package("))
    }

    /// The modules from which the arrows lead back to themselves.
    static func rooms(inCirclesOf arrows: [String: Set<String>]) -> Set<String> {
        Set(arrows.keys).filter { start in
            var reached: Set<String> = []
            var next = arrows[start, default: []]
            while !next.isSubset(of: reached) {
                reached.formUnion(next)
                next = Set(next.flatMap { arrows[$0, default: []] })
            }
            return reached.contains(start)
        }
    }

    // MARK: Reading

    static func imports(below folder: String) throws -> (modules: Set<String>, files: [String]) {
        let folder = Checkout.url(folder)
        let files = (FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? [])
            .filter { $0.hasSuffix(".swift") }
        let modules = try files.flatMap { file in
            try String(contentsOf: folder.appending(path: file), encoding: .utf8).split(separator: "\n")
                .compactMap { module(importedBy: $0) }
        }
        return (Set(modules), files)
    }

    /// The module that a line imports. Attributes and access levels may come before it, a kind and a member after it.
    static func module(importedBy line: Substring) -> String? {
        let words = line.split(separator: " ")
        let modifiers: Set<Substring> = ["public", "package", "internal", "private", "fileprivate"]
        guard let place = words.firstIndex(of: "import"),
            words[..<place].allSatisfy({ $0.hasPrefix("@") || modifiers.contains($0) })
        else { return nil }
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
        return words[(place + 1)...].first { !kinds.contains($0) }.map { String($0.prefix { $0 != "." && $0 != "/" }) }
    }
}

struct ImportLineTests {
    @Test(
        arguments: [
            ("import Glibc", "Glibc"), ("public import WirelineCodec", "WirelineCodec"),
            ("    @_exported public import WirelineCodec", "WirelineCodec"),
            ("import struct Foundation.URL", "Foundation"),
            ("// import Glibc", nil), ("let text = \"import Glibc\"", nil),
        ] as [(Substring, String?)])
    func `an import is distinguished from other lines`(line: Substring, module: String?) {
        #expect(ArrowTests.module(importedBy: line) == module)
    }
}
