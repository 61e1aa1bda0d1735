// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// The clients of a gateway, and how much is kept for all of them.
package struct ClientTable {
    private var clients: [ClientNumber: GatewayClient] = [:]
    /// The number of parked clients: without an owner, and without a process that was asked.
    package private(set) var parkedCount = 0
    /// The number of clients without an owner that a process was asked to own.
    package private(set) var askedCount = 0
    /// The bytes that are kept for all clients.
    package private(set) var heldByteCount = 0
    private var closingCount = 0
    private var largest = LargestClients()

    /// The number of clients whose process lives.
    package var count: Int { clients.count - closingCount }

    /// Whether no client is left, not even one whose last bytes are leaving.
    package var isEmpty: Bool { clients.isEmpty }

    /// The number of messages that owners have and have not confirmed.
    package private(set) var unconfirmedCount = 0

    /// The numbers of all clients, in the order in which they came.
    package var numbers: [ClientNumber] { clients.keys.sorted() }

    package subscript(number: ClientNumber) -> GatewayClient? { clients[number] }

    /// The client whose process this is; nil for others.
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

    /// Changes what is kept for a client of the table, or what its owner has.
    mutating func update<Value>(_ client: GatewayClient, _ body: (GatewayClient) -> Value) -> Value {
        let (byteCount, unconfirmed) = (client.heldByteCount, client.window.unconfirmedCount)
        let value = body(client)
        heldByteCount += client.heldByteCount - byteCount
        largest.note(client)
        unconfirmedCount += client.window.unconfirmedCount - unconfirmed
        return value
    }

    /// Changes whose a client of the table is.
    mutating func change(_ client: GatewayClient, to life: GatewayClient.Life) {
        if case .closing = life, !client.isClosing { closingCount += 1 }
        notingWaiting(client) { $0.life = life }
    }

    /// Changes who was asked for a client of the table.
    mutating func notingWaiting<Value>(_ client: GatewayClient, _ body: (GatewayClient) -> Value) -> Value {
        countWaiting(client, -1)
        defer { countWaiting(client, 1) }
        return body(client)
    }

    /// - Parameter step: 1 if the client counts from now on, -1 if not.
    private mutating func countWaiting(_ client: GatewayClient, _ step: Int) {
        if client.isParked { parkedCount += step } else if client.isWaiting { askedCount += step }
    }

    /// Removes a client. It is closing from now on, for those who still have it.
    mutating func remove(_ client: GatewayClient) {
        change(client, to: .closing)
        clients[client.number] = nil
        largest.forget(client)
        closingCount -= 1
        heldByteCount -= client.heldByteCount
        unconfirmedCount -= client.window.unconfirmedCount
    }

    /// The clients for which most is kept, the greatest first: so many that at least `byteCount` bytes are freed, but not
    /// more than 64, because closing all at once would delay others.
    package mutating func largest(freeing byteCount: Int) -> [GatewayClient] {
        largest.choose(freeing: byteCount, all: { clients.values })
    }
}
