// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// A session's connections, from the attempt to make one to its end.
extension SessionDriver {
    func connect(_ number: ConnectionNumber, to endpoint: Int) {
        let link = Link(number)
        self.link = link
        link.task = Task(executorPreference: loop) {
            do {
                let owner = try await self.carrier.connect(to: endpoint, on: self.loop)
                guard self.link === link else { return owner.connection.close() }
                link.owner = owner
                self.handle(.connected(number))
            } catch {
                self.handle(.ended(number, self.cause(of: error, on: link)))
            }
        }
    }

    func logIn(_ link: Link) {
        guard let login = carrier.login(on: link, of: self) else { return beginReading(link) }
        link.task = Task(executorPreference: loop) {
            do {
                try await login()
                self.beginReading(link)
            } catch {
                self.handle(.ended(link.number, self.cause(of: error, on: link)))
            }
        }
    }

    /// Why connecting, or a login, has failed. A server that ends a connection during the login may have said why.
    private func cause(of error: any Error, on link: Link) -> DisconnectCause {
        if let notice = carrier.takeRestOfLogin(link, for: self) { return .kicked(notice) }
        return switch error {
        case let error as ConnectionError: carrier.cause(of: error, on: link.connection)
        case is SessionLoginRefused: .loginRefused
        default: .loginFailed
        }
    }

    private func beginReading(_ link: Link) {
        guard self.link === link, let connection = link.connection else { return }
        if let notice = carrier.takeRestOfLogin(link, for: self) {
            return handle(.ended(link.number, .kicked(notice)))
        }
        link.isRead = true
        // One that has ended meanwhile is given nothing.
        noteIfClosed(link)
        connection.whenItTakesNoMore { [weak self, weak link] in
            if let self, let link { self.noteIfClosed(link) }
        }
        handle(.loggedIn(link.number))
        link.task = Task(executorPreference: loop) {
            var failure: ConnectionError?
            do throws(ConnectionError) {
                try await self.read(connection, of: link)
            } catch {
                failure = error
            }
            self.handle(.ended(link.number, self.carrier.cause(of: failure, on: connection)))
        }
    }

    /// Takes what arrives until the peer has sent its last. What was whole when a connection ended is not lost.
    private nonisolated(nonsending) func read(
        _ connection: Carrier.Connection, of link: Link
    ) async throws(ConnectionError) {
        while true {
            link.isHeldUp = connection.takesMessages
            if link.isHeldUp { await inbox.room() }
            if link.hasAnswered { await roomForAnswers(connection, of: link) }
            link.isHeldUp = false
            // The connection may have ended meanwhile.
            guard connection.takesMessages || inbox.takesRest(of: link.number) else { throw connection.sendError }
            guard self.link === link, let element = try await connection.next() else { return }
            carrier.take(element, from: link, for: self)
        }
    }

    /// A peer that asks and does not take the answers has to wait.
    private nonisolated(nonsending) func roomForAnswers(_ connection: Carrier.Connection, of link: Link) async {
        link.hasAnswered = false
        guard !connection.hasRoomForSender() else { return }
        await withCheckedContinuation { continuation in
            connection.whenThereIsRoom { continuation.resume() }
        }
    }

    func close(_ link: Link, _ cause: DisconnectCause) {
        self.link = nil
        guard let connection = link.connection else {
            link.task?.cancel()
            return
        }
        // A login hook may wait for something else than the connection.
        if !link.isRead { link.task?.cancel() }
        inbox.releaseFeeder()
        carrier.letGo(connection, for: cause)
        ownCounters += connection.currentCounters
        // What waits in it is nobody's any more.
        (ownCounters.pendingByteCount, ownCounters.unreadByteCount, ownCounters.waitingSenderCount) = (0, 0, 0)
    }
}
