import LiveRoom
import Wireline

typealias Viewer = ServerConnection<LiveRoomProtocol>

/// Somebody who has logged in.
struct Member: Sendable {
    let user: User
    let connection: Viewer
}

/// All rooms of the server, and who is in them.
actor Rooms {
    private var server: PacketServer<LiveRoomProtocol>?
    private var membersByName: [String: Member] = [:]
    private var rooms: [UInt32: [UInt64: Member]] = [:]
    private var lastID: UInt64 = 0

    /// Sets the server that sends to rooms.
    func open(_ server: PacketServer<LiveRoomProtocol>) {
        self.server = server
    }

    /// Adds a member; returns nil if the name is taken.
    func logIn(_ name: String, on connection: Viewer) -> Member? {
        guard membersByName[name] == nil else { return nil }
        lastID += 1
        let member = Member(user: User(id: lastID, name: name), connection: connection)
        membersByName[name] = member
        return member
    }

    func logOut(_ member: Member) {
        membersByName[member.user.name] = nil
    }

    func member(named name: String) -> Member? { membersByName[name] }

    /// Adds a member to a room and returns who is in it.
    func enter(_ room: UInt32, _ member: Member) -> [User] {
        rooms[room, default: [:]][member.user.id] = member
        return rooms[room, default: [:]].values.map(\.user).sorted { $0.id < $1.id }
    }

    func leave(_ room: UInt32, _ member: Member) {
        rooms[room]?[member.user.id] = nil
        if rooms[room]?.isEmpty == true { rooms[room] = nil }
    }

    /// Sends a message to all members of a room. It never waits for a slow member.
    func send<Message: ServerMessage>(
        _ message: Message, to room: UInt32, except member: Member? = nil
    ) async throws where Message.Definition == LiveRoomProtocol {
        let members = rooms[room, default: [:]].values.filter { $0.user.id != member?.user.id }
        let missed = try await server?.broadcast(message, to: members.map(\.connection)) ?? []
        // A member whose output is full misses messages: it had better reconnect.
        for connection in missed { try connection.kick(with: Goodbye(reason: .tooSlow)) }
    }
}
