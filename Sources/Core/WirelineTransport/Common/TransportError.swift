// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Why a connection could not be made, or ended other than by a clean end of stream.
@nonexhaustive
public enum TransportError: Error, Equatable, Sendable {
    /// A system call failed.
    case system(SystemCallError)
    /// The peer reset the connection (TCP RST): data on its way is lost.
    case reset
    /// No program listens at the address.
    case refused
    /// The deadline has passed, or the peer acknowledges nothing.
    /// In the second case the system has given up after minutes of retransmission (`ETIMEDOUT`).
    case timedOut
    /// This side has closed the connection.
    case closed
    /// The waiting task was cancelled.
    case cancelled
    /// The text is not an IP address, or the number is not a port.
    case invalidAddress
    /// The host does not exist, or has no address; `reason` is the resolver's message.
    case unknownHost(String, reason: String)
    /// The lookup failed: the resolver does not answer, or cannot tell. A retry may succeed.
    case lookupFailed(String, reason: String)
    /// The machine has no network interface of this name.
    case noSuchInterface(String)
    /// The system does not let this program choose the network interface.
    case interfaceNotPermitted(String)
    /// The local address and the peer's address are of different families.
    case differentFamilies
    /// The text cannot be the path of a Unix domain socket: it is empty, too long, or contains a NUL.
    ///
    /// See ``SocketAddress/init(unixPath:)``.
    case invalidPath(String)
    /// A server was given no address, for example because systemd has handed over no socket.
    case noAddress
    /// A file that is not a socket is at the path where a server wants to listen.
    case notASocket(String)
    /// The descriptor that the process inherited is not a socket that listens for connections.
    case notListening(descriptor: Int32)
}

/// A failed system call.
public struct SystemCallError: Error, Equatable, Sendable {
    /// The call's name, such as `bind`.
    public let call: StaticString
    /// The value of `errno`.
    public let code: Int32

    init(_ call: StaticString, _ code: Int32) {
        self.call = call
        self.code = code
    }

    public static func == (left: SystemCallError, right: SystemCallError) -> Bool {
        left.code == right.code && String(describing: left.call) == String(describing: right.call)
    }
}

extension SystemCallError {
    /// Reading and writing report it differently.
    var isReset: Bool { code == ECONNRESET || code == EPIPE }

    /// Whether the connection is over in both directions: it was reset, or the system has given it up.
    var endsConnection: Bool {
        isReset || code == ETIMEDOUT || code == EHOSTUNREACH || code == ENETUNREACH
    }

    /// Whether the fault is only of the connection being accepted, so that the next one may be sound.
    ///
    /// On Linux this includes errors of the network of that connection (accept(2)).
    var isOfOneConnection: Bool { Self.codesOfOneConnection.contains(code) }

    private static let codesOfOneConnection: Set<Int32> = {
        var codes: Set = [
            ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH, EPERM,
        ]
        #if os(Linux)
            codes.insert(ENONET)
        #endif
        return codes
    }()

    /// Whether the queue of a Unix domain socket that listens is full; a TCP connection would wait.
    var isFullQueue: Bool { call.description == "connect" && code == EAGAIN }

    /// Whether no program listens; the sender of a datagram learns it at its next call.
    var isRefusal: Bool { code == ECONNREFUSED }
}

extension TransportError {
    /// Makes the error of a connection, or of an attempt to connect, from the system's error.
    ///
    /// A missing route or network stays a system error, so that readers look at this machine first.
    init(_ error: SystemCallError) {
        self =
            switch error.code {
            case _ where error.isReset: .reset
            case _ where error.isRefusal: .refused
            case ETIMEDOUT: .timedOut
            default: .system(error)
            }
    }
}
