import Lobby
import Wireline

// Each connection has a task of its own. The task runs on the connection's event loop.
let server = try await PacketServer.start(at: "127.0.0.1", port: 0, protocol: LobbyProtocol.self) { client in
    for try await message in client.messages {
        switch message {
        case .message(let enter as Cs_100, _):
            try await client.send(Sc_100(result: 1, players: [Player(id: 1, name: enter.name)]))
        case .message(let other, _): print("no handler for", type(of: other).messageName)
        case .unknown(let packet): print("unknown ID", packet.id)
        }
    }
}

let client = try await PacketClient.connect(
    to: "127.0.0.1", port: server.address.port, protocol: LobbyProtocol.self)
let room = try await client.request(Cs_100(roomID: 7, name: "Mo"))  // returns the paired Sc_100
print(room.players.map(\.name))

client.close()
await server.shutDown()  // sends everything that is queued, then closes
