// SPDX-License-Identifier: Apache-2.0

extension ErlangTerm {
    /// Reads a term in Erlang's syntax, as it stands in a program or in the shell: `{enter, 7, <<"hi">>, [1.5 | $a]}`.
    ///
    /// A full stop at the end and comments are allowed. Not allowed are variables, expressions and functions other than
    /// `fun module:name/arity`. Processes, ports and references are read in the form that ``description`` writes.
    ///
    /// - Parameters:
    ///   - text: The text, all of which must be one term.
    ///   - limits: Only its depth and the bytes of integers count.
    /// - Throws: ``ErlangError/invalidText(_:offset:)``, ``ErlangError/integerTooLong(limit:offset:)``.
    public init(parsing text: String, limits: ErlangTermLimits = ErlangTermLimits()) throws(ErlangError) {
        var parser = TermParser(text, limits)
        self = try parser.parseAll()
    }
}

struct TermParser {
    private var scanner: TextScanner
    private let limits: ErlangTermLimits
    private var depth = 0

    init(_ text: String, _ limits: ErlangTermLimits) {
        scanner = TextScanner(text)
        self.limits = limits
    }

    mutating func parseAll() throws(ErlangError) -> ErlangTerm {
        let term = try parse()
        scanner.skipSpace()
        _ = scanner.skip(".")
        scanner.skipSpace()
        guard scanner.isAtEnd else { throw scanner.fault(.trailingText) }
        return term
    }

    private mutating func parse() throws(ErlangError) -> ErlangTerm {
        scanner.skipSpace()
        switch try scanner.peek() {
        case UInt8(ascii: "["): return try nested { parser throws(ErlangError) in try parser.parseList() }
        case UInt8(ascii: "{"):
            return try nested { parser throws(ErlangError) in
                parser.scanner.advance()
                return .tuple(try parser.parseElements(until: "}"))
            }
        case UInt8(ascii: "#"): return try nested { parser throws(ErlangError) in try parser.parseHash() }
        case UInt8(ascii: "<"): return try nested { parser throws(ErlangError) in try parser.parseBinary() }
        case UInt8(ascii: "\""): return .characters(try parseStrings())
        case UInt8(ascii: "'"): return .atom(try parseAtom())
        case UInt8(ascii: "$"):
            scanner.advance()
            return .integer(Int64(try scanner.character().value))
        case let byte where byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+"):
            return try scanner.number(byteLimit: limits.integerByteCount)
        default: return try parseWord()
        }
    }

