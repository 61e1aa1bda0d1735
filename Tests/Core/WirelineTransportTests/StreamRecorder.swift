// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// A stream's handler that records its events, and lets a test wait for them.
///
/// The lock for `@unchecked Sendable`: `shared` is guarded by its `Lock`; `mode` never changes; the stream belongs to
/// the loop.
final class StreamRecorder: ByteStreamHandler, @unchecked Sendable {
    /// What is done with bytes that arrive.
    enum Mode {
        case collect
        /// They are sent back.
        case echo
        /// They are read from the system only when the test asks.
        case stall
    }

    struct State {
        var received: [UInt8] = []
        /// What the stream showed of its writes.
        var shown: [UInt8] = []
        var drainedCount = 0
        var endCount = 0
        var hasEnded: Bool { endCount > 0 }
        var failure: TransportError?
        /// What the stream reported without being read.
        var outputFailure: TransportError?
        var hasHeardPeerEnd = false
        var readCount = 0
    }

    private struct Shared {
        var state = State()
        var waiters: [(condition: @Sendable (State) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let shared = Lock(Shared())
    private let mode: Mode

    init(_ mode: Mode) {
        self.mode = mode
    }

    var state: State { shared.withLock(\.state) }

    /// Waits until the recorded events fulfil a condition.
    func wait(until condition: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isFulfilled = shared.withLock { shared in
                guard !condition(shared.state) else { return true }
                shared.waiters.append((condition, continuation))
                return false
            }
            if isFulfilled { continuation.resume() }
        }
    }

    private func note(_ change: (inout State) -> Void) {
        let ready = shared.withLock { shared in
            change(&shared.state)
            let state = shared.state
            let ready = shared.waiters.filter { $0.condition(state) }.map(\.continuation)
            shared.waiters.removeAll { $0.condition(state) }
            return ready
        }
        for continuation in ready { continuation.resume() }
    }

    // MARK: Events

    func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream) {
        guard let lent = block.take() else { return }
        let bytes = UnsafeRawBufferPointer(start: lent.base, count: byteCount)
        note { state in
            state.received += bytes
            state.readCount += 1
        }
        if mode == .echo {
            stream.write(byteCount: byteCount) { $0.copyMemory(from: bytes) }
        }
        block = consume lent
        if mode != .stall { stream.read() }
    }

    func wrote(_ bytes: [UInt8], to stream: ByteStream) {
        note { $0.shown += bytes }
    }

    func outputDrained(_ stream: ByteStream) {
        note { $0.drainedCount += 1 }
    }

    func endOfStream(_ stream: ByteStream) {
        note { $0.endCount += 1 }
        if mode == .echo { stream.endOutput() }
    }

    func outputFailed(_ stream: ByteStream, _ error: TransportError) {
        note { $0.outputFailure = error }
    }

    func peerEnded(_ stream: ByteStream) {
        note { $0.hasHeardPeerEnd = true }
    }

    func failed(_ stream: ByteStream, _ error: TransportError) {
        note { $0.failure = error }
    }
}

/// Two ends of a TCP connection on loopback, each on its own loop.
struct StreamPair {
    let client: ByteStream
    let server: ByteStream
    let clientRecorder: StreamRecorder
    let serverRecorder: StreamRecorder

    static let group = Result { () throws(TransportError) in try EventLoopGroup(threadCount: 2) }

    /// Connects, and begins to read if the mode does.
    static func make(
        client clientMode: StreamRecorder.Mode = .collect, server serverMode: StreamRecorder.Mode = .collect,
        transforms: (client: (any StreamTransform)?, server: (any StreamTransform)?) = (nil, nil)
    ) async throws -> StreamPair {
        let group = try group.get()
        let (accepted, feed) = AsyncStream<ByteStream>.makeStream()
        let listener = try Listener.bind(to: .loopback(port: 0), on: group)
        listener.start { feed.yield($0) }
        defer { listener.loop.execute { listener.close() } }
        let client = try await ByteStream.connect(
            to: listener.address, on: group.nextLoop(), timeout: .seconds(60))
        var iterator = accepted.makeAsyncIterator()
        guard let server = await iterator.next() else { throw TransportError.closed }
        let pair = StreamPair(
            client: client, server: server, clientRecorder: StreamRecorder(clientMode),
            serverRecorder: StreamRecorder(serverMode))
        if let transform = transforms.client { client.insert(transform) }
        if let transform = transforms.server { server.insert(transform) }
        try await client.onLoop {
            try client.start(pair.clientRecorder)
            if clientMode != .stall { client.read() }
        }
        try await server.onLoop {
            try server.start(pair.serverRecorder)
            if serverMode != .stall { server.read() }
        }
        return pair
    }

    func close() async {
        await client.onLoop { client.close() }
        await server.onLoop { server.close() }
    }
}

extension ByteStream {
    /// Runs a closure on the stream's loop, and waits for it.
    func onLoop<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await loop.run(body)
    }

    /// Writes bytes on the stream's loop.
    func write(_ bytes: [UInt8]) async {
        await onLoop { self.write(byteCount: bytes.count) { $0.copyBytes(from: bytes) } }
    }
}
