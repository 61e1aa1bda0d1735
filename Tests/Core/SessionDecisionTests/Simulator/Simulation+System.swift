// SPDX-License-Identifier: Apache-2.0

import Wireline

/// The client's operating system, between the written bytes and the network.
extension Simulation {
    /// Writes something to a connection.
    func write(_ item: UpwardItem, byteCount: Int, to link: Link) {
        link.writtenByteCount += byteCount
        link.unsent.append((item, link.writtenByteCount))
        if case .message(_, let sequence?) = item { link.writtenMessages.append((sequence, link.writtenByteCount)) }
        takeBytes(link)
    }

    /// The system takes bytes as long as it has space, and sends them: on a slow line, one after another.
    private func takeBytes(_ link: Link) {
        guard link.rate != nil else {
            link.takenByteCount = link.writtenByteCount
            return sendBytes(link, upTo: link.takenByteCount)
        }
        let room = link.acknowledgedByteCount + link.bufferByteCount
        link.takenByteCount = max(link.takenByteCount, min(link.writtenByteCount, room))
        guard !link.isSending, link.sentByteCount < link.takenByteCount else { return }
        link.isSending = true
        plan(.sendMore(link), after: 50_000)
    }

    func sendMore(_ link: Link) {
        link.isSending = false
        // In a dead network nothing is acknowledged, so soon nothing is sent.
        guard let rate = link.rate, link.carriesUpward else { return }
        sendBytes(link, upTo: min(link.takenByteCount, link.sentByteCount + rate / 20))
        takeBytes(link)
    }

    private func sendBytes(_ link: Link, upTo end: Int) {
        guard end > link.sentByteCount else { return }
        link.sentByteCount = end
        while let (item, itemEnd) = link.unsent.first, itemEnd <= end {
            link.unsent.removeFirst()
            transmit(item, end: itemEnd, on: link)
        }
        // The server's system acknowledges bytes that arrive, whatever the server does.
        if link.carriesUpward, !link.isCutUpward { plan(.bytesAcknowledged(link, end: end), after: 2 * link.latency) }
    }

    func bytesAcknowledged(_ link: Link, end: Int) {
        guard link.carriesUpward else { return }
        link.acknowledgedByteCount = end
        if scenario.mutation == .acknowledgedIsDelivered { confirmAcknowledged(link) }
        if link.isOpenAtServer, now >= link.stallEnd { link.heardAt = max(link.heardAt, now - link.latency) }
        takeBytes(link)
        guard link.isOpenAtClient, link.isWaitingForRoom else { return }
        if link.pendingByteCount < scenario.configuration.pendingByteCount { noteOutput(of: link) }
    }

    /// Counts bytes that the server's system has as bytes that the server has.
    private func confirmAcknowledged(_ link: Link) {
        let last = link.writtenMessages.last { $0.end <= link.acknowledgedByteCount }
        guard let last, link.isOpenAtClient else { return }
        handle(.acknowledged(link.number, .cumulative(last.sequence)), link.client)
    }
}
