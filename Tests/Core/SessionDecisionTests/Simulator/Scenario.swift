// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import Wireline

/// How the server confirms messages that wait for an acknowledgement.
enum AcknowledgementStyle {
    case each
    case cumulative
}

/// A message that a client sends in a run. Times are microseconds.
struct PlannedMessage {
    var time: Int
    var delivery: DeliveryPolicy
    var receipt: DeliveryReceipt
    var byteCount: Int
    var lifetime: Int?
    var cancellation: Int?
    /// How long the server takes to reply.
    var replyDelay = 0

    /// Whether it is sent again on later connections, and so keeps its order.
    var isKeptInOrder: Bool { delivery == .atLeastOnce || delivery == .exactlyOnce }
}

/// A deliberate fault, to see that the properties can fail.
enum Mutation: CaseIterable {
    /// The server takes every message for new.
    case noDeduplication
    /// A message that is sent again has another sequence number.
    case renewedSequence
    /// A message that may be sent once is sent on the next connection, too.
    case repeatedOnce
    /// Repeated messages come in the opposite order.
    case reversedRepetition
    /// Repeated messages are left out.
    case noRepetition
    /// The server confirms a message before it has handled it, and sometimes forgets one.
    case forgetfulServer
    /// A reply is reported with the number of the message before.
    case mistakenReply
    /// No acknowledgement reaches the session.
    case deafToAcknowledgements
    /// A request that is never answered blocks all later ones.
    case heldUpByUnanswered
    /// A session is not told that a heartbeat is on its way after other bytes.
    case deafToProgress
    /// No heartbeat is sent.
    case noHeartbeats
    /// The end of an older connection is reported as that of the newest.
    case mistakenConnection
    /// The session's timer is never set.
    case noTimer
    /// The server's clients have no deadlines.
    case noServerDeadlines
    /// The server counts input from a client as silence.
    case deafServer
    /// The server counts connections that have ended.
    case countedForEver
    /// The server keeps the memory of connections that have ended.
    case heldForEver
    /// The drain is not told that clients have gone.
    case deafDrain
    /// Connections that have memory for which others wait are never checked.
    case noRounds
    /// Bytes that the server's system has acknowledged count as handled by the server.
    case acknowledgedIsDelivered

    /// A part of the text of one of the violations.
    var symptom: String {
        switch self {
        case .noDeduplication, .renewedSequence: "(exactlyOnce) was delivered 2 times"
        case .repeatedOnce: "(atMostOnce) has arrived 2 times"
        case .reversedRepetition: "comes after message"
        case .noRounds: "waits for room"
        case .noRepetition, .forgetfulServer, .acknowledgedIsDelivered: "is confirmed and was never delivered"
        case .mistakenReply: "is confirmed by the reply to message"
        case .deafToAcknowledgements, .heldUpByUnanswered: "not settled in time"
        case .noHeartbeats, .deafToProgress, .mistakenConnection, .deafServer: "a sound connection was given up"
        case .noTimer: "dead: nothing will happen any more"
        case .noServerDeadlines: "is left at the server"
        case .countedForEver: "was refused, though there is room"
        case .heldForEver: "bytes are held for nobody"
        case .deafDrain: "the drain has not come to its end"
        }
    }
}

/// Everything that a run depends on, made from its seed.
struct Scenario {
    var configuration = SessionConfiguration()
    var style = AcknowledgementStyle.each
    /// Whether the server reports at each login what it has seen.
    var tellsAtLogin = false
    var answersHeartbeats = true
    /// For each client.
    var messages: [[PlannedMessage]] = []
    /// When the faults end.
    var faultEnd = 0
    /// The percentage of attempts and connections with a fault.
    var faultPercentage = 0
    /// When the server restarts, and how long it is away.
    var restarts: [(time: Int, downtime: Int)] = []
    /// The times of calls that skip the delay.
    var hurries: [Int] = []
    /// When the sessions begin to drain, and the timeout for their messages.
    var drain: (time: Int, timeout: Int)?
    /// The deadlines of clients; nil: there are none.
    var deadlines: PeerDeadlines.Limits?
    /// The number of connections that all clients together may have: they have one address.
    var connectionLimit: Int?
    /// The number of message bytes that the server handles at a time; nil: it handles each message at once.
    var heldByteLimit: Int?
    /// The time that it takes for each message.
    var dealingTime = 1_000
    /// When the server drains, with which policy, and how long it is away after that.
    var serverDrain: (time: Int, policy: DrainPolicy, downtime: Int)?
    /// Clients without a session.
    var intruders: [PlannedIntruder] = []
    var mutation: Mutation?

    static let replyID: UInt64 = 900
    /// The reply ID of requests that the server ignores.
    static let unansweredID: UInt64 = 901
    /// The bytes per second of the slowest line.
    static let lowestRate = 300
    /// The longest time in which the server may handle nothing.
    static let longestStall = 8_000_000

