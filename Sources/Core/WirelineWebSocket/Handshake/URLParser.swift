// SPDX-License-Identifier: Apache-2.0

/// Takes the parts of a URL from its text, from left to right (RFC 3986).
struct URLParser {
    private let bytes: [UInt8]
    private var offset = 0
    private var authorityEnd = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// - Returns: Whether the scheme is a secure one.
    mutating func takeScheme() throws(WebSocketError) -> Bool {
        let schemes = [("ws://", false), ("wss://", true), ("http://", false), ("https://", true)]
        for (scheme, isSecure) in schemes where bytes.map(\.lowercasedASCII).starts(with: scheme.utf8) {
            offset = scheme.utf8.count
            authorityEnd = bytes[offset...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
            // Browsers read a backslash as a slash. For them the host of `ws://a\@b` is `a`, for others `b`.
            if let place = bytes[offset..<authorityEnd].firstIndex(of: Self.backslash) {
                throw .invalidURL(.character, offset: place)
            }
            return isSecure
        }
        throw .invalidURL(.scheme, offset: 0)
    }

    mutating func takeCredentials() throws(WebSocketError) -> WebSocketCredentials? {
        guard let end = bytes[offset..<authorityEnd].lastIndex(of: UInt8(ascii: "@")) else { return nil }
        defer { offset = end + 1 }
        let colon = bytes[offset..<end].firstIndex(of: UInt8(ascii: ":")) ?? end
        let user = try decoded(offset..<colon)
        let password = try decoded(min(colon + 1, end)..<end)
        return WebSocketCredentials(user: user, password: password)
    }

    mutating func takeHost() throws(WebSocketError) -> String {
        guard offset < authorityEnd, bytes[offset] != UInt8(ascii: ":")
        else { throw .invalidURL(.missingHost, offset: offset) }
        let host: Substring
        let end: Int
        if bytes[offset] == UInt8(ascii: "[") {
            guard let bracket = bytes[offset..<authorityEnd].firstIndex(of: UInt8(ascii: "]"))
            else { throw .invalidURL(.host, offset: offset) }
            host = Substring(text(offset + 1..<bracket))
            end = bracket + 1
            guard HostName.isIPv6(host) else { throw .invalidURL(.host, offset: offset) }
        } else {
            end = bytes[offset..<authorityEnd].firstIndex(of: UInt8(ascii: ":")) ?? authorityEnd
            host = Substring(text(offset..<end))
            guard HostName.isName(host) else { throw .invalidURL(.host, offset: offset) }
        }
        offset = end
        return String(host)
    }

    /// Nil if there is no port.
    mutating func takePort() throws(WebSocketError) -> Int? {
        guard offset < authorityEnd else { return nil }
        guard bytes[offset] == UInt8(ascii: ":") else { throw .invalidURL(.host, offset: offset) }
        let digits = bytes[(offset + 1)..<authorityEnd]
        defer { offset = authorityEnd }
        guard !digits.isEmpty else { return nil }
        guard digits.allSatisfy(\.isDigit), let port = Int(text(digits.indices)), 1...65_535 ~= port
        else { throw .invalidURL(.port, offset: offset + 1) }
        return port
    }

    mutating func takePath() throws(WebSocketError) -> String {
        let end = bytes[offset...].firstIndex { "?#".utf8.contains($0) } ?? bytes.count
        defer { offset = end }
        try checkCharacters(offset..<end)
        // Browsers read a backslash in a path as a slash, too.
        if let place = bytes[offset..<end].firstIndex(of: Self.backslash) {
            throw .invalidURL(.character, offset: place)
        }
        return offset == end ? "/" : text(offset..<end)
    }

    /// The query ends the text.
    mutating func takeQuery() throws(WebSocketError) -> String? {
        let end = bytes[offset...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        guard end == bytes.count else { throw .invalidURL(.fragment, offset: end) }
        guard offset < end else { return nil }
        try checkCharacters((offset + 1)..<end)
        return text((offset + 1)..<end)
    }

    private static let backslash = UInt8(ascii: "\\")

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Throws for characters that must be percent-encoded, and for a `%` that encodes nothing.
    ///
    /// Some characters that RFC 3986 forbids (brackets, braces, `^`, `|`, in a query `\`) are accepted, because
    /// browsers send them unencoded (https://url.spec.whatwg.org/#query-percent-encode-set).
    private func checkCharacters(_ range: Range<Int>) throws(WebSocketError) {
        var rest = bytes[range]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.count >= 2, rest.prefix(2).allSatisfy(\.isHexadecimalDigit)
                else { throw .invalidURL(.percentEncoding, offset: rest.startIndex - 1) }
                rest = rest.dropFirst(2)
            } else if !(0x21...0x7E).contains(byte) || "\"<>".utf8.contains(byte) {
                throw .invalidURL(.character, offset: rest.startIndex - 1)
            }
        }
    }

