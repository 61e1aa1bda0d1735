// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// By this number, a driver finds the connection's socket.
package struct NodeConnectionID: Hashable, Comparable, Sendable {
    let number: UInt64

    package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// A connection to another node, from the attempt to its end.
struct NodeConnection {
    enum Life {
        /// The driver finds the node, and connects.
        case dialing(ErlangNodeName)
        /// We have connected; the handshake is not finished.
        case calling(ErlangNodeName, OutgoingHandshake)
        /// A node has connected; the handshake is not finished. The peer is the name that it claims; nil: none yet.
        case answering(ErlangPeer?, IncomingHandshake)
        /// The handshake is complete; packets pass.
        case up(NodeTraffic)
    }

    private(set) var life: Life
    /// The address of a node that has connected to us; otherwise empty.
    let address: String
    /// Set once packets pass.
    private var ticks: TickWatch?
    private var handshakeDeadline: Duration
    private var output: [UInt8] = []
    /// Bytes that the driver has taken, but the system has not.
    private var unsentByteCount = 0

    init(_ life: Life, address: String, deadline: Duration) {
        self.life = life
        self.address = address
        handshakeDeadline = deadline
    }

    var nextDeadline: Duration { ticks?.deadline ?? handshakeDeadline }

    var isOutputTaken: Bool { output.isEmpty }

    var pendingByteCount: Int { output.count + unsentByteCount }

    /// Nil before packets pass.
    var node: ErlangNodeName? { if case .up(let traffic) = life { traffic.peer.name } else { nil } }

    /// Whether both nodes have proved the cookie.
    var isUp: Bool { if case .up = life { true } else { false } }

    /// Nil before packets pass.
    var traffic: NodeTraffic? { if case .up(let traffic) = life { traffic } else { nil } }

    // MARK: Its life

    mutating func dialed(_ name: ErlangNodeName, _ handshake: consuming OutgoingHandshake, deadline: Duration) {
        handshakeDeadline = deadline
        advance(name, handshake)
    }

    /// Keeps the handshake's new state, and queues its output.
    mutating func advance(_ name: ErlangNodeName, _ handshake: consuming OutgoingHandshake) {
        output += handshake.takeOutput()
        life = .calling(name, handshake)
    }

    /// Keeps the handshake's new state, and queues its output.
    mutating func advance(_ peer: ErlangPeer?, _ handshake: consuming IncomingHandshake) {
        output += handshake.takeOutput()
        life = .answering(peer, handshake)
    }

    /// Both nodes have proved the cookie.
    mutating func becameUp(_ traffic: NodeTraffic, _ ticks: TickWatch) {
        life = .up(traffic)
        self.ticks = ticks
    }

    mutating func received(at now: Duration) { ticks?.received(at: now) }

    /// Sends a tick if one is due.
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

    /// Returns false if it wrote nothing: a message for an earlier life of the node is dropped.
    mutating func send(_ message: OutgoingMessage, at now: Duration) throws(ErlangError) -> Bool {
        guard case .up(let traffic) = life else { return false }
        let isWritten = try traffic.encoder.append(message, to: &output)
        if isWritten { ticks?.sent(at: now) }
        return isWritten
    }

    /// - Parameter spare: An empty array; the next output reuses its memory.
    mutating func takeOutput(reusing spare: [UInt8]) -> [UInt8] {
        unsentByteCount += output.count
        var taken = spare
        swap(&taken, &output)
        return taken
    }

    /// The system has taken everything except `byteCount` bytes.
    mutating func noteUnsent(_ byteCount: Int) { unsentByteCount = byteCount }
}

/// The state that a connection needs after its handshake.
struct NodeTraffic {
    let peer: ErlangPeer
    let node: ErlangAtom
    let encoder: PacketEncoder
}

struct ConnectionTable {
    private var connections: [NodeConnectionID: NodeConnection] = [:]
    /// The readers of connections that are up. They are not in `connections`, so a reader's messages can be answered at
    /// once.
    private var readers: [NodeConnectionID: PacketReader] = [:]
    private var lastNumber: UInt64 = 0
    /// The connections whose output was not yet announced to the driver.
    private var unsent: Set<NodeConnectionID> = []
    /// A lower bound for the output of these connections.
    private var unsentByteCount = 0

    /// From here on, output is sent at once and does not wait for more.
    private static let muchByteCount = 32 << 10

    mutating func add(_ life: NodeConnection.Life, address: String = "", deadline: Duration) -> NodeConnectionID {
        lastNumber += 1
        let id = NodeConnectionID(number: lastNumber)
        connections[id] = NodeConnection(life, address: address, deadline: deadline)
        return id
    }

    subscript(id: NodeConnectionID) -> NodeConnection? { connections[id] }

    /// The node of a connection that is up, and its output in bytes. Nothing else is copied.
    func pendingOutput(on id: NodeConnectionID) -> (node: ErlangNodeName, byteCount: Int)? {
        guard let place = connections.index(forKey: id), let node = connections.values[place].node else { return nil }
        return (node, connections.values[place].pendingByteCount)
    }

    /// In the order of their beginnings.
    var ids: [NodeConnectionID] { connections.keys.sorted() }

    /// Counts the accepted connections without a proved cookie whose claimed name passes `isWanted`.
    func answeringCount(where isWanted: (ErlangNodeName?) -> Bool) -> Int {
        connections.values.count { if case .answering(let peer, _) = $0.life { isWanted(peer?.name) } else { false } }
    }

    /// The accepted connections that the same life of a node began before `id`, and that have not proved the cookie.
    func answering(_ peer: ErlangPeer, before id: NodeConnectionID) -> [NodeConnectionID] {
        connections.filter { other, connection in
            guard other < id, case .answering(let found?, _) = connection.life else { return false }
            return found.name == peer.name && found.creation == peer.creation
        }.keys.sorted()
    }

    /// Changes a connection, and notes the output that the change adds. Returns nil if there is none.
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

    /// The output that a change adds. It works in place, because the getter of a dictionary's values would copy the
    /// connection.
    private struct Addition {
        private(set) var byteCount = 0
        /// Whether the driver had taken all earlier output.
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

    var hasMuchUnsent: Bool { unsentByteCount >= Self.muchByteCount }

    /// Returns the connections that have output, and clears the list.
    mutating func takeUnsent() -> [NodeConnectionID] {
        defer {
            unsent.removeAll(keepingCapacity: true)
            unsentByteCount = 0
        }
        return unsent.count > 1 ? unsent.sorted() : Array(unsent)
    }
}
