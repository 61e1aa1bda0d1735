// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Glibc)
    private let streamType = Int32(SOCK_STREAM.rawValue)
    private let (endOfOutput, noSignal) = (Int32(SHUT_WR), Int32(MSG_NOSIGNAL))
#else
    private let streamType = SOCK_STREAM
    private let (endOfOutput, noSignal) = (SHUT_WR, Int32(0))
#endif
private let dontWait = Int32(MSG_DONTWAIT)

/// A plain blocking socket on loopback, which does only what it is told. Tests make badly behaving peers of it, so it
/// contains none of the code under test.
///
/// It is closed when it is released. Its descriptor never changes; the system locks what the descriptor refers to.
public final class RawSocket: Sendable {
    let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// A system call that failed.
    public struct Failure: Error, CustomStringConvertible {
        let call: String
        let code = errno

        public var description: String { "\(call): " + String(cString: strerror(code)) }
    }

    // MARK: Making connections

    /// - Parameters:
    ///   - receiveBuffer: How many unread bytes the system buffers, also for accepted connections; nil: the system's
    ///     default.
    ///   - backlog: How many connections may wait to be accepted, beside one. Linux leaves others without an answer.
    public static func listen(
        at port: UInt16 = 0, receiveBuffer: Int32? = nil, backlog: Int32 = 1_024
    ) throws -> RawSocket {
        let listener = try make()
        listener.set(SOL_SOCKET, SO_REUSEADDR, Int32(1))
        // Before it listens: the initial window of a connection depends on it.
        if let receiveBuffer { listener.set(SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
        try listener.withAddress(of: port) { address, count in
            guard bind(listener.descriptor, address, count) == 0 else { throw Failure(call: "bind") }
        }
        guard Foundation.listen(listener.descriptor, backlog) == 0 else { throw Failure(call: "listen") }
        return listener
    }

    /// - Parameter receiveBuffer: How many unread bytes the system buffers; nil: the system's default.
    public static func connect(to port: UInt16, receiveBuffer: Int32? = nil) throws -> RawSocket {
        let socket = try make()
        // Before it connects: the initial window of a connection depends on it.
        if let receiveBuffer { socket.set(SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
        try socket.withAddress(of: port) { address, count in
            guard Foundation.connect(socket.descriptor, address, count) == 0 else { throw Failure(call: "connect") }
        }
        return socket
    }

    private static func make() throws -> RawSocket {
        let socket = RawSocket(Foundation.socket(AF_INET, streamType, 0))
        guard socket.descriptor >= 0 else { throw Failure(call: "socket") }
        socket.prepare()
        return socket
    }

    private func prepare() {
        // A child process that inherits it would keep it open.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        set(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
    }

    /// Waits for a connection.
    public func accept() throws -> RawSocket {
        let socket = RawSocket(Foundation.accept(descriptor, nil, nil))
        guard socket.descriptor >= 0 else { throw Failure(call: "accept") }
        socket.prepare()
        return socket
    }

    public func port() throws -> UInt16 {
        var address = sockaddr_in()
        var count = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &count) }
        }
        guard status == 0 else { throw Failure(call: "getsockname") }
        return UInt16(bigEndian: address.sin_port)
    }

    private func withAddress(
        of port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void
    ) rethrows {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        try withUnsafePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private func set<Value>(_ level: Int32, _ option: Int32, _ value: Value) {
        _ = withUnsafePointer(to: value) {
            setsockopt(descriptor, level, option, $0, socklen_t(MemoryLayout<Value>.size))
        }
    }

    // MARK: Bytes

    /// Sends all bytes, however long that takes.
    public func send(_ bytes: some Collection<UInt8>) throws {
        let bytes = Array(bytes)
        var count = 0
        while count < bytes.count {
            let sent = bytes.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress.map { $0 + count }, bytes.count - count, noSignal)
            }
            if sent < 0, errno == EINTR { continue }
            guard sent > 0 else { throw Failure(call: "send") }
            count += sent
        }
    }

    /// Sends bytes; the last one is urgent (TCP's URG).
    public func sendUrgent(_ bytes: [UInt8]) throws {
        let flags = noSignal | Int32(MSG_OOB)
        guard bytes.withUnsafeBytes({ Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }) == bytes.count
        else { throw Failure(call: "send") }
    }

    /// Sends as much as the system takes without waiting.
    ///
    /// - Returns: How many bytes were sent; 0 also if the connection has ended.
    public func sendAtOnce(_ bytes: ArraySlice<UInt8>) -> Int {
        let sent = bytes.withUnsafeBytes {
            Foundation.send(descriptor, $0.baseAddress, $0.count, noSignal | dontWait)
        }
        return max(0, sent)
    }

    /// The bytes that have arrived, after waiting for at least one; empty at the end.
    public func receive(atMost count: Int = 65_536) throws -> [UInt8] {
        while true {
            var failed = false
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
                let received = recv(descriptor, buffer.baseAddress, count, 0)
                failed = received < 0
                initializedCount = max(0, received)
            }
            if !failed { return bytes }
            if errno != EINTR { throw Failure(call: "recv") }
        }
    }

    // MARK: Ends

    /// Ends the output (FIN).
    public func endOutput() { shutdown(descriptor, endOfOutput) }

    /// Reads until the peer has ended, with or without an error.
    public func drain() {
        while let bytes = try? receive(), !bytes.isEmpty {}
    }

    /// Whether output waits until it can leave in one segment (TCP_CORK).
    public func holdSegments(_ isHeld: Bool) {
        #if os(Linux)
            set(Int32(IPPROTO_TCP), TCP_CORK, Int32(isHeld ? 1 : 0))
        #endif
    }

    /// How many sent bytes the peer's system has not acknowledged.
    public var unacknowledgedByteCount: Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    /// Resets the connection (TCP RST) now; the socket cannot be used after that.
    public func reset() {
        // Connecting a socket to no address ends its connection (connect(2)).
        resetWhenClosed()
        var nowhere = sockaddr()
        nowhere.sa_family = sa_family_t(AF_UNSPEC)
        _ = Foundation.connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Makes the connection be reset (TCP RST) when it is closed.
    public func resetWhenClosed() { set(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0)) }
}
