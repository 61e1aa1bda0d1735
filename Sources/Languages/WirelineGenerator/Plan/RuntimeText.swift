// SPDX-License-Identifier: Apache-2.0

/// The text of a back end's runtime, divided into pieces. Each declares one name; methods of several types may share
/// one.
///
/// Generated code contains only the pieces that it uses, directly or indirectly: compilers warn about unused ones, and
/// every byte counts in a browser. Empty lines separate the pieces.
struct RuntimeText: Sendable {
    private let pieces: [Piece]
    private let positions: [String: [Int]]
    private let marks: Marks
    /// The names of functions: code needs these only if it calls them.
    private let functions: Set<String>

    /// The syntax that tells words from other text.
    private struct Marks: Sendable {
        let lineComment: [UInt8]
        let hasKeys: Bool
        let hasMembers: Bool
        /// The variables of one letter whose members are names: `r.text`.
        var objects: [UInt8] = []
    }

    private struct Piece: Sendable {
        let text: String
        /// The names in it that other pieces may declare.
        let words: Set<String>
    }

    /// Splits a runtime into pieces.
    ///
    /// - Parameters:
    ///   - text: The pieces, separated by empty lines.
    ///   - isFunction: Whether a line declares a function: a variable with its name does not need the piece (default:
    ///     none does).
    ///   - name: Returns the name that a line of code declares; nil if it declares none.
    ///   - lineComment: The mark before a comment up to the end of its line.
    ///   - hasKeys: Whether a word before a colon is the name of a member (default: true).
    ///   - hasMembers: Whether the pieces are members of a class, whose names may follow a point (default: false).
    ///   - objects: The variables of one letter whose members are pieces, named after both: `r.text` (default: none).
    init(
        _ text: String, lineComment: String, hasKeys: Bool = true, hasMembers: Bool = false, objects: String = "",
        isFunction: (Substring) -> Bool = { _ in false }, name: (Substring) -> String?
    ) {
        let marks = Marks(
            lineComment: Array(lineComment.utf8), hasKeys: hasKeys, hasMembers: hasMembers, objects: Array(objects.utf8)
        )
        var chunks: [Substring] = []
        var positions: [String: [Int]] = [:]
        var functions: Set<String> = []
        var others: Set<String> = []
        for chunk in text.split(separator: "\n\n") {
            let lines = chunk.split(separator: "\n")
            guard let line = lines.first(where: { name($0) != nil }), let declared = name(line) else { continue }
            positions[declared, default: []].append(chunks.count)
            chunks.append(chunk)
            if isFunction(line) { functions.insert(declared) } else { others.insert(declared) }
        }
        functions.subtract(others)
        self.positions = positions
        self.marks = marks
        self.functions = functions
        pieces = chunks.map { Piece(text: String($0), words: Self.needs(of: $0, marks, functions)) }
    }

    /// Returns the names in code that may refer to pieces; function names count only in calls.
    func needs(of code: String) -> Set<String> { Self.needs(of: code[...], marks, functions) }

    private static func needs(of code: Substring, _ marks: Marks, _ functions: Set<String>) -> Set<String> {
        var words = Words()
        words.read(code, marks)
        return words.others.subtracting(functions).union(words.called)
    }

