// SPDX-License-Identifier: Apache-2.0

/// One side of one TLS connection: converts between ciphertext and plaintext.
///
/// It performs no I/O. Its driver does three things, in any order and as often as it likes:
///
/// - It hands arrived bytes to ``read(_:into:)``, which appends the plaintext.
/// - It hands plaintext to ``write(_:)``, once ``isHandshakeComplete``.
/// - After each of these it sends the output: ``takeCiphertext(_:)``. It does so after an error too, because the output
///   may hold the alert for the peer.
///
/// A client calls ``start()`` first, so that there is output.
///
/// Whatever the peer sends, the engine holds at most one incomplete record (16 KiB and some) or one handshake message
/// (100 KiB and some, its certificates). It holds at most ``outputLimit`` bytes of output; beyond that it takes no more
/// input until output has left.
///
/// An engine that has thrown an error about the peer stays failed: every later call throws the same error.
///
/// It belongs to one thread at a time.
@safe
public final class TLSEngine {
    /// The largest amount of queued ciphertext, in bytes (256 KiB: two blocks of a socket read).
    ///
    /// At the limit, ``write(_:)`` takes fewer bytes than it is given, and ``read(_:into:)`` stops.
    public static let outputLimit = 256 * 1024

    /// The state shared with other connections.
    public let context: TLSContext
    /// The context's setup when the connection began; ``TLSContext/replace(with:)`` does not change it.
    let setup: TLSSetup
    /// The server that a client connects to, which is also the key of its session.
    let serverName: ServerName?

    let openSSL: OpenSSL
    let handle: Handle

    // MARK: State

    /// Why the connection must not be used any more.
    public internal(set) var failure: TLSError?
    /// Whether both sides have agreed on keys, and plaintext can be written.
    ///
    /// In TLS 1.3 this is true for a client before the server has seen its certificate: a refusal comes later, as an
    /// alert.
    public internal(set) var isHandshakeComplete = false
    /// Whether the peer has announced that it will send no more (`close_notify`).
    public internal(set) var hasReceivedEnd = false
    /// Whether ``endOutput()`` has been called.
    public internal(set) var hasEndedOutput = false
    /// Whether `close_notify` must still be put into the output.
    package internal(set) var owesEnd = false
    /// The result of ``peerCertificate``; nil before the first call.
    var readCertificate: TLSPeerCertificate??
    /// The result of the pin check; for a client's resumed session, that of the original handshake.
    public internal(set) var pinOutcome = TLSPinOutcome.notChecked
    /// The end of this connection's session, made or resumed, in seconds since 1970.
    ///
    /// Nil while the peer has shown no certificate.
    var sessionDeadline: Int?
    var verificationFailure: TLSError?
    /// The fatal alert that this side has sent.
    var sentAlert: TLSAlert?
    /// The number of records written with the current key.
    var recordCount = 0
    /// Only for TLS 1.3: the number of records after which the key is changed.
    package var recordLimit = TLSEngine.recordLimit

    // MARK: Bytes

    /// The lent ciphertext, for as long as a call lasts.
    ///
    /// INVARIANT: empty outside ``read(_:into:)``, which lends these bytes and takes them back before it returns.
    var input = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    /// The first bytes of the peer, until they are known to be TLS.
    var firstBytes: [UInt8]? = []
    /// The queued output, from `outputStart` on.
    var output: [UInt8] = []
    var outputStart = 0

    /// - Parameter serverName: The server that a client connects to; nil for a server.
    init(_ context: TLSContext, serverName: ServerName?) throws(TLSError) {
        let setup = context.setup
        let openSSL = setup.openSSL
        openSSL.clearErrors()
        // SAFETY: the handle is this engine's own until `deinit`, and the connection counts its own reference to the
        // context.
        guard let handle = unsafe openSSL.connections.make(setup.handle) else {
            throw .failed(reason: openSSL.firstFailure.reason)
        }
        self.context = context
        self.setup = setup
        self.serverName = serverName
        self.openSSL = openSSL
        unsafe self.handle = handle
        // From here on `deinit` frees the handle, even if an error is thrown.
        guard let stream = unsafe EngineStream.make(openSSL, for: self) else {
            throw .failed(reason: openSSL.firstFailure.reason)
        }
        // The connection takes ownership of the stream.
        unsafe openSSL.connections.setStream(handle, stream, stream)
        // SAFETY: the connection keeps an unretained pointer to its engine, and never outlives it, because `deinit`
        // frees it.
        let data = unsafe Unmanaged.passUnretained(self).toOpaque()
        try setup.require(unsafe openSSL.connections.setExtraData(handle, Constant.applicationIndex, data) == 1)
        if let serverName {
            unsafe openSSL.connections.setConnecting(handle)
            try expect(serverName)
            try resumeSession(of: serverName)
        } else {
            unsafe openSSL.connections.setAccepting(handle)
        }
    }

    deinit {
        // OpenSSL drops the session of a connection that ended without `close_notify`, an old rule (RFC 2246 §7.2.1)
        // that RFC 4346 has dropped. It would keep clients that lost a connection from resuming. After a fatal alert
        // OpenSSL has dropped the session before.
        // SAFETY: the engine alone owns the connection; freeing it calls nothing back.
        unsafe openSSL.connections.setEnded(handle, Constant.endedBothWays)
        unsafe openSSL.connections.free(handle)
    }

    /// Begins the handshake: queues a client's first message. Later calls do nothing.
    ///
    /// - Throws: The errors of ``read(_:into:)``.
    public func start() throws(TLSError) {
        try throwFailure()
        _ = try shakeHands()
    }

    /// Notes that the transport will bring no more bytes.
    ///
    /// - Throws: ``TLSError/truncated(duringHandshake:)`` if the peer has not announced its end: an attacker may have
    ///   cut the connection. Whether that matters depends on the protocol above: one that knows the length of its
    ///   messages loses nothing.
    public func endOfInput() throws(TLSError) {
        try throwFailure()
        guard !hasReceivedEnd else { return }
        throw fail(firstBytesFailure ?? .truncated(duringHandshake: !isHandshakeComplete))
    }

    func throwFailure() throws(TLSError) {
        if let failure { throw failure }
    }

    func fail(_ error: TLSError) -> TLSError {
        failure = error
        return error
    }
}

@available(*, unavailable)
extension TLSEngine: Sendable {}
