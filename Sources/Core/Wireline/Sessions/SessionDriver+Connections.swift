// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

extension SessionDriver {
    func connect(_ number: ConnectionNumber, to endpoint: Int) {
        let link = Link(number)
        self.link = link
        link.task = Task(executorPreference: loop) {
            do {
                let owner = try await self.adapter.connect(to: endpoint, on: self.loop)
                guard self.link === link else { return owner.connection.close() }
                link.owner = owner
                self.handle(.connected(number))
            } catch {
                self.handle(.ended(number, self.cause(of: error, on: link)))
            }
        }
    }

    func logIn(_ link: Link) {
        guard let login = adapter.login(on: link, of: self) else { return beginReading(link) }
        link.task = Task(executorPreference: loop) {
            do {
                try await login()
                self.beginReading(link)
            } catch {
                self.handle(.ended(link.number, self.cause(of: error, on: link)))
            }
        }
    }

    /// Returns the reason why connecting or a login failed. A server that ends a connection during the login may have
    /// sent a notice.
    private func cause(of error: any Error, on link: Link) -> DisconnectCause {
        if let notice = adapter.takeRestOfLogin(link, for: self) { return .kicked(notice) }
        return switch error {
        case let error as ConnectionError: adapter.cause(of: error, on: link.connection)
        case let error as SessionLoginRefused: .loginRefused(error.description)
        default: .loginFailed("\(error)".escaped())
        }
    }

    private func beginReading(_ link: Link) {
        guard self.link === link, let connection = link.connection else { return }
        if let notice = adapter.takeRestOfLogin(link, for: self) {
            return handle(.ended(link.number, .kicked(notice)))
        }
        link.isRead = true
        // A connection that has ended meanwhile gets no messages.
        noteIfClosed(link)
        connection.whenOutputEnds { [weak self, weak link] in
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
            self.handle(.ended(link.number, self.adapter.cause(of: failure, on: connection)))
        }
    }

    /// Reads until the peer's last byte. Whole elements that arrived before the end are not lost.
    private nonisolated(nonsending) func read(
        _ connection: Adapter.Connection, of link: Link
    ) async throws(ConnectionError) {
        while true {
            link.waitsForInbox = connection.takesMessages
            if link.waitsForInbox { await inbox.room() }
            if link.hasAnswered { await roomForAnswers(connection, of: link) }
            link.waitsForInbox = false
            // The connection may have ended meanwhile.
            guard connection.takesMessages || inbox.admitRest(of: link.number) else { throw connection.sendError }
            guard self.link === link, let element = try await connection.next() else { return }
            adapter.take(element, from: link, for: self)
        }
    }

    /// Waits while the peer sends questions but does not read the answers.
    private nonisolated(nonsending) func roomForAnswers(_ connection: Adapter.Connection, of link: Link) async {
        link.hasAnswered = false
        guard !connection.prepareToSend() else { return }
        await withCheckedContinuation { continuation in
            connection.whenReadyToSend { continuation.resume() }
        }
    }

    func close(_ link: Link, _ cause: DisconnectCause) {
        self.link = nil
        guard let connection = link.connection else {
            link.task?.cancel()
            return
        }
        // The login hook may wait for something other than the connection.
        if !link.isRead { link.task?.cancel() }
        inbox.resumeProducer()
        adapter.close(connection, for: cause)
        ownCounters += connection.currentCounters
        // Everything that waits in it is lost.
        (ownCounters.pendingByteCount, ownCounters.unreadByteCount, ownCounters.waitingSenderCount) = (0, 0, 0)
    }
}
