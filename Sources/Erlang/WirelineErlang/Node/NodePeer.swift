// SPDX-License-Identifier: Apache-2.0

/// Another node: it is connected, or we are connecting.
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

    /// Nil while there is none.
    var connection: NodeConnectionID? { if case .up(let id) = life { id } else { nil } }

    var waitingByteCount: Int {
        if case .establishing(let establishing) = life { establishing.byteCount } else { 0 }
    }

    /// Queues a message until the connection is up.
    mutating func add(_ message: OutgoingMessage, byteCount: Int) {
        _ = changeEstablishing { $0.add(message, byteCount: byteCount) }
    }

    /// Switches to another way to reach the node.
    ///
    /// - Returns: The next deadline; nil if the node is connected already.
    mutating func attempt(_ attempt: Establishing.Attempt) -> Duration? {
        changeEstablishing { establishing in
            establishing.attempt = attempt
            return establishing.nextDeadline
        }
    }

    private mutating func changeEstablishing<Value>(_ body: (inout Establishing) -> Value) -> Value? {
        guard case .establishing(var establishing) = life else { return nil }
        // Without this, the old value shares the messages, and each new message would copy all earlier ones.
        life = .establishing(Establishing(establishing.attempt, deadline: establishing.deadline))
        defer { life = .establishing(establishing) }
        return body(&establishing)
    }
}

/// An attempt to reach a node, and the messages that wait for it.
struct Establishing {
    enum Attempt: Equatable {
        case ours(NodeConnectionID)
        /// The node has begun to connect to us. If it has not succeeded at this time, we dial.
        case theirs(until: Duration)
    }

    var attempt: Attempt
    /// The attempt must have succeeded by then.
    let deadline: Duration
    private(set) var messages: [OutgoingMessage] = []
    private(set) var byteCount = 0

    init(_ attempt: Attempt, deadline: Duration) {
        self.attempt = attempt
        self.deadline = deadline
    }

    var nextDeadline: Duration {
        if case .theirs(let time) = attempt { min(time, deadline) } else { deadline }
    }

    mutating func add(_ message: OutgoingMessage, byteCount: Int) {
        messages.append(message)
        self.byteCount += byteCount
    }
}
