// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// The default limit for nested arrays and objects: 128.
    ///
    /// That is four times what a protocol's default depth of structures needs, and small enough for any thread's stack.
    public static let defaultMaximumDepth = 128

    /// Reads a JSON text (RFC 8259) strictly.
    ///
    /// The text must be one value in UTF-8 without a byte order mark, and no object may have two members with one name.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - maximumDepth: The most nested arrays and objects.
    /// - Throws: ``JSONError``, with the place and the member.
    /// - Complexity: O(*n*) in the text's bytes.
    public init(parsing text: String, maximumDepth: Int = defaultMaximumDepth) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), maximumDepth: maximumDepth)
    }

    /// Reads a JSON text (RFC 8259) from its bytes, as strictly as ``init(parsing:maximumDepth:)-(String,_)``.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8.
    ///   - maximumDepth: The most nested arrays and objects.
    /// - Throws: ``JSONError``, with the place and the member.
    /// - Complexity: O(*n*) in the text's bytes.
    public init(parsing bytes: [UInt8], maximumDepth: Int = defaultMaximumDepth) throws(JSONError) {
        var parser = JSONParser(bytes.span, maximumDepth: maximumDepth)
        self = try parser.parseDocument()
    }
}

/// Reads one JSON text by recursive descent; the depth limit bounds the stack.
struct JSONParser: ~Escapable {
    let bytes: Span<UInt8>
    let maximumDepth: Int
    var offset = 0

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    mutating func parseDocument() throws(JSONError) -> JSONValue {
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
            throw JSONError(.byteOrderMark, offset: 0)
        }
        let value = try parseValue(depth: 0)
        skipWhitespace()
        guard offset == bytes.count else { throw unexpected(.endOfText) }
        return value
    }

    // MARK: Values

    private mutating func parseValue(depth: Int) throws(JSONError) -> JSONValue {
        skipWhitespace()
        guard let first = peek() else { throw unexpected(.value) }
        switch first {
        case UInt8(ascii: "{"):
            try checkDepth(depth)
            return .object(try parseMembers(depth: depth + 1))
        case UInt8(ascii: "["):
            try checkDepth(depth)
            return .array(try parseItems(depth: depth + 1))
        case UInt8(ascii: "\""):
            return .string(try parseString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .number(JSONNumber(uncheckedText: try parseNumber()))
        case UInt8(ascii: "t"):
            return try parseLiteral("true", .boolean(true))
        case UInt8(ascii: "f"):
            return try parseLiteral("false", .boolean(false))
        case UInt8(ascii: "n"):
            return try parseLiteral("null", .null)
        default:
            throw unexpected(.value)
        }
    }

    private func checkDepth(_ depth: Int) throws(JSONError) {
        guard depth < maximumDepth else { throw JSONError(.tooDeep(limit: maximumDepth), offset: offset) }
    }

    private mutating func parseLiteral(_ text: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let start = offset
        for byte in text.description.utf8 {
            guard peek() == byte else {
                offset = start
                throw unexpected(.value)
            }
            offset += 1
        }
        return value
    }

    private mutating func parseItems(depth: Int) throws(JSONError) -> [JSONValue] {
        offset += 1
        var items: [JSONValue] = []
        skipWhitespace()
        if skip(UInt8(ascii: "]")) { return items }
        while true {
            do throws(JSONError) {
                items.append(try parseValue(depth: depth))
            } catch {
                throw located(error, in: "[\(items.count)]")
            }
            skipWhitespace()
            if skip(UInt8(ascii: "]")) { return items }
            guard skip(UInt8(ascii: ",")) else { throw unexpected(.commaOrBracket) }
        }
    }

    private mutating func parseMembers(depth: Int) throws(JSONError) -> [JSONValue.Member] {
        offset += 1
        var members: [JSONValue.Member] = []
        var names = NameSet()
        skipWhitespace()
        if skip(UInt8(ascii: "}")) { return members }
        while true {
            skipWhitespace()
            let start = offset
            let name = try parseKey()
            guard names.insert(name) else {
                throw JSONError(.duplicateKey(name), offset: start, path: FieldPath.step(name))
            }
            do throws(JSONError) {
                members.append(JSONValue.Member(name, try parseValue(depth: depth)))
            } catch {
                throw located(error, in: FieldPath.step(name))
            }
            skipWhitespace()
            if skip(UInt8(ascii: "}")) { return members }
            guard skip(UInt8(ascii: ",")) else { throw unexpected(.commaOrBrace) }
        }
    }

    private mutating func parseKey() throws(JSONError) -> String {
        guard peek() == UInt8(ascii: "\"") else { throw unexpected(.key) }
        let name = try parseString()
        skipWhitespace()
        guard skip(UInt8(ascii: ":")) else { throw unexpected(.colon) }
        return name
    }

    /// Adds a step to an error's path, except if the path would be as long as the text is deep.
    private func located(_ error: JSONError, in step: String) -> JSONError {
        if case .tooDeep = error.reason { error } else { error.prefixed(by: step) }
    }

    // MARK: Numbers

    private mutating func parseNumber() throws(JSONError) -> String {
        let start = offset
        _ = skip(UInt8(ascii: "-"))
        let isZero = peek() == UInt8(ascii: "0")
        let integerStart = offset
        try skipDigits()
        guard !isZero || offset == integerStart + 1 else { throw JSONError(.leadingZero, offset: integerStart) }
        if skip(UInt8(ascii: ".")) { try skipDigits() }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            _ = skip(UInt8(ascii: "+")) || skip(UInt8(ascii: "-"))
            try skipDigits()
        }
        var digits: [UInt8] = []
        append(start..<offset, to: &digits)
        return String(decoding: digits, as: UTF8.self)
    }

    private mutating func skipDigits() throws(JSONError) {
        let start = offset
        while let byte = peek(), UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { offset += 1 }
        guard offset > start else { throw unexpected(.digit) }
    }

    // MARK: Bytes

    func peek() -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        offset += 1
        return true
    }

    private mutating func skipWhitespace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    func append(_ range: Range<Int>, to output: inout [UInt8]) {
        for index in range { output.append(bytes[index]) }
    }

    func unexpected(_ expected: JSONError.Expectation) -> JSONError {
        JSONError(.unexpected(peek(), expected: expected), offset: offset)
    }
}

/// The names seen so far, compared by their bytes.
///
/// A few names are compared one by one, which needs no memory. Many are hashed, so that a large object takes linear
/// time.
private struct NameSet {
    private var few: [String] = []
    private var many: Set<[UInt8]> = []

    /// Adds a name; returns false if it was there before.
    mutating func insert(_ name: String) -> Bool {
        guard many.isEmpty else { return many.insert(Array(name.utf8)).inserted }
        guard !few.contains(where: { $0.hasSameBytes(as: name) }) else { return false }
        few.append(name)
        if few.count == 16 { many = Set(few.map { Array($0.utf8) }) }
        return true
    }
}
