// SPDX-License-Identifier: Apache-2.0

/// Why TLS is unavailable, could not be set up, or ended a connection.
///
/// A certificate's `depth` is its position in the chain: 0 is the peer's own, 1 its issuer, and so on.
@nonexhaustive
public enum TLSError: Error, Equatable, Sendable {
    // MARK: The system and the configuration

    /// TLS is not available on this machine; `reason` says what to install.
    case unavailable(reason: String)
    /// A file cannot be read; `code` is the value of `errno`.
    case unreadableFile(path: String, code: Int32)
    /// The path of a certificate or key does not lead to a regular file, but to a folder, a pipe or a device.
    case notRegularFile(path: String)
    /// The PEM does not contain the expected kind of data, or the data is damaged.
    case unusable(TLSMaterial, reason: String)
    /// The private key is encrypted. Decrypt it first: `openssl pkey -in encrypted.pem -out key.pem`.
    case encryptedKey
    /// The private key does not belong to the first certificate of the chain.
    case keyDoesNotMatch
    /// The text is neither a host name in ASCII (international names in their `xn--` form) nor an IP address.
    case invalidServerName(String)
    /// The text is not the SHA-256 of a public key, in hexadecimal or base64.
    case invalidPin(String)
    /// The name of an application protocol must have 1 to 255 bytes.
    case invalidApplicationProtocol(String)
    /// The highest version of TLS is lower than the lowest one.
    case noVersion
    /// The context or the configuration is for the other side: clients connect, and servers accept.
    case wrongSide
    /// OpenSSL does not know the cipher for this TLS version; empty: no cipher is left.
    case unknownCipher(String)
    /// OpenSSL does not know this group for key agreement.
    case unknownGroup(String)
    /// The file for ``TLSKeyLog`` cannot be opened or made; `code` is `errno`, which is `ELOOP` for a symbolic link.
    case unusableKeyLog(path: String, code: Int32)
    /// The file for ``TLSKeyLog`` is not a regular file of this user that only this user may read.
    case exposedKeyLog(path: String)
    /// OpenSSL had no memory, or refused a valid call.
    case failed(reason: String)

    // MARK: The peer's certificate

    /// A certificate has expired.
    case certificateExpired(depth: Int)
    /// A certificate is not valid yet, or this machine's clock is slow.
    case certificateNotYetValid(depth: Int)
    /// The certificate is for other hosts.
    case wrongHost(expected: String)
    /// A certificate is self-signed, and not one of the trusted roots.
    case selfSigned(depth: Int)
    /// The chain leads to none of the trusted roots.
    case unknownIssuer(depth: Int)
    /// A certificate is invalid for another reason; `code` is OpenSSL's (`X509_V_ERR_…`).
    case certificateRefused(code: Int32, depth: Int)
    /// The client has no certificate, and the server requires one.
    case missingCertificate
    /// The chain is valid, but none of its keys is pinned; `received` has their hashes, the peer's own first.
    case pinMismatch(received: [TLSKeyHash])

    // MARK: The peer's bytes

    /// The peer has ended the connection with an alert.
    case alert(TLSAlert)
    /// The peer's first bytes (up to 8) are not TLS.
    case notTLS(firstBytes: [UInt8])
    /// The connection ended without a `close_notify` of the peer: data may be missing.
    case truncated(duringHandshake: Bool)
    /// The peer broke the protocol, a record was changed on its way, or there are no common parameters.
    /// `answer` is the alert that waits to be sent.
    case violation(reason: String, answer: TLSAlert?)

    // MARK: Calls

    /// This side has ended the output: nothing can be written after that.
    case outputEnded
}

/// The PEM inputs of a ``TLSConfiguration``.
public enum TLSMaterial: Equatable, Sendable {
    /// The certificates to show.
    case certificateChain
    /// The private key of the first of them.
    case privateKey
    /// The trusted certificates.
    case trustRoots
}
