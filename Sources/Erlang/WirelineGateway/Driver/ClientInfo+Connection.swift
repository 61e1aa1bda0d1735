// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTransport

extension ClientInfo {
    /// The connection's handshakes must be complete. Call this on its loop.
    init(_ connection: PacketConnection) {
        let (stream, peer) = (connection.stream, connection.peerAddress)
        self.init(
            peer: Address(peer), local: Address(stream.localAddress ?? peer),
            opened: Int64(WallClock.microsecondsSince1970 / 1_000))
        // A proxy's own port cannot be that of its client.
        if let remote = stream.remoteAddress, remote != peer { proxy = Address(remote) }
        let handshakes = connection.handshakes
        if let details = handshakes.tls {
            tls = TLS(
                version: details.version == .tls13 ? "TLSv1.3" : "TLSv1.2", cipher: details.cipher,
                serverName: details.requestedServerName, certificate: handshakes.certificate)
        }
        guard let request = handshakes.request else { return }
        transport = .webSocket
        path = request.target
        headers = request.headers.fields.map { ($0.name.lowercased(), $0.value) }
    }
}

extension ClientInfo.Address {
    init(_ address: SocketAddress) { self.init(bytes: address.bytes, port: address.port) }
}
