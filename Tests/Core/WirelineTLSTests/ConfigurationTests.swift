// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineTLS

@Suite(.enabled(if: OpenSSLTool.isWanted, "\(OpenSSLTool.absence)"))
struct ConfigurationTests {
    let certificates: Certificates

    init() throws { certificates = try Certificates.made.get() }

    private func refusal(_ chain: TLSPEM? = nil, key: TLSPEM? = nil) throws -> TLSError {
        let identity = TLSIdentity(
            certificateChain: chain ?? .text(certificates.server.chain),
            privateKey: key ?? .text(certificates.server.key))
        return try #require(throws: TLSError.self) { try TLSContext(.server(identity: identity)) }
    }

    @Test func `certificates and keys can come from files`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ text: String) throws -> TLSPEM {
            let file = folder.appending(path: name)
            try text.write(to: file, atomically: false, encoding: .utf8)
            return .file(file.path)
        }
        var client = TLSConfiguration.client()
        client.trustRoots = try .only(file("root", certificates.root.own.certificate))
        let server = try TLSConfiguration.server(
            identity: TLSIdentity(
                certificateChain: file("chain", certificates.server.chain),
                privateKey: file("key", certificates.server.key)))
        let pair = try Pair(client, server)
        try pair.exchange()
        #expect(pair.server.engine.isHandshakeComplete)
    }

    @Test func `a context does not keep the bytes of private keys`() throws {
        var server = certificates.serverConfiguration()
        server.identitiesByName["other.test"] = server.identity
        let context = try TLSContext(server)
        #expect(context.configuration.identity?.privateKey == .bytes([]))
        #expect(context.configuration.identitiesByName["other.test"]?.privateKey == .bytes([]))
        #expect(context.configuration.identity?.certificateChain == .text(certificates.server.chain))
        let pair = try Pair(TLSContext(certificates.clientConfiguration()), context)
        try pair.exchange()
        #expect(pair.server.engine.isHandshakeComplete)
    }

    @Test func `the error for a missing file names it`() throws {
        let error = try refusal(.file("/nowhere/chain.pem"))
        #expect(error == .unreadableFile(path: "/nowhere/chain.pem", code: ENOENT))
        #expect("\(error)" == "/nowhere/chain.pem: No such file or directory")
    }

    @Test func `a file that is too large is refused`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(truncate(file.path, (16 << 20) + 1) == 0)
        #expect(try refusal(.file(file.path)) == .unreadableFile(path: file.path, code: EFBIG))
    }

    /// The pipe has no writer: whoever opened it would wait for ever.
    @Test func `folders, devices and pipes are refused`() throws {
        let pipe = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        #expect(mkfifo(pipe.path, 0o600) == 0)
        defer { try? FileManager.default.removeItem(at: pipe) }
        for path in ["/", "/dev/zero", pipe.path] {
            #expect(try refusal(key: .file(path)) == .notRegularFile(path: path))
        }
        #expect("\(TLSError.notRegularFile(path: "/"))" == "/: it is not a regular file")
    }

    @Test func `a key that belongs to another certificate is refused`() throws {
        #expect(try refusal(key: .text(certificates.client.key)) == .keyDoesNotMatch)
    }

    @Test func `an encrypted key and a damaged key have different errors`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let plain = folder.appending(path: "key")
        try certificates.server.key.write(to: plain, atomically: false, encoding: .utf8)
        let encrypted = try OpenSSLTool.run(
            ["pkey", "-in", "key", "-aes256", "-passout", "pass:secret"], in: folder)
        #expect(try refusal(key: .bytes(Array(encrypted))) == .encryptedKey)
        let damaged = certificates.server.key.replacing("\nM", with: "\n!")
        let error = try refusal(key: .text(damaged))
        guard case .unusable(.privateKey, _) = error else {
            Issue.record("\(error)")
            return
        }
    }

    @Test func `a text without a certificate or a key is refused, with the reason`() throws {
        let noCertificate = "no -----BEGIN CERTIFICATE----- in it"
        #expect(try refusal(.text("")) == .unusable(.certificateChain, reason: noCertificate))
        #expect(
            try refusal(.text(certificates.server.key)) == .unusable(.certificateChain, reason: noCertificate))
        #expect(
            try refusal(key: .text(certificates.server.certificate))
                == .unusable(.privateKey, reason: "no -----BEGIN PRIVATE KEY----- in it"))
        var client = TLSConfiguration.client()
        client.trustRoots = .only(.text("nothing"))
        #expect(throws: TLSError.unusable(.trustRoots, reason: noCertificate)) { try TLSContext(client) }
    }

    /// OpenSSL would ask for the password on the terminal, and wait.
    @Test func `an encrypted certificate is refused without a question`() throws {
        let header = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,000102030405060708090A0B0C0D0E0F\n\n"
        let encrypted = certificates.server.certificate.replacing(
            "CERTIFICATE-----\nM", with: "CERTIFICATE-----\n\(header)M", maxReplacements: 1)
        let reason = "a certificate in it is encrypted"
        #expect(try refusal(.text(encrypted)) == .unusable(.certificateChain, reason: reason))
    }

    @Test func `a damaged certificate after a valid one is refused`() throws {
        let half = certificates.server.certificate.dropLast(100)
        let error = try refusal(.text(certificates.server.certificate + half))
        guard case .unusable(.certificateChain, _) = error else {
            Issue.record("\(error)")
            return
        }
    }

    @Test func `random bytes as certificates and keys never trap`() throws {
        var random = SeededGenerator.forThisRun()
        for _ in 0..<200 {
            var text = Array((certificates.server.chain + certificates.server.key).utf8)
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                text[Int.random(in: 0..<text.count, using: &random)] = .random(in: .min ... .max, using: &random)
            }
            let identity = TLSIdentity(certificateChain: .bytes(text), privateKey: .bytes(text))
            // Both results are right: some bytes of a certificate mean nothing to its owner.
            _ = try? TLSContext(.server(identity: identity))
        }
    }
}

