// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin

    extension SystemCall {
        static let anonymousPages = MAP_ANON
        static let peek = MSG_PEEK
        static let dontWait = MSG_DONTWAIT
        /// Darwin has a socket option instead, so that writing to an ended connection is an error and no signal.
        static let noSignal: Int32 = 0
        static let streamType = SOCK_STREAM
        /// Whether Unix domain sockets can have names without files.
        static let hasAbstractNames = false
        /// `IPPROTO_IPV6` as a number for `setsockopt`.
        static let ipv6Level = IPPROTO_IPV6
        static let keepAliveIdle = TCP_KEEPALIVE
        static let shutdownWrite = SHUT_WR
        static let shutdownBoth = SHUT_RDWR
        static let noData = EAI_NODATA
        static let noAddressOfFamily = EAI_ADDRFAMILY

        /// Makes a non-blocking socket that started programs do not inherit.
        static func makeSocket(
            for address: SocketAddress, _ kind: SocketKind = .stream
        ) throws(TransportError) -> Descriptor {
            let number = socket(address.family, kind == .stream ? SOCK_STREAM : SOCK_DGRAM, 0)
            guard number >= 0 else { throw .system(SystemCallError("socket", errno)) }
            let descriptor = Descriptor(owning: number)
            guard prepare(number) else { throw .system(SystemCallError("setsockopt", errno)) }
            return descriptor
        }

        /// The number of processor cores that the process may run on, at least 1.
        static func usableCoreCount() -> Int { max(1, sysconf(_SC_NPROCESSORS_ONLN)) }

        /// Sends the socket's output over an interface.
        static func bind(
            _ descriptor: Int32, toInterface name: String, for peer: SocketAddress
        ) throws(TransportError) {
            var index = name.utf8.contains(0) ? 0 : if_nametoindex(name)
            guard index != 0 else { throw .noSuchInterface(name) }
            let (level, option) =
                peer.addressFamily == .ipv6 ? (IPPROTO_IPV6, IPV6_BOUND_IF) : (IPPROTO_IP, IP_BOUND_IF)
            let byteCount = socklen_t(MemoryLayout.size(ofValue: index))
            // SAFETY: the call copies as many bytes as it is told, which is the value's size.
            guard unsafe setsockopt(descriptor, level, option, &index, byteCount) != 0 else { return }
            throw errno == EPERM ? .interfaceNotPermitted(name) : .system(SystemCallError("setsockopt", errno))
        }

        /// Does nothing: the system has no such option.
        static func choosePortLate(_ descriptor: Int32) {}

        /// Accepts a queued connection as a non-blocking socket.
        ///
        /// - Returns: In `.bytes`, the new descriptor.
        static func accept(_ descriptor: Int32) -> TransferResult {
            while true {
                // SAFETY: without memory for it, the system does not say the peer's address.
                let number = unsafe Darwin.accept(descriptor, nil, nil)
                guard number < 0 else {
                    if prepare(number) { return .bytes(Int(number)) }
                    // The connection has ended meanwhile; ignore it.
                    close(number)
                    continue
                }
                switch errno {
                // Ignore a connection that ended while it was queued.
                case EINTR, ECONNABORTED, EPROTO: continue
                case EAGAIN, EWOULDBLOCK: return .wouldBlock
                case let code: return .failed(SystemCallError("accept", code))
                }
            }
        }

        /// - Returns: Whether writing never raises a signal. The option is refused for a connection that its peer has
        ///   ended; the first write to it would end the process.
        private static func prepare(_ descriptor: Int32) -> Bool {
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            var one: Int32 = 1
            let byteCount = socklen_t(MemoryLayout<Int32>.size)
            // SAFETY: the call copies as many bytes as it is told, which is the value's size.
            return unsafe setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, byteCount) == 0
        }

        /// Nil if it is unknown.
        static func unacknowledgedByteCount(_ descriptor: Int32) -> Int? {
            socketOption(descriptor, SOL_SOCKET, SO_NWRITE).map { Int($0) }
        }

        /// Nil if it is unknown.
        static func unreadByteCount(_ descriptor: Int32) -> Int? {
            socketOption(descriptor, SOL_SOCKET, SO_NREAD).map { Int($0) }
        }

        /// Darwin has no such choice; the sockets that share the port share its connections.
        static func preferSecondSocket(_ descriptor: Int32) {}

        /// Lets a restarted server use its port while old connections linger.
        static func reuseAddress(_ descriptor: Int32) {
            setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        }
    }
#endif
