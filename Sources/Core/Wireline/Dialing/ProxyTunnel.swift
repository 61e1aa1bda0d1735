// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Makes a proxy connect, on a stream that leads to the proxy.
///
/// Only the loop's thread uses it, so `@unchecked Sendable` needs no lock. It reads only the proxy's bytes. The
/// server's bytes stay in the system until the stream is started again, for example with TLS.
final class ProxyTunnel: ByteStreamHandler, @unchecked Sendable {
    private typealias Outcome = Result<Void, ProxyError>

    private var handshake: ProxyHandshake
    private let stream: ByteStream
    private let attempt: Attempt<Outcome>

    /// - Parameter stream: Leads to the proxy, and is not started. Afterwards it leads to the server, and is again not
    ///   started.
    static func open(
        _ handshake: ProxyHandshake, over stream: ByteStream, within timeout: Duration
    ) async throws(ConnectionError) {
        let outcome: Outcome
        do throws(TransportError) {
            outcome = try await Attempt<Outcome>.run(on: stream.loop, timeout: timeout) {
                (attempt) throws(TransportError) in
                let tunnel = ProxyTunnel(handshake, stream, attempt)
                attempt.cleanUp = { if !tunnel.handshake.isComplete { stream.close() } }
                try stream.start(tunnel)
                tunnel.continueHandshake()
            }
        } catch {
            throw error == .cancelled ? .cancelled : .transport(error)
        }
        if case .failure(let error) = outcome { throw .proxy(error) }
    }

    private init(_ handshake: ProxyHandshake, _ stream: ByteStream, _ attempt: Attempt<Outcome>) {
        self.handshake = handshake
        self.stream = stream
        self.attempt = attempt
    }

    /// Sends the handshake's output and waits for the answer, or finishes.
    private func continueHandshake() {
        stream.write(handshake.takeOutput())
        stream.flush()
        guard stream.isOpen else { return }
        guard handshake.isComplete else { return stream.read() }
        guard stream.pendingByteCount == 0 else { return }
        // A proxy may agree, and then reset the connection.
        guard stream.takesOutput else {
            stream.close()
            return attempt.finish(.failure(.reset))
        }
        stream.detach()
        attempt.finish(.success(.success(())))
    }

    func lendReadBuffer(for stream: ByteStream) -> ReadBuffer {
        ReadBuffer(stream.takeBlock(), offset: 0, limit: handshake.neededByteCount)
    }

    func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream) {
        var failure: ProxyError?
        stream.lend(&block, byteCount: byteCount) { bytes in
            do throws(ProxyError) { _ = try handshake.receive(bytes) } catch { failure = error }
        }
        if let failure { attempt.finish(.success(.failure(failure))) } else { continueHandshake() }
    }

    func outputDrained(_ stream: ByteStream) {
        if handshake.isComplete { continueHandshake() }
    }

    func endOfStream(_ stream: ByteStream) {
        do throws(ProxyError) {
            try handshake.endOfInput()
        } catch {
            attempt.finish(.success(.failure(error)))
        }
    }

    func failed(_ stream: ByteStream, _ error: TransportError) {
        attempt.finish(.failure(error))
    }
}