    private mutating func nested(
        _ body: (inout Self) throws(ErlangError) -> ErlangTerm
    ) throws(ErlangError) -> ErlangTerm {
        guard depth < limits.depth else { throw scanner.fault(.tooDeep) }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    /// Reads terms separated by commas, and the byte that ends them.
    private mutating func parseElements(until end: Unicode.Scalar) throws(ErlangError) -> [ErlangTerm] {
        if scanner.skip(end) { return [] }
        var elements: [ErlangTerm] = []
        repeat { elements.append(try parse()) } while scanner.skip(",")
        try scanner.expect(end)
        return elements
    }

    private mutating func parseList() throws(ErlangError) -> ErlangTerm {
        scanner.advance()
        if scanner.skip("]") { return .list([]) }
        var elements: [ErlangTerm] = []
        repeat { elements.append(try parse()) } while scanner.skip(",")
        let tail: ErlangTerm = scanner.skip("|") ? try parse() : .list([])
        try scanner.expect("]")
        return .list(elements, tail: tail)
    }

    /// Reads a map, or an identifier without a syntax in Erlang, such as `#Pid<…>`.
    private mutating func parseHash() throws(ErlangError) -> ErlangTerm {
        let start = scanner.offset
        scanner.advance()
        guard scanner.skip("{") else { return try parseIdentifier(start) }
        var items: [ErlangTerm] = []
        guard !scanner.skip("}") else { return .map(ErlangMap()) }
        repeat {
            items.append(try parse())
            try scanner.expect("=")
            try scanner.expectDirectly(">")
            items.append(try parse())
        } while scanner.skip(",")
        try scanner.expect("}")
        guard let map = ErlangMap(alternating: items) else { throw .invalidText(.duplicateKey, offset: start) }
        return .map(map)
    }

    private mutating func parseIdentifier(_ start: Int) throws(ErlangError) -> ErlangTerm {
        let kind = scanner.word()
        guard ["Pid", "Port", "Ref"].contains(kind)
        else { throw .invalidText(kind == "Fun" ? .function : .unexpectedCharacter, offset: start + 1) }
        try scanner.expectDirectly("<")
        let node = try parseAtom()
        var numbers: [UInt64] = []
        while scanner.skip(".") { numbers.append(try scanner.digits()) }
        try scanner.expectDirectly(">")
        let words = numbers.compactMap { UInt32(exactly: $0) }
        switch (kind, numbers.count, words.count) {
        case ("Pid", 3, 3): return .pid(ErlangPID(node: node, id: words[0], serial: words[1], creation: words[2]))
        case ("Port", 2, _):
            guard let creation = UInt32(exactly: numbers[1]) else { break }
            return .port(ErlangPort(node: node, id: numbers[0], creation: creation))
        case ("Ref", 2..., numbers.count):
            guard let reference = ErlangReference(node: node, creation: words[0], words: Array(words[1...])) else {
                break
            }
            return .reference(reference)
        default: break
        }
        throw .invalidText(.number, offset: start)
    }

    // MARK: Words

    private mutating func parseWord() throws(ErlangError) -> ErlangTerm {
        guard scanner.isAtWord("fun") else { return .atom(try parseAtom()) }
        _ = scanner.word()
        return .function(try parseFunction())
    }

    private mutating func parseFunction() throws(ErlangError) -> ErlangFunction {
        scanner.skipSpace()
        guard try scanner.peek() != UInt8(ascii: "(") else { throw scanner.fault(.function) }
        let module = try parseAtom()
        try scanner.expect(":")
        scanner.skipSpace()
        let name = try parseAtom()
        try scanner.expect("/")
        scanner.skipSpace()
        let start = scanner.offset
        guard let arity = UInt8(exactly: try scanner.digits()) else { throw .invalidText(.number, offset: start) }
        return .exported(module: module, name: name, arity: arity)
    }

    private mutating func parseAtom() throws(ErlangError) -> ErlangAtom {
        let start = scanner.offset
        let atom = ErlangAtom(try parseName())
        guard !atom.isTooLong else { throw .invalidText(.atomTooLong, offset: start) }
        return atom
    }

    private mutating func parseName() throws(ErlangError) -> String {
        if try scanner.peek() == UInt8(ascii: "'") { return try scanner.quoted() }
        let start = scanner.offset
        let first = try scanner.peek()
        guard !first.isCapitalLetter, first != UInt8(ascii: "_") else { throw scanner.fault(.variable) }
        let name = scanner.word()
        guard !name.isEmpty, !first.isDigit, first != UInt8(ascii: "@")
        else { throw .invalidText(.unexpectedCharacter, offset: start) }
        guard !PrintableText.reservedWords.contains(name) else { throw .invalidText(.reservedWord, offset: start) }
        return name
    }

    /// Adjacent strings become one.
    private mutating func parseStrings() throws(ErlangError) -> String {
        var text = try scanner.quoted()
        scanner.skipSpace()
        while !scanner.isAtEnd, try scanner.peek() == UInt8(ascii: "\"") {
            text += try scanner.quoted()
            scanner.skipSpace()
        }
        return text
    }

    // MARK: Binaries

    private mutating func parseBinary() throws(ErlangError) -> ErlangTerm {
        scanner.advance()
        try scanner.expectDirectly("<")
        var bits = BitBuilder()
        if !scanner.skip(">") {
            repeat { try parseSegment(into: &bits) } while scanner.skip(",")
            try scanner.expect(">")
        }
        try scanner.expectDirectly(">")
        return bits.term
    }

    private mutating func parseSegment(into bits: inout BitBuilder) throws(ErlangError) {
        scanner.skipSpace()
        let start = scanner.offset
        let value = try parse()
        let bitCount = scanner.skip(":") ? try segmentBitCount() : nil
        let isText = scanner.skip("/")
        if isText {
            scanner.skipSpace()
            guard scanner.word() == "utf8", bitCount == nil else { throw .invalidText(.segment, offset: start) }
        }
        let characters: [ErlangTerm]
        if case .list(let elements) = value, elements.allSatisfy({ $0.integer(as: UInt32.self) != nil }) {
            characters = elements
        } else {
            characters = [value]
        }
        for character in characters {
            let isAdded = isText ? bits.addUTF8(character) : bits.add(character, bitCount: bitCount ?? 8)
            guard isAdded else { throw .invalidText(.segment, offset: start) }
        }
    }

    private mutating func segmentBitCount() throws(ErlangError) -> Int {
        scanner.skipSpace()
        let start = scanner.offset
        let bitCount = try scanner.digits()
        guard bitCount <= 64 else { throw .invalidText(.segment, offset: start) }
        return Int(bitCount)
    }
}
