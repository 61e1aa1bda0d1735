// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Rooms by key, such as a number. A room is made when its first member joins, and is gone when its last one leaves.
///
///     let rooms = Rooms<UInt32, ChatProtocol>()
///     rooms.join(client, 7)
///     try rooms[7]?.send(ChatLine(text: "hello"))
///
/// A connection may be in several rooms. Any thread may use them, and no call waits.
public final class Rooms<Key: Hashable & Sendable, Definition: PacketProtocol>: Sendable {
    private let options: RoomOptions
    private let rooms = Lock<[Key: Room<Definition>]>([:])

    /// Makes a directory without rooms.
    ///
    /// - Parameter options: The options of each room.
    public init(options: RoomOptions = RoomOptions()) {
        self.options = options
    }

    /// The room with a key; nil if it has no members.
    ///
    /// A program that keeps the room after its last member has left keeps an empty room: the next member that joins
    /// gets a new one.
    public subscript(key: Key) -> Room<Definition>? { rooms.withLock { $0[key] } }

    /// The keys of all rooms, in any order.
    public var keys: [Key] { rooms.withLock { Array($0.keys) } }

    /// The number of rooms.
    public var count: Int { rooms.withLock { $0.count } }

    /// Adds a connection to a room, which is made if it does not exist.
    ///
    /// - Parameters:
    ///   - member: The connection.
    ///   - key: The room's key.
    ///   - slowReaders: As in ``Room/join(_:slowReaders:)``.
    /// - Returns: The room.
    @discardableResult
    public func join(
        _ member: ServerConnection<Definition>, _ key: Key, slowReaders: RoomOptions.SlowReaderPolicy? = nil
    ) -> Room<Definition> {
        // The member enters while the lock is held. Otherwise another thread could remove the room as empty.
        let (room, entry) = rooms.withLock { rooms in
            let room = rooms[key] ?? makeRoom(key)
            rooms[key] = room
            return (room, room.enter(member, slowReaders))
        }
        entry?.send()
        return room
    }

    /// Removes a connection from a room; does nothing if it is no member.
    public func leave(_ member: ServerConnection<Definition>, _ key: Key) { self[key]?.leave(member) }

    private func makeRoom(_ key: Key) -> Room<Definition> {
        Room("\(key)", options: options) { [weak self] in self?.removeIfEmpty(key) }
    }

    private func removeIfEmpty(_ key: Key) {
        // Released after the lock, because the end of a room calls other code.
        let empty = rooms.withLock { rooms in
            guard let room = rooms[key], room.isEmpty else { return nil as Room<Definition>? }
            return rooms.removeValue(forKey: key)
        }
        _ = empty
    }
}
