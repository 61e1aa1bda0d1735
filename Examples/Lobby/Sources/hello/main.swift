import Lobby
import WirelineCodec

// Encode: a value becomes a whole packet, header included.
let request = Cs_100(roomID: 7, name: "Lin")
print(Hexadecimal.text(of: try request.encoded()))

// Decode: the bytes hold two merged packets, and the second one is split.
let reply = try Sc_100(result: 1, players: [Player(id: 1, name: "Lin"), Player(id: 2, name: "老王")]).encoded()
let stream = reply + reply
var splitter = PacketSplitter(layout: LobbyProtocol.layout)
for piece in [stream[..<40], stream[40...]] {
    try splitter.receive(Array(piece).span.bytes) { packet throws(CodecError) in
        let message = try Sc_100(payloadOf: packet)
        print(message.players.map(\.name).joined(separator: ", "))
    }
}

// Wrong bytes: the error names the field and the offset.
let broken: [UInt8] = [1, 0, 2, 0, 0, 0, 1, 0, 3, 76, 105, 110, 0, 0]
do {
    _ = try Sc_100(payload: broken.span.bytes)
} catch {
    print(error)
}
