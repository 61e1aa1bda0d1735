import Lobby
import Wireline

// A handler for each message that clients send. The server does not start if one is forgotten.
var handlers = MessageHandlers<LobbyProtocol, Void>()
handlers.reply(to: Cs_100.self) { enter, client in
    Sc_100(result: 1, players: [Player(id: 1, name: enter.name)])
}
let server = try await PacketServer.start(at: "127.0.0.1", port: 0, handlers: handlers)

let client = try await PacketClient.connect(
    to: "127.0.0.1", port: server.address.port, protocol: LobbyProtocol.self)
let room = try await client.request(Cs_100(roomID: 7, name: "Mo"))  // returns the paired Sc_100
print(room.players.map(\.name))

client.close()
await server.shutDown()  // sends everything that is queued, then closes
