// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// The members of a room, for all threads, and the room's part on each loop.
///
/// The roster gives orders to the loops while it holds the lock. So all members get messages in the same order, and a
/// connection that joins before a message is sent gets that message.
final class RoomRoster: Sendable {
    private struct Part {
        let shard: RoomShard
        var memberCount = 0
    }

    private struct State {
        var members: Set<PacketConnection> = []
        /// One part for each loop that has had members; a program has few loops.
        var parts: [Part] = []
        var sentCount = 0

        mutating func part(on loop: EventLoop, of roster: RoomRoster) -> Int {
            if let index = parts.firstIndex(where: { $0.shard.loop === loop }) { return index }
            parts.append(Part(shard: RoomShard(on: loop, of: roster)))
            return parts.count - 1
        }

        mutating func remove(_ connection: PacketConnection) -> RoomShard? {
            guard members.remove(connection) != nil,
                let index = parts.firstIndex(where: { $0.shard.loop === connection.loop })
            else { return nil }
            parts[index].memberCount -= 1
            return parts[index].shard
        }
    }

    let options: RoomOptions
    /// Called on any thread when the last member has left.
    private let becameEmpty: (@Sendable () -> Void)?
    private let state = Lock(State())

    init(_ options: RoomOptions, becameEmpty: (@Sendable () -> Void)?) {
        self.options = options
        self.becameEmpty = becameEmpty
    }

    var members: [PacketConnection] { state.withLock { Array($0.members) } }

    var count: Int { state.withLock { $0.members.count } }

    var isEmpty: Bool { count == 0 }

    func contains(_ connection: PacketConnection) -> Bool { state.withLock { $0.members.contains(connection) } }

    // MARK: Changes

    /// - Returns: The notice to send after this; nil if it is a member already.
    func insert(_ connection: PacketConnection, _ policy: RoomOptions.SlowReaderPolicy?) -> RoomShard.Notice? {
        state.withLock { state in
            guard state.members.insert(connection).inserted else { return nil }
            let index = state.part(on: connection.loop, of: self)
            state.parts[index].memberCount += 1
            return state.parts[index].shard.add(.join(connection, policy))
        }
    }

    func leave(_ connection: PacketConnection) {
        let (notice, isEmpty) = state.withLock { state in
            let notice = state.remove(connection)?.add(.leave(connection))
            return (notice, notice != nil && state.members.isEmpty)
        }
        notice?.send()
        if isEmpty { becameEmpty?() }
    }

    /// Removes a member that its shard has already removed.
    func forget(_ connection: PacketConnection) {
        let isEmpty = state.withLock { state in state.remove(connection) != nil && state.members.isEmpty }
        if isEmpty { becameEmpty?() }
    }

    func give(_ command: RoomCommand) {
        let notices = state.withLock { state in
            if case .send = command { state.sentCount += 1 }
            return state.parts.compactMap { $0.memberCount > 0 ? $0.shard.add(command) : nil }
        }
        for notice in notices { notice.send() }
    }

    /// Ends all memberships, after all earlier messages.
    func dissolve() {
        let notices = state.withLock { state in
            defer { (state.members, state.parts) = ([], []) }
            return state.parts.map { $0.shard.add(.dissolve) }
        }
        for notice in notices { notice.send() }
    }

    func counters() async -> RoomCounters {
        var counters = RoomCounters()
        let shards = state.withLock { state in
            (counters.memberCount, counters.sentCount) = (state.members.count, state.sentCount)
            return state.parts.map(\.shard)
        }
        for shard in shards { counters += await shard.loop.run { shard.currentCounters } }
        return counters
    }
}
