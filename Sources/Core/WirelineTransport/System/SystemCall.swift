// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The result of reading, writing or accepting; "would block" is a value, not an error.
enum TransferResult: Equatable {
    /// The number of bytes; 0 at the end of the peer's stream.
    case bytes(Int)
    case wouldBlock
    case failed(SystemCallError)
}

enum SocketKind {
    /// A byte stream, over TCP.
    case stream
    /// Datagrams, over UDP.
    case datagram
}

/// The system calls of this module for sockets and memory. Calls interrupted by a signal are repeated.
enum SystemCall {
    // MARK: Transfer

    /// The memory has `capacity` bytes.
    @unsafe
    static func receive(_ descriptor: Int32, into memory: UnsafeMutableRawPointer, capacity: Int) -> TransferResult {
        // SAFETY: by this function's contract the memory has `capacity` bytes, and the system writes no more.
        transfer("recv") { unsafe recv(descriptor, memory, capacity, dontWait) }
    }

    static func hasUnreadInput(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        // SAFETY: the system writes at most the one byte.
        return unsafe recv(descriptor, &byte, 1, dontWait | peek) > 0
    }

    @unsafe
    static func send(_ descriptor: Int32, _ memory: UnsafeRawPointer, byteCount: Int) -> TransferResult {
        // SAFETY: by this function's contract the memory has `byteCount` bytes, which the system only reads.
        transfer("send") { unsafe systemSend(descriptor, memory, byteCount, dontWait | noSignal) }
    }

    private static func transfer(_ name: StaticString, _ call: () -> Int) -> TransferResult {
        while true {
            let count = call()
            guard count < 0 else { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            case let code: return .failed(SystemCallError(name, code))
            }
        }
    }

    // MARK: Memory

