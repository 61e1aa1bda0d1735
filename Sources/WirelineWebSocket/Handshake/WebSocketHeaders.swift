// SPDX-License-Identifier: Apache-2.0

/// The headers of a request or a response, in their order; names are the same in upper and lower case.
public struct WebSocketHeaders: Equatable, Sendable, ExpressibleByDictionaryLiteral {
    /// One header.
    public struct Field: Equatable, Sendable {
        /// Its name, as it was written.
        public let name: String
        /// Its value, without spaces around it.
        public let value: String

        /// Makes a header; whether HTTP allows it is checked when it is used.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All of them; a name may stand there several times.
    public private(set) var fields: [Field] = []

    /// No headers.
    public init() {}

    /// Makes headers of pairs of name and value; a name may stand there several times.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// Puts a header behind the others.
    public mutating func append(name: String, value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Puts headers in place of those of the same names.
    package mutating func replace(with others: WebSocketHeaders) {
        fields = fields.filter { others[$0.name] == nil } + others.fields
    }

    /// The value of the first header of a name; nil if there is none.
    public subscript(name: String) -> String? {
        fields.first { $0.name.isSameToken(as: name) }?.value
    }

    /// The values of all headers of a name.
    public func values(of name: String) -> [String] {
        fields.filter { $0.name.isSameToken(as: name) }.map(\.value)
    }

    /// The value of the only header of a name; nil if there is none or another one.
    func onlyValue(of name: String) -> String? {
        let values = values(of: name)
        return values.count == 1 ? values[0] : nil
    }

    /// The elements of the lists that are the values of a name, without empty ones (RFC 9110 §5.6.1.2).
    func listElements(in name: String) -> [Substring] {
        values(of: name).flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ",")).map { Substring($0).trimmed }.filter { !$0.isEmpty }
        }
    }

    /// Whether one of the lists that are the values of a name has such an element.
    func hasListElement(_ element: String, in name: String) -> Bool {
        listElements(in: name).contains { $0.isSameToken(as: element) }
    }

    /// Throws for what HTTP does not allow.
    func validate() throws(WebSocketError) {
        for field in fields {
            guard field.name.isToken, field.value.isHeaderValue else { throw .invalidHeader(name: field.name) }
        }
    }

    /// The lines, as they stand in a head.
    var lines: String {
        fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    }
}

extension StringProtocol {
    /// Whether this is a token of HTTP (RFC 9110 §5.6.2).
    var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isTokenCharacter) }

    /// Whether this can stand behind a header's name: no line ends, no NUL and no other control character.
    var isHeaderValue: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }

    /// Whether the two are the same but for upper and lower case of ASCII.
    func isSameToken(as other: some StringProtocol) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}

extension Substring {
    /// Without spaces and tabs at both ends.
    var trimmed: Substring {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        var bytes = utf8.drop(while: isSpace)
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return Substring(bytes)
    }
}

extension UInt8 {
    var isDigit: Bool { (0x30...0x39).contains(self) }

    var isLetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }

    var isHexadecimalDigit: Bool { isDigit || (0x41...0x46).contains(self) || (0x61...0x66).contains(self) }

    var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

    var isTokenCharacter: Bool {
        isDigit || isLetter
            || "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
}
