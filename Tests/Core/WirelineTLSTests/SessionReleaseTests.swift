// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineLibraries

// Only OpenSSL and the session store know which sessions exist.
@testable import WirelineTLS

/// Sessions are given back to OpenSSL when they can no longer be resumed.
@Suite(.enabled(if: OpenSSLTool.isWanted, "\(OpenSSLTool.absence)"))
struct SessionReleaseTests {
    @Test(arguments: [TLSVersion.tls12, .tls13], [true, false])
    func `a session that a fatal alert ended is given back when the next connection begins`(
        version: TLSVersion, isToldByServer: Bool
    ) throws {
        let certificates = try Certificates.made.get()
        var client = certificates.clientConfiguration()
        client.maximumVersion = version
        let contexts = try (client: TLSContext(client), server: TLSContext(certificates.serverConfiguration()))
        let watch = try SessionWatch()
        for _ in 0..<10 {
            let pair = try Pair(contexts.client, contexts.server)
            try pair.exchange()
            #expect(!pair.client.engine.isResumed)
            try watch.add(#require(contexts.client.setup.storedSession))
            let (teller, other) = isToldByServer ? (pair.server, pair.client) : (pair.client, pair.server)
            _ = try other.write([1, 2, 3])
            var record = other.output()
            record[record.count - 1] ^= 1
            #expect(throws: TLSError.self) { try teller.receive(record) }
            #expect(throws: TLSError.alert(.badRecord)) { try other.receive(teller.output()) }
        }
        #expect(watch.liveCount == 1)
        _ = try contexts.client.connect(to: "server.test")
        #expect(watch.liveCount == 0)
    }
}

extension TLSSetup {
    /// The session that the next connection to `server.test` begins with; the store still owns it.
    fileprivate var storedSession: Handle? {
        guard let entry = sessions.take(for: "server.test") else { return nil }
        sessions.put(entry, for: "server.test")
        return entry.session
    }
}

/// Knows which of OpenSSL's sessions still exist: an object is tied to each, and goes when OpenSSL frees the session.
private final class SessionWatch {
    private final class Tag {}

    private struct Reference {
        weak var tag: Tag?
    }

    /// Is called when an object of OpenSSL's is made, copied or freed (`CRYPTO_EX_new`, `…_dup`, `…_free`).
    private typealias Made = @convention(c) (AnyPointer?, AnyPointer?, AnyPointer?, Int32, Int, AnyPointer?) -> Void
    private typealias Copied =
        @convention(c) (AnyPointer?, AnyPointer?, UnsafeMutablePointer<AnyPointer?>?, Int32, Int, AnyPointer?) -> Int32
    private typealias MakeIndex = @convention(c) (Int32, Int, AnyPointer?, Made?, Copied, Made) -> Int32
    private typealias SetData = @convention(c) (Handle?, Int32, AnyPointer?) -> Int32

    /// The index in each session for the tied object; made once for the process.
    private static let index = Result { () throws(LibraryFailure) in
        let library = try OpenSSLLibrary(.ssl, at: .library("libssl.so.3"))
        let makeIndex: MakeIndex = try library.function("CRYPTO_get_ex_new_index")
        // CRYPTO_EX_INDEX_SSL_SESSION
        return makeIndex(
            2, 0, nil, nil,
            { _, _, tag, _, _, _ in
                // A copy is a separate session.
                tag?.pointee = nil
                return 1
            },
            { _, tag, _, _, _, _ in
                if let tag { Unmanaged<Tag>.fromOpaque(tag).release() }
            })
    }

    private let index: Int32
    private let setData: SetData
    private var references: [Reference] = []

    init() throws {
        index = try Self.index.get()
        setData = try OpenSSLLibrary(.ssl, at: .library("libssl.so.3")).function("SSL_SESSION_set_ex_data")
    }

    func add(_ session: Handle) throws {
        let tag = Tag()
        references.append(Reference(tag: tag))
        try #require(setData(session, index, Unmanaged.passRetained(tag).toOpaque()) == 1)
    }

    /// How many of the added sessions still exist.
    var liveCount: Int { references.count { $0.tag != nil } }
}
