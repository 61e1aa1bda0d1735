// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Why a connection could not be made, or why it has ended other than by a clean end of stream.
@nonexhaustive
public enum TransportError: Error, Equatable, Sendable {
    /// The operating system refused.
    case system(SystemCallError)
    /// The peer has reset the connection (TCP RST): what was on its way is lost.
    case reset
    /// Nobody listens at the address.
    case refused
    /// The deadline has passed; or the system has given up a peer that acknowledges nothing (`ETIMEDOUT`), as it does after
    /// minutes of sending again.
    case timedOut
    /// The connection has been closed on this side.
    case closed
    /// The task that waited was cancelled.
    case cancelled
    /// What should be an IP address, or the number of a port, is none.
    case invalidAddress
    /// There is no such host, or it has no address; `reason` is what the resolver says of that.
    case unknownHost(String, reason: String)
    /// Whether there is such a host could not be found out: the resolver does not answer, or cannot say. Another time it
    /// may.
    case lookupFailed(String, reason: String)
    /// The machine has no network interface of this name.
    case noSuchInterface(String)
    /// The system does not let this program choose the network interface.
    case interfaceNotPermitted(String)
    /// A connection should begin at an address of one family and end at one of the other.
    case differentFamilies
}

/// A system call that has failed.
public struct SystemCallError: Error, Equatable, Sendable {
    /// The call's name, such as `bind`.
    public let call: StaticString
    /// The number that it left in `errno`.
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
    /// Whether the peer has given the connection up, which reading says in one way and writing in another.
    var isReset: Bool { code == ECONNRESET || code == EPIPE }

    /// Whether nobody listens, which a datagram's sender hears of when it next looks.
    var isRefusal: Bool { code == ECONNREFUSED }
}

extension TransportError {
    /// What an error of the system says of a connection, or of making one.
    ///
    /// That there is no route, or no network any more, remains the system's: who reads it is to look at this machine first.
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
