// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

// The end of the gateway.
extension GatewayCore {
    /// True also after the drain.
    package var isDraining: Bool { drainProgress.isDraining }

    /// Starts the drain: tells owners and clients once, and closes the remaining clients after `time`. For a running
    /// drain,
    /// the earlier end counts.
    package mutating func drain(for time: Duration, at now: Duration) {
        guard drainProgress.begin(until: now + time) else { return }
        append(.draining(time))
        for number in clients.numbers { unnotified.append(number) }
        tellSomeOfDrain(at: now)
        endDrainIfEmpty()
    }

    /// Tells some clients and their owners about the drain. The next rounds tell the others.
    mutating func tellSomeOfDrain(at now: Duration) {
        while !isFull, let number = unnotified.popFirst() {
            guard let client = clients[number], !client.isClosing else { continue }
            if let owner = client.owner { tellOfDrain(owner, at: now) }
            if let goodbye = settings.goodbye { write(goodbye, to: client) }
        }
    }

    /// The listeners are closed, and ``open(_:_:at:)`` was called for each client that had connected.
    package mutating func listenersClosed(at now: Duration) {
        drainProgress.listenersClosed()
        endDrainIfEmpty()
    }

    /// Tells an owner about the drain, once.
    mutating func tellOfDrain(_ owner: ErlangPID, at now: Duration) {
        guard let end = drainProgress.closingTime, drainProgress.addNotified(owner) else { return }
        append(.tell(.pid(owner), .drain(service.node, milliseconds: (end - now).milliseconds), from: service))
    }

    mutating func pollDrain(at now: Duration) {
        if drainProgress.endIfOverdue(at: now) { return append(.drained) }
        guard drainProgress.beginClosing(at: now) else { return }
        for number in clients.numbers { leaving.append(number) }
        closeLeaving(at: now)
        endDrainIfEmpty()
    }

    /// Closes some of the remaining clients, after all have been told. The next rounds close the others.
    mutating func closeLeaving(at now: Duration) {
        guard unnotified.first == nil else { return }
        while !isFull, let number = leaving.popFirst() {
            if let client = clients[number], !client.isClosing { end(client, .drain, .flushed, at: now) }
        }
    }

    mutating func endDrainIfEmpty() {
        if clients.isEmpty, drainProgress.end() { append(.drained) }
    }
}

extension Duration {
    /// Whole milliseconds, at least 0.
    fileprivate var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return max(0, seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
}
