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
        // A reply that comes after the login has given its request up must never be taken for another one's.
        owner.connection.requests = RequestQueue(layout: settings.layout, remembersAll: true)
        link.task = Task(executorPreference: loop) {
            do {
                try await login(self, owner, link.number)
                self.beginReading(link)
            } catch {
                self.handle(.ended(link.number, self.cause(of: error, on: link)))
            }
        }
    }

    /// Why a login has failed. A server that ends a connection during the login may have said why.
    private func cause(of error: any Error, on link: SessionLink) -> DisconnectCause {
        if let notice = takeLoginsPackets(of: link) { return .kicked(notice) }
        return switch error {
        case let error as ConnectionError: DisconnectCause(error)
        case is SessionLoginRefused: .loginRefused
        default: .loginFailed
        }
    }

    /// Deals with what has arrived during the login and the hook has left: it can be no reply to what comes later.
    ///
    /// - Returns: What the server has said when it ended the connection, if it did.
    func takeLoginsPackets(of link: SessionLink) -> KickNotice? {
        guard let connection = link.connection else { return nil }
        while !inbox.isHoldingUp, let packet = try? connection.takeUnclaimedPacket() {
            switch settings.rules.meaning(of: packet) {
            case .acknowledgement(let acknowledgement): handle(.acknowledged(link.number, acknowledgement))
            case .answer(let encode): answer(packet, with: encode, on: link)
            case .end(let notice):
                inbox.add(packet)
                return notice
            case .heartbeatAnswer, nil: inbox.add(packet)
            }
        }
        return nil
    }

    private func beginReading(_ link: SessionLink) {
        guard self.link === link, let connection = link.connection else { return }
        if let notice = takeLoginsPackets(of: link) { return handle(.ended(link.number, .kicked(notice))) }
        link.isRead = true
        handle(.loggedIn(link.number))
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
        while true {
            link.isHeldUp = connection.stream.takesOutput
            if link.isHeldUp { await inbox.room() }
            if link.hasAnswered { await roomForAnswers(connection, of: link) }
            link.isHeldUp = false
            // The connection may have ended meanwhile.
            guard connection.stream.takesOutput || inbox.takesRest(of: link.number) else { throw connection.sendError }
            guard self.link === link, let packet = try await connection.next() else { return }
            take(packet, from: link)
        }
    }

    /// A peer that asks and does not take the answers has to wait.
    private nonisolated(nonsending) func roomForAnswers(_ connection: PacketConnection, of link: SessionLink) async {
        link.hasAnswered = false
        guard !connection.hasRoomForSender() else { return }
        await withCheckedContinuation { continuation in
            connection.whenThereIsRoom { continuation.resume() }
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
        inbox.releaseFeeder()
        if cause == .endedByUs { connection.finish() } else { connection.close() }
    }
}
