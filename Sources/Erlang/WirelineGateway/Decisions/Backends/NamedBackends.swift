// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// Backends that are registered names, and whether they exist.
///
/// Erlang does not report that a name is registered. So the gateway monitors a name, and then asks its node for an answer.
/// What a node sends arrives in order. If the answer arrives before the end of the monitor, a process has the name.
package struct NamedBackends {
    private enum Presence {
        /// Its node is not connected.
        case unreachable
        /// The name is monitored, and the node has not answered yet.
        case asking
        case present
        /// No process has the name. The gateway asks again at this time.
        case absent(until: Duration)
    }

    private var names: [ErlangDestination: Presence] = [:]
    private let retryTime: Duration

    package init(_ source: GatewaySettings.BackendSource, retryTime: Duration) {
        self.retryTime = retryTime
        guard case .names(let nodes) = source else { return }
        for (name, nodes) in nodes { for node in nodes { names[.name(name, at: node)] = .unreachable } }
    }

    /// The next time to ask for names; nil: none is due.
    package var deadline: Duration? {
        guard !names.isEmpty else { return nil }
        return names.values.compactMap { if case .absent(let time) = $0 { time } else { nil } }.min()
    }

    /// Returns the node's names. Monitor each of them now, and ping the node.
    package mutating func nodeUp(_ node: ErlangNodeName) -> [ErlangDestination] {
        ask(names.keys.filter { $0.node == node.atom })
    }

    package mutating func nodeDown(_ node: ErlangNodeName) {
        for name in names.keys where name.node == node.atom { names[name] = .unreachable }
    }

    /// Returns the names to monitor now. Ping their nodes, too.
    package mutating func takeDue(at now: Duration) -> [ErlangDestination] {
        ask(names.filter { if case .absent(let time) = $0.value { time <= now } else { false } }.map(\.key))
    }

    private mutating func ask(_ due: [ErlangDestination]) -> [ErlangDestination] {
        for name in due { names[name] = .asking }
        return due.sorted { $0.description < $1.description }
    }

    /// A monitored name has ended, or does not exist.
    package mutating func ended(_ name: ErlangDestination, at now: Duration) {
        switch names[name] {
        case .asking, .present: names[name] = .absent(until: now + retryTime)
        case .unreachable, .absent, nil: return
        }
    }

    /// The node has answered a ping. Returns the names that exist.
    package mutating func answered(_ node: ErlangNodeName) -> [ErlangDestination] {
        let found = names.filter { name, presence in
            if case .asking = presence { name.node == node.atom } else { false }
        }
        for name in found.keys { names[name] = .present }
        return found.keys.sorted { $0.description < $1.description }
    }
}
