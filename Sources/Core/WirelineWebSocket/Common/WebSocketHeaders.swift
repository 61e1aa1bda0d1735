// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The headers of a request or a response, in order; names are compared without regard to case.
public struct WebSocketHeaders: Equatable, Sendable, ExpressibleByDictionaryLiteral {
    /// One header.
    public struct Field: Equatable, Sendable {
        /// The name, as it was written.
        public let name: String
        /// The value, without surrounding spaces.
        public let value: String

        /// Makes a header. Name and value are checked when it is used.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All headers; a name may occur several times.
    public private(set) var fields: [Field] = []

    /// Makes an empty list.
    public init() {}

    /// Makes headers from pairs of name and value; a name may occur several times.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// Appends a header.
    public mutating func append(name: String, value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Replaces all headers of the same names.
    package mutating func replace(with others: WebSocketHeaders) {
        fields = fields.filter { others[$0.name] == nil } + others.fields
    }

    /// The value of the first header with a name; nil if there is none.
    public subscript(name: String) -> String? {
        fields.first { $0.name.isSameToken(as: name) }?.value
    }

    /// Returns the values of all headers with a name.
    public func values(of name: String) -> [String] {
        fields.filter { $0.name.isSameToken(as: name) }.map(\.value)
    }

    /// Nil if there is no header with the name, or more than one.
    func onlyValue(of name: String) -> String? {
        let values = values(of: name)
        return values.count == 1 ? values[0] : nil
    }

    /// Returns the elements of all list values of a name, without empty ones (RFC 9110 §5.6.1.2).
    func listElements(in name: String) -> [Substring] {
        values(of: name).flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ",")).map { Substring($0).trimmed }.filter { !$0.isEmpty }
        }
    }

    func hasListElement(_ element: String, in name: String) -> Bool {
        listElements(in: name).contains { $0.isSameToken(as: element) }
    }

    /// Throws ``WebSocketError/invalidHeader(name:)`` for a header that HTTP does not allow.
    func validate() throws(WebSocketError) {
        for field in fields {
            guard field.name.isToken, field.value.isHeaderValue else { throw .invalidHeader(name: field.name) }
        }
    }

    var lines: String {
        fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    }
}

extension WebSocketHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Whether the value is a credential, which is never printed.
    private var isSecret: Bool {
        ["Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "Sec-WebSocket-Protocol"].contains {
            name.isSameToken(as: $0)
        }
    }

    /// Name and value as in a head; secret values are `(hidden)`.
    ///
    /// Secret are credentials, cookies and subprotocols: browsers can send tokens only as subprotocols.
    public var description: String {
        "\(name.escaped()): \(isSecret ? HiddenValue.text : value.escaped())"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror that hides the values that the description hides.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name, "value": isSecret ? HiddenValue(value) : value as Any])
    }
}

extension StringProtocol {
    /// Whether the text is an HTTP token (RFC 9110 §5.6.2).
    var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isTokenCharacter) }

    /// Whether the text may be a header value: no line ends, NUL or other control characters.
    var isHeaderValue: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }

    /// Returns whether two texts are equal without regard to the case of ASCII letters.
    func isSameToken(as other: some StringProtocol) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}

extension Substring {
    /// The text without spaces and tabs at both ends.
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
