import LiveRoom
import Wireline

/// What the server knows about one connection.
struct Visitor {
    var user: User?
    var room: UInt32?
}

/// What the server does with each message.
struct Service: Sendable {
    typealias Client = ClientContext<LiveRoomProtocol, Visitor>

    /// Who may kick others. A real server asks its database.
    private static let moderators: Set<String> = ["admin"]
    /// What every client must know. A real server checks a signed token.
    private static let token = "let-me-in"

    private let hall = Hall()
    private let rooms: Rooms<UInt32, LiveRoomProtocol>

    init() throws {
        // A member whose output is full would miss messages: it had better reconnect.
        let farewell = try Goodbye(reason: .tooSlow).encoded()
        rooms = Rooms(options: RoomOptions(slowReaders: .close(farewell: farewell)))
    }

    func handlers() -> MessageHandlers<LiveRoomProtocol, Visitor> {
        var handlers = MessageHandlers<LiveRoomProtocol, Visitor>()
        handlers.before(except: [Login.self, Ping.self]) { _, client in
            if client.state.user != nil { return true }
            try client.kick(with: Goodbye(reason: .kicked))
            return false
        }
        handlers.limit([Say.self, SendGift.self], to: 20, per: .seconds(5), excess: .skip)
        handlers.reply(to: Ping.self) { _, _ in Pong() }
        handlers.reply(to: Login.self, logIn)
        handlers.reply(to: EnterRoom.self, enter)
        handlers.on(Say.self) { say, client in
            if let user = client.state.user { try send(Said(user: user, text: say.text), from: client) }
        }
        handlers.on(SendGift.self) { sent, client in
            guard let user = client.state.user else { return }
            try send(GiftSent(user: user, gift: sent.gift, count: sent.count), from: client)
        }
        handlers.on(KickUser.self) { kick, client in
            guard let user = client.state.user, Self.moderators.contains(user.name) else { return }
            try hall.connection(of: kick.name)?.kick(with: Goodbye(reason: .kicked))
        }
        handlers.onClose { client, _ in
            leaveRoom(client)
            if let user = client.state.user { hall.logOut(user) }
        }
        return handlers
    }

    private func logIn(_ login: Login, _ client: Client) -> Welcome {
        guard login.token == Self.token else { return Welcome(result: .wrongToken, userID: 0) }
        guard client.state.user == nil, let user = hall.logIn(login.name, on: client.connection) else {
            return Welcome(result: .nameTaken, userID: 0)
        }
        client.state.user = user
        return Welcome(result: .welcome, userID: user.id)
    }

    private func enter(_ enter: EnterRoom, _ client: Client) throws -> RoomEntered {
        leaveRoom(client)
        guard let user = client.state.user else { return RoomEntered(room: enter.room, users: []) }
        client.state.room = enter.room
        let users = hall.enter(enter.room, user)
        let room = rooms.join(client.connection, enter.room)
        try room.send(UserEntered(user: user), except: client.connection)
        return RoomEntered(room: enter.room, users: users)
    }

    private func leaveRoom(_ client: Client) {
        guard let room = client.state.room, let user = client.state.user else { return }
        client.state.room = nil
        rooms.leave(client.connection, room)
        hall.leave(room, user)
        try? rooms[room]?.send(UserLeft(user: user))
    }

    /// Sends a message to everybody in a client's room.
    private func send<Message: ServerMessage>(
        _ message: Message, from client: Client
    ) throws where Message.Definition == LiveRoomProtocol {
        if let room = client.state.room { try rooms[room]?.send(message) }
    }
}
