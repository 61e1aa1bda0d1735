// SPDX-License-Identifier: Apache-2.0

/// Why there is no TLS, why it was not set up, or why a connection must not be used any more.
///
/// A certificate's `depth` is its place in the chain: 0 is the peer's own, 1 its issuer, and so on.
@nonexhaustive
public enum TLSError: Error, Equatable, Sendable {
    // MARK: The system and the configuration

    /// TLS cannot be had on this machine; `reason` says what to install.
    case unavailable(reason: String)
    /// A file cannot be read; `code` is what the system left in `errno`.
    case unreadableFile(path: String, code: Int32)
    /// What should be PEM holds nothing of the kind, or something damaged.
    case unusable(TLSMaterial, reason: String)
    /// The private key is encrypted. Decrypt it first: `openssl pkey -in encrypted.pem -out key.pem`.
    case encryptedKey
    /// The private key is not that of the first certificate of the chain.
    case keyDoesNotMatch
    /// Neither a host name in ASCII (international names in their `xn--` form) nor an IP address.
    case invalidServerName(String)
    /// Not the SHA-256 of a public key, in hexadecimal or base64.
    case invalidPin(String)
    /// The name of an application protocol has 1 to 255 bytes.
    case invalidApplicationProtocol(String)
    /// OpenSSL had no memory, or refused a call that cannot be wrong.
    case failed(reason: String)

    // MARK: The peer's certificate

    /// A certificate's time is over.
    case certificateExpired(depth: Int)
    /// A certificate's time has not come, or this machine's clock is slow.
    case certificateNotYetValid(depth: Int)
    /// The certificate is for other hosts than this one.
    case wrongHost(expected: String)
    /// A certificate that nobody else has signed, and that is not one of the trusted roots.
    case selfSigned(depth: Int)
    /// The chain leads to none of the trusted roots.
    case unknownIssuer(depth: Int)
    /// A certificate is not good for another reason; `code` is OpenSSL's (`X509_V_ERR_…`).
    case certificateRefused(code: Int32, depth: Int)
    /// The client has no certificate, and the server requires one.
    case missingCertificate
    /// The chain is good, but none of its keys is pinned. The hashes are those of the chain, the peer's own first.
    case pinMismatch(received: [TLSKeyHash])

    // MARK: The peer's bytes

    /// The peer has given up and says why.
    case alert(TLSAlert)
    /// These are the first bytes of something else than TLS (up to 8).
    case notTLS(firstBytes: [UInt8])
    /// The connection has ended without the peer saying so in TLS (`close_notify`): what came may be a part only.
    case truncated(duringHandshake: Bool)
    /// The peer has broken the protocol, a record was changed on its way, or the two have nothing in common; `answer` is
    /// the alert that waits to be sent.
    case violation(reason: String, answer: TLSAlert?)

    // MARK: Calls

    /// The output has been ended on this side: nothing can be written behind it.
    case outputEnded
}

/// What a ``TLSConfiguration`` takes as PEM.
public enum TLSMaterial: Equatable, Sendable {
    /// The certificates that one shows.
    case certificateChain
    /// The key to the first of them.
    case privateKey
    /// The certificates that one trusts.
    case trustRoots
}
