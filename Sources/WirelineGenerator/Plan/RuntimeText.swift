// SPDX-License-Identifier: Apache-2.0

/// The text of a back end's runtime, in pieces of which each declares one name. Methods of several types may share one.
///
/// Generated code has only the pieces that it uses, directly or indirectly: compilers warn about the others, and every byte
/// counts in a browser. Pieces are separated by empty lines.
struct RuntimeText: Sendable {
    private let pieces: [Piece]
    private let positions: [String: [Int]]
    private let syntax: Syntax
    /// The names of functions, which code needs only if it calls them.
    private let functions: Set<String>

    /// What separates words from other text.
    private struct Syntax: Sendable {
        let lineComment: [UInt8]
        let hasKeys: Bool
        let hasMembers: Bool
    }

    private struct Piece: Sendable {
        let text: String
        /// The names in it that other pieces may declare.
        let words: Set<String>
    }

    /// Takes a runtime apart.
    ///
    /// - Parameters:
    ///   - text: The pieces, separated by empty lines.
    ///   - isFunction: Whether such a line declares a function: a variable of its name needs no function (default: none does).
    ///   - name: Returns the name that a line of code declares; nil if it declares none.
    ///   - lineComment: The mark before a comment up to the end of its line.
    ///   - hasKeys: Whether a word before a colon names a member (default: true).
    ///   - hasMembers: Whether the pieces are members of a class, whose names may stand after a point (default: false).
    init(
        _ text: String, lineComment: String, hasKeys: Bool = true, hasMembers: Bool = false,
        isFunction: (Substring) -> Bool = { _ in false }, name: (Substring) -> String?
    ) {
        let syntax = Syntax(lineComment: Array(lineComment.utf8), hasKeys: hasKeys, hasMembers: hasMembers)
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
        self.syntax = syntax
        self.functions = functions
        pieces = chunks.map { Piece(text: String($0), words: Self.needs(of: $0, syntax, functions)) }
    }

    /// Returns the names in code that may be those of pieces: of functions only those that it calls.
    func needs(of code: String) -> Set<String> { Self.needs(of: code[...], syntax, functions) }

    private static func needs(of code: Substring, _ syntax: Syntax, _ functions: Set<String>) -> Set<String> {
        func words(onlyCalls: Bool) -> Set<String> {
            Self.words(
                of: code, lineComment: syntax.lineComment, hasKeys: syntax.hasKeys, hasMembers: syntax.hasMembers,
                onlyCalls: onlyCalls)
        }
        let all = words(onlyCalls: false)
        return functions.isEmpty ? all : all.subtracting(functions).union(words(onlyCalls: true))
    }

    /// The names of all pieces.
    var names: Set<String> { Set(positions.keys) }

    /// Returns the names of the pieces that some names need, themselves included.
    func closure(of names: Set<String>) -> Set<String> {
        var needed: Set<String> = []
        var waiting = Array(names)
        while let name = waiting.popLast() {
            guard let own = positions[name], needed.insert(name).inserted else { continue }
            waiting += own.flatMap { pieces[$0].words }
        }
        return needed
    }

    /// Returns the pieces that some names need, in the order of the runtime.
    func text(for names: Set<String>) -> String {
        let needed = closure(of: names).flatMap { positions[$0] ?? [] }.sorted()
        return needed.map { pieces[$0].text + "\n" }.joined(separator: "\n")
    }

    /// Returns the names in code; comments and strings have none, nor what stands after a point or before a
    /// colon, which is a member.
    ///
    /// - Parameters:
    ///   - hasKeys: Whether a word before a colon names a member.
    ///   - hasMembers: Whether names after a point are returned, too.
    ///   - onlyCalls: Whether only names before a parenthesis or an angle bracket are returned.
    static func words(
        of text: Substring, lineComment: [UInt8], hasKeys: Bool = true, hasMembers: Bool = false,
        onlyCalls: Bool = false
    ) -> Set<String> {
        var words: Set<String> = []
        let bytes = Array(text.utf8)
        var position = 0
        var previous: UInt8 = 0
        while position < bytes.count {
            let byte = bytes[position]
            if bytes[position...].starts(with: lineComment) {
                while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
            } else if bytes[position...].starts(with: [UInt8(ascii: "/"), UInt8(ascii: "*")]) {
                position += 2
                while position < bytes.count, !bytes[..<position].hasSuffix([UInt8(ascii: "*"), UInt8(ascii: "/")]) {
                    position += 1
                }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                position += 1
                while position < bytes.count, bytes[position] != byte {
                    position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
                }
                position += 1
            } else if isWordByte(byte) {
                let start = position
                while position < bytes.count, isWordByte(bytes[position]) { position += 1 }
                let isCall = position < bytes.count && [UInt8(ascii: "("), UInt8(ascii: "<")].contains(bytes[position])
                let isKey = hasKeys && position < bytes.count && bytes[position] == UInt8(ascii: ":")
                if previous != UInt8(ascii: ".") || hasMembers, !isKey, isCall || !onlyCalls {
                    words.insert(String(decoding: bytes[start..<position], as: UTF8.self))
                }
            } else {
                position += 1
            }
            previous = byte
        }
        return words
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func hasSuffix(_ other: [UInt8]) -> Bool { suffix(other.count).elementsEqual(other) }
}
