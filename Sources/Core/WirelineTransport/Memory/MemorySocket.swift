// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One end of a connection in memory. For a stream it behaves like a socket of the system.
///
/// It reports changes to its stream as the poller would: in a turn of the loop, never while the other end acts. Use it
/// only on the loop. So `@unchecked Sendable` needs no lock.
package final class MemorySocket: PollTarget, @unchecked Sendable {
    private let network: MemoryNetwork
    let localAddress: SocketAddress
    let peerAddress: SocketAddress
    private let input: MemoryPipe
    private let output: MemoryPipe
    /// The stream; nil while nothing watches the socket.
    private var target: PollTarget?
    /// The changes that the target has not received.
    private var readiness: Poller.Readiness = []
    private var willReport = false
    /// The `errno` that the next call reports; 0: none.
    private var error: Int32 = 0
    private var hasFailed = false
    private var isClosed = false
    private var resetsOnClose = false
    private var keepAliveTime: Duration?
    private var keepAliveTimer: EventLoop.Timer?

    /// Whether the program at this end reads nothing.
    package var isPaused = false { didSet { if !isPaused, target != nil { reportInput() } } }

    private init(
        _ network: MemoryNetwork, at localAddress: SocketAddress, to peerAddress: SocketAddress, input: MemoryPipe,
        output: MemoryPipe
    ) {
        self.network = network
        self.localAddress = localAddress
        self.peerAddress = peerAddress
        self.input = input
        self.output = output
    }

    static func makePair(
        on network: MemoryNetwork, client: SocketAddress, server: SocketAddress
    ) -> (client: MemorySocket, server: MemorySocket) {
        let (up, down) = (MemoryPipe(network), MemoryPipe(network))
        let near = MemorySocket(network, at: client, to: server, input: down, output: up)
        let far = MemorySocket(network, at: server, to: client, input: up, output: down)
        (up.writer, up.reader) = (near, far)
        (down.writer, down.reader) = (far, near)
        network.add(near)
        network.add(far)
        return (near, far)
    }

    // MARK: Watching

    func watch(by target: PollTarget) {
        self.target = target
        reportInput()
    }

    func unwatch() {
        target = nil
        readiness = []
    }

    private func reportInput() {
        if input.unreadByteCount > 0 { report(.readable) }
        if input.hasArrivedEnd { report([.readable, .ended]) }
        if hasFailed { report([.readable, .ended, .failed]) }
    }

    /// Reports a change to the stream, in this turn of the loop or the next one.
    func report(_ change: Poller.Readiness) {
        guard target != nil else { return }
        readiness.formUnion(isPaused ? change.intersection(.writable) : change)
        guard !readiness.isEmpty, !willReport else { return }
        willReport = true
        network.loop.continueLater(self)
    }

    override func continueWork() {
        willReport = false
        let change = readiness
        readiness = []
        // The call may release the target.
        let target = target
        if !change.isEmpty { target?.becameReady(change) }
    }

    override func tookTime(_ nanoseconds: Int64, until now: MonotonicTime) {
        target?.tookTime(nanoseconds, until: now)
    }

    // MARK: Transfer

    @unsafe
    func receive(into memory: UnsafeMutableRawPointer, capacity: Int) -> TransferResult {
        guard !isPaused else { return .wouldBlock }
        // SAFETY: by this function's contract the memory has `capacity` bytes.
        let count = unsafe input.read(into: UnsafeMutableRawBufferPointer(start: memory, count: capacity))
        if count > 0 {
            // A read that does not fill its memory has left nothing, for a stream.
            if input.unreadByteCount > 0 { report(.readable) }
            if input.hasArrivedEnd { report([.readable, .ended]) }
            return .bytes(count)
        }
        if let failure = takeFailure("recv") { return .failed(failure) }
        return input.hasArrivedEnd || hasFailed ? .bytes(0) : .wouldBlock
    }

    @unsafe
    func send(_ memory: UnsafeRawPointer, byteCount: Int) -> TransferResult {
        if let failure = takeFailure("send") { return .failed(failure) }
        guard !hasFailed, !output.hasEndedWriting else { return .failed(SystemCallError("send", EPIPE)) }
        // SAFETY: by this function's contract the memory has `byteCount` bytes.
        let count = unsafe output.take(UnsafeRawBufferPointer(start: memory, count: byteCount))
        return count.map { .bytes($0) } ?? .wouldBlock
    }

    private func takeFailure(_ call: StaticString) -> SystemCallError? {
        let code = takeError()
        return code == 0 ? nil : SystemCallError(call, code)
    }

    func takeError() -> Int32 {
        defer { error = 0 }
        return error
    }

    var hasUnreadInput: Bool { input.unreadByteCount > 0 }

    var unreadByteCount: Int { input.unreadByteCount }

    var unacknowledgedByteCount: Int { output.underWayByteCount }

    // MARK: Its end

    func shutDownSending() { output.endWriting() }

    func setResetOnClose() { resetsOnClose = true }

    /// Closes this end. As with TCP, unread bytes reset the other end.
    ///
    /// The last reference to a stream that was never started may end on any thread, also after the network has ended.
    func close() {
        guard let loop = network.place else { return }
        loop.execute { self.closeNow() }
    }

    private func closeNow() {
        guard !isClosed else { return }
        isClosed = true
        network.remove(self)
        network.loop.cancel(&keepAliveTimer)
        unwatch()
        guard !hasFailed else { return }
        if resetsOnClose || input.unreadByteCount > 0 {
            output.breakOff()
            output.sendReset()
        } else {
            output.endWriting()
        }
        input.loseReader()
    }

    /// The connection is over: the other end has reset it, or does not answer.
    func fail(with code: Int32) {
        guard !isClosed, !hasFailed else { return }
        (error, hasFailed) = (code, true)
        output.breakOff()
        network.loop.cancel(&keepAliveTimer)
        report([.readable, .writable, .ended, .failed])
    }

    func becomeReset() { fail(with: ECONNRESET) }

    // MARK: Its network

    /// Stops or resumes both directions.
    package func cut(_ isCut: Bool) {
        (input.isCut, output.isCut) = (isCut, isCut)
        noteCut()
        input.writer?.noteCut()
    }

    /// Delivers the stopped bytes, and starts or stops the timer of keep-alive.
    func noteCut() {
        input.schedule()
        output.schedule()
        let isCut = input.isCut || network.isCut
        guard isCut else { return network.loop.cancel(&keepAliveTimer) }
        guard let keepAliveTime, keepAliveTimer == nil, !isClosed else { return }
        keepAliveTimer = network.loop.schedule(at: network.loop.now + keepAliveTime * 2) { [weak self] in
            self?.keepAliveTimer = nil
            self?.fail(with: ETIMEDOUT)
        }
    }

    func keepAlive(after idleTime: Duration) { keepAliveTime = idleTime }

    /// Resets the connection: both ends fail.
    package func reset() {
        let other = output.reader
        becomeReset()
        other?.becomeReset()
    }
}

/// Owns an end of a connection: closes it exactly once.
struct MemoryDescriptor: ~Copyable {
    let socket: MemorySocket

    init(owning socket: MemorySocket) {
        self.socket = socket
    }

    deinit { socket.close() }
}
