// SPDX-License-Identifier: Apache-2.0

/// The setup of a ``TLSContext`` for one configuration: OpenSSL's context, and the sessions to resume.
///
/// Each connection keeps the setup that it began with. Threads may use it at the same time.
///
/// OpenSSL counts and locks its context itself, and the other state does not change after `init`: this justifies
/// `@unchecked Sendable`.
@safe
final class TLSSetup: @unchecked Sendable {
    /// The configuration, without private keys that were given as bytes.
    private(set) var configuration: TLSConfiguration

    /// Returns the seconds since 1970, for the dates of certificates and sessions.
    let now: @Sendable () -> Int
    let openSSL: OpenSSL
    let handle: Handle
    let sessions: SessionStore
    let applicationProtocols: [[UInt8]]
    /// The server's setup for each host name pattern; it differs only in the certificate.
    private let setupsByName: [String: TLSSetup]

    /// Reads the files that the configuration names; the errors are those of ``TLSContext``.
    init(_ configuration: TLSConfiguration, now: @escaping @Sendable () -> Int) throws(TLSError) {
        guard configuration.minimumVersion <= configuration.maximumVersion else { throw .noVersion }
        let openSSL = try OpenSSL.shared.get()
        var names: [[UInt8]] = []
        for name in configuration.applicationProtocols {
            guard 1...255 ~= name.utf8.count else { throw .invalidApplicationProtocol(name) }
            names.append(Array(name.utf8))
        }
        setupsByName = try Self.setupsByName(configuration, now: now)
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

    private static func setupsByName(
        _ configuration: TLSConfiguration, now: @escaping @Sendable () -> Int
    ) throws(TLSError) -> [String: TLSSetup] {
        var setups: [String: TLSSetup] = [:]
        for (name, identity) in configuration.identitiesByName {
            var configuration = configuration
            configuration.identity = identity
            configuration.identitiesByName = [:]
            setups[try ServerName.pattern(name)] = try TLSSetup(configuration, now: now)
        }
        return setups
    }

    var hasSetupsByName: Bool { !setupsByName.isEmpty }

    /// The setup for a requested host; nil: this one.
    func setup(for host: String) -> TLSSetup? {
        guard case .host(let host) = try? ServerName(host) else { return nil }
        return ServerName.patterns(for: host).lazy.compactMap { self.setupsByName[$0] }.first
    }

    func require(_ isDone: Bool) throws(TLSError) {
        guard isDone else { throw .failed(reason: openSSL.firstFailure.reason) }
    }
}
