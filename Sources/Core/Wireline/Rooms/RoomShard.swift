// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

/// The members of a room on one loop, and the messages that they have not got yet.
///
/// The shard joins the messages of one turn: each member gets them with one system call, at the end of the turn. Many
/// members get them in several turns, so that other connections of the loop need not wait. If something else is sent to
/// a member meanwhile, the member gets the messages first.
///
/// `@unchecked Sendable` is right: `inbox` has its own `Lock`, and only the loop uses everything else.
final class RoomShard: @unchecked Sendable {
    let loop: EventLoop
    private let roster: RoomRoster
    private let inbox: Lock<RoomInbox>
    private var members: [RoomMember] = []
    private var log = RoomLog()
    private var delivery = Delivery.idle
    private var isDissolved = false
    /// The frames of the last sent messages, for WebSockets, and the messages they belong to.
    private let frames = SharedFrames()
    private var framed = (first: UInt32(0), count: 0)
    private var counters = RoomCounters()

    /// The progress of the log's messages to the members.
    private enum Delivery {
        /// There are no messages.
        case idle
        /// The loop will begin at the end of its turn, or in a later one.
        case waiting
        /// The next message is being sealed over many turns.
        case sealing
        /// The members from `next` down to 0 come next. After that all members have the messages up to number `last`.
        case under(next: Int, last: UInt32)
    }

    init(on loop: EventLoop, of roster: RoomRoster) {
        self.loop = loop
        self.roster = roster
        inbox = Lock(RoomInbox(limit: roster.options.pendingByteLimit))
    }

    // MARK: From any thread

    /// Wakes a shard that has orders. Send it after the roster's lock was released.
    struct Notice {
        let shard: RoomShard
        let isFirst: Bool

        func send() {
            if isFirst || shard.loop.isCurrent { shard.loop.execute { shard.open() } }
        }
    }

    func add(_ command: RoomCommand) -> Notice {
        Notice(shard: self, isFirst: inbox.withLock { $0.append(command) })
    }

    // MARK: Orders

    private func open() {
        let (commands, lostCount) = inbox.withLock { $0.takeAll() }
        counters.droppedCount += lostCount * members.count
        for command in commands {
            switch command {
            case .join(let connection, let policy): join(connection, policy)
            case .leave(let connection): leave(connection)
            case .send(let message): send(message)
            case .kick(let farewell, let timeout): kick(members.map(\.connection)[...], farewell, within: timeout)
            case .dissolve:
                isDissolved = true
                if case .idle = delivery { dissolve() }
            }
        }
    }

    private func member(of connection: PacketConnection) -> RoomMember? {
        var next = connection.memberships
        while let membership = next {
            if let member = membership as? RoomMember, member.shard === self { return member }
            next = membership.next
        }
        return nil
    }

    private func join(_ connection: PacketConnection, _ policy: RoomOptions.SlowReaderPolicy?) {
        guard connection.takesOutput else { return roster.forget(connection) }
        let member = RoomMember(connection, in: self, after: log.last)
        member.index = Int32(members.count)
        if let policy { member.makeExceptional().policy = policy }
        members.append(member)
        connection.join(member)
    }

    private func leave(_ connection: PacketConnection) {
        guard let member = member(of: connection) else { return }
        deliver(to: member)
        remove(member)
    }

    private func send(_ message: RoomMessage) {
        guard let first = members.first else { return inbox.withLock { $0.release(message.cost) } }
        log.append(message)
        if case .sealedOnce(let packet, let once) = message.packet.form { seal(packet, once, on: first.connection) }
        // Later output to a member comes after this message (``Membership/sendPendingMessages()``).
        if members.count < loop.unsentCount {
            for member in members { member.connection.stream.endFreeWriting() }
        } else {
            loop.endFreeWriting()
        }
        guard case .idle = delivery else { return }
        delivery = .waiting
        loop.atEndOfTurn(EndOfTurnAction { self.deliver() })
    }

    /// Seals the newest message for all members; a long one over many turns of this loop or another one.
    private func seal(_ packet: UnsealedPacket, _ once: OnceSealed, on connection: PacketConnection) {
        let number = log.last
        do throws(CodecError) {
            if let bytes = try connection.sealed(packet, once) { return log.endSealing(number, bytes) }
        } catch {
            // Each member meets the error itself.
            return
        }
        log.beginSealing()
        once.whenDone { [loop] in loop.execute { self.endSealing(number, once) } }
    }

    private func endSealing(_ number: UInt32, _ once: OnceSealed) {
        log.endSealing(number, try? once.outcome?.get())
        guard case .sealing = delivery, log.isReady else { return }
        delivery = .waiting
        loop.continueLater { self.deliver() }
    }

