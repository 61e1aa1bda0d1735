// SPDX-License-Identifier: Apache-2.0

/// A parsed HTTP head: the three words of the first line, and the headers (RFC 9112 §2 to §5).
package struct HTTPHead {
    /// The first line's words. The third word of a response is the rest of the line, and may be empty.
    package let startLine: (String, String, String)
    package let headers: WebSocketHeaders

    /// The most headers. Each one takes memory of its own while a program keeps the request: 5 bytes take 32. Browsers
    /// and proxies send fewer than 40.
    private static let headerLimit = 100

    /// - Parameter bytes: A whole head that ``HeadReader`` has accepted.
    package init(_ bytes: [UInt8]) throws(WebSocketError) {
        var lines = Lines(bytes: bytes)
        startLine = try Self.words(of: lines.next() ?? [])
        var headers = WebSocketHeaders()
        while let line = lines.next(), !line.isEmpty {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy(\.isTokenCharacter)
            else { throw .malformedHead(.headerName, offset: line.startIndex) }
            guard headers.fields.count < Self.headerLimit else { throw .tooManyHeaders(limit: Self.headerLimit) }
            headers.append(
                name: Self.text(of: line[..<colon]),
                value: String(Self.text(of: line[(colon + 1)...])[...].trimmed))
        }
        self.headers = headers
    }

    /// Splits a line into a word, a space, a word, a space and the rest.
    private static func words(of line: ArraySlice<UInt8>) throws(WebSocketError) -> (String, String, String) {
        let words = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0].count > 0, words[1].count > 0
        else { throw .malformedHead(.startLine, offset: 0) }
        return (text(of: words[0]), text(of: words[1]), words.count == 3 ? text(of: words[2]) : "")
    }

    /// Decodes UTF-8, or Latin-1 if it is not UTF-8: HTTP does not define the encoding (RFC 9110 §5.5).
    private static func text(of bytes: ArraySlice<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private struct Lines {
        let bytes: [UInt8]
        var start = 0

        /// Returns the next line without its end; nil at the end.
        mutating func next() -> ArraySlice<UInt8>? {
            guard start < bytes.count else { return nil }
            let end = bytes[start...].firstIndex(of: 0x0D) ?? bytes.count
            defer { start = end + 2 }
            return bytes[start..<end]
        }
    }
}
