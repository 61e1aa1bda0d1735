// A client in the terminal. It reconnects when the server restarts or the network fails.
//
//     LiveRoomClient NAME [HOST [PORT]]
//
// Lines are sent to the room. /gift rose 3, /room 2 and /kick NAME are commands; the end of input leaves.

import Foundation
import LiveRoom
import Synchronization
import Wireline

let arguments = CommandLine.arguments
guard arguments.count > 1 else {
    print("usage: LiveRoomClient NAME [HOST [PORT]]")
    exit(2)
}
let name = arguments[1]
let host = arguments.count > 2 ? arguments[2] : "127.0.0.1"
let port = arguments.count > 3 ? UInt16(arguments[3]) ?? 0 : 9001

/// The room that the user wants to be in, also after a reconnect.
let room = Mutex<UInt32>(1)

var conventions = SessionConventions<LiveRoomProtocol>()
conventions.heartbeat(answeredBy: Pong.self) { Ping() }
conventions.end(Goodbye.self) { goodbye in
    KickNotice(
        reason: UInt64(goodbye.reason.rawValue),
        advice: goodbye.reason == .kicked ? .stop : .wait(atLeast: .seconds(1)))
}

let session = try PacketSession.start(
    to: [ServerEndpoint(host, port: port)], protocol: LiveRoomProtocol.self, conventions: conventions
) { login in
    // On each connection, before anything else.
    let welcome = try await login.client.request(Login(name: name, token: "let-me-in"))
    guard welcome.result == .welcome else {
        Screen.say("the server refuses the name \(name)")
        throw SessionLoginRefused()
    }
    Screen.show(.roomEntered(try await login.client.request(EnterRoom(room: room.withLock { $0 }))))
}

let states = session.states
Task {
    for await state in states {
        if case .waiting(_, let cause) = state { Screen.say("reconnecting: \(cause)") }
    }
}
let receiving = Task {
    do {
        for try await received in session.messages { Screen.show(received.message) }
    } catch {
        Screen.say("\(error)")
        exit(1)
    }
}

for await line in Input.lines() {
    let words = line.split(separator: " ")
    switch (words.first, words.count) {
    case ("/gift", 3):
        // Paid for at most once: it is not sent again after a lost connection.
        let gift: Gift = words[1] == "rocket" ? .rocket : .rose
        try await session.send(SendGift(gift: gift, count: UInt8(words[2]) ?? 1))
    case ("/room", 2):
        guard let number = UInt32(words[1]) else { continue }
        room.withLock { $0 = number }
        Screen.show(.roomEntered(try await session.request(EnterRoom(room: number))))
    case ("/kick", 2): try await session.send(KickUser(name: String(words[1])))
    default: if !line.isEmpty { try await session.send(Say(text: line)) }
    }
}
await session.drain()
_ = await receiving.value
