// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// The monitored processes and names, and the reasons: they own clients, were asked to, or may be asked.
package struct ProcessWatch {
    private struct Reasons {
        var clients: Set<ClientNumber> = []
        var isBackend = false
    }

    private var watched: [ErlangDestination: Reasons] = [:]

    package func contains(_ process: ErlangDestination) -> Bool { watched[process] != nil }

    /// Returns whether it must be monitored from now on.
    package mutating func add(_ client: ClientNumber, of process: ErlangDestination) -> Bool {
        let isNew = watched[process] == nil
        watched[process, default: Reasons()].clients.insert(client)
        return isNew
    }

    /// Returns whether its monitor is no longer needed.
    package mutating func remove(_ client: ClientNumber, of process: ErlangDestination) -> Bool {
        guard watched[process]?.clients.remove(client) != nil else { return false }
        return forgetIfUnused(process)
    }

    /// Returns whether it must be monitored from now on.
    package mutating func addBackend(_ process: ErlangDestination) -> Bool {
        let isNew = watched[process] == nil
        watched[process, default: Reasons()].isBackend = true
        return isNew
    }

    /// Returns whether its monitor is no longer needed.
    package mutating func removeBackend(_ process: ErlangDestination) -> Bool {
        guard watched[process]?.isBackend == true else { return false }
        watched[process]?.isBackend = false
        return forgetIfUnused(process)
    }

    private mutating func forgetIfUnused(_ process: ErlangDestination) -> Bool {
        guard let reasons = watched[process], reasons.clients.isEmpty, !reasons.isBackend else { return false }
        watched[process] = nil
        return true
    }

    /// A process has ended, and its monitor with it.
    ///
    /// - Returns: The clients that it owned or was asked to own.
    package mutating func ended(_ process: ErlangDestination) -> Set<ClientNumber> {
        watched.removeValue(forKey: process)?.clients ?? []
    }

    package func clients(of node: ErlangAtom) -> [ClientNumber] {
        watched.filter { $0.key.node == node }.flatMap { $0.value.clients }.sorted()
    }
}

extension ErlangDestination {
    /// Nil for a name on our own node.
    package var node: ErlangAtom? {
        switch self {
        case .pid(let pid): pid.node
        case .name(_, at: let node): node?.atom
        }
    }
}