    private func decoded(_ range: Range<Int>) throws(WebSocketError) -> String {
        var decoded: [UInt8] = []
        var rest = bytes[range]
        while let byte = rest.popFirst() {
            guard byte > 0x20, byte != 0x7F else { throw .invalidURL(.character, offset: rest.startIndex - 1) }
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard rest.count >= 2, rest.prefix(2).allSatisfy(\.isHexadecimalDigit),
                let value = UInt8(text(rest.startIndex..<rest.startIndex + 2), radix: 16)
            else { throw .invalidURL(.percentEncoding, offset: rest.startIndex - 1) }
            decoded.append(value)
            rest = rest.dropFirst(2)
        }
        guard let text = String(validating: decoded, as: UTF8.self)
        else { throw .invalidURL(.credentials, offset: range.lowerBound) }
        return text
    }
}

package enum HostName {
    /// Returns whether the text is a name, or an IP address without brackets.
    package static func isHost(_ text: String) -> Bool {
        isName(text[...]) || isIPv6(text[...])
    }

    /// Returns whether the text is an IP address without brackets.
    static func isAddress(_ text: String) -> Bool {
        isIPv4(text[...]) || isIPv6(text[...])
    }

    /// Returns whether the text is a name in ASCII or an IPv4 address.
    ///
    /// A name that ends in a number must be an IPv4 address (RFC 1123 §2.1).
    static func isName(_ text: Substring) -> Bool {
        let withoutRoot = text.utf8.last == UInt8(ascii: ".") ? text.dropLast() : text
        let labels = withoutRoot.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // Host names should not contain underscores, but some do.
        let isHostCharacter: (UInt8) -> Bool = { $0.isDigit || $0.isLetter || $0 == 0x2D || $0 == 0x5F }
        guard withoutRoot.utf8.count <= 253,
            labels.allSatisfy({ 1...63 ~= $0.count && $0.allSatisfy(isHostCharacter) }), let last = labels.last
        else { return false }
        // C libraries and browsers also read `0x7F000001` as a number
        // (https://url.spec.whatwg.org/#ends-in-a-number-checker).
        let isHexadecimal =
            last.count > 1 && last.first == UInt8(ascii: "0")
            && last.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
            && last.dropFirst(2).allSatisfy(\.isHexadecimalDigit)
        return isHexadecimal || last.allSatisfy(\.isDigit) ? isIPv4(withoutRoot) : true
    }

    static func isIPv4(_ text: Substring) -> Bool {
        let numbers = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return numbers.count == 4
            && numbers.allSatisfy { digits in
                1...3 ~= digits.count && digits.allSatisfy(\.isDigit) && UInt8(Substring(digits)) != nil
                    && (digits.count == 1 || digits.first != UInt8(ascii: "0"))
            }
    }

    /// Returns whether the text is an IPv6 address without a zone (RFC 4291 §2.2).
    static func isIPv6(_ text: Substring) -> Bool {
        guard let gap = text.firstRange(of: "::") else { return groupCount(text) == 8 }
        let (front, back) = (text[..<gap.lowerBound], text[gap.upperBound...])
        guard let frontCount = front.isEmpty ? 0 : groupCount(front, mayEndInIPv4: false),
            let backCount = back.isEmpty ? 0 : groupCount(back)
        else { return false }
        return frontCount + backCount <= 7
    }

    /// Returns the number of 16-bit groups between colons; nil if there is anything else.
    private static func groupCount(_ text: Substring, mayEndInIPv4: Bool = true) -> Int? {
        var groups = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var count = 0
        if mayEndInIPv4, let last = groups.last, isIPv4(Substring(last)) {
            groups.removeLast()
            count = 2
        }
        guard groups.allSatisfy({ 1...4 ~= $0.count && $0.allSatisfy(\.isHexadecimalDigit) }) else { return nil }
        return count + groups.count
    }
}
