// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

// The end of the gateway.
extension GatewayCore {
    /// Whether the gateway drains, or has drained.
    package var isDraining: Bool { life.isDraining }

    /// Begins to end: owners and clients are told once, and after this time the clients that are left are closed. If a
    /// drain goes on, the earlier end counts.
    package mutating func drain(for time: Duration, at now: Duration) {
        guard life.begin(until: now + time) else { return }
        want(.draining(time))
        for number in clients.numbers { untold.append(number) }
        tellSomeOfDrain(at: now)
        endDrainIfEmpty()
    }

    /// Tells some of the clients and their owners that the gateway drains. Others follow in the next rounds.
    mutating func tellSomeOfDrain(at now: Duration) {
        while !isFull, let number = untold.popFirst() {
            guard let client = clients[number], !client.isClosing else { continue }
            if let owner = client.owner { tellOfDrain(owner, at: now) }
            if let goodbye = settings.goodbye { write(goodbye, to: client) }
        }
    }

    /// Nobody can connect any more, and ``open(_:_:at:)`` has been called for all that have.
    package mutating func listenersClosed(at now: Duration) {
        life.listenersClosed()
        endDrainIfEmpty()
    }

    /// Tells an owner that the gateway drains, once.
    mutating func tellOfDrain(_ owner: ErlangPID, at now: Duration) {
        guard let end = life.closingTime, life.tell(owner) else { return }
        want(.tell(.pid(owner), .drain(service.node, milliseconds: (end - now).milliseconds), from: service))
    }

    mutating func pollDrain(at now: Duration) {
        if life.isOverdue(at: now) { return want(.drained) }
        guard life.isOver(at: now) else { return }
        for number in clients.numbers { leaving.append(number) }
        closeLeaving(at: now)
        endDrainIfEmpty()
    }

    /// Closes some of the clients that are left. Others follow in the next rounds. All are told before.
    mutating func closeLeaving(at now: Duration) {
        guard untold.first == nil else { return }
        while !isFull, let number = leaving.popFirst() {
            if let client = clients[number], !client.isClosing { end(client, .drain, .flushed, at: now) }
        }
    }

    mutating func endDrainIfEmpty() {
        if clients.isEmpty, life.end() { want(.drained) }
    }
}

extension Duration {
    /// Whole milliseconds, at least 0.
    fileprivate var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return max(0, seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
}
