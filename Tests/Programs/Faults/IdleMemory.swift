// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Goim
import TestingSupport
import Wireline
import WirelineTransport

/// Idle clients of each kind: the server's memory must be what its counters say, and what SECURITY.md says of each
/// connection. When they have left, it must come back.
enum IdleMemory {
    private static let count = 500
    /// The unused blocks of two loops, and what the allocator keeps.
    private static let otherByteCount = 12 << 20
    /// What is not counted for a connection that has sent a short message and reads what it gets.
    private static let ownByteCount = 20 << 10
    /// The same, for its TLS.
    private static let secureByteCount = 64 << 10

    static func look(_ findings: Findings) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let hasTLS = OpenSSLTool.isWanted && (try? TLSAvailability.check()) != nil
        let root = hasTLS ? try await onThread { try CertificateAuthority("root") } : nil
        if let root { try await onThread { try root.makeServer(in: folder) } }
        let crowd = try await Crowd(heldByteLimit: 64 << 20, identity: hasTLS ? folder.path : "-")
        for carrier in CrowdPeer.Carrier.allCases {
            try await compare(crowd, "\(carrier)", ownByteCount, findings) {
                var peers: [CrowdPeer] = []
                for _ in 0..<count {
                    let peer = try await CrowdPeer(of: crowd, by: carrier)
                    try await peer.send("hello")
                    guard try await peer.read(4) == 4 else { fail("no echo", code: 1) }
                    peers.append(peer)
                }
                return { for peer in peers { peer.socket.reset() } }
            }
        }
        guard let root, let port = UInt16(try await crowd.answer(to: "port tls")) else {
            return findings.check(true, "SKIPPED: memory of TLS connections (no OpenSSL)")
        }
        try await compare(crowd, "TLS", ownByteCount + secureByteCount, findings) {
            let clients = try await secureClients(root, port)
            return { for client in clients { client.close() } }
        }
    }

    /// Compares the server's memory before and while clients are there, and after they have left.
    ///
    /// - Parameter connect: Makes the clients, and returns what ends them.
    private static func compare(
        _ crowd: Crowd, _ name: String, _ ownByteCount: Int, _ findings: Findings,
        connect: () async throws -> () -> Void
    ) async throws {
        // The first client makes what all share.
        let (descriptorCount, before) = (try crowd.figures.descriptorCount(), try crowd.figures.memory())
        let end = try await connect()
        let counters = try await crowd.counters()
        let growth = (try crowd.figures.memory() - before) << 10
        let counted = counters.heldByteCount + counters.compressionByteCount
        findings.check(
            growth < counted + count * ownByteCount + otherByteCount,
            "\(count) idle clients (\(name)): \(counted) bytes are counted, memory grew by \(growth)")
        end()
        findings.check(
            try await crowd.leftovers(descriptorCount: descriptorCount), "they go, and nothing is held for them")
        let isBack = try await eventually(within: .seconds(10)) {
            try (crowd.figures.memory() - before) << 10 < otherByteCount
        }
        findings.check(isBack, "memory is as before but for \((try crowd.figures.memory() - before) << 10) bytes")
    }

    private static func secureClients(
        _ root: CertificateAuthority, _ port: UInt16
    ) async throws -> [PacketClient<GoimProtocol>] {
        var tls = TLSConfiguration.client()
        tls.trustRoots = .only(.text(root.own.certificate))
        var configuration = ClientConfiguration()
        configuration.dialing.tls = try TLSContext(tls)
        let group = try EventLoopGroup(threadCount: 1)
        var clients: [PacketClient<GoimProtocol>] = []
        for _ in 0..<count {
            let client = try await PacketClient.connect(
                to: "localhost", port: port, protocol: GoimProtocol.self, on: group, configuration: configuration)
            try await client.send(ChangeRoom(room: "hello"))
            guard try await client.nextPacket() != nil else { fail("no echo", code: 1) }
            clients.append(client)
        }
        return clients
    }
}

extension CertificateAuthority {
    /// Writes a server's certificate and key, as a ``CrowdServer`` reads them.
    func makeServer(in folder: URL) throws {
        let server = try issue(to: ["DNS:localhost", "IP:127.0.0.1"])
        try Data(server.chain.utf8).write(to: folder.appending(path: "certificate.pem"))
        try Data(server.key.utf8).write(to: folder.appending(path: "key.pem"))
    }
}
