// SPDX-License-Identifier: Apache-2.0

/// A protocol that a stream has in place of this project's packets. Its first bytes identify it.
enum OtherProtocol: CustomStringConvertible {
    case tls
    case http
    case webSocket

    private static let beginnings = [
        "GET ", "POST ", "PUT ", "HEAD ", "OPTIONS ", "CONNECT ", "DELETE ", "PATCH ", "HTTP/1.", "PRI * HTTP/2",
    ]

    /// nil if the first bytes of the stream identify none of these protocols.
    init?(recognising bytes: [UInt8]) {
        if Self.isRecord(bytes) {
            self = .tls
        } else if Self.beginnings.contains(where: { bytes.starts(with: $0.utf8) }) {
            let text = String(decoding: bytes.prefix(4096), as: UTF8.self).lowercased()
            self = text.contains("upgrade: websocket") ? .webSocket : .http
        } else {
            return nil
        }
    }

    /// Whether the bytes begin with a TLS record: type, version, and length (RFC 8446 §5.1).
    private static func isRecord(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 5, (0x14...0x17).contains(bytes[0]), bytes[1] == 3, bytes[2] <= 4 else { return false }
        return (1...(1 << 14) + 2048).contains(Int(bytes[3]) << 8 | Int(bytes[4]))
    }

    var description: String {
        switch self {
        case .tls: "TLS, which is encrypted"
        case .http: "HTTP"
        case .webSocket: "a WebSocket"
        }
    }
}
