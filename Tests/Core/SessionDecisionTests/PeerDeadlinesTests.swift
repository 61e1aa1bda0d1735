// SPDX-License-Identifier: Apache-2.0

import Testing
import Wireline

/// The deadlines by which a peer must have done its part. Times are seconds.
struct PeerDeadlinesTests {
    typealias PeerActivity = PeerDeadlines.PeerActivity

    static let limits = PeerDeadlines.Limits(handshake: .seconds(10), firstPacket: .seconds(20), silence: .seconds(60))

    private static func signs(_ lastArrival: Int, wantedSince: Int?, undelivered: Int = 0) -> PeerActivity {
        PeerActivity(
            lastArrival: .seconds(lastArrival), wantedSince: wantedSince.map { .seconds($0) },
            undeliveredByteCount: undelivered)
    }

    @Test func `the stages follow one another, each with its own timeout`() {
        var deadlines = PeerDeadlines(Self.limits, isShakingHands: true, at: .seconds(100))
        #expect(deadlines.deadline == .seconds(110))
        deadlines.packetCame(at: .seconds(101))
        #expect(deadlines.deadline == .seconds(110))
        deadlines.handshakeCompleted(at: .seconds(105))
        #expect(deadlines.deadline == .seconds(125))
        #expect(deadlines.isAwaitingFirstPacket)
        deadlines.packetCame(at: .seconds(107))
        #expect(deadlines.deadline == .seconds(167))
        #expect(!deadlines.isAwaitingFirstPacket)
        deadlines.packetCame(at: .seconds(108))
        deadlines.handshakeCompleted(at: .seconds(109))
        #expect(deadlines.deadline == .seconds(167))
    }

    @Test func `without limits there is no deadline`() {
        var deadlines = PeerDeadlines(isShakingHands: true, at: .zero)
        #expect(deadlines.deadline == nil)
        deadlines.handshakeCompleted(at: .seconds(1))
        #expect(deadlines.deadline == nil)
        #expect(!deadlines.isAwaitingFirstPacket)
    }

    @Test func `without a timeout for the first packet, the timeout for silence applies at once`() {
        let deadlines = PeerDeadlines(PeerDeadlines.Limits(silence: .seconds(60)), at: .seconds(1))
        #expect(deadlines.deadline == .seconds(61))
    }

    @Test func `handshakes have a timeout even if the server does not wait for input`() {
        var deadlines = PeerDeadlines(Self.limits, isShakingHands: true, at: .zero)
        #expect(deadlines.timerFired(at: .seconds(10), Self.signs(9, wantedSince: nil)) == .tooLate)
    }

    @Test func `bytes that are no packet do not count as the first packet`() {
        var deadlines = PeerDeadlines(Self.limits, at: .zero)
        #expect(deadlines.timerFired(at: .seconds(20), Self.signs(19, wantedSince: 0)) == .tooLate)
    }

    @Test func `every byte is a sign of life from the time when it came`() {
        var deadlines = PeerDeadlines(PeerDeadlines.Limits(silence: .seconds(60)), at: .zero)
        #expect(deadlines.timerFired(at: .seconds(60), Self.signs(45, wantedSince: 0)) == .goOn)
        #expect(deadlines.deadline == .seconds(105))
        #expect(deadlines.timerFired(at: .seconds(105), Self.signs(45, wantedSince: 0)) == .tooLate)
    }

    @Test(arguments: [PeerDeadlines.Limits(silence: .seconds(60)), PeerDeadlines.Limits(firstPacket: .seconds(60))])
    func `time in which the server wants no input does not count against the peer`(limits: PeerDeadlines.Limits) {
        var deadlines = PeerDeadlines(limits, at: .zero)
        #expect(deadlines.timerFired(at: .seconds(60), Self.signs(0, wantedSince: nil)) == .goOn)
        #expect(deadlines.deadline == .seconds(120))
        #expect(deadlines.timerFired(at: .seconds(120), Self.signs(0, wantedSince: 100)) == .goOn)
        #expect(deadlines.deadline == .seconds(160))
        #expect(deadlines.timerFired(at: .seconds(160), Self.signs(0, wantedSince: 100)) == .tooLate)
    }

