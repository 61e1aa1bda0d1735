// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

/// Lost processes, with the clients that have not handled the loss. A process may have had tens of thousands of
/// clients, and
/// a round visits only some of them.
struct LostProcesses {
    private var queue = FIFOQueue<(client: ClientNumber, process: ErlangDestination)>()
    /// The clients in the line whose turn has not come. A lost process may be lost again, with other clients.
    private var clients: [ErlangDestination: Set<ClientNumber>] = [:]

    var isEmpty: Bool { clients.isEmpty }

    /// Adds a lost process, and the clients that it owned or was asked to own.
    mutating func add(_ process: ErlangDestination, of lost: Set<ClientNumber>) {
        guard !lost.isEmpty else { return }
        clients[process, default: []].formUnion(lost)
        for number in lost.sorted() { queue.append((number, process)) }
    }

    /// Whether the client has not handled this loss yet.
    func contains(_ process: ErlangDestination, of client: ClientNumber) -> Bool {
        clients[process]?.contains(client) == true
    }

    /// Takes a client before its turn. Returns false if it has handled the loss already.
    mutating func take(_ process: ErlangDestination, of client: ClientNumber) -> Bool {
        guard clients[process]?.remove(client) != nil else { return false }
        if clients[process]?.isEmpty == true { clients[process] = nil }
        return true
    }

    /// Takes the next client in the order of the losses.
    mutating func popFirst() -> (client: ClientNumber, process: ErlangDestination)? {
        while let next = queue.popFirst() {
            if take(next.process, of: next.client) { return next }
        }
        return nil
    }
}
