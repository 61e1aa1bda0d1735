// SPDX-License-Identifier: Apache-2.0

/// Another node with which we are connected, or want to be.
struct NodePeer {
    enum Life {
        case establishing(Establishing)
        case up(NodeConnectionID)
    }

    let name: ErlangNodeName
    private(set) var life: Life

    init(name: ErlangNodeName, life: Life) {
        self.name = name
        self.life = life
    }

    /// The connection to it; nil while there is none.
    var connection: NodeConnectionID? { if case .up(let id) = life { id } else { nil } }

    /// The bytes that wait for a connection.
    var waitingByteCount: Int {
        if case .establishing(let establishing) = life { establishing.byteCount } else { 0 }
    }

    /// Lets a message wait for a connection.
    mutating func add(_ message: OutgoingMessage, byteCount: Int) {
        _ = changeEstablishing { $0.add(message, byteCount: byteCount) }
    }

    /// It is reached in another way from now on.
    ///
    /// - Returns: When something is to be done; nil if it is connected already.
    mutating func attempt(_ attempt: Establishing.Attempt) -> Duration? {
        changeEstablishing { establishing in
            establishing.attempt = attempt
            return establishing.nextDeadline
        }
    }

    private mutating func changeEstablishing<Value>(_ body: (inout Establishing) -> Value) -> Value? {
        guard case .establishing(var establishing) = life else { return nil }
        // The old value must not share the messages, or each one would copy all before it.
        life = .establishing(Establishing(establishing.attempt, deadline: establishing.deadline))
        defer { life = .establishing(establishing) }
        return body(&establishing)
    }
}

/// How far an attempt to reach a node has come, and what waits for it.
struct Establishing {
    enum Attempt: Equatable {
        /// Our own.
        case ours(NodeConnectionID)
        /// The node has begun to connect to us. If nothing comes of it until this time, we try it ourselves.
        case theirs(until: Duration)
    }

    var attempt: Attempt
    /// When it must have succeeded.
    let deadline: Duration
    private(set) var messages: [OutgoingMessage] = []
    private(set) var byteCount = 0

    init(_ attempt: Attempt, deadline: Duration) {
        self.attempt = attempt
        self.deadline = deadline
    }

    /// When something is to be done.
    var nextDeadline: Duration {
        if case .theirs(let time) = attempt { min(time, deadline) } else { deadline }
    }

    mutating func add(_ message: OutgoingMessage, byteCount: Int) {
        messages.append(message)
        self.byteCount += byteCount
    }
}
