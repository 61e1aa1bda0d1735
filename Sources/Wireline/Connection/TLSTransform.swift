// SPDX-License-Identifier: Apache-2.0

import WirelineTLS
import WirelineTransport

/// TLS between a connection's packets and its socket; for the loop's own thread.
final class TLSTransform: StreamTransform {
    let engine: TLSEngine
    /// What has made TLS fail.
    private(set) var failure: TLSError?
    /// Is called once, when the handshake is complete or cannot be completed any more.
    var onReady: (() -> Void)?

    init(_ engine: TLSEngine) {
        self.engine = engine
    }

    var isReady: Bool { engine.isHandshakeComplete }

    var hasOutput: Bool { engine.pendingByteCount > 0 }

    var owesEnd: Bool { engine.owesEnd }

    /// Whether the peer has ended without taking leave.
    var isTruncated: Bool { failure == .truncated(duringHandshake: false) }

    /// What both sides have agreed on; nil before that.
    var details: TLSDetails? {
        guard let version = engine.version, let cipher = engine.cipher else { return nil }
        return TLSDetails(
            version: version, cipher: cipher, applicationProtocol: engine.applicationProtocol,
            isResumed: engine.isResumed, requestedServerName: engine.requestedServerName,
            peerKeyHash: engine.peerKeyHash, pinOutcome: engine.pinOutcome)
    }

    func start() throws(TransformFailure) {
        try attempt { () throws(TLSError) in try engine.start() }
    }

    func receive(_ bytes: RawSpan, into room: UnsafeMutableRawBufferPointer) -> TransformReading {
        var plaintext = unsafe OutputRawSpan(buffer: room, initializedCount: 0)
        var takenByteCount = 0
        var stop = TransformReading.Stop.failed
        do throws(TLSError) {
            let reading = try engine.read(bytes, into: &plaintext)
            takenByteCount = reading.byteCount
            stop =
                switch reading.stop {
                case .needsCiphertext: .needsBytes
                case .needsRoom: .needsRoom
                case .needsDraining: .needsSending
                case .ended: .ended
                }
        } catch {
            failure = error
        }
        // SAFETY: it was made of the same memory.
        let filledByteCount = unsafe plaintext.finalize(for: room)
        return TransformReading(takenByteCount: takenByteCount, filledByteCount: filledByteCount, stop: stop)
    }

    func endOfInput() throws(TransformFailure) {
        try attempt { () throws(TLSError) in try engine.endOfInput() }
    }

    func send(_ bytes: RawSpan) throws(TransformFailure) -> Int {
        do throws(TLSError) {
            return try engine.write(bytes)
        } catch {
            failure = error
            throw TransformFailure()
        }
    }

    func endOutput() throws(TransformFailure) {
        try attempt { () throws(TLSError) in try engine.endOutput() }
    }

    func withOutput(_ body: (RawSpan) -> Int) {
        engine.takeCiphertext(body)
    }

    private func attempt(_ body: () throws(TLSError) -> Void) throws(TransformFailure) {
        do throws(TLSError) {
            try body()
        } catch {
            failure = error
            throw TransformFailure()
        }
    }
}

/// What the two sides of a TLS connection have agreed on.
public struct TLSDetails: Equatable, Sendable {
    /// The version of TLS.
    public let version: TLSVersion
    /// The cipher, by its standard name.
    public let cipher: String
    /// The application protocol, where both sides know one (ALPN, RFC 7301).
    public let applicationProtocol: String?
    /// Whether an earlier session goes on.
    public let isResumed: Bool
    /// The name that the client has asked for (SNI, RFC 6066 §3); what a server sees.
    public let requestedServerName: String?
    /// The hash of the key in the peer's certificate.
    public let peerKeyHash: TLSKeyHash?
    /// Whether one of the pinned keys was there.
    public let pinOutcome: TLSPinOutcome
}

extension PacketConnection {
    var tlsTransform: TLSTransform? { stream.transform as? TLSTransform }

    /// What both sides have agreed on, where the connection is one with TLS; nil before the handshake is complete.
    public func tlsDetails() async -> TLSDetails? {
        await loop.run { self.tlsTransform?.details }
    }

    /// Waits until TLS can be used.
    ///
    /// - Throws: What has kept it from that; the connection is closed then.
    func waitForHandshake(within timeout: Duration) async throws(ConnectionError) {
        do throws(TransportError) {
            try await Attempt<Void>.run(on: loop, timeout: timeout) { attempt in
                guard let transform = self.tlsTransform, self.stream.isOpen, !transform.isReady else {
                    return attempt.finish(.success(()))
                }
                transform.onReady = { attempt.finish(.success(())) }
            }
        } catch {
            close()
            throw error == .cancelled ? .cancelled : .transport(error)
        }
        if let error = await loop.run({ self.handshakeError }) { throw error }
    }

    private var handshakeError: ConnectionError? { tlsTransform?.isReady == false ? sendError : nil }
}
