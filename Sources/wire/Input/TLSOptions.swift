// SPDX-License-Identifier: Apache-2.0

import WirelineTLS

/// The options that begin with `--tls`.
enum TLSOptions {
    /// Returns a client's TLS and the name that the certificate must match; nil if no option asks for TLS.
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
        let context = try attempt { () throws(TLSError) in try TLSContext(configuration) }
        return (context, arguments[.tlsName])
    }

    /// Returns a server's TLS; nil if no option asks for it.
    static func server(_ arguments: Arguments) throws(CommandError) -> TLSContext? {
        let identities = try identities(arguments)
        guard !identities.isEmpty else {
            guard !arguments.has(.tlsAuthority) else {
                throw .usage(
                    "\(Option.tlsAuthority.name) needs \(Option.tlsCertificate.name) and \(Option.tlsKey.name)")
            }
            return nil
        }
        return try attempt { () throws(TLSError) in
            var configuration = try TLSConfiguration.server(identities: identities)
            if let file = arguments[.tlsAuthority] {
                configuration.trustRoots = .only(.file(file))
                configuration.clientCertificates = .required
            }
            return try TLSContext(configuration)
        }
    }

    static let clientOptions = [
        Option.tls, .tlsAuthority, .tlsPin, .tlsName, .tlsCertificate, .tlsKey,
    ]
    static let serverOptions = [Option.servedCertificate, .servedKey, .tlsAuthority]

    /// Returns the certificates, each with the key at the same position.
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

    private static func attempt(
        _ body: () throws(TLSError) -> TLSContext
    ) throws(CommandError) -> TLSContext {
        do throws(TLSError) {
            return try body()
        } catch {
            throw .failure("TLS: \(error)")
        }
    }
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
    fileprivate static let servedCertificate = Option(
        tlsCertificate.name, value: "FILE",
        tlsCertificate.help
            + "; repeat it for more hosts: a client gets the certificate for the host it asks for, or the first")
    fileprivate static let servedKey = Option(
        tlsKey.name, value: "FILE", tlsKey.help + "; repeat it in the order of the certificates")
}
