// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// A connection to a peer of which nothing is known.
///
/// Its properties belong to its loop, which is the lock behind `@unchecked Sendable`.
final class ProbeConnection: ByteStreamHandler, @unchecked Sendable {
    /// Bytes that came between two silences.
    struct Burst {
        var bytes: [UInt8] = []
        /// Whether the peer fell silent behind them, and not because more was not wanted.
        var isWhole = true
    }

    /// More is not looked at.
    private static let mostBytes = 1 << 16
    /// A peer that never falls silent is listened to for so many times the time that silence takes.
    private static let longestListening = 5

    private let stream: ByteStream
    private let loop: EventLoop
    private var burst = Burst()
    private var hasEnded = false
    private var listener: CheckedContinuation<Burst, Never>?
    private var silence: EventLoop.Timer?
    private var end: EventLoop.Timer?

    private init(_ stream: ByteStream) {
        self.stream = stream
        loop = stream.loop
    }

    /// Connects to the first address that takes the connection.
    static func open(
        _ addresses: [SocketAddress], on loop: EventLoop, timeout: Duration
    ) async throws(TransportError) -> ProbeConnection {
        var failure = TransportError.refused
        for address in addresses {
            do throws(TransportError) {
                let connection = ProbeConnection(try await .connect(to: address, on: loop, timeout: timeout))
                try await loop.run { () throws(TransportError) in try connection.stream.start(connection) }
                return connection
            } catch {
                failure = error
            }
        }
        throw failure
    }

    func send(_ bytes: [UInt8]) async {
        await loop.run {
            guard self.stream.takesOutput else { return }
            self.stream.write(bytes)
            self.stream.flush()
        }
    }

    /// What comes until nothing has come for some time, or the peer has ended.
    func listen(_ time: Duration) async -> Burst {
        await loop.visit {
            await withCheckedContinuation { self.listen(time, $0) }
        }
    }

    func close() async {
        await loop.run {
            self.finish()
            self.stream.close()
        }
    }

    private func listen(_ time: Duration, _ continuation: CheckedContinuation<Burst, Never>) {
        listener = continuation
        guard !hasEnded else { return finish() }
        waitForSilence(time)
        end = loop.schedule(at: loop.now + time * Self.longestListening) {
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
            // SAFETY: so many bytes have been put where the block begins.
            unsafe burst.bytes += UnsafeRawBufferPointer(start: taken.base, count: byteCount)
            stream.giveBack(taken)
        }
        if burst.bytes.count < Self.mostBytes { return stream.read() }
        burst.isWhole = false
        finish()
    }

    func outputDrained(_ stream: ByteStream) {}

    func endOfStream(_ stream: ByteStream) {
        hasEnded = true
        finish()
    }

    func failed(_ stream: ByteStream, _ error: TransportError) {
        hasEnded = true
        finish()
    }
}