    @Test func `after the last output, the server waits two seconds for a silent peer`() {
        var deadlines = PeerDeadlines(Self.limits, at: .zero)
        deadlines.finish(at: .seconds(10), within: nil)
        deadlines.finish(at: .seconds(11), within: .seconds(100))
        deadlines.packetCame(at: .seconds(11))
        #expect(deadlines.deadline == .seconds(12))
        #expect(deadlines.timerFired(at: .seconds(12), Self.signs(11, wantedSince: nil)) == .goOn)
        #expect(deadlines.deadline == .seconds(13))
        #expect(deadlines.timerFired(at: .seconds(13), Self.signs(11, wantedSince: nil)) == .close)
    }

    @Test func `the two seconds begin when the peer has acknowledged everything`() {
        var deadlines = PeerDeadlines(at: .zero)
        deadlines.finish(at: .zero, within: nil, undeliveredByteCount: 1)
        #expect(deadlines.deadline == .milliseconds(250))
        #expect(deadlines.timerFired(at: .milliseconds(250), Self.signs(0, wantedSince: nil)) == .goOn)
        #expect(deadlines.deadline == .milliseconds(2_250))
        #expect(deadlines.timerFired(at: .milliseconds(2_250), Self.signs(0, wantedSince: nil)) == .close)
    }

    @Test func `a peer that never stops sending is closed after thirty seconds`() {
        var deadlines = PeerDeadlines(at: .zero)
        deadlines.finish(at: .zero, within: nil)
        var now = 0
        while deadlines.timerFired(at: .seconds(now), Self.signs(now, wantedSince: nil)) == .goOn { now += 1 }
        #expect(now == 30)
    }

    @Test func `while output is undelivered the peer is not closed, unless there is a fixed deadline`() {
        var deadlines = PeerDeadlines(at: .zero)
        deadlines.finish(at: .zero, within: nil)
        for now in 1...1_000 {
            #expect(deadlines.timerFired(at: .seconds(now), Self.signs(0, wantedSince: nil, undelivered: 1)) == .goOn)
        }
        #expect(deadlines.timerFired(at: .seconds(1_001), Self.signs(0, wantedSince: nil)) == .goOn)
        #expect(deadlines.timerFired(at: .seconds(1_003), Self.signs(0, wantedSince: nil)) == .close)

        deadlines = PeerDeadlines(at: .zero)
        deadlines.finish(at: .zero, within: .seconds(5))
        #expect(deadlines.timerFired(at: .seconds(4), Self.signs(0, wantedSince: nil, undelivered: 1)) == .goOn)
        #expect(deadlines.deadline == .milliseconds(4_250))
        #expect(deadlines.timerFired(at: .seconds(5), Self.signs(5, wantedSince: nil, undelivered: 1)) == .close)
    }

    @Test func `a silent peer that still receives output is closed only after it has everything`() {
        var deadlines = PeerDeadlines(at: .zero)
        deadlines.finish(at: .zero, within: nil, undeliveredByteCount: 100)
        for now in 1...99 {
            let signs = Self.signs(0, wantedSince: nil, undelivered: 100 - now)
            #expect(deadlines.timerFired(at: .seconds(now), signs) == .goOn)
        }
        // It has two more seconds after it has acknowledged the last byte.
        #expect(deadlines.timerFired(at: .seconds(100), Self.signs(0, wantedSince: nil)) == .goOn)
        #expect(deadlines.timerFired(at: .seconds(101), Self.signs(0, wantedSince: nil)) == .goOn)
        #expect(deadlines.timerFired(at: .seconds(102), Self.signs(0, wantedSince: nil)) == .close)
    }
}
