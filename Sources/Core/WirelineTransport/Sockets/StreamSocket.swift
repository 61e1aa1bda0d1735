// SPDX-License-Identifier: Apache-2.0

/// One end of a connection: a socket of the system, or an end of a connection in memory.
enum StreamHandle: ~Copyable {
    case system(Descriptor)
    case unix(Descriptor)
    case memory(MemoryDescriptor)
    case closed
}

/// The end of a stream's connection, and the handler that receives its events.
///
/// The stream is *idle* while it has no handler: before the start, and after a detachment. Then it is *open*, and at
/// last *closed*.
///
/// INVARIANT: there is a handler only while there is a handle.
struct StreamSocket: ~Copyable {
    private var handle: StreamHandle
    private(set) var handler: (any ByteStreamHandler)?

    init(_ handle: consuming StreamHandle) {
        self.handle = consume handle
    }

    /// −1 if the socket is closed, or in memory.
    var number: Int32 {
        switch handle {
        case .system(let descriptor): descriptor.number
        case .unix(let descriptor): descriptor.number
        case .memory: -1
        case .closed: -1
        }
    }

    /// Nil if the socket is closed, or one of the system.
    var memory: MemorySocket? {
        switch handle {
        case .memory(let descriptor): descriptor.socket
        case .system: nil
        case .unix: nil
        case .closed: nil
        }
    }

    var isOpen: Bool { handler != nil }

    mutating func open(_ handler: any ByteStreamHandler) {
        precondition(isOwner, "start of a stream that is closed")
        self.handler = handler
    }

    private var isOwner: Bool {
        switch handle {
        case .system: true
        case .unix: true
        case .memory: true
        case .closed: false
        }
    }

    /// Takes the handler out; the socket stays open.
    ///
    /// The caller releases the handler, because its `deinit` may use the stream.
    mutating func takeHandler() -> (any ByteStreamHandler)? { handler.take() }

    /// No handler may use the socket any more.
    mutating func close() {
        handler = nil
        handle = .closed
    }

    // MARK: Events

    /// Makes the loop report the socket's events to the stream.
    func watch(by stream: PollTarget, on loop: EventLoop) throws(TransportError) {
        if let memory { memory.watch(by: stream) } else { try loop.watch(stream, number) }
    }

    func unwatch(by stream: PollTarget, on loop: EventLoop) {
        if let memory { memory.unwatch() } else { loop.unwatch(stream, number) }
    }

    // MARK: Transfer

    /// The memory has `capacity` bytes.
    @unsafe
    func receive(into memory: UnsafeMutableRawPointer, capacity: Int) -> TransferResult {
        // SAFETY: by this function's contract the memory has `capacity` bytes.
        guard let socket = self.memory else {
            return unsafe SystemCall.receive(number, into: memory, capacity: capacity)
        }
        return unsafe socket.receive(into: memory, capacity: capacity)
    }

    @unsafe
    func send(_ memory: UnsafeRawPointer, byteCount: Int) -> TransferResult {
        // SAFETY: by this function's contract the memory has `byteCount` bytes.
        guard let socket = self.memory else { return unsafe SystemCall.send(number, memory, byteCount: byteCount) }
        return unsafe socket.send(memory, byteCount: byteCount)
    }

    var hasUnreadInput: Bool { memory?.hasUnreadInput ?? SystemCall.hasUnreadInput(number) }

    /// Nil if it is unknown.
    var unreadByteCount: Int? { memory?.unreadByteCount ?? SystemCall.unreadByteCount(number) }

    /// The number of sent bytes that the peer has not acknowledged; nil if it is unknown.
    ///
    /// Nothing acknowledges the bytes of a Unix domain socket. The system would count those that the program has not
    /// read.
    var unacknowledgedByteCount: Int? {
        switch handle {
        case .system(let descriptor): SystemCall.unacknowledgedByteCount(descriptor.number)
        case .memory(let descriptor): descriptor.socket.unacknowledgedByteCount
        case .unix: nil
        case .closed: nil
        }
    }

    func shutDownSending() {
        if let memory { memory.shutDownSending() } else { SystemCall.shutdownSending(number) }
    }

    /// As `errno`; 0: none. The call clears the error.
    func takeError() -> Int32 { memory?.takeError() ?? SystemCall.takeError(number) }

    // MARK: Options

    func setOptions() {
        guard memory == nil else { return }
        SystemCall.setNoDelay(number)
        SystemCall.takeUrgentDataInline(number)
    }

    func setKeepAlive(after idleTime: Duration) {
        if let memory { memory.keepAlive(after: idleTime) } else { SystemCall.setKeepAlive(number, after: idleTime) }
    }

    func limitBuffers(to byteCount: Int) {
        if memory == nil { SystemCall.limitBuffers(number, to: byteCount) }
    }

    func setResetOnClose() {
        if let memory { memory.setResetOnClose() } else { SystemCall.setResetOnClose(number) }
    }
}
