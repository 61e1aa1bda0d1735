// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSession
import WirelineTransport

/// A session's connections, from the attempt to make one to its end.
extension SessionDriver {
    func connect(_ number: ConnectionNumber, to endpoint: ServerEndpoint) {
        let link = SessionLink(number)
        self.link = link
        var configuration = settings.configuration.client
        if let name = endpoint.tlsServerName { configuration.tlsServerName = name }
        link.task = Task(executorPreference: loop) { [configuration] in
            do throws(ConnectionError) {
                let connection = try await PacketConnection.connect(
                    to: endpoint.host, port: endpoint.port, layout: self.settings.layout,
                    packetLimit: self.settings.packetLimit, on: self.loop, configuration: configuration)
                guard self.link === link else { return connection.close() }
                link.owner = ConnectionOwner(connection)
                self.handle(.connected(number))
            } catch {
                self.handle(.ended(number, DisconnectCause(error)))
            }
        }
    }

    func logIn(_ link: SessionLink) {
        guard let login = settings.login, let owner = link.owner else { return beginReading(link) }
        link.task = Task(executorPreference: loop) {
            do {
                try await login(self, owner, link.number)
                self.beginReading(link)
            } catch {
                self.handle(.ended(link.number, self.cause(of: error, on: owner.connection)))
            }
        }
    }

    /// Why a login has failed. A server that ends a connection during the login may have said why.
    private func cause(of error: any Error, on connection: PacketConnection) -> DisconnectCause {
        while let packet = try? connection.takeUnclaimedPacket() {
            inbox.add(packet)
            if case .end(let notice)? = settings.rules.meaning(of: packet) { return .kicked(notice) }
        }
        return switch error {
        case let error as ConnectionError: DisconnectCause(error)
        case is SessionLoginRefused: .loginRefused
        default: .failed
        }
    }

    private func beginReading(_ link: SessionLink) {
        handle(.loggedIn(link.number))
        guard self.link === link, let connection = link.connection else { return }
        link.isRead = true
        link.task = Task(executorPreference: loop) {
            let cause: DisconnectCause
            do throws(ConnectionError) {
                try await self.read(connection, of: link)
                cause = .endedByPeer
            } catch {
                cause = DisconnectCause(error)
            }
            self.handle(.ended(link.number, cause))
        }
    }

    /// Takes packets until the peer has sent its last one. What was whole when a connection ended is not lost.
    private nonisolated(nonsending) func read(
        _ connection: PacketConnection, of link: SessionLink
    ) async throws(ConnectionError) {
        while let packet = try await connection.next() {
            take(packet, from: link)
            guard inbox.isFull else { continue }
            link.isHeldUp = true
            await inbox.room()
            link.isHeldUp = false
        }
    }

    func close(_ link: SessionLink, _ cause: DisconnectCause) {
        self.link = nil
        guard let connection = link.connection else {
            link.task?.cancel()
            return
        }
        // A login hook may wait for something else than the connection.
        if !link.isRead { link.task?.cancel() }
        if cause == .endedByUs { connection.finish() } else { connection.close() }
    }
}
