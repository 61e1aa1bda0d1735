// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Looks for an HTTP request at the beginning of a client's bytes.
///
/// A page in a browser can send a request to any port, and chooses the bytes after `POST /`. In protocols with short
/// length fields, these bytes can be packets: `{packet, 1}` reads `P` as a packet of 80 bytes. So a server compares the
/// first bytes of a connection with a request line (RFC 9112, 3), even if their lengths are valid. A method that is not
/// listed here comes after an `OPTIONS` request (Fetch, CORS-preflight request).
struct RequestLineWatch {
    enum Verdict {
        /// The bytes can still become a request.
        case undecided
        case request
        case otherProtocol
    }

    private static let starts = ["GET /", "POST /", "HEAD /", "OPTIONS /", "PUT /", "DELETE /", "PATCH /"]
    private static let mostByteCount = 9

    /// The first bytes of the packets checked so far.
    private var start: [UInt8] = []

    /// Checks the connection's first packets, one after another.
    ///
    /// A short packet is decided at once, without waiting for the next one: up to the `/`, a page has chosen nothing.
    mutating func judge(_ packet: RawSpan) -> Verdict {
        start += [UInt8](copying: packet.extracting(first: Self.mostByteCount - start.count))
        if Self.starts.contains(where: { start.starts(with: $0.utf8) }) { return .request }
        return Self.starts.contains { $0.utf8.starts(with: start) } ? .undecided : .otherProtocol
    }
}
