// SPDX-License-Identifier: Apache-2.0

/// Where a server listens: at a port, at the path of a Unix domain socket, or on a socket that it was given.
///
///     at: [.host("0.0.0.0", port: 9001), .host("::", port: 9001), .unix("/run/game.sock", mode: 0o660)]
///
/// If a server listens at the same port of an IPv4 and an IPv6 address, its IPv6 socket takes only IPv6 connections
/// (`IPV6_V6ONLY`). A server that listens only at `::` takes both, unless the system is set otherwise.
public struct ListeningAddress: Hashable, Sendable, CustomStringConvertible {
    enum Endpoint: Hashable {
        case host(String, port: UInt16)
        case unix(String, mode: UInt16?)
        case descriptor(Int32)
    }

    let endpoint: Endpoint

    /// A port of this machine.
    ///
    /// - Parameters:
    ///   - host: A name, or the text of an IP address: `127.0.0.1` for this machine only, `0.0.0.0` or `::` for all its
    ///     addresses. If a name has several addresses, the first one is used.
    ///   - port: The port; 0 lets the system choose one.
    public static func host(_ host: String, port: UInt16) -> ListeningAddress {
        ListeningAddress(endpoint: .host(host, port: port))
    }

    /// A Unix domain socket, which programs on this machine connect to by its path.
    ///
    /// The server makes the file, and removes it when it stops listening. A file that a server has left behind, because
    /// it was killed, is replaced; the file of a server that still listens, or that is not a socket, is an error. Two
    /// servers must not be started at one path at the same moment.
    ///
    /// - Parameters:
    ///   - path: At most 107 bytes (Darwin: 103). On Linux, a path that begins with `@` is an abstract name, which has
    ///     no file.
    ///   - mode: The permissions of the file, such as `0o660`; nil: those that the process's umask allows (default). On
    ///     Linux, a client needs the permission to write. Abstract names have no permissions: any local program can
    ///     connect.
    public static func unix(_ path: String, mode: UInt16? = nil) -> ListeningAddress {
        ListeningAddress(endpoint: .unix(path, mode: mode))
    }

    /// A socket that already listens, which the process has inherited, for example from systemd
    /// (``ServiceManager/inheritedAddresses()``).
    ///
    /// The server takes it over and closes it.
    public static func inherited(descriptor: Int32) -> ListeningAddress {
        ListeningAddress(endpoint: .descriptor(descriptor))
    }

    package var host: String? { if case .host(let host, _) = endpoint { host } else { nil } }

    public var description: String {
        switch endpoint {
        case .host(let host, let port): host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path, _): "unix:" + path
        case .descriptor(let number): "descriptor \(number)"
        }
    }
}

package struct ListeningPolicy: Sendable {
    /// The largest number of connections in the queue of each socket (the system may allow fewer; Linux:
    /// `net.core.somaxconn`).
    package var backlog: Int32
    /// The largest number of accepted connections at a time; others wait in the queue.
    package var connectionLimit: Int
    /// Whether other processes may listen at the same ports (`SO_REUSEPORT`).
    package var sharesPorts: Bool

    package init(backlog: Int32 = 4_096, connectionLimit: Int = .max, sharesPorts: Bool = false) {
        self.backlog = backlog
        self.connectionLimit = connectionLimit
        self.sharesPorts = sharesPorts
    }
}
