// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineGateway

/// When clients are looked at that do not take what was written to them.
struct StalledClientsTests {
    private final class Client {
        var lookCount = 0
        /// Whether it has taken something at each look.
        let takes: Bool

        init(takes: Bool) { self.takes = takes }
    }

    /// Looks at clients for some time, as they ask for.
    private static func look(_ stalled: inout StalledClients<Client>, for time: Duration) {
        var now = Duration.zero
        while let delay = stalled.nextRound() {
            now += delay
            guard now <= time else { return }
            stalled.beginRound()
            while stalled.hasDue {
                for client in stalled.takeDue() {
                    client.lookCount += 1
                    stalled.note(client, hasTaken: client.takes)
                }
            }
        }
    }

    @Test func `a client that takes nothing is looked at three times a second, another one as often as it takes`() {
        var stalled = StalledClients<Client>()
        let (still, slow) = (Client(takes: false), Client(takes: true))
        stalled.note(still, hasTaken: false)
        Self.look(&stalled, for: .seconds(10))
        #expect(30...36 ~= still.lookCount)
        stalled.note(slow, hasTaken: true)
        Self.look(&stalled, for: .seconds(10))
        #expect(499...501 ~= slow.lookCount && 60...68 ~= still.lookCount)
    }

    @Test func `128 clients are looked at in a turn, and all of them in a round`() {
        var stalled = StalledClients<Client>()
        for _ in 0..<300 { stalled.note(Client(takes: true), hasTaken: true) }
        _ = stalled.nextRound()
        stalled.beginRound()
        var counts: [Int] = []
        while stalled.hasDue {
            counts.append(stalled.takeDue().count)
            // Those that are left come first.
            stalled.beginRound()
            guard counts.count < 3 else { break }
        }
        #expect(counts == [128, 128, 44])
    }

    @Test func `clients that have taken all, or are gone, are not looked at`() {
        var stalled = StalledClients<Client>()
        let clients = (0..<3).map { _ in Client(takes: false) }
        for client in clients { stalled.note(client, hasTaken: true) }
        stalled.remove(clients[1])
        Self.look(&stalled, for: .seconds(1))
        #expect(clients.map { $0.lookCount > 0 } == [true, false, true])
        stalled.remove(clients[0])
        stalled.remove(clients[2])
        #expect(stalled.isEmpty && stalled.nextRound() == nil)
    }
}
