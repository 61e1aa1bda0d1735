// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// The clients of a gateway, and the sums over all of them.
package struct ClientTable {
    private var clients: [ClientNumber: GatewayClient] = [:]
    /// Clients that have no owner, and that no process was asked to own.
    package private(set) var parkedCount = 0
    /// Clients without an owner that a process was asked to own.
    package private(set) var askedCount = 0
    /// The bytes that are kept for all clients.
    package private(set) var heldByteCount = 0
    private var closingCount = 0
    private var largest = LargestClients()

    /// The number of clients whose process lives.
    package var count: Int { clients.count - closingCount }

    /// False also while a closing client's last output leaves.
    package var isEmpty: Bool { clients.isEmpty }

    /// Messages that owners have and have not confirmed.
    package private(set) var unconfirmedCount = 0

    /// In the order in which the clients came.
    package var numbers: [ClientNumber] { clients.keys.sorted() }

    package subscript(number: ClientNumber) -> GatewayClient? { clients[number] }

    package func client(of pid: ErlangPID) -> GatewayClient? {
        guard let client = clients[ClientNumber(pid)], !client.isClosing, client.pid == pid else { return nil }
        return client
    }

    package mutating func add(_ client: GatewayClient) {
        precondition(clients[client.number] == nil, "a process is two clients")
        clients[client.number] = client
        countWaiting(client, 1)
        heldByteCount += client.heldByteCount
        largest.note(client)
    }

    /// Use this for each change of a client's bytes or of its window.
    mutating func update<Value>(_ client: GatewayClient, _ body: (GatewayClient) -> Value) -> Value {
        let (byteCount, unconfirmed) = (client.heldByteCount, client.window.unconfirmedCount)
        let value = body(client)
        heldByteCount += client.heldByteCount - byteCount
        largest.note(client)
        unconfirmedCount += client.window.unconfirmedCount - unconfirmed
        return value
    }

    /// Use this for each change of a client's life.
    mutating func change(_ client: GatewayClient, to life: GatewayClient.Life) {
        if case .closing = life, !client.isClosing { closingCount += 1 }
        notingWaiting(client) { $0.life = life }
    }

    /// Use this for each change of a client's offers.
    mutating func notingWaiting<Value>(_ client: GatewayClient, _ body: (GatewayClient) -> Value) -> Value {
        countWaiting(client, -1)
        defer { countWaiting(client, 1) }
        return body(client)
    }

    /// - Parameter step: 1 to count the client, -1 to stop counting it.
    private mutating func countWaiting(_ client: GatewayClient, _ step: Int) {
        if client.isParked { parkedCount += step } else if client.isWaiting { askedCount += step }
    }

    /// Whoever still holds the client sees it as closing.
    mutating func remove(_ client: GatewayClient) {
        change(client, to: .closing)
        clients[client.number] = nil
        largest.forget(client)
        closingCount -= 1
        heldByteCount -= client.heldByteCount
        unconfirmedCount -= client.window.unconfirmedCount
    }

    /// The clients with the most bytes, largest first: enough to free `byteCount` bytes, but at most 64. Closing more
    /// at once
    /// would delay others.
    package mutating func largest(freeing byteCount: Int) -> [GatewayClient] {
        largest.choose(freeing: byteCount, all: { clients.values })
    }
}
