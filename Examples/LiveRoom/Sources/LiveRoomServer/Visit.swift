import LiveRoom
import Wireline

/// One connection, from its login to its end.
struct Visit {
    /// Who may kick others. A real server asks its database.
    private static let moderators: Set<String> = ["admin"]
    /// What every client must know. A real server checks a signed token.
    private static let token = "let-me-in"

    private let client: Viewer
    private let rooms: Rooms
    private var member: Member?
    private var room: UInt32?

    init(_ client: Viewer, _ rooms: Rooms) {
        self.client = client
        self.rooms = rooms
    }

    /// Handles the messages of the client until it ends.
    mutating func run() async throws {
        var failure: (any Error)?
        do {
            for try await message in client.messages {
                switch message {
                case .message(let message, let packet): try await handle(message, packet)
                case .unknown: break  // a newer client: its other messages still work
                }
            }
        } catch {
            failure = error
        }
        if let member {
            await leaveRoom(member)
            await rooms.logOut(member)
        }
        if let failure { throw failure }
    }

    private mutating func handle(_ message: any PacketMessage, _ packet: ReceivedPacket) async throws {
        switch (message, member) {
        case (is Ping, _):
            try await client.reply(to: packet, with: Pong())
        case (let login as Login, nil):
            try await logIn(login, packet)
        case (_, nil):
            try client.kick(with: Goodbye(reason: .kicked))
        case (let enter as EnterRoom, let member?):
            await leaveRoom(member)
            room = enter.room
            let users = await rooms.enter(enter.room, member)
            try await client.reply(to: packet, with: RoomEntered(room: enter.room, users: users))
            try await rooms.send(UserEntered(user: member.user), to: enter.room, except: member)
        case (let say as Say, let member?):
            guard let room else { return }
            try await rooms.send(Said(user: member.user, text: say.text), to: room)
        case (let gift as SendGift, let member?):
            guard let room else { return }
            try await rooms.send(GiftSent(user: member.user, gift: gift.gift, count: gift.count), to: room)
        case (let kick as KickUser, let member?):
            guard Self.moderators.contains(member.user.name) else { return }
            try await rooms.member(named: kick.name)?.connection.kick(with: Goodbye(reason: .kicked))
        default:
            break
        }
    }

    private mutating func logIn(_ login: Login, _ packet: ReceivedPacket) async throws {
        guard login.token == Self.token else {
            return try await client.reply(to: packet, with: Welcome(result: .wrongToken, userID: 0))
        }
        member = await rooms.logIn(login.name, on: client)
        try await client.reply(
            to: packet, with: Welcome(result: member == nil ? .nameTaken : .welcome, userID: member?.user.id ?? 0))
    }

    private mutating func leaveRoom(_ member: Member) async {
        guard let room else { return }
        self.room = nil
        await rooms.leave(room, member)
        try? await rooms.send(UserLeft(user: member.user), to: room)
    }
}
