// SPDX-License-Identifier: Apache-2.0

extension CodecError.MisdirectedProtocol {
    /// Recognises another protocol by its first bytes; nil if they are of none.
    package init?(recognising bytes: RawSpan) {
        let start = [UInt8](copying: bytes.extracting(first: 24))
        if Self.httpStarts.contains(where: { start.starts(with: $0.utf8) }) {
            self = .http
        } else if start.starts(with: "SSH-".utf8) {
            self = .ssh
        } else if start.starts(with: "PROXY ".utf8.prefix(max(4, min(6, start.count)))) {
            self = .proxyProtocol
        } else if start.starts(with: "<policy-file-request/>".utf8.prefix(max(4, min(22, start.count)))) {
            self = .flashPolicyRequest
        } else if start.count >= 3, (0x14...0x17).contains(start[0]), start[1] == 3, start[2] <= 4 {
            // A TLS record: content type, legacy version 3.0 to 3.4 (RFC 8446 §5.1).
            self = .tls
        } else {
            return nil
        }
    }

    /// The starts of a request line or status line (RFC 9112 §2): the four bytes that a packet's length would have.
    private static let httpStarts = [
        "GET ", "POST", "PUT ", "HEAD", "DELE", "OPTI", "PATC", "CONN", "TRAC", "PRI ", "HTTP",
    ]

    /// Recognises a length in the other byte order, if that length would be valid.
    init?(_ length: Int128, _ field: PacketField, minimum: Int, _ limit: Int) {
        guard case .integer(let format, _) = field.format, format.isWholeBytes, format.byteCount > 1 else { return nil }
        let bits = UInt64(truncatingIfNeeded: length).byteSwapped >> UInt64(64 - 8 * format.byteCount)
        guard bits >= UInt64(minimum), bits <= UInt64(limit) else { return nil }
        self = .otherByteOrder(length: Int128(bits))
    }
}
