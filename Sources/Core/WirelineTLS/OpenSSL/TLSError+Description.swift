// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension TLSError: CustomStringConvertible {
    /// A description in one line.
    public var description: String {
        switch self {
        case .unavailable(let reason): "TLS is not available: \(reason)"
        case .unreadableFile(let path, let code): "\(path): \(Self.message(ofSystemError: code))"
        case .notRegularFile(let path): "\(path): it is not a regular file"
        case .unusable(let material, let reason): "the \(material.words) cannot be used: \(reason)"
        case .encryptedKey: "the private key is encrypted: decrypt it with openssl pkey -in encrypted.pem -out key.pem"
        case .keyDoesNotMatch: "the private key is not that of the first certificate of the chain"
        case .invalidServerName(let name): "\"\(name)\" is neither a host name in ASCII nor an IP address"
        case .invalidPin(let text): "\"\(text)\" is not a SHA-256 in hexadecimal (64 digits) or base64 (44 characters)"
        case .invalidApplicationProtocol(let name): "\"\(name)\" names no application protocol: 1 to 255 bytes"
        case .noVersion: "the highest version of TLS is lower than the lowest one"
        case .wrongSide: "the TLS configuration is for the other side: clients need a client's, servers a server's"
        case .unknownCipher(""): "no cipher is left"
        case .unknownCipher(let name): "OpenSSL knows no cipher \"\(name)\" for this version of TLS"
        case .unknownGroup(let name): "OpenSSL knows no group \"\(name)\" for key agreement"
        case .unusableKeyLog(let path, ELOOP): "\(path): a symbolic link; secrets are not written through links"
        case .unusableKeyLog(let path, let code): "\(path): \(Self.message(ofSystemError: code))"
        case .exposedKeyLog(let path): "\(path): not a file that only this user may read (chmod 600)"
        case .failed(let reason): "OpenSSL has failed: \(reason)"
        case .certificateExpired(let depth): "\(Self.certificate(at: depth)) has expired"
        case .certificateNotYetValid(let depth):
            "\(Self.certificate(at: depth)) is not valid yet; is this machine's clock right?"
        case .wrongHost(let host): "the peer's certificate is not for \"\(host)\""
        case .selfSigned(let depth): "\(Self.certificate(at: depth)) is self-signed and not among the trusted roots"
        case .unknownIssuer(let depth): "the issuer of \(Self.certificate(at: depth)) is not trusted"
        case .certificateRefused(let code, let depth):
            "\(Self.certificate(at: depth)) was refused: \(Self.message(ofVerification: code))"
        case .missingCertificate: "the client has shown no certificate"
        case .pinMismatch(let received):
            "none of the chain's keys is pinned; it has \(received.map(\.description).joined(separator: ", "))"
        case .alert(let alert): "the peer has given up: \(alert)"
        case .notTLS(let bytes): "the peer does not speak TLS: \(Self.guess(of: bytes))"
        case .truncated(true): "the connection has ended inside the TLS handshake"
        case .truncated(false): "the connection has ended without a TLS close_notify: data may be missing"
        case .violation(let reason, nil): "TLS has failed: \(reason)"
        case .violation(let reason, .some(let answer)): "TLS has failed: \(reason); the peer is told \(answer)"
        case .outputEnded: "the TLS output has been ended on this side"
        }
    }

    private static func certificate(at depth: Int) -> String {
        depth == 0 ? "the peer's certificate" : "certificate \(depth) of the peer's chain"
    }

    /// The bytes in hexadecimal, and as text if they are ASCII.
    private static func guess(of bytes: [UInt8]) -> String {
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
        let text = bytes.prefix { (0x20...0x7E).contains($0) }
        guard !text.isEmpty, text.count >= min(4, bytes.count) else { return "its first bytes are \(digits)" }
        let hint = text.starts(with: "HTTP".utf8) ? ": is this an HTTP server without TLS?" : ""
        return "its first bytes are \(digits), ASCII \"\(String(decoding: text, as: UTF8.self))\"\(hint)"
    }

    private static func message(ofSystemError code: Int32) -> String {
        // The longest message of glibc has 50 bytes; a longer one would be cut off.
        // SAFETY: `strerror_r` gets the buffer with its size; on success it has written a text that ends in 0.
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let text = buffer.baseAddress, unsafe strerror_r(code, text, buffer.count) == 0
            else { return "error \(code)" }
            return unsafe String(cString: text)
        }
    }

    private static func message(ofVerification code: Int32) -> String {
        // SAFETY: for any code OpenSSL returns a static C string.
        guard case .success(let openSSL) = OpenSSL.shared, let text = unsafe openSSL.verification.reason(Int(code))
        else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}

extension TLSMaterial {
    fileprivate var words: String {
        switch self {
        case .certificateChain: "certificate chain"
        case .privateKey: "private key"
        case .trustRoots: "trust roots"
        }
    }
}
