// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The number of a connection, by which a driver knows its socket.
package struct NodeConnectionID: Hashable, Comparable, Sendable {
    let number: UInt64

    package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// A connection to another node, from the attempt to its end.
struct NodeConnection {
    enum Life {
        /// The driver looks for the node, and connects.
        case dialing(ErlangNodeName)
        /// We have connected, and the handshake runs.
        case calling(ErlangNodeName, OutgoingHandshake)
        /// A node has connected, and the handshake runs. The peer is what it says of itself, once it has said it.
        case answering(ErlangPeer?, IncomingHandshake)
        /// Packets pass.
        case up(NodeTraffic)
    }

    private(set) var life: Life
    /// Where it came from, if a node has connected to us.
    let address: String
    /// Says when to tick, once packets pass.
    private var ticks: TickWatch?
    /// When the handshake must have ended.
    private var handshakeDeadline: Duration
    private var output: [UInt8] = []
    /// What the driver has taken, and the system has not.
    private var unsentByteCount = 0

    init(_ life: Life, address: String, deadline: Duration) {
        self.life = life
        self.address = address
        handshakeDeadline = deadline
    }

    /// When something is to be done.
    var nextDeadline: Duration { ticks?.deadline ?? handshakeDeadline }

    /// Whether the driver has taken all output.
    var isOutputTaken: Bool { output.isEmpty }

    /// The bytes that wait to be sent.
    var pendingByteCount: Int { output.count + unsentByteCount }

    /// The node, once packets pass.
    var node: ErlangNodeName? { if case .up(let traffic) = life { traffic.peer.name } else { nil } }

    /// Whether both have proved the cookie.
    var isUp: Bool { if case .up = life { true } else { false } }

    /// What it needs while packets pass; nil before.
    var traffic: NodeTraffic? { if case .up(let traffic) = life { traffic } else { nil } }

    // MARK: Its life

    /// The driver has connected to the node, and the handshake begins.
    mutating func dialed(_ name: ErlangNodeName, _ handshake: consuming OutgoingHandshake, deadline: Duration) {
        handshakeDeadline = deadline
        advance(name, handshake)
    }

    /// Our handshake has come so far. What it says is to be sent.
    mutating func advance(_ name: ErlangNodeName, _ handshake: consuming OutgoingHandshake) {
        output += handshake.takeOutput()
        life = .calling(name, handshake)
    }

    /// The handshake of a node that has connected has come so far. What it says is to be sent.
    mutating func advance(_ peer: ErlangPeer?, _ handshake: consuming IncomingHandshake) {
        output += handshake.takeOutput()
        life = .answering(peer, handshake)
    }

    /// Both have proved the cookie, and packets follow.
    mutating func becameUp(_ traffic: NodeTraffic, _ ticks: TickWatch) {
        life = .up(traffic)
        self.ticks = ticks
    }

    /// Packets have arrived.
    mutating func received(at now: Duration) { ticks?.received(at: now) }

    /// Does what is due.
    ///
    /// - Returns: Why the connection must end; nil if it stays.
    mutating func poll(at now: Duration) -> NodeFault? {
        guard isUp else { return now >= handshakeDeadline ? .unreachable : nil }
        switch ticks?.poll(at: now) {
        case .dead: return .silent
        case .tick: output += PacketEncoder.tick
        case nil: break
        }
        return nil
    }

    // MARK: Output

    /// Appends a message.
    ///
    /// - Returns: Whether something was appended: a message to an earlier life of the node is dropped.
    mutating func send(_ message: OutgoingMessage, at now: Duration) throws(ErlangError) -> Bool {
        guard case .up(let traffic) = life else { return false }
        let isWritten = try traffic.encoder.append(message, to: &output)
        if isWritten { ticks?.sent(at: now) }
        return isWritten
    }

    /// - Parameter spare: An empty array with memory for what comes next.
    mutating func takeOutput(reusing spare: [UInt8]) -> [UInt8] {
        unsentByteCount += output.count
        var taken = spare
        swap(&taken, &output)
        return taken
    }

    /// The system has taken all but so many bytes.
    mutating func noteUnsent(_ byteCount: Int) { unsentByteCount = byteCount }
}

/// What a connection needs after its handshake.
struct NodeTraffic {
    let peer: ErlangPeer
    let node: ErlangAtom
    let encoder: PacketEncoder
}

/// The connections of a node.
struct ConnectionTable {
    private var connections: [NodeConnectionID: NodeConnection] = [:]
    /// The readers of connections that are up. They are apart, so that a message can be answered while it is read.
    private var readers: [NodeConnectionID: PacketReader] = [:]
    private var lastNumber: UInt64 = 0
    /// The connections with output that the driver has not been told of.
    private var unsent: Set<NodeConnectionID> = []
    /// How many bytes these have at least.
    private var unsentByteCount = 0

    /// So much is sent at once, and does not wait for more.
    private static let muchByteCount = 32 << 10

    mutating func add(_ life: NodeConnection.Life, address: String = "", deadline: Duration) -> NodeConnectionID {
        lastNumber += 1
        let id = NodeConnectionID(number: lastNumber)
        connections[id] = NodeConnection(life, address: address, deadline: deadline)
        return id
    }

    subscript(id: NodeConnectionID) -> NodeConnection? { connections[id] }

    /// The node of a connection that is up, and how many bytes wait for it. Nothing else is copied.
    func pendingOutput(on id: NodeConnectionID) -> (node: ErlangNodeName, byteCount: Int)? {
        guard let place = connections.index(forKey: id), let node = connections.values[place].node else { return nil }
        return (node, connections.values[place].pendingByteCount)
    }

    /// All connections, in the order in which they began.
    var ids: [NodeConnectionID] { connections.keys.sorted() }

    /// The number of accepted connections that have not proved the cookie, of those that say such a name.
    func answeringCount(where isWanted: (ErlangNodeName?) -> Bool) -> Int {
        connections.values.count { if case .answering(let peer, _) = $0.life { isWanted(peer?.name) } else { false } }
    }

    /// The accepted connections of one life of a node that began before another one, and have not proved the cookie.
    func answering(_ peer: ErlangPeer, before id: NodeConnectionID) -> [NodeConnectionID] {
        connections.filter { other, connection in
            guard other < id, case .answering(let found?, _) = connection.life else { return false }
            return found.name == peer.name && found.creation == peer.creation
        }.keys.sorted()
    }

    /// Changes a connection that is there; nil for others. Output that this makes is noted.
    mutating func update<Value, Failure: Error>(
        _ id: NodeConnectionID, _ body: (inout NodeConnection) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        guard let place = connections.index(forKey: id) else { return nil }
        var added = Addition()
        let value = try added.watch(&connections.values[place], body)
        if added.byteCount > 0 {
            // Otherwise it was noted before.
            if added.isFirst { unsent.insert(id) }
            unsentByteCount += added.byteCount
        }
        return value
    }

    /// The output that a change of a connection adds. All of it is found in place: the getter of a dictionary's values
    /// would copy the connection.
    private struct Addition {
        private(set) var byteCount = 0
        /// Whether the driver had taken all output before.
        private(set) var isFirst = false

        mutating func watch<Value, Failure: Error>(
            _ connection: inout NodeConnection, _ body: (inout NodeConnection) throws(Failure) -> Value
        ) throws(Failure) -> Value {
            let before = connection.pendingByteCount
            isFirst = connection.isOutputTaken
            let value = try body(&connection)
            byteCount = connection.pendingByteCount - before
            return value
        }
    }

    /// The connection is up, and packets follow.
    mutating func becameUp(
        _ id: NodeConnectionID, _ traffic: NodeTraffic, _ ticks: TickWatch, _ limits: DistributionLimits
    ) {
        guard connections[id] != nil else { return }
        connections[id]?.becameUp(traffic, ticks)
        readers[id] = PacketReader(peer: traffic.peer, limits: limits)
    }

    /// Lends the reader of a connection that is up; nil for others. ``giveBack(_:_:)`` ends the loan.
    mutating func takeReader(_ id: NodeConnectionID) -> PacketReader? { readers[id].take() }

    mutating func giveBack(_ reader: PacketReader, _ id: NodeConnectionID) {
        if connections[id] != nil { readers[id] = reader }
    }

    mutating func remove(_ id: NodeConnectionID) -> NodeConnection? {
        readers[id] = nil
        unsent.remove(id)
        return connections.removeValue(forKey: id)
    }

    var hasUnsent: Bool { !unsent.isEmpty }

    /// Whether so much output waits that it should be sent.
    var hasMuchUnsent: Bool { unsentByteCount >= Self.muchByteCount }

    /// Returns the connections that have output, and forgets that they do.
    mutating func takeUnsent() -> [NodeConnectionID] {
        defer {
            unsent.removeAll(keepingCapacity: true)
            unsentByteCount = 0
        }
        return unsent.count > 1 ? unsent.sorted() : Array(unsent)
    }
}
