// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

/// Processes that are lost, with the clients that have not noticed it yet: a process may have owned tens of thousands, and
/// only some of them are visited in a round.
struct LostProcesses {
    private var line = Line<(client: ClientNumber, process: ErlangDestination)>()
    /// Those in the line whose turn has not come. A process may be there again, and have other clients.
    private var clients: [ErlangDestination: Set<ClientNumber>] = [:]

    var isEmpty: Bool { clients.isEmpty }

    /// Adds a process that is lost now, and the clients that it owned or was asked for.
    mutating func add(_ process: ErlangDestination, of lost: Set<ClientNumber>) {
        guard !lost.isEmpty else { return }
        clients[process, default: []].formUnion(lost)
        for number in lost.sorted() { line.append((number, process)) }
    }

    /// Whether a client has not noticed that a process is lost.
    func contains(_ process: ErlangDestination, of client: ClientNumber) -> Bool {
        clients[process]?.contains(client) == true
    }

    /// Takes a client before its turn.
    ///
    /// - Returns: Whether it had not noticed that the process is lost.
    mutating func take(_ process: ErlangDestination, of client: ClientNumber) -> Bool {
        guard clients[process]?.remove(client) != nil else { return false }
        if clients[process]?.isEmpty == true { clients[process] = nil }
        return true
    }

    /// Takes the next one, in the order in which the clients came.
    mutating func popFirst() -> (client: ClientNumber, process: ErlangDestination)? {
        while let next = line.popFirst() {
            if take(next.process, of: next.client) { return next }
        }
        return nil
    }
}
