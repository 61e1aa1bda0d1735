// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import CWirelineSystem
    #if canImport(Glibc)
        import Glibc
    #else
        import Musl
    #endif

    extension SystemCall {
        static let dontWait = Int32(MSG_DONTWAIT)
        static let noSignal = Int32(MSG_NOSIGNAL)
        static let streamType = Int32(SOCK_STREAM.rawValue)
        static let shutdownWrite = Int32(SHUT_WR)
        static let shutdownBoth = Int32(SHUT_RDWR)
        /// `EAI_NODATA` and `EAI_ADDRFAMILY` of `getaddrinfo`, which Swift's modules of the C library leave out.
        static let noData: Int32 = -5
        static let noAddressOfFamily: Int32 = -9

        /// Makes a socket that never blocks and that programs started from this one do not get.
        static func makeSocket(
            for address: SocketAddress, _ kind: SocketKind = .stream
        ) throws(TransportError) -> Descriptor {
            let type = kind == .stream ? SOCK_STREAM : SOCK_DGRAM
            let flags = SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
            let number = socket(address.family, Int32(type.rawValue | flags), 0)
            guard number >= 0 else { throw .system(SystemCallError("socket", errno)) }
            return Descriptor(owning: number)
        }

        /// Sends what a socket sends over an interface, and takes from there alone what it takes.
        static func bind(
            _ descriptor: Int32, toInterface name: String, for peer: SocketAddress
        ) throws(TransportError) {
            // With an empty name Linux would take any interface, and one with a NUL would end there.
            let bytes = Array(name.utf8)
            guard !bytes.isEmpty, bytes.count < Int(IFNAMSIZ), !bytes.contains(0) else { throw .noSuchInterface(name) }
            let result = unsafe setsockopt(
                descriptor, SOL_SOCKET, SO_BINDTODEVICE, bytes, socklen_t(bytes.count))
            guard result != 0 else { return }
            switch errno {
            case ENODEV: throw .noSuchInterface(name)
            case EPERM: throw .interfaceNotPermitted(name)
            case let code: throw .system(SystemCallError("setsockopt", code))
            }
        }

        /// Chooses the port when the socket connects, so that connections to different peers may have one in common.
        static func choosePortLate(_ descriptor: Int32) {
            setOption(descriptor, Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, 1)
        }

        /// Takes a connection that waits, as a socket that never blocks.
        ///
        /// - Returns: In `.bytes`, the new descriptor.
        static func accept(_ descriptor: Int32) -> TransferResult {
            while true {
                let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
                let number = accept4(descriptor, nil, nil, flags)
                guard number < 0 else { return .bytes(Int(number)) }
                switch errno {
                // A connection that has ended while it waited is nobody's concern (accept(2)).
                case EINTR, ECONNABORTED, EPROTO: continue
                case EAGAIN, EWOULDBLOCK: return .wouldBlock
                case let code: return .failed(SystemCallError("accept", code))
                }
            }
        }

        /// How many bytes the system has taken that the peer has not acknowledged; nil where nobody knows.
        static func unacknowledgedByteCount(_ descriptor: Int32) -> Int? {
            let count = wireline_unacknowledged_byte_count(descriptor)
            return count < 0 ? nil : Int(count)
        }

        /// Lets a restarted server have its port although old connections linger.
        static func reuseAddress(_ descriptor: Int32) {
            setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        }
    }
#endif
