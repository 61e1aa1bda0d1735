// SPDX-License-Identifier: Apache-2.0

/// Gathers the beginning of an answer's body, as far as it comes and is wanted.
struct BodyReader: Sendable {
    /// What tells where the body ends (RFC 9112 §6.3).
    private enum Framing: Sendable {
        /// It has so many bytes.
        case byteCount(Int)
        /// It is in chunks, of which the last one is empty.
        case chunks(ChunkReader)
        /// Only the connection's end does.
        case connection
    }

    private let limit: Int
    private var framing: Framing
    /// The body, as far as it has come.
    private(set) var body: [UInt8] = []

    /// - Parameter limit: How many bytes of the body are wanted.
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
        body += unsafe wanted.withUnsafeBytes { unsafe Array($0) }
    }

    /// Whether more is neither expected nor wanted.
    var isComplete: Bool {
        if body.count >= limit { return true }
        return switch framing {
        case .byteCount(let count): body.count >= count
        case .chunks(let reader): reader.isComplete
        case .connection: false
        }
    }
}

/// Finds the content in a body that is in chunks (RFC 9112 §7.1), wherever it is cut.
///
///     +------+-------------+-------+---------+-------+- - -+---+-------------+-------+----------+-------+
///     | size | ;extensions | CR LF | content | CR LF |     | 0 | ;extensions | CR LF | trailers | CR LF |
///     +------+-------------+-------+---------+-------+- - -+---+-------------+-------+----------+-------+
///
/// Sizes are hexadecimal. A line feed alone ends a line, too (RFC 9112 §2.2): the connection ends behind this body, so
/// there is nothing that could be read in two ways.
struct ChunkReader: Sendable {
    private enum Place: Sendable {
        /// In front of a chunk.
        case start
        /// Behind digits of a size.
        case size(Int)
        /// Behind a size, on its line.
        case extensions(size: Int)
        /// So many bytes of content are to come.
        case content(Int)
        /// Behind content, in front of its line end.
        case contentEnd
        /// Behind the last chunk, on a line with something on it or without.
        case trailers(lineIsEmpty: Bool)
        /// Behind the empty line, or behind bytes that are no chunk.
        case end
    }

    private var place = Place.start

    /// Whether nothing more is expected: the body has ended, or what has come last is no chunk.
    var isComplete: Bool { if case .end = place { true } else { false } }

    /// Takes bytes of the body; what stands behind its end is passed over.
    ///
    /// - Parameter take: Is given the content, in pieces.
    mutating func receive(_ bytes: RawSpan, _ take: (RawSpan) -> Void) {
        var offset = 0
        while offset < bytes.byteCount, !isComplete {
            if case .content(let missing) = place {
                let content = bytes.extracting(droppingFirst: offset).extracting(first: missing)
                take(content)
                offset += content.byteCount
                place = content.byteCount < missing ? .content(missing - content.byteCount) : .contentEnd
            } else {
                // SAFETY: the offset was compared with byteCount.
                place = next(behind: unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self))
                offset += 1
            }
        }
    }

    private func next(behind byte: UInt8) -> Place {
        switch (place, byte) {
        case (.start, _) where byte.isHexadecimalDigit: .size(Self.size(0, behind: byte))
        case (.size(let size), _) where byte.isHexadecimalDigit: .size(Self.size(size, behind: byte))
        case (.size(let size), 0x0A), (.extensions(let size), 0x0A):
            size > 0 ? .content(size) : .trailers(lineIsEmpty: true)
        // Spaces stand there with some, although there should be none.
        case (.size(let size), 0x0D), (.size(let size), UInt8(ascii: ";")), (.size(let size), 0x20),
            (.size(let size), 0x09):
            .extensions(size: size)
        case (.extensions, _), (.contentEnd, 0x0D), (.trailers, 0x0D): place
        case (.contentEnd, 0x0A): .start
        case (.trailers(lineIsEmpty: true), 0x0A): .end
        case (.trailers, _): .trailers(lineIsEmpty: byte == 0x0A)
        case (.start, _), (.size, _), (.contentEnd, _), (.end, _): .end
        case (.content, _): preconditionFailure("content is not looked at")
        }
    }

    /// A size with one more digit; one that no number holds is as large as can be, which is more than ever comes.
    private static func size(_ size: Int, behind digit: UInt8) -> Int {
        let value = Int(digit.isDigit ? digit - 0x30 : digit.lowercasedASCII - 0x61 + 10)
        return size > Int.max >> 4 ? .max : size << 4 | value
    }
}