    /// Allocates whole pages, which take no memory until they are written to.
    /// If the system has no memory, the program ends, as with any other allocation.
    @unsafe
    static func allocatePages(_ byteCount: Int) -> UnsafeMutableRawPointer {
        // SAFETY: the system chooses the address, so the pages overlap nothing else.
        let base = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, Int32(MAP_PRIVATE) | anonymousPages, -1, 0)
        guard let base = unsafe base, unsafe base != MAP_FAILED else {
            preconditionFailure("the system has no memory for \(byteCount) bytes")
        }
        return unsafe base
    }

    @unsafe
    static func freePages(_ base: UnsafeMutableRawPointer, _ byteCount: Int) {
        // SAFETY: by this function's contract the pages came from ``allocatePages(_:)`` with this count, and nobody
        // uses them any more.
        _ = unsafe munmap(base, byteCount)
    }

    // MARK: Sockets

    /// Closes a descriptor. Linux releases it even if it reports an error, so there is nothing to retry.
    static func close(_ descriptor: Int32) {
        _ = systemClose(descriptor)
    }

    /// Stops listening, even if a program that is being started has a copy of the socket.
    static func stopListening(_ descriptor: Int32) {
        // If the system does not support this for a listener, closing it does.
        _ = shutdown(descriptor, shutdownBoth)
    }

    /// Half-closes the connection: the peer reads an end of stream, and may still send.
    static func shutdownSending(_ descriptor: Int32) {
        // It fails only if the connection has ended meanwhile.
        _ = shutdown(descriptor, shutdownWrite)
    }

    static func bind(_ descriptor: Int32, to address: SocketAddress) throws(TransportError) {
        // SAFETY: the address is lent with its size for the call, which copies it.
        let result = unsafe address.withSystemAddress { unsafe systemBind(descriptor, $0, $1) }
        guard result == 0 else { throw .system(SystemCallError("bind", errno)) }
    }

    static func bind(
        _ descriptor: Int32, to origin: ConnectionOrigin, for peer: SocketAddress
    ) throws(TransportError) {
        if let interface = origin.interface { try bind(descriptor, toInterface: interface, for: peer) }
        guard let address = origin.address else { return }
        guard address.family == peer.family else { throw .differentFamilies }
        // A port chosen by the user may belong to a connection that has just ended.
        if address.port == 0 { choosePortLate(descriptor) } else { reuseAddress(descriptor) }
        try bind(descriptor, to: address)
    }

    /// Whether there is something to read, or a connection to accept.
    static func isReadable(_ descriptor: Int32) -> Bool {
        var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // SAFETY: the call reads and writes one structure of its own type.
        return unsafe poll(&question, 1, 0) > 0
    }

    static func listen(_ descriptor: Int32, backlog: Int32) throws(TransportError) {
        guard systemListen(descriptor, backlog) == 0 else { throw .system(SystemCallError("listen", errno)) }
    }

    /// Begins to connect; ask for the result when the socket is writable.
    ///
    /// - Returns: Whether the connection is already made.
    static func connect(_ descriptor: Int32, to address: SocketAddress) throws(TransportError) -> Bool {
        // SAFETY: the address is lent with its size for the call, which copies it.
        let result = unsafe address.withSystemAddress { unsafe systemConnect(descriptor, $0, $1) }
        guard result != 0 else { return true }
        switch errno {
        case EINPROGRESS, EINTR: return false
        case let code: throw TransportError(SystemCallError("connect", code))
        }
    }

    /// Throws the error of an attempt to connect, if it failed.
    static func finishConnecting(_ descriptor: Int32) throws(TransportError) {
        let code = socketOption(descriptor, SOL_SOCKET, SO_ERROR) ?? errno
        guard code == 0 else { throw TransportError(SystemCallError("connect", code)) }
    }

    // MARK: Addresses

    static func localAddress(_ descriptor: Int32) throws(TransportError) -> SocketAddress {
        // SAFETY: the call gets storage for any address, and its size.
        try unsafe address("getsockname") { unsafe getsockname(descriptor, $0, $1) }
    }

    static func peerAddress(_ descriptor: Int32) throws(TransportError) -> SocketAddress {
        // SAFETY: the call gets storage for any address, and its size.
        try unsafe address("getpeername") { unsafe getpeername(descriptor, $0, $1) }
    }

    @unsafe
    private static func address(
        _ name: StaticString, _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) throws(TransportError) -> SocketAddress {
        var storage = sockaddr_storage()
        var byteCount = socklen_t(MemoryLayout<sockaddr_storage>.size)
        // SAFETY: the storage is large and aligned enough for every kind of address.
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe call($0, &byteCount) }
        }
        guard result == 0 else { throw .system(SystemCallError(name, errno)) }
        return try SocketAddress(storage, byteCount: Int(byteCount))
    }

    // MARK: Options

    /// Lets other sockets listen at the same port, of this or another process of the same user.
    static func sharePort(_ descriptor: Int32) throws(TransportError) {
        guard trySetOption(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) else {
            throw .system(SystemCallError("setsockopt", errno))
        }
    }

    static func setIPv6Only(_ descriptor: Int32) {
        setOption(descriptor, ipv6Level, IPV6_V6ONLY, 1)
    }

    /// Gives an inherited descriptor the flags of this module's own descriptors.
    static func makeNonBlocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    static func setOption(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        // If the system does not know an option, the program only loses its benefit.
        _ = trySetOption(descriptor, level, option, value)
    }

    /// - Returns: Whether the option was set.
    private static func trySetOption(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) -> Bool {
        var value = value
        // SAFETY: the call copies as many bytes as it is told, which is the value's size.
        return unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
    }

    /// Sends written bytes at once, without waiting to fill a segment (RFC 896).
    static func setNoDelay(_ descriptor: Int32) {
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    /// Bounds the bytes that wait in the system, in each direction: to about twice as many on Linux (socket(7),
    /// `SO_RCVBUF`). Without a bound, they grow to megabytes.
    static func limitBuffers(_ descriptor: Int32, to byteCount: Int) {
        setOption(descriptor, SOL_SOCKET, SO_RCVBUF, Int32(clamping: byteCount))
        setOption(descriptor, SOL_SOCKET, SO_SNDBUF, Int32(clamping: byteCount))
    }

    /// Reads urgent data (RFC 9293 §3.8.5) as a part of the stream, as RFC 6093 advises.
    /// Otherwise its last byte would be missing.
    static func takeUrgentDataInline(_ descriptor: Int32) {
        setOption(descriptor, SOL_SOCKET, SO_OOBINLINE, 1)
    }

    /// Turns on TCP keep-alive (RFC 9293 §3.8.4): the first probe after `idleTime`, then one each quarter of it.
    ///
    /// After four unanswered probes the system fails the connection with `ETIMEDOUT`.
    ///
    /// - Parameter idleTime: Rounded up to seconds; at most 32,767 s, the largest value that Linux takes.
    static func setKeepAlive(_ descriptor: Int32, after idleTime: Duration) {
        let seconds = idleTime.components.seconds + (idleTime.components.attoseconds > 0 ? 1 : 0)
        let idle = Int32(max(1, min(seconds, 32_767)))
        setOption(descriptor, Int32(IPPROTO_TCP), keepAliveIdle, idle)
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, max(1, idle / 4))
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, 4)
        setOption(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
    }

    /// Returns and clears the pending error of a socket, as `errno`; 0: none.
    static func takeError(_ descriptor: Int32) -> Int32 {
        socketOption(descriptor, SOL_SOCKET, SO_ERROR) ?? 0
    }

    /// Makes closing the socket reset the connection; unsent output is dropped.
    static func setResetOnClose(_ descriptor: Int32) {
        var value = linger(l_onoff: 1, l_linger: 0)
        // SAFETY: the call copies as many bytes as it is told, which is the value's size.
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }

    static func socketOption(_ descriptor: Int32, _ level: Int32, _ option: Int32) -> Int32? {
        var value: Int32 = 0
        var byteCount = socklen_t(MemoryLayout<Int32>.size)
        // SAFETY: the call writes at most as many bytes as it is told, which is the value's size.
        guard unsafe getsockopt(descriptor, level, option, &value, &byteCount) == 0 else { return nil }
        return value
    }
}
