// SPDX-License-Identifier: Apache-2.0

import WirelineSession

/// What a client writes.
enum UpwardItem {
    case login
    case message(index: Int, sequence: UInt64?)
    case heartbeat(sequence: UInt64?)
}

/// What the server writes.
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
    /// Nothing passes any more, and nobody is told.
    case blackhole
    /// Nothing passes any more, and only the server is told.
    case clientNotTold
}

/// A connection of the simulated network.
final class Link {
    let client: Int
    let number: ConnectionNumber
    /// The server's number of it.
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
    /// Whether the place was reached at which it breaks.
    var isCutUpward = false
    var isCutDownward = false

    // What the client's driver knows of it.
    /// When bytes have last arrived since it has looked.
    var arrival: Int?
    var passage = HeartbeatPassage()
    /// How many bytes the session counts as waiting.
    var givenByteCount = 0
    var isWaitingForRoom = false
    /// A request has gone that is never answered.
    var awaitsAnswer = false

    // What the client's system does, in bytes from the first one on: those that the client has written, those of them that
    // the system has taken, those that it has sent, and those that the server's has acknowledged.
    var unsent: [(item: UpwardItem, end: Int)] = []
    var writtenByteCount = 0
    var takenByteCount = 0
    var sentByteCount = 0
    var acknowledgedByteCount = 0
    var pendingByteCount: Int { writtenByteCount - takenByteCount }
    /// How many bytes the system takes that are not acknowledged, on a slow line.
    var bufferByteCount = 0
    var isSending = false
    /// Bytes a second; nil: any number at once.
    var rate: Int?
    var lastArrivalUpward = 0
    var lastArrivalDownward = 0
    var downwardByteCount = 0

    /// After how many bytes it breaks, and how.
    var upwardCut: Int?
    var downwardCut: Int?
    var breakage = Breakage.reset
    /// Until when the server deals with nothing.
    var stallEnd = 0
    var refusesLogin = false
    var ignoresLogin = false
    /// A cumulative acknowledgement is on its way.
    var isAcknowledging = false

    // What the server has decided, and knows.
    var deadlines: PeerDeadlines?
    /// When that is looked at.
    var serverTimer = Int.max
    var heardAt = 0
    /// Since when the server wants to hear more.
    var wantedSince = 0
    /// What it has not dealt with.
    var inbox: [UpwardItem] = []
    /// It deals with the first of those, or waits for room for it.
    var isDealing = false
    /// The client was told to go, and nothing of it is wanted any more.
    var isDraining = false
    /// The client has as many connections as it may.
    var isOneTooMany = false

    init(client: Int, number: ConnectionNumber, serverNumber: Int, endpoint: Int, latency: Int) {
        self.client = client
        self.number = number
        self.serverNumber = serverNumber
        self.endpoint = endpoint
        self.latency = latency
    }
}
