// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// The clients of a gateway, and how much is kept for all of them.
package struct ClientTable {
    private var clients: [ClientNumber: GatewayClient] = [:]
    /// The clients for which there is no backend.
    private var parked: Set<ClientNumber> = []
    /// The bytes that are kept for all clients.
    package private(set) var heldByteCount = 0
    private var closingCount = 0

    /// The number of clients whose process lives.
    package var count: Int { clients.count - closingCount }

    package var parkedCount: Int { parked.count }

    /// Whether no client is left, not even one whose last bytes are leaving.
    package var isEmpty: Bool { clients.isEmpty }

    /// The number of messages that owners have and have not confirmed; it is counted each time.
    package var unconfirmedCount: Int { clients.values.reduce(0) { $0 + $1.window.unconfirmedCount } }

    /// All clients, in the order in which they came.
    package var numbers: [ClientNumber] { clients.keys.sorted() }

    /// The clients for which there is no backend, in the order in which they came.
    package var parkedNumbers: [ClientNumber] { parked.sorted() }

    package subscript(number: ClientNumber) -> GatewayClient? { clients[number] }

    /// The number of a process of ours that is a client; nil for others.
    package func number(of pid: ErlangPID) -> ClientNumber? {
        let number = ClientNumber(pid)
        guard let client = clients[number], !client.isClosing, client.pid == pid else { return nil }
        return number
    }

    package mutating func add(_ client: GatewayClient) {
        precondition(clients[client.number] == nil, "a process is two clients")
        clients[client.number] = client
        if client.isParked { parked.insert(client.number) }
        heldByteCount += client.heldByteCount
    }

    /// Changes a client that is there; nil for others.
    package mutating func update<Value>(_ number: ClientNumber, _ body: (inout GatewayClient) -> Value) -> Value? {
        guard let place = clients.index(forKey: number) else { return nil }
        let before = clients.values[place].heldByteCount
        let value = body(&clients.values[place])
        heldByteCount += clients.values[place].heldByteCount - before
        return value
    }

    /// Changes whose a client is.
    package mutating func change(_ number: ClientNumber, to life: GatewayClient.Life) {
        guard let place = clients.index(forKey: number) else { return }
        if life == .closing, !clients.values[place].isClosing { closingCount += 1 }
        clients.values[place].life = life
        if case .parked = life { parked.insert(number) } else { parked.remove(number) }
    }

    @discardableResult
    package mutating func remove(_ number: ClientNumber) -> GatewayClient? {
        guard let client = clients.removeValue(forKey: number) else { return nil }
        parked.remove(number)
        heldByteCount -= client.heldByteCount
        if client.isClosing { closingCount -= 1 }
        return client
    }

    /// The clients for which most is kept, the greatest first: so many that at least `byteCount` bytes are freed.
    package func largest(freeing byteCount: Int) -> [ClientNumber] {
        let sorted = clients.values.sorted { ($1.heldByteCount, $0.number) < ($0.heldByteCount, $1.number) }
        var (freed, chosen) = (0, [ClientNumber]())
        for client in sorted where freed < byteCount && client.heldByteCount > 0 {
            freed += client.heldByteCount
            chosen.append(client.number)
        }
        return chosen
    }
}
