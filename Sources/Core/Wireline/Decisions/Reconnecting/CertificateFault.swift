// SPDX-License-Identifier: Apache-2.0

/// Why a server's TLS certificate is not trusted.
@nonexhaustive
public enum CertificateFault: Equatable, Sendable {
    /// The chain leads to none of the trusted roots.
    case unknownIssuer
    /// A certificate is self-signed, and not one of the trusted roots.
    case selfSigned
    /// A certificate has expired, or this machine's clock is fast.
    case expired
    /// A certificate is not valid yet, or this machine's clock is slow.
    case notYetValid
    /// The certificate is for other hosts.
    case wrongHost(expected: String)
    /// There is no certificate.
    case missing
    /// A certificate is invalid for another reason; `code` is OpenSSL's (`X509_V_ERR_…`).
    case refused(code: Int32)
}

extension CertificateFault: CustomStringConvertible {
    /// A description in one line.
    public var description: String {
        switch self {
        case .unknownIssuer: "its issuer is unknown"
        case .selfSigned: "it is self-signed"
        case .expired: "it has expired"
        case .notYetValid: "it is not valid yet, or the clock is slow"
        case .wrongHost(let expected): "it is not for \(expected)"
        case .missing: "there is none"
        case .refused(let code): "OpenSSL refuses it with code \(code)"
        }
    }
}
