// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What came of reading, writing or accepting: that there is nothing to do yet is a value and no error.
enum TransferResult: Equatable {
    /// So many bytes; 0 at the end of what a peer sends.
    case bytes(Int)
    case wouldBlock
    case failed(SystemCallError)
}

/// What a socket carries.
enum SocketKind {
    /// A stream of bytes, over TCP.
    case stream
    /// Datagrams, over UDP.
    case datagram
}

/// The one place where this module calls the operating system for sockets. Calls that a signal has interrupted are made
/// again.
enum SystemCall {
    // MARK: Transfer

    /// Reads what has arrived into memory of `capacity` bytes.
    @unsafe
    static func receive(_ descriptor: Int32, into memory: UnsafeMutableRawPointer, capacity: Int) -> TransferResult {
        transfer("recv") { unsafe recv(descriptor, memory, capacity, dontWait) }
    }

    /// Hands as many of the bytes as possible to the system.
    @unsafe
    static func send(_ descriptor: Int32, _ memory: UnsafeRawPointer, byteCount: Int) -> TransferResult {
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

    // MARK: Sockets

    /// Closes a descriptor. Linux has let go of it even where it reports an error, so there is nothing to try again.
    static func close(_ descriptor: Int32) {
        _ = systemClose(descriptor)
    }

    /// Takes no more connections, also where a program that is just being started has the listening socket too.
    static func stopListening(_ descriptor: Int32) {
        // Where the system does not know this for a listener, closing does it.
        _ = shutdown(descriptor, shutdownBoth)
    }

    /// Says that no more will be sent: the peer reads an end of stream, and may still send.
    static func shutdownSending(_ descriptor: Int32) {
        // The only failure is that the connection has ended in the meantime.
        _ = shutdown(descriptor, shutdownWrite)
    }

    static func bind(_ descriptor: Int32, to address: SocketAddress) throws(TransportError) {
        let result = unsafe address.withSystemAddress { unsafe systemBind(descriptor, $0, $1) }
        guard result == 0 else { throw .system(SystemCallError("bind", errno)) }
    }

    /// Sees to it that a connection begins where it should.
    static func bind(
        _ descriptor: Int32, to origin: ConnectionOrigin, for peer: SocketAddress
    ) throws(TransportError) {
        if let interface = origin.interface { try bind(descriptor, toInterface: interface, for: peer) }
        guard let address = origin.address else { return }
        guard address.addressFamily == peer.addressFamily else { throw .differentFamilies }
        // A port of the user's own may be that of a connection which has just ended.
        if address.port == 0 { choosePortLate(descriptor) } else { reuseAddress(descriptor) }
        try bind(descriptor, to: address)
    }

    static func listen(_ descriptor: Int32, backlog: Int32) throws(TransportError) {
        guard systemListen(descriptor, backlog) == 0 else { throw .system(SystemCallError("listen", errno)) }
    }

    /// Begins to connect; what comes of it is asked for when the socket can be written to.
    ///
    /// - Returns: Whether the connection is there already.
    static func connect(_ descriptor: Int32, to address: SocketAddress) throws(TransportError) -> Bool {
        let result = unsafe address.withSystemAddress { unsafe systemConnect(descriptor, $0, $1) }
        guard result != 0 else { return true }
        switch errno {
        case EINPROGRESS, EINTR: return false
        case let code: throw TransportError(SystemCallError("connect", code))
        }
    }

    /// How an attempt to connect has ended.
    static func finishConnecting(_ descriptor: Int32) throws(TransportError) {
        let code = socketOption(descriptor, SOL_SOCKET, SO_ERROR) ?? errno
        guard code == 0 else { throw TransportError(SystemCallError("connect", code)) }
    }

    // MARK: Addresses

    static func localAddress(_ descriptor: Int32) throws(TransportError) -> SocketAddress {
        try unsafe address("getsockname") { unsafe getsockname(descriptor, $0, $1) }
    }

    static func peerAddress(_ descriptor: Int32) throws(TransportError) -> SocketAddress {
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
        return try SocketAddress(storage)
    }

    // MARK: Options

    static func setOption(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        // An option that a system does not know only costs what it would have saved.
        _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Sends what is written at once, and does not wait for more to fill a segment (RFC 896).
    static func setNoDelay(_ descriptor: Int32) {
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    /// Closing the socket will reset the connection: what has not been sent is given up.
    static func setResetOnClose(_ descriptor: Int32) {
        var value = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }

    static func socketOption(_ descriptor: Int32, _ level: Int32, _ option: Int32) -> Int32? {
        var value: Int32 = 0
        var byteCount = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, level, option, &value, &byteCount) == 0 else { return nil }
        return value
    }
}
