// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The key of a request, and the answer that proves that the server understood it (RFC 6455 §1.3).
package enum HandshakeKey {
    /// Returns a new key: 16 random bytes in base64.
    static func make(using random: inout some RandomNumberGenerator) -> String {
        Base64.encode((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    static func isKey(_ text: String) -> Bool {
        guard text.utf8.count == 24, let bytes = try? Base64.decode(text) else { return false }
        return bytes.count == 16
    }

    package static func answer(to key: String) -> String {
        Base64.encode(SHA1.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }
}