    /// Returns the name that a line declares after one of some words, such as `class`; nil for other lines. Only
    /// modifiers may precede the word: `public static`.
    static func declaredName(_ line: Substring, after kinds: Set<Substring>) -> String? {
        let words = line.split(separator: " ")
        guard let kind = words.firstIndex(where: kinds.contains), words.indices.contains(kind + 1),
            words[..<kind].allSatisfy({ $0.allSatisfy(\.isLetter) })
        else { return nil }
        return String(words[kind + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    }

    var names: Set<String> { Set(positions.keys) }

    /// Returns the names that some names need, directly or indirectly, themselves included.
    func closure(of names: Set<String>) -> Set<String> {
        var needed: Set<String> = []
        var waiting = Array(names)
        while let name = waiting.popLast() {
            guard let own = positions[name], needed.insert(name).inserted else { continue }
            waiting += own.flatMap { pieces[$0].words }
        }
        return needed
    }

    /// Returns the pieces that some names need, in the runtime's order.
    func text(for names: Set<String>) -> String {
        let needed = closure(of: names).flatMap { positions[$0] ?? [] }.sorted()
        return needed.map { pieces[$0].text + "\n" }.joined(separator: "\n")
    }

    /// Returns the names in code. Comments, strings, and members (after a point or before a colon) contain none.
    ///
    /// - Parameters:
    ///   - hasKeys: Whether a word before a colon is the name of a member.
    ///   - objects: The variables of one letter whose members are names, too.
    static func words(
        of text: Substring, lineComment: String, hasKeys: Bool = true, objects: String = ""
    ) -> Set<String> {
        var words = Words()
        let marks = Marks(
            lineComment: Array(lineComment.utf8), hasKeys: hasKeys, hasMembers: false, objects: Array(objects.utf8))
        words.read(text, marks)
        return words.others.union(words.called)
    }

    /// Returns the names in code before a parenthesis or an angle bracket.
    ///
    /// - Parameters:
    ///   - hasKeys: Whether a word before a colon is the name of a member.
    ///   - hasMembers: Whether names after a point are returned, too.
    static func calls(
        in text: Substring, lineComment: String, hasKeys: Bool = true, hasMembers: Bool = false
    ) -> Set<String> {
        var words = Words()
        words.read(text, Marks(lineComment: Array(lineComment.utf8), hasKeys: hasKeys, hasMembers: hasMembers))
        return words.called
    }

    private struct Words {
        /// The names before a parenthesis or an angle bracket.
        var called: Set<String> = []
        var others: Set<String> = []

        mutating func read(_ text: Substring, _ marks: Marks) {
            let bytes = Array(text.utf8)
            let lineComment = marks.lineComment
            let count = bytes.count
            var position = 0
            var previous: UInt8 = 0
            while position < count {
                let byte = bytes[position]
                if RuntimeText.isWordByte(byte) {
                    let start = position
                    while position < count, RuntimeText.isWordByte(bytes[position]) { position += 1 }
                    let next = position < count ? bytes[position] : 0
                    // Two points are not a member access: `...rest`, `"a"..b`.
                    let isMember =
                        previous == UInt8(ascii: ".") && (start < 2 || bytes[start - 2] != previous)
                        && !marks.hasMembers
                    if isMember, start > 1, marks.objects.contains(bytes[start - 2]),
                        start == 2 || !RuntimeText.isWordByte(bytes[start - 3])
                    {
                        others.insert(String(decoding: bytes[start - 2..<position], as: UTF8.self))
                    } else if !isMember, next != UInt8(ascii: ":") || !marks.hasKeys {
                        let word = String(decoding: bytes[start..<position], as: UTF8.self)
                        if next == UInt8(ascii: "(") || next == UInt8(ascii: "<") {
                            called.insert(word)
                        } else {
                            others.insert(word)
                        }
                    }
                } else if byte == lineComment[0], bytes[position...].starts(with: lineComment) {
                    while position < count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
                } else if byte == UInt8(ascii: "/"), position + 1 < count, bytes[position + 1] == UInt8(ascii: "*") {
                    position += 2
                    while position < count,
                        bytes[position - 1] != UInt8(ascii: "/") || bytes[position - 2] != UInt8(ascii: "*")
                    {
                        position += 1
                    }
                } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    position += 1
                    while position < count, bytes[position] != byte {
                        position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
                    }
                    position += 1
                } else {
                    position += 1
                }
                previous = byte
            }
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        // The bit that distinguishes small letters from capitals.
        let letter = byte | 0x20
        return letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z")
            || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") || byte == UInt8(ascii: "_")
    }
}