    /// Ends as many connections as the loop's share allows, and the others later.
    private func kick(_ connections: ArraySlice<PacketConnection>, _ farewell: SharedPacket, within timeout: Duration) {
        var left = connections
        while let connection = left.popFirst() {
            connection.sendLast(farewell, from: roster.options.states, .kicked, within: timeout)
            loop.spendSending(farewell.byteCount)
            guard loop.hasSpentShare, !left.isEmpty else { continue }
            return loop.continueLater { [left] in self.kick(left, farewell, within: timeout) }
        }
    }

    private func dissolve() {
        let former = members
        members = []
        for member in former {
            member.index = -1
            member.connection.leave(member)
        }
    }

    // MARK: The end of a membership

    /// Called when a member's connection takes no more output.
    fileprivate func connectionEnded(of member: RoomMember) {
        guard remove(member) else { return }
        roster.forget(member.connection)
    }

    /// - Returns: Whether it was a member.
    @discardableResult
    private func remove(_ member: RoomMember) -> Bool {
        let index = Int(member.index)
        guard index >= 0 else { return false }
        // Members are visited from the last to the first. So the last one, which moves here, has had its turn if this
        // one has.
        members[index] = members[members.count - 1]
        members[index].index = Int32(index)
        members.removeLast()
        member.index = -1
        member.connection.leave(member)
        return true
    }

    // MARK: Delivery

    /// Gives the messages to as many members as the loop's share allows.
    private func deliver() {
        var (next, last) = (members.count - 1, log.lastSealed)
        if case .under(let index, let number) = delivery {
            (next, last) = (min(index, next), number)
        } else if !log.isReady {
            delivery = .sealing
            return
        }
        while next >= 0 {
            let member = members[next]
            delivery = .under(next: next - 1, last: last)
            deliver(to: member, through: log.lastSealed)
            if loop.hasSpentShare { return loop.continueLater { self.deliver() } }
            next = min(next - 1, members.count - 1)
        }
        endDelivery(through: last)
    }

    private func endDelivery(through last: UInt32) {
        let later = Int(log.last &- last)
        let cost = log.removeFirst(log.count - later)
        inbox.withLock { $0.release(cost) }
        frames.forget()
        if later > 0 {
            delivery = .waiting
            loop.continueLater { self.deliver() }
        } else {
            delivery = .idle
            if isDissolved { dissolve() }
        }
    }

    /// Gives a member all messages that it has not got. Its connection sends unsealed ones when they are sealed.
    fileprivate func deliver(to member: RoomMember) { deliver(to: member, through: log.last) }

    /// Gives a member the missing messages up to a number. It may already have later ones, if something else was sent
    /// to it.
    private func deliver(to member: RoomMember, through last: UInt32) {
        let count = Int(Int32(bitPattern: last &- member.seen))
        guard count > 0, member.index >= 0 else { return }
        member.seen = last
        let end = log.count - Int(log.last &- last)
        let run = end - count..<end
        guard member.connection.takesOutput else { return connectionEnded(of: member) }
        loop.ignoringShare {
            guard log.hasExceptions(for: member.connection) else { return deliver(run, to: member) }
            for index in run where log.count > index && log[index].except != member.connection {
                deliver(index..<index + 1, to: member)
            }
        }
    }

    private func deliver(_ messages: Range<Int>, to member: RoomMember) {
        let connection = member.connection
        var start = messages.lowerBound
        while start < messages.upperBound {
            let room = connection.pendingLimit - connection.stream.pendingByteCount
            let end = log.endOfRun(from: start, to: messages.upperBound, atMost: room)
            let wasSent: Bool
            do throws(CodecError) {
                wasSent = try send(start..<end, on: connection)
            } catch {
                dropMessage(on: connection, error)
                start = end
                continue
            }
            guard wasSent else {
                guard connection.takesOutput else { return connectionEnded(of: member) }
                return fallBehind(member, start..<messages.upperBound)
            }
            counters.deliveredCount += end - start
            start = end
        }
    }

    /// Sends a run of messages to a member: unchanged, converted to its states, or sealed by it.
    ///
    /// - Returns: Whether that was possible without waiting.
    /// - Throws: `CodecError` if its connection cannot make the packet.
    private func send(_ messages: Range<Int>, on connection: PacketConnection) throws(CodecError) -> Bool {
        guard log[messages.lowerBound].bytes != nil else {
            return try connection.sendShared(log[messages.lowerBound].packet, onFailure: failureHandler(on: connection))
        }
        let (array, bounds) = log.bytes(of: messages)
        beginFrames(of: messages)
        guard connection.adaptsBytes else {
            return connection.sendShared(array, bounds, packetCount: messages.count, frames: frames)
        }
        guard connection.hasRoomToSend else { return false }
        let (packets, count) = connection.adapted(Array(array[bounds]), from: roster.options.states)
        guard packets.isEmpty || connection.sendShared(packets, packetCount: count) else { return false }
        counters.deliveredCount -= messages.count - count
        counters.droppedCount += messages.count - count
        return true
    }

