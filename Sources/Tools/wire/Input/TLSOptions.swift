// SPDX-License-Identifier: Apache-2.0

import WirelineTLS

enum TLSOptions {
    /// Returns nil if no option asks for TLS. The server name is the one that the certificate must have.
    static func client(_ arguments: Arguments) throws(CommandError) -> (context: TLSContext, serverName: String?)? {
        guard clientOptions.contains(where: arguments.has) else { return nil }
        var configuration = TLSConfiguration.client(identity: try identities(arguments).last)
        if let file = arguments[.tlsAuthority] { configuration.trustRoots = .only(.file(file)) }
        if let text = arguments[.tlsPin] {
            do throws(TLSError) {
                configuration.pins = try TLSPins(text.split(separator: ",").map(String.init))
            } catch {
                throw .usage("\(Option.tlsPin.name): \(error)")
            }
        }
        configuration.keyLog = try keyLog(arguments)
        let context = try attempt { () throws(TLSError) in try TLSContext(configuration) }
        return (context, arguments[.tlsName])
    }

    /// Returns nil if no option asks for TLS.
    static func server(_ arguments: Arguments) throws(CommandError) -> ServerTLS? {
        let identities = try identities(arguments)
        guard !identities.isEmpty else {
            for option in [Option.tlsAuthority, .tlsKeyLog] where arguments.has(option) {
                throw .usage("\(option.name) needs \(Option.tlsCertificate.name) and \(Option.tlsKey.name)")
            }
            return nil
        }
        let files = arguments.all(.tlsCertificate) + arguments.all(.tlsKey) + arguments.all(.tlsAuthority)
        let (authorities, keyLog) = (arguments[.tlsAuthority], try keyLog(arguments))
        return try attempt { () throws(TLSError) in
            try ServerTLS(files) { () throws(TLSError) in
                var configuration = try TLSConfiguration.server(identities: identities)
                if let authorities {
                    configuration.trustRoots = .only(.file(authorities))
                    configuration.clientCertificates = .required
                }
                configuration.keyLog = keyLog
                return configuration
            }
        }
    }

    private static func keyLog(_ arguments: Arguments) throws(CommandError) -> TLSKeyLog? {
        guard let path = arguments[.tlsKeyLog] else { return nil }
        return try attempt { () throws(TLSError) in try .file(path) }
    }

    static let clientOptions = [
        Option.tls, .tlsAuthority, .tlsPin, .tlsName, .tlsCertificate, .tlsKey, .tlsKeyLog,
    ]
    static let serverOptions = [Option.servedCertificate, .servedKey, .tlsAuthority, .tlsKeyLog]

    /// Returns the certificates, each with the key at the same position in the arguments.
    private static func identities(_ arguments: Arguments) throws(CommandError) -> [TLSIdentity] {
        let certificates = arguments.all(.tlsCertificate)
        let keys = arguments.all(.tlsKey)
        guard certificates.count >= keys.count else {
            throw .usage("\(Option.tlsCertificate.name) is missing: \(Option.tlsKey.name) goes with it")
        }
        guard keys.count >= certificates.count else {
            throw .usage("\(Option.tlsKey.name) is missing: \(Option.tlsCertificate.name) goes with it")
        }
        return zip(certificates, keys).map { TLSIdentity(certificateChain: .file($0), privateKey: .file($1)) }
    }

    private static func attempt<Value>(_ body: () throws(TLSError) -> Value) throws(CommandError) -> Value {
        do throws(TLSError) {
            return try body()
        } catch {
            throw .failure("TLS: \(error)")
        }
    }
}

/// The TLS of a server. Its files can be read again while it runs.
struct ServerTLS: Sendable {
    let context: TLSContext
    let files: [String]
    private let makeConfiguration: @Sendable () throws(TLSError) -> TLSConfiguration

    init(
        _ files: [String], _ makeConfiguration: @escaping @Sendable () throws(TLSError) -> TLSConfiguration
    ) throws(TLSError) {
        self.files = files
        self.makeConfiguration = makeConfiguration
        context = try TLSContext(makeConfiguration())
    }

    /// On an error, the context is unchanged.
    func reload() throws(TLSError) { try context.replace(with: makeConfiguration()) }
}

extension Option {
    fileprivate static let tls = Option(
        "--tls", "use TLS; the server's certificate must be for the host, and trusted by the system's roots")
    fileprivate static let tlsAuthority = Option(
        "--tls-ca", value: "FILE", "trust only these CA certificates (PEM); a server then requires client certificates")
    fileprivate static let tlsPin = Option(
        "--tls-pin", value: "SHA256",
        "also require this public key of the server, in hexadecimal or base64; separate several with commas")
    fileprivate static let tlsName = Option(
        "--tls-name", value: "NAME", "the name that the certificate must be for (default: the host)")
    fileprivate static let tlsCertificate = Option(
        "--tls-certificate", value: "FILE", "this side's certificate, followed by its intermediate certificates (PEM)")
    fileprivate static let tlsKey = Option("--tls-key", value: "FILE", "the certificate's private key (PEM)")
    fileprivate static let tlsKeyLog = Option(
        "--tls-key-log", value: "FILE",
        "append the secrets of connections, so that Wireshark can read a capture of them; others must not see the file")
    fileprivate static let servedCertificate = Option(
        tlsCertificate.name, value: "FILE",
        tlsCertificate.help
            + "; repeat it for more hosts: a client gets the certificate for the host it asks for, or the first")
    fileprivate static let servedKey = Option(
        tlsKey.name, value: "FILE", tlsKey.help + "; repeat it in the order of the certificates")
}
