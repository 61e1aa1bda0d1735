// SPDX-License-Identifier: Apache-2.0

/// Reads the lines of standard input as they arrive.
struct InputLines {
    private var bytes: [UInt8] = []
    /// The start of the next line, and the offset up to which there is no newline.
    private var (start, searched) = (0, 0)
    private var hasEnded = false
    /// The number of the last returned line, from 1.
    private(set) var number = 0

    /// The next line if ``waitForFirst()`` has read it; otherwise nil.
    private var first: [UInt8]?

    /// Whether the input has not ended.
    var isOpen: Bool { !hasEnded }

    /// Returns the next line that is not blank; nil if none has arrived yet.
    mutating func next() -> [UInt8]? {
        if let line = first.take() { return line }
        while let line = take() {
            number += 1
            if line.contains(where: { !Self.blanks.contains($0) }) { return line }
        }
        return nil
    }

    /// Waits for the first line. Returns whether there is one.
    mutating func waitForFirst() throws(CommandError) -> Bool {
        while first == nil, isOpen {
            try read()
            first = next()
        }
        return first != nil
    }

    private static let blanks = Array(" \t\r".utf8)

    private mutating func take() -> [UInt8]? {
        if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
            defer { (start, searched) = (end + 1, end + 1) }
            return Array(bytes[start..<end])
        }
        searched = bytes.count
        // The last line may have no newline.
        guard hasEnded, start < bytes.count else { return nil }
        defer { start = bytes.count }
        return Array(bytes[start...])
    }

    /// Reads the bytes that have arrived. Waits if there are none.
    mutating func read() throws(CommandError) {
        bytes.removeSubrange(..<start)
        searched -= start
        start = 0
        let piece = try StandardInput.piece()
        hasEnded = piece.isEmpty
        bytes += piece
        guard bytes.count <= StandardInput.maximumTextByteCount else {
            let fault = "has more than \(StandardInput.maximumTextByteCount) bytes, too many for one message"
            throw .failure("line \(number + 1) of standard input \(fault)")
        }
    }
}
