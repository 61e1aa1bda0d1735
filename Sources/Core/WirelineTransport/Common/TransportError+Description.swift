// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension TransportError: CustomStringConvertible {
    /// A description in one line.
    public var description: String {
        switch self {
        case .system(let error): error.description
        case .reset: "the peer has reset the connection"
        case .refused: "nobody listens at this address"
        case .timedOut: "the deadline has passed"
        case .closed: "the connection has been closed on this side"
        case .cancelled: "the task was cancelled"
        case .invalidAddress: "not an IP address with a port from 0 to 65535"
        case .unknownHost(let host, let reason): "no address of \"\(host)\" is known: \(reason)"
        case .lookupFailed(let host, let reason): "\"\(host)\" could not be looked up: \(reason)"
        case .noSuchInterface(let name): "there is no network interface \"\(name)\""
        case .interfaceNotPermitted(let name): "the system does not let this program choose the interface \"\(name)\""
        case .invalidPath(let path):
            "\"\(path)\" cannot be the path of a Unix domain socket: it is empty, too long, or has a NUL"
        case .noAddress: "there is no address to listen at"
        case .notASocket(let path): "the file at \"\(path)\" is not a socket"
        case .notListening(let number): "the descriptor \(number) is not a socket that listens"
        case .differentFamilies: "the local address is IPv4 and the peer's IPv6, or the other way round"
        }
    }
}

extension SystemCallError: CustomStringConvertible {
    /// The call and the system's message: `bind: Address already in use`.
    public var description: String {
        // The longest message of glibc has 50 bytes; a longer one would be cut off.
        // SAFETY: `strerror_r` gets the buffer with its size; on success it has written a text that ends in a NUL.
        let message = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let text = buffer.baseAddress, unsafe strerror_r(code, text, buffer.count) == 0
            else { return "error \(code)" }
            return unsafe String(cString: text)
        }
        return "\(call): \(message)"
    }
}
