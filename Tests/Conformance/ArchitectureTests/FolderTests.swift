// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// The folders of a module have a direction, too: no folder depends on one that depends on it.
///
/// A folder uses another one if it names a type that a file there declares. Files beside the folders are not checked.
struct FolderTests {
    /// The modules, and those of their folders that are large enough to have folders with a direction.
    static let rooms =
        Module.all.map { Module.path($0) } + [
            "Sources/Core/Wireline/Decisions", "Sources/Erlang/WirelineErlang/Cluster",
            "Sources/Erlang/WirelineErlang/Records",
            "Sources/Erlang/WirelineGateway/Decisions", "Sources/Tools/wire/LanguageServer",
            "Sources/Tools/wire/Script",
        ]

    @Test(arguments: rooms)
    func `the folders of a room make no circle`(room: String) throws {
        let sources = try Self.sources(below: room)
        let arrows = Self.arrows(between: sources)
        let circle = ArrowTests.rooms(inCirclesOf: arrows.mapValues { Set($0.keys) })
        let uses = arrows.filter { circle.contains($0.key) }
            .map { "\($0.key) -> \($0.value.filter { circle.contains($0.key) })" }
        #expect(circle == [], "\(uses.sorted().joined(separator: "\n"))")
    }

    @Test func `a named type makes an arrow, unless it is private, in a comment or in a text`() {
        let arrows = Self.arrows(between: [
            Source(folder: "Low", text: "public struct Ground {}\nprivate struct Hidden {}"),
            Source(folder: "High", text: "let ground = Ground() // Cloud\nlet text = \"Cloud\"\nlet hidden: Hidden"),
            Source(folder: "Top", text: "@frozen public final class Cloud: Sky {\n    struct Ground {}\n}"),
        ])
        #expect(arrows["High"] == ["Low": ["Ground"]])
        #expect(arrows["Top"] == ["Low": ["Ground"]])
        #expect(arrows["Low"] == nil)
    }

    // MARK: Reading

    struct Source {
        let folder: String
        let text: String
    }

    /// The Swift files in the folders of a room.
    private static func sources(below room: String) throws -> [Source] {
        let root = Checkout.url(room)
        let files = FileManager.default.enumerator(atPath: root.path)?.allObjects as? [String] ?? []
        return try files.filter { $0.hasSuffix(".swift") && $0.contains("/") }.map { file in
            let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
            return Source(folder: String(file.prefix { $0 != "/" }), text: text)
        }
    }

    /// The other folders that each folder uses, and the types that it uses from them.
    static func arrows(between sources: [Source]) -> [String: [String: Set<String>]] {
        var folders: [String: Set<String>] = [:]
        for source in sources {
            for name in declarations(in: source.text) { folders[name, default: []].insert(source.folder) }
        }
        var arrows: [String: [String: Set<String>]] = [:]
        for source in sources {
            for name in typeNames(in: source.text) {
                for folder in folders[name, default: []] where folder != source.folder {
                    arrows[source.folder, default: [:]][folder, default: []].insert(name)
                }
            }
        }
        return arrows
    }

    /// The types that a file declares for others.
    private static func declarations(in text: String) -> [String] {
        let kinds: Set<Substring> = ["class", "struct", "enum", "protocol", "actor", "typealias"]
        return text.split(separator: "\n").compactMap { line in
            guard !line.hasPrefix(" "), !line.hasPrefix("//") else { return nil }
            let words = line.split(separator: " ")
            guard let place = words.firstIndex(where: { kinds.contains($0) }), place + 1 < words.count,
                !words[..<place].contains("private"), !words[..<place].contains("fileprivate")
            else { return nil }
            return String(words[place + 1].prefix { $0.isLetter || $0.isNumber })
        }
    }

    /// The names in a file that begin with a capital letter, without its comments and literals.
    private static func typeNames(in text: String) -> Set<String> {
        var names: Set<String> = []
        for line in text.split(separator: "\n") {
            var word: [UInt8] = []
            var isInLiteral = false
            var last: UInt8 = 0
            func endWord() {
                if let first = word.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) {
                    names.insert(String(decoding: word, as: UTF8.self))
                }
                word = []
            }
            for byte in line.utf8 {
                if byte == UInt8(ascii: "\""), last != UInt8(ascii: "\\") { isInLiteral.toggle() }
                if byte == UInt8(ascii: "/"), last == byte, !isInLiteral { break }
                last = byte
                let isWord =
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                        !isInLiteral
                    default: false
                    }
                if isWord { word.append(byte) } else { endWord() }
            }
            endWord()
        }
        return names
    }
}
