// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// The processes that may be asked to own clients, and how many clients of this gateway each has.
package struct Backends {
    private struct Backend {
        /// When it came, in relation to others.
        var arrival: UInt64
        /// How often it is a member of the group. With 0, it gets no clients and keeps its own.
        var membershipCount: Int
        var clientCount = 0
    }

    private var backends: [ErlangDestination: Backend] = [:]
    private var lastArrival: UInt64 = 0

    package init() {}

    /// The number of those that may be asked.
    package var count: Int { backends.values.count { $0.membershipCount > 0 } }

    /// Whether a process may be asked.
    package func contains(_ backend: ErlangDestination) -> Bool { (backends[backend]?.membershipCount ?? 0) > 0 }

    /// A process has come.
    ///
    /// - Returns: Whether it was not there before.
    package mutating func joined(_ backend: ErlangDestination) -> Bool {
        if let count = backends[backend]?.membershipCount, count > 0 {
            backends[backend]?.membershipCount = count + 1
            return false
        }
        lastArrival += 1
        let clientCount = backends[backend]?.clientCount ?? 0
        backends[backend] = Backend(arrival: lastArrival, membershipCount: 1, clientCount: clientCount)
        return true
    }

    /// A process has left the group once.
    ///
    /// - Returns: Whether it is no member any more.
    package mutating func left(_ backend: ErlangDestination) -> Bool {
        guard let count = backends[backend]?.membershipCount, count > 0 else { return false }
        backends[backend]?.membershipCount = count - 1
        forgetIfUnused(backend)
        return count == 1
    }

    /// A process has ended.
    package mutating func ended(_ backend: ErlangDestination) {
        backends[backend]?.membershipCount = 0
        forgetIfUnused(backend)
    }

    /// Who is to be asked: the one with the fewest clients, then the one that is there longest.
    ///
    /// - Parameters:
    ///   - excluded: Who was asked before. It is asked again only if there is no other.
    ///   - pressure: Knows the nodes that do not take what is sent to them. Their processes are not asked.
    package func choice(
        except excluded: ErlangDestination? = nil, avoiding pressure: NodePressure? = nil
    ) -> ErlangDestination? {
        let present = backends.filter { backend, known in
            known.membershipCount > 0 && backend.node.map { pressure?.isSlow($0) ?? false } != true
        }
        let others = present.count > 1 ? present.filter { $0.key != excluded } : present
        let best = others.min {
            ($0.value.clientCount, $0.value.arrival) < ($1.value.clientCount, $1.value.arrival)
        }
        return best?.key
    }

    /// A client counts for a backend, of which nothing may be known.
    package mutating func tookClient(_ backend: ErlangDestination) { backends[backend]?.clientCount += 1 }

    package mutating func lostClient(_ backend: ErlangDestination) {
        guard let count = backends[backend]?.clientCount else { return }
        backends[backend]?.clientCount = count - 1
        forgetIfUnused(backend)
    }

    private mutating func forgetIfUnused(_ backend: ErlangDestination) {
        if let known = backends[backend], known.membershipCount == 0, known.clientCount == 0 { backends[backend] = nil }
    }
}
