// SPDX-License-Identifier: Apache-2.0

/// The shared state of TLS connections of one configuration: certificates, keys, and the sessions to resume.
///
/// Make one and keep it. Threads may use it at the same time.
///
/// OpenSSL counts and locks its context itself, and the other state does not change: this justifies `@unchecked
/// Sendable`.
@safe
public final class TLSContext: @unchecked Sendable {
    /// The configuration, without private keys that were given as bytes.
    /// Only OpenSSL keeps these keys once they are read.
    public private(set) var configuration: TLSConfiguration

    /// Returns the seconds since 1970 by which certificates and sessions are judged.
    let now: @Sendable () -> Int
    let openSSL: OpenSSL
    let handle: Handle
    let sessions: SessionStore
    let applicationProtocols: [[UInt8]]
    /// The server's context for each host name pattern; it differs only in the certificate.
    private let contextsByName: [String: TLSContext]

    /// Makes a context, and reads the files that the configuration names.
    ///
    /// - Throws: ``TLSError/unavailable(reason:)`` without OpenSSL 3; ``TLSError/unreadableFile(path:code:)``,
    ///   ``TLSError/unusable(_:reason:)``, ``TLSError/encryptedKey`` and ``TLSError/keyDoesNotMatch`` for certificates
    ///   and keys; ``TLSError/unknownCipher(_:)``; ``TLSError/unknownGroup(_:)``;
    ///   ``TLSError/invalidApplicationProtocol(_:)``; ``TLSError/invalidServerName(_:)`` for an invalid name in
    ///   ``TLSConfiguration/identitiesByName``; ``TLSError/failed(reason:)``.
    public convenience init(_ configuration: TLSConfiguration) throws(TLSError) {
        try self.init(configuration, now: SystemClock.now)
    }

    /// Makes a context with another clock.
    ///
    /// - Parameter now: Returns the seconds since 1970.
    package init(_ configuration: TLSConfiguration, now: @escaping @Sendable () -> Int) throws(TLSError) {
        precondition(configuration.minimumVersion <= configuration.maximumVersion, "no version is left")
        let openSSL = try OpenSSL.shared.get()
        var names: [[UInt8]] = []
        for name in configuration.applicationProtocols {
            guard 1...255 ~= name.utf8.count else { throw .invalidApplicationProtocol(name) }
            names.append(Array(name.utf8))
        }
        contextsByName = try Self.contextsByName(configuration, now: now)
        let contexts = openSSL.contexts
        openSSL.errors.clear()
        // SAFETY: the methods are static tables of OpenSSL; the new context is this object's own until `deinit`.
        let method =
            configuration.role == .client ? unsafe contexts.clientMethod() : unsafe contexts.serverMethod()
        guard let handle = unsafe contexts.make(method) else { throw .failed(reason: openSSL.firstFailure.reason) }
        self.now = now
        self.openSSL = openSSL
        self.configuration = configuration
        applicationProtocols = names
        unsafe self.handle = handle
        sessions = SessionStore(openSSL)
        // From here on `deinit` frees the handle, even if an error is thrown.
        try setVersionsAndModes()
        try setCiphers()
        try setVerification()
        try setIdentity()
        setIdentityChoice()
        try setApplicationProtocols()
        try setResumption()
        // The keys are not needed any more.
        self.configuration.dropKeys()
    }

    deinit {
        // SAFETY: this object is the only owner of the reference that `init` got; connections count their own.
        unsafe openSSL.contexts.free(handle)
    }

    /// Makes the client's side of a new connection.
    ///
    /// - Parameter serverName: The host that the certificate must be for, which is also sent to the server (SNI). An IP
    ///   address is looked for among the certificate's addresses and is not sent (RFC 6066 §3).
    /// - Throws: ``TLSError/invalidServerName(_:)``; ``TLSError/failed(reason:)`` without memory.
    public func connect(to serverName: String) throws(TLSError) -> TLSEngine {
        precondition(configuration.role == .client, "a server's context accepts")
        return try TLSEngine(self, serverName: ServerName(serverName))
    }

    /// Makes the server's side of a new connection.
    ///
    /// - Throws: ``TLSError/failed(reason:)`` without memory.
    public func accept() throws(TLSError) -> TLSEngine {
        precondition(configuration.role == .server, "a client's context connects")
        return try TLSEngine(self, serverName: nil)
    }

    private static func contextsByName(
        _ configuration: TLSConfiguration, now: @escaping @Sendable () -> Int
    ) throws(TLSError) -> [String: TLSContext] {
        var contexts: [String: TLSContext] = [:]
        for (name, identity) in configuration.identitiesByName {
            var configuration = configuration
            configuration.identity = identity
            configuration.identitiesByName = [:]
            contexts[try ServerName.pattern(name)] = try TLSContext(configuration, now: now)
        }
        return contexts
    }

    var hasContextsByName: Bool { !contextsByName.isEmpty }

    /// The context for a requested host; nil: this one.
    func context(for host: String) -> TLSContext? {
        guard case .host(let host) = try? ServerName(host) else { return nil }
        return ServerName.patterns(for: host).lazy.compactMap { self.contextsByName[$0] }.first
    }

    /// Throws if a call of OpenSSL has failed.
    func require(_ isDone: Bool) throws(TLSError) {
        guard isDone else { throw .failed(reason: openSSL.firstFailure.reason) }
    }
}

extension TLSContext: Equatable {
    /// Whether both are the same object, and so share sessions.
    public static func == (left: TLSContext, right: TLSContext) -> Bool { left === right }
}
