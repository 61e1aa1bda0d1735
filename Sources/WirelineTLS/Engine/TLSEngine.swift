// SPDX-License-Identifier: Apache-2.0

/// One side of one TLS connection: ciphertext and plaintext in and out, and nothing else.
///
/// It reads no socket and starts nothing by itself. Whoever drives it does three things, in any order and as often as
/// they like:
///
/// - hands what has come from the peer to ``read(_:into:)``, which puts the plaintext where it is told;
/// - gives ``write(_:)`` what is to be sent, once ``isHandshakeComplete``;
/// - after each of these, sends what waits: ``takeCiphertext(_:)``. That holds after an error too, for it may be the alert
///   that tells the peer.
///
/// A client calls ``start()`` first, so that there is something to send.
///
/// Whatever the peer sends, the engine holds at most one record of it that is not whole (16 KiB and some) or one handshake
/// message (100 KiB and some, its certificates), and at most ``outputLimit`` bytes of output: beyond that it takes
/// nothing more until output has left.
///
/// An engine that has thrown something about the peer stays failed: every later call throws the same.
///
/// It belongs to one thread at a time.
@safe
public final class TLSEngine {
    /// The most ciphertext that waits to be sent, in bytes (default: 256 KiB, two of what a read of a socket hands over).
    ///
    /// ``write(_:)`` takes less than it is given when more would wait, and ``read(_:into:)`` stops.
    public static let outputLimit = 256 * 1024

    /// What is shared with other connections.
    public let context: TLSContext
    /// Whom a client wants to talk to, as the session is kept by.
    let serverName: ServerName?

    let openSSL: OpenSSL
    let handle: Handle

    // MARK: State

    /// Why the connection must not be used any more.
    public internal(set) var failure: TLSError?
    /// Whether both sides have agreed on keys, and plaintext can be written.
    ///
    /// A client of TLS 1.3 is there before the server has seen its certificate: a refusal comes later, as an alert.
    public internal(set) var isHandshakeComplete = false
    /// Whether the peer has said that it will send no more (`close_notify`).
    public internal(set) var hasReceivedEnd = false
    /// Whether ``endOutput()`` has been called.
    public internal(set) var hasEndedOutput = false
    /// Whether `close_notify` has still to be put into the output.
    package internal(set) var owesEnd = false
    /// What became of the pins; where a client resumes a session, when that was made.
    public internal(set) var pinOutcome = TLSPinOutcome.notChecked
    /// Why the chain was refused.
    var verificationFailure: TLSError?
    /// The fatal alert that the peer is sent.
    var sentAlert: TLSAlert?
    /// How many records have been written with the present key.
    var recordCount = 0
    /// After how many records the key is changed (TLS 1.3).
    package var recordLimit = TLSEngine.recordLimit

    // MARK: Bytes

    /// What has been lent, for as long as a call lasts.
    var input = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    /// The first bytes of the peer, until they are known to be TLS.
    var firstBytes: [UInt8]? = []
    /// What waits to be sent, from `outputStart` on.
    var output: [UInt8] = []
    var outputStart = 0

    /// - Parameter serverName: Whom a client wants to talk to; nil for a server.
    init(_ context: TLSContext, serverName: ServerName?) throws(TLSError) {
        let openSSL = context.openSSL
        openSSL.clearErrors()
        guard let handle = unsafe openSSL.connections.make(context.handle) else {
            throw .failed(reason: openSSL.firstFailure.reason)
        }
        self.context = context
        self.serverName = serverName
        self.openSSL = openSSL
        unsafe self.handle = handle
        // From here on `deinit` frees the handle, also when something is thrown.
        guard let stream = unsafe EngineStream.make(openSSL, for: self) else {
            throw .failed(reason: openSSL.firstFailure.reason)
        }
        // The connection takes the stream over.
        unsafe openSSL.connections.setStream(handle, stream, stream)
        let data = unsafe Unmanaged.passUnretained(self).toOpaque()
        try context.require(unsafe openSSL.connections.setExtraData(handle, Constant.applicationIndex, data) == 1)
        if let serverName {
            unsafe openSSL.connections.setConnecting(handle)
            try expect(serverName)
            try resumeSession(of: serverName)
        } else {
            unsafe openSSL.connections.setAccepting(handle)
        }
    }

    deinit {
        // OpenSSL gives sessions up whose connection ended without `close_notify`, an old rule (RFC 2246 §7.2.1) that RFC
        // 4346 has dropped: it would keep those who have lost a connection from resuming. After a fatal alert it has given
        // the session up before.
        unsafe openSSL.connections.setEnded(handle, Constant.endedBothWays)
        unsafe openSSL.connections.free(handle)
    }

    /// Begins the handshake: a client's first message then waits to be sent. Later calls do nothing.
    ///
    /// - Throws: What ``read(_:into:)`` throws.
    public func start() throws(TLSError) {
        try throwFailure()
        _ = try shakeHands()
    }

    /// Tells that the transport will bring no more bytes.
    ///
    /// - Throws: ``TLSError/truncated(duringHandshake:)`` when the peer has not said before that it has ended: somebody
    ///   else may have cut the connection. Whether that matters is for the protocol above: one that knows how long its
    ///   messages are loses nothing.
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
