// SPDX-License-Identifier: Apache-2.0

/// What TLS connections of one configuration share: certificates and keys, read once, and the sessions to resume.
///
/// Make one and keep it. Threads may use it at the same time.
///
/// OpenSSL counts and locks its context itself, and the rest does not change: that is what `@unchecked Sendable` rests
/// on.
@safe
public final class TLSContext: @unchecked Sendable {
    /// How the connections behave.
    public let configuration: TLSConfiguration

    let openSSL: OpenSSL
    let handle: Handle
    let sessions: SessionStore
    let applicationProtocols: [[UInt8]]
    /// For each pattern of a host's name what a server does for those who ask for it: the same but for the certificate.
    private let contextsByName: [String: TLSContext]

    /// Reads what the configuration names.
    ///
    /// - Throws: ``TLSError/unavailable(reason:)`` without OpenSSL 3; ``TLSError/unreadableFile(path:code:)``,
    ///   ``TLSError/unusable(_:reason:)``, ``TLSError/encryptedKey`` and ``TLSError/keyDoesNotMatch`` for certificates and
    ///   keys; ``TLSError/invalidApplicationProtocol(_:)``; ``TLSError/invalidServerName(_:)`` for a name in
    ///   ``TLSConfiguration/identitiesByName`` that is none; ``TLSError/failed(reason:)``.
    public init(_ configuration: TLSConfiguration) throws(TLSError) {
        precondition(configuration.minimumVersion <= configuration.maximumVersion, "no version is left")
        let openSSL = try OpenSSL.shared.get()
        var names: [[UInt8]] = []
        for name in configuration.applicationProtocols {
            guard 1...255 ~= name.utf8.count else { throw .invalidApplicationProtocol(name) }
            names.append(Array(name.utf8))
        }
        contextsByName = try Self.contextsByName(configuration)
        let contexts = openSSL.contexts
        openSSL.errors.clear()
        let method =
            configuration.role == .client ? unsafe contexts.clientMethod() : unsafe contexts.serverMethod()
        guard let handle = unsafe contexts.make(method) else { throw .failed(reason: openSSL.firstFailure.reason) }
        self.openSSL = openSSL
        self.configuration = configuration
        applicationProtocols = names
        unsafe self.handle = handle
        sessions = SessionStore(openSSL)
        // From here on `deinit` frees the handle, also when something is thrown.
        try setVersionsAndModes()
        try setVerification()
        try setIdentity()
        setIdentityChoice()
        try setApplicationProtocols()
        try setResumption()
    }

    deinit {
        unsafe openSSL.contexts.free(handle)
    }

    /// A client's side of a new connection.
    ///
    /// - Parameter serverName: The host that the certificate must be for, which is also told to the server (SNI); or an
    ///   IP address, which is looked for among the certificate's addresses and told to nobody (RFC 6066 §3).
    /// - Throws: ``TLSError/invalidServerName(_:)``; ``TLSError/failed(reason:)`` without memory.
    public func connect(to serverName: String) throws(TLSError) -> TLSEngine {
        precondition(configuration.role == .client, "a server's context accepts")
        return try TLSEngine(self, serverName: ServerName(serverName))
    }

    /// A server's side of a new connection.
    ///
    /// - Throws: ``TLSError/failed(reason:)`` without memory.
    public func accept() throws(TLSError) -> TLSEngine {
        precondition(configuration.role == .server, "a client's context connects")
        return try TLSEngine(self, serverName: nil)
    }

    private static func contextsByName(_ configuration: TLSConfiguration) throws(TLSError) -> [String: TLSContext] {
        var contexts: [String: TLSContext] = [:]
        for (name, identity) in configuration.identitiesByName {
            var configuration = configuration
            configuration.identity = identity
            configuration.identitiesByName = [:]
            contexts[try ServerName.pattern(name)] = try TLSContext(configuration)
        }
        return contexts
    }

    var hasContextsByName: Bool { !contextsByName.isEmpty }

    /// What is done for those who ask for a host; nil where that is what is done for everybody.
    func context(for host: String) -> TLSContext? {
        guard case .host(let host) = try? ServerName(host) else { return nil }
        return ServerName.patterns(for: host).lazy.compactMap { self.contextsByName[$0] }.first
    }

    /// Throws when a call has not returned what it should.
    func require(_ isDone: Bool) throws(TLSError) {
        guard isDone else { throw .failed(reason: openSSL.firstFailure.reason) }
    }
}

extension TLSContext: Equatable {
    /// Whether the two are one and the same: they share sessions then.
    public static func == (left: TLSContext, right: TLSContext) -> Bool { left === right }
}