struct TLSErrorTests {
    @Test func `an error is small`() {
        #expect(MemoryLayout<TLSError>.size <= 32)
    }

    @Test func `without the libraries the error says what to install`() throws {
        let error = try #require(throws: TLSError.self) {
            try TLSAvailability.load(libraries: ["libssl-that-is-not-there.so", "libm.so.6"])
        }
        guard case .unavailable(let reason) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(reason.hasPrefix("libssl-that-is-not-there.so was not found: install OpenSSL 3"))
        #expect(reason.contains("libssl3"))
    }

    @Test func `a wrong library is an error that names the missing function`() throws {
        let error = try #require(throws: TLSError.self) {
            try TLSAvailability.load(libraries: ["libm.so.6"])
        }
        let reason = "OpenSSL has no function OPENSSL_version_major: version 3.0 or a later one is needed"
        #expect(error == .unavailable(reason: reason))
    }

    @Test func `the first library that is OpenSSL is used`() throws {
        try TLSAvailability.load(libraries: ["libssl-that-is-not-there.so", "libm.so.6", "libssl.so.3"])
    }

    /// A program that has linked OpenSSL, statically or not, has its functions.
    @Test func `OpenSSL is found in the program itself`() throws {
        _ = try #require(dlopen("libssl.so.3", RTLD_NOW | RTLD_GLOBAL))
        _ = try #require(dlopen("libcrypto.so.3", RTLD_NOW | RTLD_GLOBAL))
        try TLSAvailability.loadFromProgram()
    }

    @Test(
        arguments: [
            (TLSError.notTLS(firstBytes: Array("HTTP/1.1".utf8)), "HTTP/1.1\": is this an HTTP server without TLS?"),
            (.notTLS(firstBytes: [0, 0, 0, 16, 0x4E]), "00 00 00 10 4e"),
            (.alert(.protocolVersion), "protocol_version"), (.alert(TLSAlert(rawValue: 200)), "alert 200"),
            (.certificateRefused(code: 23, depth: 1), "1 of the peer's chain was refused: certificate revoked"),
            (.truncated(duringHandshake: true), "inside the TLS handshake"),
            (.violation(reason: "bad record mac", answer: .badRecord), "the peer is told bad_record_mac"),
        ])
    func `an error's description has the important details`(error: TLSError, part: String) {
        #expect("\(error)".contains(part))
    }
}

struct TLSKeyHashTests {
    /// The SHA-256 of no bytes (FIPS 180-4).
    static let bytes: [UInt8] = [
        0xE3, 0xB0, 0xC4, 0x42, 0x98, 0xFC, 0x1C, 0x14, 0x9A, 0xFB, 0xF4, 0xC8, 0x99, 0x6F, 0xB9, 0x24, 0x27, 0xAE,
        0x41, 0xE4, 0x64, 0x9B, 0x93, 0x4C, 0xA4, 0x95, 0x99, 0x1B, 0x78, 0x52, 0xB8, 0x55,
    ]

    @Test(
        arguments: [
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855",
            "E3:B0:C4:42:98:FC:1C:14:9A:FB:F4:C8:99:6F:B9:24:27:AE:41:E4:64:9B:93:4C:A4:95:99:1B:78:52:B8:55",
            "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        ])
    func `a hash is read in the formats of common tools`(text: String) throws {
        let hash = try TLSKeyHash(text)
        #expect(hash.bytes == Self.bytes)
        #expect(hash.base64 == "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        #expect(try TLSKeyHash(hash.base64) == hash)
        #expect(TLSKeyHash(bytes: Self.bytes) == hash)
    }

    @Test(
        arguments: [
            "", "sha256/", "e3b0", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b85",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b8555",
            "g3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=",
            "47DEQpj8HBSa+_TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "sha1/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            "E3B0:C442:98FC:1C14:9AFB:F4C8:996F:B924:27AE:41E4:649B:934C:A495:991B:7852:B855",
            "４7DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        ])
    func `an invalid hash is refused`(text: String) {
        #expect(throws: TLSError.invalidPin(text)) { try TLSKeyHash(text) }
        #expect(throws: TLSError.invalidPin(text)) { try TLSPins([text]) }
    }

    @Test func `a random hash is read back from both formats`() throws {
        var random = SeededGenerator.forThisRun()
        for _ in 0..<1000 {
            let hash = try #require(TLSKeyHash(bytes: random.bytes(32)))
            let digits = hash.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            let isSame = try TLSKeyHash(hash.base64) == hash && TLSKeyHash(digits) == hash
            guard !isSame else { continue }
            Issue.record("\(digits); \(random.seedComment)")
            break
        }
        #expect(TLSKeyHash(bytes: random.bytes(31)) == nil)
    }
}
