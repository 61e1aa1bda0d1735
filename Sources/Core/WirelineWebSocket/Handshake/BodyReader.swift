// SPDX-License-Identifier: Apache-2.0

/// Collects the beginning of a response body, up to a limit.
struct BodyReader: Sendable {
    /// The way in which the end of the body is found (RFC 9112 §6.3).
    private enum Framing: Sendable {
        /// The body has this many bytes.
        case byteCount(Int)
        /// The body is chunked; an empty chunk ends it.
        case chunks(ChunkReader)
        /// The end of the connection ends it.
        case connection
    }

    private let limit: Int
    private var framing: Framing
    /// The part of the body that has arrived.
    private(set) var body: [UInt8] = []

    /// - Parameter limit: The largest number of body bytes to keep.
    init(status: Int, headers: WebSocketHeaders, limit: Int) {
        self.limit = max(0, limit)
        if status == 204 || status == 304 {
            framing = .byteCount(0)
        } else if headers.hasListElement("chunked", in: "Transfer-Encoding") {
            framing = .chunks(ChunkReader())
        } else if let text = headers["Content-Length"], text.utf8.allSatisfy(\.isDigit), let count = Int(text) {
            framing = .byteCount(count)
        } else {
            framing = .connection
        }
    }

    mutating func receive(_ received: RawSpan) {
        switch framing {
        case .byteCount(let count): keep(received.extracting(first: max(0, count - body.count)))
        case .chunks(var reader):
            reader.receive(received) { keep($0) }
            framing = .chunks(reader)
        case .connection: keep(received)
        }
    }

    private mutating func keep(_ content: RawSpan) {
        let wanted = content.extracting(first: limit - body.count)
        // SAFETY: the closure copies the bytes and keeps none of them.
        body += unsafe wanted.withUnsafeBytes { unsafe Array($0) }
    }

    var isComplete: Bool {
        if body.count >= limit { return true }
        return switch framing {
        case .byteCount(let count): body.count >= count
        case .chunks(let reader): reader.isComplete
        case .connection: false
        }
    }
}

/// Finds the content of a chunked body (RFC 9112 §7.1), wherever it is split.
///
///     +------+-------------+-------+---------+-------+- - -+---+-------------+-------+----------+-------+
///     | size | ;extensions | CR LF | content | CR LF |     | 0 | ;extensions | CR LF | trailers | CR LF |
///     +------+-------------+-------+---------+-------+- - -+---+-------------+-------+----------+-------+
///
/// Sizes are hexadecimal. A line feed alone also ends a line (RFC 9112 §2.2). That is safe here, because the connection
/// ends after this body.
struct ChunkReader: Sendable {
    private enum State: Sendable {
        /// Before a chunk.
        case start
        /// After digits of a size.
        case size(Int)
        /// After a size, on the same line.
        case extensions(size: Int)
        /// Inside content; this many of its bytes are missing.
        case content(Int)
        /// After content, before its line end.
        case contentEnd
        /// After the last chunk, on a line that may be empty so far.
        case trailers(lineIsEmpty: Bool)
        /// After the empty line, or after bytes that are not a chunk.
        case end
    }

    private var state = State.start

    /// The body has ended, or the last bytes were not a chunk.
    var isComplete: Bool { if case .end = state { true } else { false } }

    /// Takes bytes of the body, and ignores those after its end.
    ///
    /// - Parameter take: Receives the content, in pieces.
    mutating func receive(_ bytes: RawSpan, _ take: (RawSpan) -> Void) {
        var offset = 0
        while offset < bytes.byteCount, !isComplete {
            if case .content(let missing) = state {
                let content = bytes.extracting(droppingFirst: offset).extracting(first: missing)
                take(content)
                offset += content.byteCount
                state = content.byteCount < missing ? .content(missing - content.byteCount) : .contentEnd
            } else {
                // SAFETY: the offset was compared with byteCount.
                state = next(behind: unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self))
                offset += 1
            }
        }
    }

    private func next(behind byte: UInt8) -> State {
        switch (state, byte) {
        case (.start, _) where byte.isHexadecimalDigit: .size(Self.size(0, behind: byte))
        case (.size(let size), _) where byte.isHexadecimalDigit: .size(Self.size(size, behind: byte))
        case (.size(let size), 0x0A), (.extensions(let size), 0x0A):
            size > 0 ? .content(size) : .trailers(lineIsEmpty: true)
        // Some servers send spaces here, although the grammar does not allow them.
        case (.size(let size), 0x0D), (.size(let size), UInt8(ascii: ";")), (.size(let size), 0x20),
            (.size(let size), 0x09):
            .extensions(size: size)
        case (.extensions, _), (.contentEnd, 0x0D), (.trailers, 0x0D): state
        case (.contentEnd, 0x0A): .start
        case (.trailers(lineIsEmpty: true), 0x0A): .end
        case (.trailers, _): .trailers(lineIsEmpty: byte == 0x0A)
        case (.start, _), (.size, _), (.contentEnd, _), (.end, _): .end
        case (.content, _): preconditionFailure("content is not looked at")
        }
    }

    /// Returns a size with one more digit. A size that overflows becomes the maximum, which never arrives.
    private static func size(_ size: Int, behind digit: UInt8) -> Int {
        let value = Int(digit.isDigit ? digit - 0x30 : digit.lowercasedASCII - 0x61 + 10)
        return size > Int.max >> 4 ? .max : size << 4 | value
    }
}
