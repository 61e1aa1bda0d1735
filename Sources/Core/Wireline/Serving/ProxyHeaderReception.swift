// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Reads the header that a proxy sends before the client's bytes, from a stream that is not started yet.
///
/// It reads only the header. The client's bytes stay in the system until the stream is started again. Only the loop's
/// thread uses it, so `@unchecked Sendable` needs no lock.
final class ProxyHeaderReception: ByteStreamHandler, @unchecked Sendable {
    enum Outcome {
        case header(ProxyHeader)
        case failed(ProxyHeaderError)
        /// The proxy has left before its first byte, or the server shuts down.
        case left
    }

    private let stream: ByteStream
    private var parser: ProxyHeaderParser
    private var timer: EventLoop.Timer?
    private var completion: ((Outcome) -> Void)?

    /// - Parameter completion: Called once. With a header the stream is again not started; otherwise it is closed
    ///   afterwards.
    init(_ stream: ByteStream, _ options: ListeningOptions.ProxyProtocol, completion: @escaping (Outcome) -> Void) {
        self.stream = stream
        parser = ProxyHeaderParser(byteCountLimit: max(536, options.byteCountLimit))
        self.completion = completion
    }

    var loop: EventLoop { stream.loop }

    func start(within timeout: Duration) {
        timer = loop.schedule(at: loop.now + timeout) { self.finish(.failed(.timedOut)) }
        do throws(TransportError) {
            try stream.start(self)
            stream.read()
        } catch {
            finish(.left)
        }
    }

    func cancel() { finish(.left) }

    private func finish(_ outcome: Outcome) {
        guard let completion = completion.take() else { return }
        loop.cancel(&timer)
        var outcome = outcome
        // A proxy may send the header, and then reset the connection.
        if case .header = outcome, !stream.takesOutput { outcome = .left }
        if case .header = outcome {
            stream.detach()
            completion(outcome)
        } else {
            // The server must count the refusal before the proxy sees the end.
            completion(outcome)
            stream.close()
        }
    }

    // MARK: Bytes

    func lendReadBuffer(for stream: ByteStream) -> ReadBuffer {
        ReadBuffer(stream.takeBlock(), offset: 0, limit: parser.neededByteCount)
    }

    func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream) {
        guard let block = block.take() else { return }
        let outcome = take(block, byteCount)
        stream.giveBack(block)
        if let outcome { finish(outcome) } else { stream.read() }
    }

    /// - Returns: The outcome; nil: it needs more bytes.
    private func take(_ block: borrowing Block, _ byteCount: Int) -> Outcome? {
        do throws(ProxyHeaderError) {
            // SAFETY: the stream has read `byteCount` bytes into the block; it asked for no more.
            let bytes = unsafe RawSpan(_unsafeStart: block.base, byteCount: byteCount)
            return try parser.receive(bytes).map { .header($0) }
        } catch {
            return .failed(error)
        }
    }

    func outputDrained(_ stream: ByteStream) {}

    func endOfStream(_ stream: ByteStream) { leave() }

    func failed(_ stream: ByteStream, _ error: TransportError) { leave() }

    private func leave() {
        finish(stream.receivedByteCount == 0 ? .left : .failed(.truncated))
    }
}
