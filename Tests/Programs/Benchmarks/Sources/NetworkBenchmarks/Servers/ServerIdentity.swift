// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import CNetwork
internal import Foundation

/// The certificate that all servers show, and its key: a file of PEM each.
struct ServerIdentity {
    let certificate: String
    let key: String

    /// A new one in a folder, with a key on P-256; nil, and a note, where something that TLS needs is missing.
    static func make(in folder: URL) throws -> ServerIdentity? {
        if let absence {
            try noteAbsence("nothing with TLS", absence)
            return nil
        }
        let identity = ServerIdentity(
            certificate: folder.appending(path: "certificate.pem").path, key: folder.appending(path: "key.pem").path)
        try Command.output(of: [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=benchmark", "-addext", "subjectAltName=IP:127.0.0.1", "-out", identity.certificate,
            "-keyout", identity.key,
        ])
        return identity
    }

    private static var absence: String? {
        var failure = network_failure()
        guard network_has_tls(&failure) else { return failure.message }
        return (try? Command.output(of: ["which", "openssl"])) == nil ? "there is no tool `openssl`" : nil
    }
}
