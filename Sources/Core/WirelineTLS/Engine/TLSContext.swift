// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The shared state of TLS connections of one configuration: certificates, keys, and the sessions to resume.
///
/// Make one and keep it. Threads may use it at the same time, and so may several clients or several servers.
/// ``replace(with:)`` gives it another configuration while they run.
public final class TLSContext: Sendable {
    private let role: TLSConfiguration.Role
    private let now: @Sendable () -> Int
    private let current: Mutex<TLSSetup>

    /// Makes a context, and reads the files that the configuration names.
    ///
    /// - Throws: ``TLSError/unavailable(reason:)`` without OpenSSL 3; ``TLSError/unreadableFile(path:code:)``,
    ///   ``TLSError/unusable(_:reason:)``, ``TLSError/encryptedKey`` and ``TLSError/keyDoesNotMatch`` for certificates
    ///   and keys; ``TLSError/noVersion``; ``TLSError/unknownCipher(_:)``; ``TLSError/unknownGroup(_:)``;
    ///   ``TLSError/invalidApplicationProtocol(_:)``; ``TLSError/invalidServerName(_:)`` for an invalid name in
    ///   ``TLSConfiguration/identitiesByName``; ``TLSError/failed(reason:)``.
    public convenience init(_ configuration: TLSConfiguration) throws(TLSError) {
        try self.init(configuration, now: SystemClock.now)
    }

    /// - Parameter now: Returns the seconds since 1970.
    package init(_ configuration: TLSConfiguration, now: @escaping @Sendable () -> Int) throws(TLSError) {
        role = configuration.role
        self.now = now
        current = Mutex(try TLSSetup(configuration, now: now))
    }

    /// The configuration, without private keys that were given as bytes.
    /// Only OpenSSL keeps these keys once they are read.
    public var configuration: TLSConfiguration { setup.configuration }

    /// The setup of connections that begin now.
    var setup: TLSSetup { current.withLock { $0 } }

    /// Replaces the configuration of connections that begin later, for example after a certificate was renewed.
    ///
    ///     try context.replace(with: configuration)  // the same paths: the files are read again
    ///
    /// Everything may be different: certificates, keys, trusted roots, pins, ciphers. Connections that have begun keep
    /// the old configuration, also those that are still in the handshake. So no connection fails.
    ///
    /// Sessions and tickets of the old configuration are not resumed: a client that offers such a ticket gets a full
    /// handshake, with the new certificates, and a client's certificate is verified against the new roots.
    ///
    /// The call reads files, so do not make it on an event loop.
    ///
    /// - Parameter configuration: The new configuration, for the same side: a server's context stays a server's. A key
    ///   that was given as bytes must be given again.
    /// - Throws: The errors of ``init(_:)``; ``TLSError/wrongSide``. Then nothing has changed.
    public func replace(with configuration: TLSConfiguration) throws(TLSError) {
        guard configuration.role == role else { throw .wrongSide }
        let new = try TLSSetup(configuration, now: now)
        // The last reference to the old setup may end here, outside the lock.
        _ = current.withLock { current in
            defer { current = new }
            return current
        }
    }

    /// Makes the client's side of a new connection.
    ///
    /// - Parameter serverName: The host that the certificate must be for, which is also sent to the server (SNI). An IP
    ///   address is looked for among the certificate's addresses and is not sent (RFC 6066 §3).
    /// - Throws: ``TLSError/invalidServerName(_:)``; ``TLSError/wrongSide`` for a server's context;
    ///   ``TLSError/failed(reason:)`` without memory.
    public func connect(to serverName: String) throws(TLSError) -> TLSEngine {
        guard role == .client else { throw .wrongSide }
        return try TLSEngine(self, serverName: ServerName(serverName))
    }

    /// Makes the server's side of a new connection.
    ///
    /// - Throws: ``TLSError/wrongSide`` for a client's context; ``TLSError/failed(reason:)`` without memory.
    public func accept() throws(TLSError) -> TLSEngine {
        guard role == .server else { throw .wrongSide }
        return try TLSEngine(self, serverName: nil)
    }
}

extension TLSContext: Equatable {
    /// Whether both are the same object, and so share sessions.
    public static func == (left: TLSContext, right: TLSContext) -> Bool { left === right }
}
