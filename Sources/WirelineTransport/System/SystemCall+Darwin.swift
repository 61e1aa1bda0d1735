// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin

    extension SystemCall {
        static let dontWait = MSG_DONTWAIT
        /// Writing to a connection that has ended is an error and no signal by an option of each socket here.
        static let noSignal: Int32 = 0
        static let streamType = SOCK_STREAM
        static let shutdownWrite = SHUT_WR
        static let shutdownBoth = SHUT_RDWR
        static let noData = EAI_NODATA
        static let noAddressOfFamily = EAI_ADDRFAMILY

        /// Makes a socket that never blocks and that programs started from this one do not get.
        static func makeSocket(
            for address: SocketAddress, _ kind: SocketKind = .stream
        ) throws(TransportError) -> Descriptor {
            let number = socket(address.family, kind == .stream ? SOCK_STREAM : SOCK_DGRAM, 0)
            guard number >= 0 else { throw .system(SystemCallError("socket", errno)) }
            let descriptor = Descriptor(owning: number)
            guard prepare(number) else { throw .system(SystemCallError("setsockopt", errno)) }
            return descriptor
        }

        /// Sends what a socket sends over an interface.
        static func bind(
            _ descriptor: Int32, toInterface name: String, for peer: SocketAddress
        ) throws(TransportError) {
            var index = name.utf8.contains(0) ? 0 : if_nametoindex(name)
            guard index != 0 else { throw .noSuchInterface(name) }
            let (level, option) =
                peer.addressFamily == .ipv6 ? (IPPROTO_IPV6, IPV6_BOUND_IF) : (IPPROTO_IP, IP_BOUND_IF)
            let byteCount = socklen_t(MemoryLayout.size(ofValue: index))
            guard unsafe setsockopt(descriptor, level, option, &index, byteCount) != 0 else { return }
            throw errno == EPERM ? .interfaceNotPermitted(name) : .system(SystemCallError("setsockopt", errno))
        }

        /// The system has no such choice.
        static func choosePortLate(_ descriptor: Int32) {}

        /// Takes a connection that waits, as a socket that never blocks.
        ///
        /// - Returns: In `.bytes`, the new descriptor.
        static func accept(_ descriptor: Int32) -> TransferResult {
            while true {
                let number = unsafe Darwin.accept(descriptor, nil, nil)
                guard number < 0 else {
                    if prepare(number) { return .bytes(Int(number)) }
                    // It has ended in the meantime, which is nobody's concern either.
                    close(number)
                    continue
                }
                switch errno {
                // A connection that has ended while it waited is nobody's concern.
                case EINTR, ECONNABORTED, EPROTO: continue
                case EAGAIN, EWOULDBLOCK: return .wouldBlock
                case let code: return .failed(SystemCallError("accept", code))
                }
            }
        }

        /// - Returns: Whether writing to it is no signal, ever: the option is refused for a connection that its peer has
        ///   ended, and then the first write would end the process.
        private static func prepare(_ descriptor: Int32) -> Bool {
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            var one: Int32 = 1
            let byteCount = socklen_t(MemoryLayout<Int32>.size)
            return unsafe setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, byteCount) == 0
        }

        /// How many bytes the system has taken that the peer has not acknowledged; nil where nobody knows.
        static func unacknowledgedByteCount(_ descriptor: Int32) -> Int? {
            socketOption(descriptor, SOL_SOCKET, SO_NWRITE).map { Int($0) }
        }

        /// Lets a restarted server have its port although old connections linger.
        static func reuseAddress(_ descriptor: Int32) {
            setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        }
    }
#endif
