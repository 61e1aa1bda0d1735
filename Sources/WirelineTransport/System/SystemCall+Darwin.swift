// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin

    extension SystemCall {
        static let dontWait = MSG_DONTWAIT
        /// Writing to a connection that has ended is an error and no signal by an option of each socket here.
        static let noSignal: Int32 = 0
        static let streamType = SOCK_STREAM
        static let shutdownWrite = SHUT_WR

        /// Makes a TCP socket that never blocks and that programs started from this one do not get.
        static func makeSocket(for address: SocketAddress) throws(TransportError) -> Descriptor {
            let number = socket(address.family, SOCK_STREAM, IPPROTO_TCP)
            guard number >= 0 else { throw .system(SystemCallError("socket", errno)) }
            prepare(number)
            return Descriptor(owning: number)
        }

        /// Takes a connection that waits, as a socket that never blocks.
        ///
        /// - Returns: In `.bytes`, the new descriptor.
        static func accept(_ descriptor: Int32) -> TransferResult {
            while true {
                let number = unsafe Darwin.accept(descriptor, nil, nil)
                guard number < 0 else {
                    prepare(number)
                    return .bytes(Int(number))
                }
                switch errno {
                // A connection that has ended while it waited is nobody's concern.
                case EINTR, ECONNABORTED, EPROTO: continue
                case EAGAIN, EWOULDBLOCK: return .wouldBlock
                case let code: return .failed(SystemCallError("accept", code))
                }
            }
        }

        private static func prepare(_ descriptor: Int32) {
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            setOption(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
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