    private func dropMessage(on connection: PacketConnection, _ error: CodecError) {
        counters.droppedCount += 1
        connection.leaveOut(error)
    }

    /// Returns a closure for a connection that cannot make a message that was already counted as delivered.
    private func failureHandler(on connection: PacketConnection) -> (CodecError) -> Void {
        { [unowned connection] error in
            self.counters.deliveredCount -= 1
            self.dropMessage(on: connection, error)
        }
    }

    /// Drops the frames, unless they belong to these messages.
    private func beginFrames(of messages: Range<Int>) {
        let first = log.last &- UInt32(log.count - 1 - messages.lowerBound)
        guard framed != (first, messages.count) else { return }
        framed = (first, messages.count)
        frames.forget()
    }

    // MARK: Slow readers

    private func fallBehind(_ member: RoomMember, _ messages: Range<Int>) {
        switch member.exceptional?.policy ?? roster.options.slowReaders {
        case .dropNewest: counters.droppedCount += messages.count
        case .keepLatest:
            for index in messages { keep(log[index].packet, for: member) }
        case .close(let farewell):
            counters.droppedCount += messages.count
            counters.closedCount += 1
            connectionEnded(of: member)
            let connection = member.connection
            connection.sendLast(
                SharedPacket(bytes: farewell ?? []),
                .slowReader(pendingByteCount: connection.stream.pendingByteCount),
                within: PacketConnection.partingTime)
        }
    }

    private func keep(_ packet: SharedPacket, for member: RoomMember) {
        let connection = member.connection
        let exceptional = member.makeExceptional()
        let isFirst = exceptional.kept == nil
        var kept = exceptional.kept.take() ?? LatestMessages()
        counters.keptByteCount -= kept.byteCount
        // The bytes are those that all members share.
        let layout = connection.layout.layout(in: PacketContext(from: .server, states: roster.options.states))
        switch kept.keep(packet, id: packet.id(in: layout), limit: connection.pendingLimit) {
        case .kept: break
        case .replaced: counters.replacedCount += 1
        case .dropped: counters.droppedCount += 1
        }
        counters.keptByteCount += kept.byteCount
        exceptional.kept = kept
        if isFirst { connection.whenReadyToSend { self.sendKept(for: member) } }
    }

    /// Sends the kept messages of a slow member, which has read enough. Drops them if its connection has ended.
    private func sendKept(for member: RoomMember) {
        guard let kept = member.exceptional?.kept.take() else { return }
        counters.keptByteCount -= kept.byteCount
        let connection = member.connection
        for (_, packet) in kept.messages {
            guard connection.takesOutput else {
                counters.droppedCount += 1
                continue
            }
            do throws(CodecError) {
                let bytes = try connection.sharedOrPostponed(
                    packet, from: roster.options.states, onFailure: failureHandler(on: connection))
                // The message has no place in the member's states.
                guard !bytes.isEmpty || !connection.adaptsBytes else {
                    counters.droppedCount += 1
                    continue
                }
                connection.stream.write(bytes)
                counters.deliveredCount += 1
            } catch {
                dropMessage(on: connection, error)
            }
        }
    }

    // MARK: Counters

    var currentCounters: RoomCounters {
        var counters = counters
        counters.pendingByteCount = inbox.withLock { $0.pendingByteCount }
        return counters
    }
}

/// A connection as a member of a room. Only the connection's loop uses it.
private final class RoomMember: Membership {
    /// The settings and messages of a slow reader. Most members have none.
    final class Exceptional {
        /// The member's own policy; nil: that of the room's options.
        var policy: RoomOptions.SlowReaderPolicy?
        var kept: LatestMessages?
    }

    let connection: PacketConnection
    let shard: RoomShard
    /// The member's index in the shard; −1: it is no member any more.
    var index: Int32 = -1
    /// The number of the last message that was handled for this member.
    var seen: UInt32
    var exceptional: Exceptional?

    init(_ connection: PacketConnection, in shard: RoomShard, after seen: UInt32) {
        self.connection = connection
        self.shard = shard
        self.seen = seen
    }

    func makeExceptional() -> Exceptional {
        if let exceptional { return exceptional }
        let made = Exceptional()
        exceptional = made
        return made
    }

    override func sendPendingMessages() { shard.deliver(to: self) }

    override func end() { shard.connectionEnded(of: self) }
}
