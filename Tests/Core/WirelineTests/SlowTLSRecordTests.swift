// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTLS

/// TLS over lines on which one record takes long.
@Suite(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)), .ahead)
struct SlowTLSRecordTests {
    private static let answer = Sc_20001.entered(Cs_20001(sceneID: 0, line: 3, message: ""))

    @Test func `a long TLS record that comes slowly counts as activity`() async throws {
        // A scene in which the machine was slow, and not the line alone, shows nothing, and is repeated.
        for scene in 1... {
            do {
                #expect(try await answerToSlowRecord() == Self.answer)
                return
            } catch {
                guard scene < 5 else { throw error }
            }
        }
    }

    /// A request in a record of 16 KiB, which takes longer than the server waits for a byte: nothing of it can be decoded before
    /// it is whole.
    private func answerToSlowRecord() async throws -> Sc_20001 {
        let certificates = try LocalCertificates.made.get()
        var configuration = ServerConfiguration(listening: ListeningOptions(tls: try certificates.serverContext()))
        configuration.listening.idleTimeout = .seconds(4)
        configuration.listening.minimumRate = MinimumRate(byteCount: 100, window: .seconds(4))
        let server = try await SceneServer.start(configuration: configuration) { client in
            while let received = try await client.nextMessage() {
                guard case .cs20001(let enter) = received.message else { continue }
                try await client.send(Sc_20001.entered(Cs_20001(sceneID: 0, line: enter.line, message: "")))
            }
        }
        let relay = try Relay(to: server.address.port, pieceByteCount: 512, pause: 0.25)
        defer { relay.stop() }
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: relay.port, protocol: SceneProtocol.self,
            configuration: ClientConfiguration(
                dialing: DialingOptions(
                    connectTimeout: .seconds(500), tls: certificates.clientContext(), tlsServerName: "localhost"),
                requestTimeout: .seconds(500), limits: ConnectionLimits(writeTimeout: nil)))
        defer { client.close() }
        let long = Cs_20001(sceneID: 0, line: 3, message: String(repeating: "x", count: 17_000))
        let reply: Result<Sc_20001, ConnectionError>
        do { reply = .success(try await client.request(long)) } catch { reply = .failure(error) }
        await server.shutDown(within: .zero)
        return try reply.get()
    }
}
