// SPDX-License-Identifier: Apache-2.0

/// Collects the head of an HTTP message: its lines up to the empty one (RFC 9112 §2.1).
///
/// It reads each byte once, however the input is split. It refuses a byte as soon as it cannot belong to a head.
package struct HeadReader: Sendable {
    private enum State {
        case insideLine
        case behindCarriageReturn
        case lineStart
        /// After the carriage return of the line that should be empty.
        case behindLastCarriageReturn
    }

    /// The largest size of the head, in bytes.
    let limit: Int
    /// The bytes with which an accepted head begins.
    let beginning: [UInt8]
    package private(set) var bytes: [UInt8] = []
    package private(set) var isComplete = false
    private var state = State.insideLine
    private var isFirstLine = true
    /// Earlier heads also count against the limit.
    private var earlierByteCount = 0

    package init(limit: Int, beginning: String) {
        self.limit = limit
        self.beginning = Array(beginning.utf8)
    }

    /// The smallest number of bytes that are missing, assuming that the empty line comes next.
    package var neededByteCount: Int {
        guard !isComplete else { return 0 }
        return switch state {
        case .insideLine: 4
        case .behindCarriageReturn: 3
        case .lineStart: 2
        case .behindLastCarriageReturn: 1
        }
    }

    /// Takes bytes up to the end of the head.
    ///
    /// - Returns: The number of bytes taken.
    package mutating func receive(_ received: RawSpan) throws(WebSocketError) -> Int {
        var count = 0
        while count < received.byteCount, !isComplete {
            guard earlierByteCount + bytes.count < limit else { throw .headTooLarge(limit: limit) }
            // SAFETY: the offset was compared with byteCount.
            let byte = unsafe received.unsafeLoad(fromUncheckedByteOffset: count, as: UInt8.self)
            try step(byte, in: received, at: count)
            bytes.append(byte)
            count += 1
        }
        return count
    }

    package mutating func restart() {
        earlierByteCount += bytes.count
        (bytes, isComplete, state, isFirstLine) = ([], false, .insideLine, true)
    }

    private mutating func step(_ byte: UInt8, in received: RawSpan, at count: Int) throws(WebSocketError) {
        let offset = bytes.count
        if offset < beginning.count, byte != beginning[offset] { throw notHTTP(received, from: count) }
        switch (state, byte) {
        case (.insideLine, 0x0D): state = .behindCarriageReturn
        case (.lineStart, 0x0D): state = .behindLastCarriageReturn
        case (.behindCarriageReturn, 0x0A):
            state = .lineStart
            isFirstLine = false
        case (.behindLastCarriageReturn, 0x0A): isComplete = true
        case (.behindCarriageReturn, _), (.behindLastCarriageReturn, _):
            throw .malformedHead(.bareCarriageReturn, offset: offset - 1)
        case (_, 0x0A):
            throw isFirstLine && !isStartLine
                ? notHTTP(received, from: count) : .malformedHead(.bareLineFeed, offset: offset)
        case (.lineStart, 0x20), (.lineStart, 0x09): throw .malformedHead(.foldedLine, offset: offset)
        case (_, 0..<0x09), (_, 0x0B..<0x20), (_, 0x7F):
            throw isFirstLine
                ? notHTTP(received, from: count) : .malformedHead(.controlCharacter, offset: offset)
        default: state = .insideLine
        }
    }

    /// Whether the bytes are an HTTP first line except for its end (RFC 9112 §3 and §4).
    ///
    /// A response must begin like one; a request must end with a version of HTTP/1.
    private var isStartLine: Bool {
        guard beginning.isEmpty else { return bytes.count >= beginning.count }
        return bytes.last?.isDigit == true && bytes.dropLast().suffix(8).elementsEqual(" HTTP/1.".utf8)
    }

    private func notHTTP(_ received: RawSpan, from count: Int) -> WebSocketError {
        var first = Array(bytes.prefix(8))
        for offset in count..<received.byteCount where first.count < 8 {
            // SAFETY: the range ends with byteCount.
            first.append(unsafe received.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self))
        }
        return .notHTTP(firstBytes: first)
    }
}
