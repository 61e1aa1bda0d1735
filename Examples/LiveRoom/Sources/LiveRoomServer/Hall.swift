import LiveRoom
import Synchronization
import Wireline

/// Who is logged in, and who is in which room. All event loops use it.
final class Hall: Sendable {
    private struct Guests {
        var byName: [String: (user: User, connection: ServerConnection<LiveRoomProtocol>)] = [:]
        var byRoom: [UInt32: [UInt64: User]] = [:]
        var lastID: UInt64 = 0
    }

    private let guests = Mutex(Guests())

    /// Adds a user; returns nil if the name is taken.
    func logIn(_ name: String, on connection: ServerConnection<LiveRoomProtocol>) -> User? {
        guests.withLock { guests in
            guard guests.byName[name] == nil else { return nil }
            guests.lastID += 1
            let user = User(id: guests.lastID, name: name)
            guests.byName[name] = (user, connection)
            return user
        }
    }

    func logOut(_ user: User) {
        guests.withLock { $0.byName[user.name] = nil }
    }

    func connection(of name: String) -> ServerConnection<LiveRoomProtocol>? {
        guests.withLock { $0.byName[name]?.connection }
    }

    /// Adds a user to a room and returns who is in it.
    func enter(_ room: UInt32, _ user: User) -> [User] {
        guests.withLock { guests in
            guests.byRoom[room, default: [:]][user.id] = user
            return guests.byRoom[room, default: [:]].values.sorted { $0.id < $1.id }
        }
    }

    func leave(_ room: UInt32, _ user: User) {
        guests.withLock { guests in
            guests.byRoom[room]?[user.id] = nil
            if guests.byRoom[room]?.isEmpty == true { guests.byRoom[room] = nil }
        }
    }
}