    /// The run that a seed describes. Each client sends a few messages, or `messageCount`.
    init(messageCount: Int? = nil, using random: inout SeededGenerator) {
        let hasSequence = random.percentage() < 75
        if hasSequence { configuration.maximumSequence = [2, 3, 7, 15, 255, 65_535, .max][random.below(7)] }
        configuration.endpointCount = 1 + random.below(3)
        configuration.reconnect = ReconnectPolicy(
            baseDelay: .milliseconds(200), maximumDelay: .seconds(3),
            retryLimit: random.percentage() < 15 ? 1 + random.below(4) : nil, stableTime: .seconds(8))
        configuration.heartbeat = HeartbeatPolicy(
            interval: .seconds(4), timeout: .seconds(2), rhythm: random.percentage() < 70 ? .steady : .whenQuiet)
        configuration.connectTimeout = .seconds(3)
        configuration.loginTimeout = .seconds(2)
        configuration.pendingByteCount = [1, 500, 64 << 10][random.below(3)]
        if random.percentage() < 10 { configuration.limits = OutboundLimits(byteCount: 1_500, messageCount: 3) }
        style = random.percentage() < 50 ? .each : .cumulative
        tellsAtLogin = random.percentage() < 30
        faultEnd = 1_000_000 * (1 + random.below(10))
        faultPercentage = [20, 50, 80][random.below(3)]
        if random.percentage() < 30 {
            let time = random.below(faultEnd)
            restarts = [(time: time, downtime: random.below(min(2_000_000, faultEnd - time)))]
        }
        if random.percentage() < 20 { hurries = [random.below(faultEnd), random.below(faultEnd)] }
        let hasUploads = messageCount == nil && random.percentage() < 20
        if random.percentage() < 15 { drain = (random.below(faultEnd + 1_000_000), random.below(20_000_000)) }
        let clientCount = random.percentage() < 90 ? 1 : 2 + random.below(2)
        for _ in 0..<clientCount {
            messages.append(
                Self.messages(
                    messageCount ?? 2 + random.below(7), maximumSequence: configuration.maximumSequence,
                    hasUploads: hasUploads, until: faultEnd + 500_000, using: &random))
        }
        decideServer(using: &random)
        if messageCount == nil { dealingTime = 20_000 }
        intruders = Self.intruders(heldByteLimit: heldByteLimit, until: faultEnd, using: &random)
    }

    private mutating func decideServer(using random: inout SeededGenerator) {
        deadlines = PeerDeadlines.Limits(handshake: .seconds(5), firstPacket: .seconds(4), silence: .seconds(12))
        if random.percentage() < 30 { connectionLimit = messages.count + random.below(2) }
        if random.percentage() < 30 {
            let largest = messages.joined().lazy.map(\.byteCount).max() ?? 0
            heldByteLimit = largest + random.below(800)
        }
        if restarts.isEmpty, random.percentage() < 20 {
            let time = random.below(faultEnd)
            let timeout = (faultEnd - time) / 2
            let policy = DrainPolicy(
                spread: .microseconds(random.below(timeout)), timeout: .microseconds(timeout))
            serverDrain = (time, policy, random.below(faultEnd - time - timeout))
        }
    }

    /// A run without any fault.
    init(configuration: SessionConfiguration, messages: [[PlannedMessage]]) {
        self.configuration = configuration
        self.messages = messages
    }

    private static func messages(
        _ count: Int, maximumSequence: UInt64?, hasUploads: Bool, until end: Int, using random: inout SeededGenerator
    ) -> [PlannedMessage] {
        let hasSequence = maximumSequence != nil
        // Only numbers can assign a reply that comes out of order, and not numbers that are reused soon.
        let takesItsTime = (maximumSequence ?? 0) >= 255
        var time = 0
        return (0..<count).map { _ in
            time = random.percentage() < 40 ? time : min(end, time + random.below(2 * end / count))
            var message = PlannedMessage(
                time: time, delivery: .atMostOnce, receipt: .none, byteCount: 20 + random.below(600))
            if hasUploads, random.percentage() < 40 { message.byteCount = 2_000 + random.below(5_000) }
            let receipts: [DeliveryReceipt] = [.reply(id: Scenario.replyID), .heartbeat, .acknowledgement]
            let receipt = receipts[random.below(hasSequence ? 3 : 2)]
            switch random.below(hasSequence ? 8 : 5) {
            case 0: message.delivery = .latest(LatestKey(messageID: 1, part: UInt64(random.below(2))))
            case 1: message.delivery = .whileConnected
            case 2, 3: message.delivery = .atLeastOnce
            case 4: break
            default: message.delivery = .exactlyOnce
            }
            if message.isKeptInOrder || random.percentage() < 40 { message.receipt = receipt }
            if random.percentage() < 8 { message.lifetime = random.below(4_000_000) }
            if random.percentage() < 5 { message.cancellation = time + random.below(3_000_000) }
            guard case .reply = message.receipt else { return message }
            if random.percentage() < 25 {
                message.receipt = .reply(id: Scenario.unansweredID)
                message.lifetime = message.lifetime ?? random.below(4_000_000)
            } else if takesItsTime, random.percentage() < 25 {
                message.replyDelay = random.below(6_000_000)
                if random.percentage() < 50 { message.lifetime = random.below(4_000_000) }
            }
            return message
        }
    }
}

extension SeededGenerator {
    /// A number from 0 on, below a limit; faster than the standard library's without optimization.
    mutating func below(_ limit: Int) -> Int {
        limit > 1 ? Int(truncatingIfNeeded: next() >> 1) % limit : 0
    }

    mutating func percentage() -> Int { below(100) }
}
