// SPDX-License-Identifier: Apache-2.0

/// A TLS alert: why one side ends the connection (RFC 8446 §6, RFC 5246 §7.2).
public struct TLSAlert: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The name in the RFCs, such as `handshake_failure`, or `alert 200` if they give none.
    public var description: String { Self.names[rawValue] ?? "alert \(rawValue)" }

    /// A message came out of order, or the bytes are not TLS.
    public static let unexpectedMessage = TLSAlert(rawValue: 10)
    /// The certificate was refused for a reason without an alert of its own, such as a missing pin.
    public static let badCertificate = TLSAlert(rawValue: 42)
    /// A certificate has expired or is not valid yet.
    public static let certificateExpired = TLSAlert(rawValue: 45)
    /// The certificate's issuer is not trusted.
    public static let unknownAuthority = TLSAlert(rawValue: 48)
    /// A record was changed on its way.
    public static let badRecord = TLSAlert(rawValue: 20)
    /// The two sides have no parameters in common.
    public static let handshakeFailure = TLSAlert(rawValue: 40)
    /// The two sides have no version in common.
    public static let protocolVersion = TLSAlert(rawValue: 70)
    /// The server requires a client certificate and got none (TLS 1.3).
    public static let certificateRequired = TLSAlert(rawValue: 116)
    /// The server supports none of the offered application protocols (RFC 7301 §3.2).
    public static let noApplicationProtocol = TLSAlert(rawValue: 120)

    private static let names: [UInt8: String] = [
        0: "close_notify", 10: "unexpected_message", 20: "bad_record_mac", 21: "decryption_failed",
        22: "record_overflow", 30: "decompression_failure", 40: "handshake_failure", 41: "no_certificate",
        42: "bad_certificate", 43: "unsupported_certificate", 44: "certificate_revoked", 45: "certificate_expired",
        46: "certificate_unknown", 47: "illegal_parameter", 48: "unknown_ca", 49: "access_denied", 50: "decode_error",
        51: "decrypt_error", 60: "export_restriction", 70: "protocol_version", 71: "insufficient_security",
        80: "internal_error", 86: "inappropriate_fallback", 90: "user_canceled", 100: "no_renegotiation",
        109: "missing_extension", 110: "unsupported_extension", 111: "certificate_unobtainable",
        112: "unrecognized_name", 113: "bad_certificate_status_response", 114: "bad_certificate_hash_value",
        115: "unknown_psk_identity", 116: "certificate_required", 120: "no_application_protocol",
    ]
}
