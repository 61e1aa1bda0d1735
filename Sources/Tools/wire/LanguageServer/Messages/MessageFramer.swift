// SPDX-License-Identifier: Apache-2.0

/// Separates the messages of a stream by their headers (LSP 3.17, "Base Protocol").
///
///     Content-Length: 52\r\n
///     \r\n
///     {"jsonrpc":"2.0","id":1,"method":"shutdown", …}
struct MessageFramer {
    enum Event: Equatable {
        case message([UInt8])
        /// The end of a message that is longer than the limit. Its bytes were dropped.
        case dropped(byteCount: Int)
        /// The stream violates the protocol. The start of the next message cannot be found.
        case broken(String)
    }

    /// The longest header, in bytes. A real one has at most two short lines.
    private static let headerLimit = 4096

    private let limit: Int
    private var header: [UInt8] = []
    private var body: [UInt8] = []
    /// The length of the current message; nil while its header arrives.
    private var byteCount: Int?
    /// The number of bytes that are missing from the current message.
    private var missingCount = 0

    /// - Parameter limit: The largest message, in bytes.
    init(limit: Int) { self.limit = limit }

    /// Consumes input up to the next event; nil if the input ends first.
    mutating func next(from input: inout ArraySlice<UInt8>) -> Event? {
        while let byte = input.first {
            if byteCount == nil {
                input.removeFirst()
                if let fault = takeHeader(byte) { return .broken(fault) }
            } else {
                takeBody(from: &input)
            }
            if let byteCount, missingCount == 0 { return finish(byteCount) }
        }
        return nil
    }

    private mutating func finish(_ count: Int) -> Event {
        defer {
            byteCount = nil
            body = []
        }
        return count > limit ? .dropped(byteCount: count) : .message(body)
    }

    private mutating func takeBody(from input: inout ArraySlice<UInt8>) {
        let piece = input.prefix(missingCount)
        if let byteCount, byteCount <= limit { body += piece }
        missingCount -= piece.count
        input.removeFirst(piece.count)
    }

    // MARK: The header

    /// Consumes one byte of a header. Returns the error text if the header is invalid.
    private mutating func takeHeader(_ byte: UInt8) -> String? {
        if byte == UInt8(ascii: "\n"), header.last != UInt8(ascii: "\r") { return "a line of a header ends in CR LF" }
        guard header.count < Self.headerLimit else { return "a header has more than \(Self.headerLimit) bytes" }
        header.append(byte)
        guard header.count >= 4, header.suffix(4).elementsEqual([13, 10, 13, 10]) else {
            return header == [13, 10] ? "a header has no Content-Length" : nil
        }
        let lines = String(decoding: header.dropLast(4), as: UTF8.self).split(separator: "\r\n")
        header = []
        return takeLines(lines)
    }

    private mutating func takeLines(_ lines: [Substring]) -> String? {
        var length: Int?
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { return "a line of a header has no colon" }
            guard line[..<colon].lowercased() == "content-length" else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            guard length == nil, value.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
                let number = Int(value)
            else { return "a header's Content-Length is not one number" }
            length = number
        }
        guard let length else { return "a header has no Content-Length" }
        byteCount = length
        missingCount = length
        return nil
    }
}
