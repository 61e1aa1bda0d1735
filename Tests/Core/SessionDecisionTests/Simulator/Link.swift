// SPDX-License-Identifier: Apache-2.0

import Wireline

/// The things that a client writes.
enum UpwardItem {
    case login
    case message(index: Int, sequence: UInt64?)
    case heartbeat(sequence: UInt64?)
}

/// The things that the server writes.
enum DownwardItem {
    case loggedIn(lastSequence: UInt64?)
    case loginRefused
    case reply(to: Int, sequence: UInt64?)
    case acknowledgement(DeliveryAcknowledgement)
    case heartbeatAnswer(sequence: UInt64?)
    case kick(KickNotice)
}

/// How a connection breaks.
enum Breakage {
    /// Both ends are told.
    case reset
    /// The client sees an end of stream; what it has written still arrives.
    case serverEndsOutput
    /// Nothing passes any more, and neither end is told.
    case blackhole
    /// Nothing passes any more, and only the server is told.
    case clientNotTold
}

/// A connection of the simulated network.
final class Link {
    let client: Int
    let number: ConnectionNumber
    /// The server's number for it.
    let serverNumber: Int
    let endpoint: Int
    let latency: Int
    var madeAt = 0

    var isOpenAtClient = true
    var isOpenAtServer = false
    var isLoggedIn = false
    var carriesUpward = true
    var carriesDownward = true
    var isBroken = false
    /// Whether the place at which it breaks was reached.
    var isCutUpward = false
    var isCutDownward = false

    // What the client's driver knows about it.
    /// When bytes last arrived since it has looked.
    var arrival: Int?
    var passage = HeartbeatInTransit()
    /// The number of bytes that the session counts as waiting.
    var givenByteCount = 0
    var isWaitingForRoom = false
    /// A request was sent that is never answered.
    var awaitsAnswer = false

    // What the client's system does, counted in bytes from the first one: the bytes that the client has written, that
    // the system has taken, that it has sent, and that the server's system has acknowledged.
    var unsent: [(item: UpwardItem, end: Int)] = []
    /// The messages with numbers that the client has written, and where they end.
    var writtenMessages: [(sequence: UInt64, end: Int)] = []
    var writtenByteCount = 0
    var takenByteCount = 0
    var sentByteCount = 0
    var acknowledgedByteCount = 0
    var pendingByteCount: Int { writtenByteCount - takenByteCount }
    /// The number of unacknowledged bytes that the system takes on a slow line.
    var bufferByteCount = 0
    var isSending = false
    /// Bytes per second; nil: no limit.
    var rate: Int?
    var lastArrivalUpward = 0
    var lastArrivalDownward = 0
    var downwardByteCount = 0

    /// The number of bytes after which it breaks, and how.
    var upwardCut: Int?
    var downwardCut: Int?
    var breakage = Breakage.reset
    /// The time until which the server handles nothing.
    var stallEnd = 0
    var refusesLogin = false
    var ignoresLogin = false
    /// A cumulative acknowledgement is on its way.
    var isAcknowledging = false

    // What the server has decided and knows.
    var deadlines: PeerDeadlines?
    /// When the deadlines are checked.
    var serverTimer = Int.max
    var heardAt = 0
    /// The time from which the server has wanted more input.
    var wantedSince = 0
    /// The items that it has not handled.
    var inbox: [UpwardItem] = []
    /// Whether it is handling the first of them, or waits for memory for it.
    var isDealing = false
    /// The number of bytes that it has handled.
    var dealtByteCount = 0
    /// When it last asked for memory, and how often intruders had got some by then.
    var askedAt = 0
    var grantCountBefore = 0
    /// The client was told to go, and the server wants no more from it.
    var isDraining = false
    /// The client already has as many connections as it may.
    var isOneTooMany = false

    init(client: Int, number: ConnectionNumber, serverNumber: Int, endpoint: Int, latency: Int) {
        self.client = client
        self.number = number
        self.serverNumber = serverNumber
        self.endpoint = endpoint
        self.latency = latency
    }
}
