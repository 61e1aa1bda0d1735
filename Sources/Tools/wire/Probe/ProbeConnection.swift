// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTLS
import WirelineTransport

/// A connection to a peer whose protocol is unknown.
///
/// Its properties belong to its loop, so `@unchecked Sendable` is correct.
final class ProbeConnection: ByteStreamHandler, @unchecked Sendable {
    /// The peer's bytes between two pauses.
    struct Burst {
        var bytes: [UInt8] = []
        /// Whether the peer paused after the bytes. If not, the time ended first.
        var isWhole = true
        /// The bytes if the peer paused after them; otherwise empty, because they may end inside a packet.
        var whole: [UInt8] { isWhole ? bytes : [] }
    }

    typealias TLS = (context: TLSContext, serverName: String)

    /// The largest number of bytes that are examined.
    private static let mostBytes = 1 << 16
    /// If a peer never pauses, listening ends after this many pause times.
    private static let longestListening = 5

    private let stream: ByteStream
    private let loop: EventLoop
    private var burst = Burst()
    private var hasEnded = false
    private var listener: CheckedContinuation<Burst, Never>?
    private var handshake: CheckedContinuation<ConnectionError?, Never>?
    private var silence: EventLoop.Timer?
    private var end: EventLoop.Timer?

    private init(_ stream: ByteStream) {
        self.stream = stream
        loop = stream.loop
    }

    /// Connects to the first of the addresses that accepts.
    ///
    /// - Parameter timeout: The timeout for each address, and for the TLS handshake.
    static func open(
        _ addresses: [SocketAddress], on loop: EventLoop, _ tls: TLS?, timeout: Duration, until deadline: MonotonicTime
    ) async throws(ConnectionError) -> ProbeConnection {
        var failure = ConnectionError.transport(.timedOut)
        for address in addresses {
            let timeout = min(timeout, MonotonicTime.now.duration(to: deadline))
            guard timeout > .zero else { break }
            let connection: ProbeConnection
            do throws(TransportError) {
                connection = ProbeConnection(try await .connect(to: address, on: loop, timeout: timeout))
            } catch {
                failure = .transport(error)
                continue
            }
            try await connection.start(tls, until: min(deadline, .now + timeout))
            return connection
        }
        throw failure
    }

    private func start(_ tls: TLS?, until deadline: MonotonicTime) async throws(ConnectionError) {
        let failure = await loop.visit { () async -> ConnectionError? in
            do throws(ConnectionError) {
                try self.start(tls)
            } catch {
                return error
            }
            guard tls != nil else { return nil }
            return await withCheckedContinuation { self.waitForHandshake(until: deadline, $0) }
        }
        guard let failure else { return }
        await close()
        throw failure
    }

    private func start(_ tls: TLS?) throws(ConnectionError) {
        if let tls {
            do throws(TLSError) {
                stream.secure(with: try tls.context.connect(to: tls.serverName))
            } catch {
                throw .tls(error)
            }
        }
        do throws(TransportError) {
            try stream.start(self)
        } catch {
            throw .transport(error)
        }
    }

    private func waitForHandshake(
        until deadline: MonotonicTime, _ continuation: CheckedContinuation<ConnectionError?, Never>
    ) {
        handshake = continuation
        end = loop.schedule(at: deadline) {
            self.end = nil
            self.endHandshake(.transport(.timedOut))
        }
        stream.read()
    }

    private func endHandshake(_ failure: ConnectionError?) {
        guard let handshake = handshake.take() else { return }
        loop.cancel(&end)
        stream.stopReading()
        handshake.resume(returning: failure)
    }

    func send(_ bytes: [UInt8]) async {
        await loop.run {
            guard self.stream.takesOutput else { return }
            self.stream.write(bytes)
            self.stream.flush()
        }
    }

    /// Returns the bytes up to the peer's next pause, its end, or the deadline.
    func listen(_ time: Duration, until deadline: MonotonicTime) async -> Burst {
        await loop.visit {
            await withCheckedContinuation { self.listen(time, until: deadline, $0) }
        }
    }

    func close() async {
        await loop.run {
            self.finish()
            self.stream.close()
        }
    }

    private func listen(
        _ time: Duration, until deadline: MonotonicTime, _ continuation: CheckedContinuation<Burst, Never>
    ) {
        listener = continuation
        guard !hasEnded else { return finish() }
        waitForSilence(time)
        end = loop.schedule(at: min(deadline, loop.now + time * Self.longestListening)) {
            self.end = nil
            self.burst.isWhole = false
            self.finish()
        }
        stream.read()
    }

    private func waitForSilence(_ time: Duration) {
        let count = burst.bytes.count
        silence = loop.schedule(at: .now + time) {
            self.silence = nil
            if self.burst.bytes.count == count { self.finish() } else { self.waitForSilence(time) }
        }
    }

    private func finish() {
        loop.cancel(&silence)
        loop.cancel(&end)
        stream.stopReading()
        guard let listener = listener.take() else { return }
        listener.resume(returning: burst)
        burst = Burst()
    }

    // MARK: The stream's handler

    func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream) {
        if let taken = block.take() {
            // SAFETY: this many bytes have been written at the beginning of the block.
            unsafe burst.bytes += UnsafeRawBufferPointer(start: taken.base, count: byteCount)
            stream.giveBack(taken)
        }
        if burst.bytes.count < Self.mostBytes { return stream.read() }
        burst.isWhole = false
        finish()
    }

    func outputDrained(_ stream: ByteStream) {}

    func becameReady(_ stream: ByteStream) { endHandshake(nil) }

    func endOfStream(_ stream: ByteStream) {
        hasEnded = true
        endHandshake(stream.transformFailure ?? .tls(.truncated(duringHandshake: true)))
        finish()
    }

    func failed(_ stream: ByteStream, _ error: TransportError) {
        hasEnded = true
        endHandshake(stream.transformFailure ?? .transport(error))
        finish()
    }
}
