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
        static let anonymousPages = Int32(MAP_ANONYMOUS)
        static let peek = Int32(MSG_PEEK)
        static let noSignal = Int32(MSG_NOSIGNAL)
        /// Whether Unix domain sockets can have names without files.
        static let hasAbstractNames = true
        /// `IPPROTO_IPV6` as a number for `setsockopt`.
        static let ipv6Level = Int32(IPPROTO_IPV6)
        static let streamType = Int32(SOCK_STREAM.rawValue)
        static let keepAliveIdle = TCP_KEEPIDLE
        static let shutdownWrite = Int32(SHUT_WR)
        static let shutdownBoth = Int32(SHUT_RDWR)
        /// `EAI_NODATA` and `EAI_ADDRFAMILY` of `getaddrinfo`, which Swift's modules of the C library leave out.
        static let noData: Int32 = -5
        static let noAddressOfFamily: Int32 = -9

        /// Makes a non-blocking socket that started programs do not inherit.
        static func makeSocket(
            for address: SocketAddress, _ kind: SocketKind = .stream
        ) throws(TransportError) -> Descriptor {
            let type = kind == .stream ? SOCK_STREAM : SOCK_DGRAM
            let flags = SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
            let number = socket(address.family, Int32(type.rawValue | flags), 0)
            guard number >= 0 else { throw .system(SystemCallError("socket", errno)) }
            return Descriptor(owning: number)
        }

        /// Sends all new connections of a port that two sockets share to the second of them. While there is only one,
        /// it gets them all.
        static func preferSecondSocket(_ descriptor: Int32) {
            // A program of one instruction (BPF_RET | BPF_K) returns the index. If it is invalid, Linux takes any.
            var instruction = FilterInstruction(code: 0x06, value: 1)
            // SAFETY: the call copies the program while the pointers are valid; both have the forms of linux/filter.h.
            let result = unsafe withUnsafeMutablePointer(to: &instruction) { pointer in
                var program = unsafe FilterProgram(count: 1, instructions: pointer)
                return unsafe setsockopt(
                    descriptor, SOL_SOCKET, Self.attachPortFilter, &program,
                    socklen_t(MemoryLayout<FilterProgram>.size))
            }
            // Linux before 4.5 distributes them, as without the call.
            _ = result
        }

        /// `SO_ATTACH_REUSEPORT_CBPF`, which Swift's modules of the C library leave out.
        private static let attachPortFilter: Int32 = 51

        /// `struct sock_filter`.
        private struct FilterInstruction {
            var code: UInt16
            var jumpIfTrue: UInt8 = 0
            var jumpIfFalse: UInt8 = 0
            var value: UInt32
        }

        /// `struct sock_fprog`.
        @unsafe
        private struct FilterProgram {
            var count: UInt16
            var instructions: UnsafeMutablePointer<FilterInstruction>
        }

        /// The number of processor cores that the process may run on, at least 1.
        static func usableCoreCount() -> Int { max(1, Int(wireline_usable_core_count())) }

        /// Sends and receives over one interface only.
        static func bind(
            _ descriptor: Int32, toInterface name: String, for peer: SocketAddress
        ) throws(TransportError) {
            // With an empty name Linux would take any interface, and a name with a NUL would end there.
            let bytes = Array(name.utf8)
            guard !bytes.isEmpty, bytes.count < Int(IFNAMSIZ), !bytes.contains(0) else { throw .noSuchInterface(name) }
            // SAFETY: the array lives for the call, which copies its bytes and adds the NUL.
            let result = unsafe setsockopt(
                descriptor, SOL_SOCKET, SO_BINDTODEVICE, bytes, socklen_t(bytes.count))
            guard result != 0 else { return }
            switch errno {
            case ENODEV: throw .noSuchInterface(name)
            case EPERM: throw .interfaceNotPermitted(name)
            case let code: throw .system(SystemCallError("setsockopt", code))
            }
        }

        /// Chooses the port when the socket connects, so that connections to different peers can share one.
        static func choosePortLate(_ descriptor: Int32) {
            setOption(descriptor, Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, 1)
        }

        /// Accepts a queued connection as a non-blocking socket.
        ///
        /// - Returns: In `.bytes`, the new descriptor.
        static func accept(_ descriptor: Int32) -> TransferResult {
            while true {
                let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
                let number = accept4(descriptor, nil, nil, flags)
                guard number < 0 else { return .bytes(Int(number)) }
                switch errno {
                // Ignore a connection that ended while it was queued (accept(2)).
                case EINTR, ECONNABORTED, EPROTO: continue
                case EAGAIN, EWOULDBLOCK: return .wouldBlock
                case let code: return .failed(SystemCallError("accept", code))
                }
            }
        }

        /// Nil if it is unknown.
        static func unacknowledgedByteCount(_ descriptor: Int32) -> Int? {
            let count = wireline_unacknowledged_byte_count(descriptor)
            return count < 0 ? nil : Int(count)
        }

        /// Nil if it is unknown.
        static func unreadByteCount(_ descriptor: Int32) -> Int? {
            let count = wireline_unread_byte_count(descriptor)
            return count < 0 ? nil : Int(count)
        }

        /// Lets a restarted server use its port while old connections linger.
        static func reuseAddress(_ descriptor: Int32) {
            setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        }
    }
#endif
