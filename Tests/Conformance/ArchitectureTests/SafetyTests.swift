// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// Unsafe code says why it is right.
///
/// The rule: a declaration with the word `unsafe` has a comment with `SAFETY:` or `INVARIANT:` in it or above it. One
/// comment is enough for several declarations without an empty line between them.
struct SafetyTests {
    @Test(arguments: Module.all)
    func `unsafe code says why it is right`(module: String) throws {
        let folder = Checkout.url(Module.path(module))
        let files = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
        for file in files where file.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            // Most files have no such code, and finding that out is quick.
            guard text.contains("unsafe") else { continue }
            let lines = UnsafeLines.withoutReason(in: text).map(String.init).joined(separator: ", ")
            #expect(lines.isEmpty, "\(Module.path(module))/\(file): no SAFETY comment for the code in line \(lines)")
        }
    }

    @Test(
        arguments: [
            "func a() {\n    // SAFETY: why\n    unsafe b()\n\n    unsafe c()\n}",
            "/// Does this.\n///\n/// SAFETY: why\nfunc a(\n    _ b: Int\n) { unsafe c() }",
            "struct A {\n    // INVARIANT: why\n    let b = unsafe c()\n    var d: Int { unsafe e() }\n}",
            "// unsafe\nlet a = \"unsafe\" /* unsafe */\nlet b = #\"\"\"\nunsafe \"\n\"\"\"#\n@unsafe let unsafely = 1",
        ])
    func `a reason is found in and above a declaration`(text: String) {
        #expect(UnsafeLines.withoutReason(in: text) == [])
    }

    @Test(
        arguments: [
            ("func a() { unsafe b() }", [1]),
            ("// SAFETY: why\nlet a = unsafe b()\n\nlet c = unsafe d()\nlet e = unsafe f()", [4, 5]),
            ("let a = \"\\(unsafe b()) SAFETY: why\"", [1]),
            ("class A {\n    init() {\n    // SAFETY: why\n        unsafe b()\n    }\n    let c = unsafe d\n}", [6]),
            ("// SAFETY: why\nextension A {\n    var b: Int { unsafe c() }\n}\nlet d = unsafe e()", [3, 5]),
            ("/// SAFETY: why\n\nfunc a() {\n    if unsafe b() {\n        unsafe c()\n    }\n}", [4]),
            ("nonisolated(unsafe) var a = 0", [1]),
        ] as [(String, [Int])])
    func `a missing reason is reported once for a declaration`(text: String, lines: [Int]) {
        #expect(UnsafeLines.withoutReason(in: text) == lines)
    }
}

/// Finds the declarations that contain the word `unsafe` and no reason for it.
private struct UnsafeLines {
    /// The first such line of each declaration, counted from 1.
    static func withoutReason(in text: String) -> [Int] {
        var search = Self()
        for (index, line) in SwiftLines.lines(of: text).enumerated() { search.read(line, number: index + 1) }
        return search.found
    }

    private var found: [Int] = []
    /// For each open brace, whether it is that of a type or an extension.
    private var braces: [Bool] = []
    /// Whether the last declaration to begin is a type or an extension.
    private var isTypeNext = false
    /// Whether there is a reason above, without an empty line between.
    private var hasReasonAbove = false
    private var hasReasonInside = false
    private var firstUnsafeLine: Int?

    /// Whether the next declaration is no local one.
    private var isOutside: Bool { braces.allSatisfy { $0 } }

    private mutating func read(_ line: SwiftLines.Line, number: Int) {
        if isOutside {
            hasReasonAbove = !line.isEmpty && (hasReasonAbove || line.hasReason)
        } else {
            hasReasonInside = hasReasonInside || line.hasReason
        }
        for word in line.words {
            switch word {
            case "unsafe": firstUnsafeLine = firstUnsafeLine ?? number
            case "struct", "class", "enum", "protocol", "actor", "extension": isTypeNext = true
            case "func", "init", "deinit", "subscript", "var", "let": isTypeNext = false
            case "{": open()
            case "}": close()
            default: break
            }
        }
        if isOutside { endDeclaration() }
    }

    private mutating func open() {
        let isType = isOutside && isTypeNext
        braces.append(isType)
        isTypeNext = false
        guard isType else { return }
        endDeclaration()
        hasReasonAbove = false
    }

    private mutating func close() {
        if braces.popLast() == true { hasReasonAbove = false }
        isTypeNext = false
    }

    private mutating func endDeclaration() {
        if let firstUnsafeLine, !hasReasonAbove, !hasReasonInside { found.append(firstUnsafeLine) }
        firstUnsafeLine = nil
        hasReasonInside = false
    }
}

/// Splits Swift into lines of words, without comments and literals.
private struct SwiftLines {
    struct Line {
        /// The words and braces of the code.
        var words: [String] = []
        var comment = ""
        var isEmpty = true

        var hasReason: Bool { comment.contains("SAFETY:") || comment.contains("INVARIANT:") }
    }

    static func lines(of text: String) -> [Line] {
        var scanner = Self(text: Substring(text))
        while !scanner.text.isEmpty { scanner.step() }
        return scanner.lines
    }

    /// What surrounds the next character.
    private enum Context {
        case comment(end: String)
        case literal(end: String, escape: String)
        case interpolation(openCount: Int)
    }

    private var text: Substring
    private var lines = [Line()]
    private var contexts: [Context] = []
    private var isInWord = false

    private mutating func step() {
        if text.first == "\n" {
            if case .comment("\n") = contexts.last { contexts.removeLast() }
            lines.append(Line())
            isInWord = false
            text.removeFirst()
            return
        }
        if text.first != " " { lines[lines.count - 1].isEmpty = false }
        switch contexts.last {
        case .comment(let end):
            if take(end) { contexts.removeLast() } else { lines[lines.count - 1].comment.append(text.removeFirst()) }
        case .literal(let end, let escape):
            if take(end) {
                contexts.removeLast()
            } else if take(escape + "(") {
                contexts.append(.interpolation(openCount: 1))
            } else if !take(escape) || !text.isEmpty {
                text.removeFirst()
            }
        case .interpolation(let openCount):
            contexts.removeLast()
            let change = text.first == "(" ? 1 : text.first == ")" ? -1 : 0
            if openCount + change > 0 { contexts.append(.interpolation(openCount: openCount + change)) }
            stepInCode()
        case nil: stepInCode()
        }
    }

    private mutating func stepInCode() {
        if take("//") { return contexts.append(.comment(end: "\n")) }
        if take("/*") { return contexts.append(.comment(end: "*/")) }
        let hashes = String(text.prefix { $0 == "#" })
        for quotes in ["\"\"\"", "\""] where take(hashes + quotes) {
            return contexts.append(.literal(end: quotes + hashes, escape: "\\" + hashes))
        }
        let character = text.removeFirst()
        let isWord = character.isLetter || character.isNumber || "_@".contains(character)
        if isWord, isInWord {
            lines[lines.count - 1].words[lines[lines.count - 1].words.count - 1].append(character)
        } else if isWord || character == "{" || character == "}" {
            lines[lines.count - 1].words.append(String(character))
        }
        isInWord = isWord
    }

    private mutating func take(_ prefix: String) -> Bool {
        guard text.hasPrefix(prefix) else { return false }
        text.removeFirst(prefix.count)
        return true
    }
}
