// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSession

/// By when a peer must have done its part. Times are seconds.
struct PeerDeadlinesTests {
    typealias Signs = PeerDeadlines.Signs

    static let limits = PeerDeadlines.Limits(handshake: .seconds(10), firstPacket: .seconds(20), silence: .seconds(60))

    private static func signs(_ lastArrival: Int, wantedSince: Int?, hasOutput: Bool = false) -> Signs {
        Signs(
            lastArrival: .seconds(lastArrival), wantedSince: wantedSince.map { .seconds($0) }, hasOutput: hasOutput)
    }

    @Test func `one stage follows another, each with its own time`() {
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

    @Test func `without a deadline for the first packet, that of silence holds at once`() {
        let deadlines = PeerDeadlines(PeerDeadlines.Limits(silence: .seconds(60)), at: .seconds(1))
        #expect(deadlines.deadline == .seconds(61))
    }

    @Test func `handshakes have their time, whether somebody wants something or not`() {
        var deadlines = PeerDeadlines(Self.limits, isShakingHands: true, at: .zero)
        #expect(deadlines.timerFired(at: .seconds(10), Self.signs(9, wantedSince: nil)) == .tooLate)
    }

    @Test func `bytes alone are no first packet`() {
        var deadlines = PeerDeadlines(Self.limits, at: .zero)
        #expect(deadlines.timerFired(at: .seconds(20), Self.signs(19, wantedSince: 0)) == .tooLate)
    }

    @Test func `every byte is a sign of life, and counts from when it came`() {
        var deadlines = PeerDeadlines(PeerDeadlines.Limits(silence: .seconds(60)), at: .zero)
        #expect(deadlines.timerFired(at: .seconds(60), Self.signs(45, wantedSince: 0)) == .goOn)
        #expect(deadlines.deadline == .seconds(105))
        #expect(deadlines.timerFired(at: .seconds(105), Self.signs(45, wantedSince: 0)) == .tooLate)
    }

    @Test(arguments: [PeerDeadlines.Limits(silence: .seconds(60)), PeerDeadlines.Limits(firstPacket: .seconds(60))])
    func `time in which nothing is wanted is not the peer's`(limits: PeerDeadlines.Limits) {
        var deadlines = PeerDeadlines(limits, at: .zero)
        #expect(deadlines.timerFired(at: .seconds(60), Self.signs(0, wantedSince: nil)) == .goOn)
        #expect(deadlines.deadline == .seconds(120))
        #expect(deadlines.timerFired(at: .seconds(120), Self.signs(0, wantedSince: 100)) == .goOn)
        #expect(deadlines.deadline == .seconds(160))
        #expect(deadlines.timerFired(at: .seconds(160), Self.signs(0, wantedSince: 100)) == .tooLate)
    }

    @Test func `who has finished waits two seconds for a silent peer`() {
        var deadlines = PeerDeadlines(Self.limits, at: .zero)
        deadlines.finish(at: .seconds(10), within: nil)
        deadlines.finish(at: .seconds(11), within: .seconds(100))
        deadlines.packetCame(at: .seconds(11))
        #expect(deadlines.deadline == .seconds(12))
        #expect(deadlines.timerFired(at: .seconds(12), Self.signs(11, wantedSince: nil)) == .goOn)
        #expect(deadlines.deadline == .seconds(14))
        #expect(deadlines.timerFired(at: .seconds(14), Self.signs(12, wantedSince: nil)) == .close)
    }

    @Test func `a peer that always says something is given thirty seconds`() {
        var deadlines = PeerDeadlines(at: .zero)
        deadlines.finish(at: .zero, within: nil)
        var now = 0
        while deadlines.timerFired(at: .seconds(now), Self.signs(now, wantedSince: nil)) == .goOn { now += 1 }
        #expect(now == 30)
    }

    @Test func `what is on its way to a peer has its time, but for a fixed end`() {
        var deadlines = PeerDeadlines(at: .zero)
        deadlines.finish(at: .zero, within: nil)
        for now in 1...1_000 {
            #expect(deadlines.timerFired(at: .seconds(now), Self.signs(0, wantedSince: nil, hasOutput: true)) == .goOn)
        }
        #expect(deadlines.timerFired(at: .seconds(1_001), Self.signs(0, wantedSince: nil)) == .close)

        deadlines = PeerDeadlines(at: .zero)
        deadlines.finish(at: .zero, within: .seconds(5))
        #expect(deadlines.timerFired(at: .seconds(4), Self.signs(0, wantedSince: nil, hasOutput: true)) == .goOn)
        #expect(deadlines.deadline == .seconds(5))
        #expect(deadlines.timerFired(at: .seconds(5), Self.signs(5, wantedSince: nil, hasOutput: true)) == .close)
    }
}
