// SPDX-License-Identifier: Apache-2.0

import WirelineTLS
import WirelineTransport

/// TLS between a connection's packets and its socket. Only the loop's thread uses it.
final class TLSTransform: ConnectionTransform {
    let engine: TLSEngine
    var onReady: (() -> Void)?

    init(_ engine: TLSEngine) {
        self.engine = engine
    }

    var connectionFailure: ConnectionError? { engine.failure.map { .tls($0) } }

    var isReady: Bool { engine.isHandshakeComplete }

    var hasOutput: Bool { engine.pendingByteCount > 0 }

    var heldOutputByteCount: Int { engine.outputCapacity }

    var owesEnd: Bool { engine.owesEnd }

    var isCut: Bool { engine.failure == .truncated(duringHandshake: false) }

    /// The result of the handshake; nil before its end.
    var details: TLSDetails? {
        guard let version = engine.version, let cipher = engine.cipher else { return nil }
        return TLSDetails(
            version: version, cipher: cipher, applicationProtocol: engine.applicationProtocol,
            isResumed: engine.isResumed, requestedServerName: engine.requestedServerName,
            peerKeyHash: engine.peerKeyHash, peerCertificate: engine.peerCertificate, pinOutcome: engine.pinOutcome)
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
            // The engine keeps the error.
        }
        // SAFETY: the span was made of the same memory.
        let filledByteCount = unsafe plaintext.finalize(for: room)
        return TransformReading(takenByteCount: takenByteCount, filledByteCount: filledByteCount, stop: stop)
    }

    func endOfInput() throws(TransformFailure) {
        try attempt { () throws(TLSError) in try engine.endOfInput() }
    }

    func send(_ bytes: RawSpan) throws(TransformFailure) -> Int {
        try attempt { () throws(TLSError) in try engine.write(bytes) }
    }

    func endOutput() throws(TransformFailure) {
        try attempt { () throws(TLSError) in try engine.endOutput() }
    }

    func withOutput(_ body: (RawSpan) -> Int) {
        engine.takeCiphertext(body)
    }

    private func attempt<Value>(_ body: () throws(TLSError) -> Value) throws(TransformFailure) -> Value {
        do throws(TLSError) {
            return try body()
        } catch {
            throw TransformFailure()
        }
    }
}
