// SPDX-License-Identifier: Apache-2.0

import Testing
import Wireline

struct HeartbeatTests {
    static func heartbeat(
        _ rhythm: HeartbeatPolicy.Rhythm = .steady, maximumSequence: UInt64? = nil
    ) -> HeartbeatMonitor {
        HeartbeatMonitor(
            policy: HeartbeatPolicy(interval: .seconds(30), timeout: .seconds(10), rhythm: rhythm),
            maximumSequence: maximumSequence, at: .zero)
    }

    @Test func `heartbeats are sent once per interval, whatever arrives`() {
        var heartbeat = Self.heartbeat()
        #expect(heartbeat.deadline == .seconds(30))
        heartbeat.received(at: .seconds(29))
        #expect(heartbeat.timerFired(at: .seconds(30)) == .beat(1))
        heartbeat.received(at: .seconds(31))
        #expect(heartbeat.deadline == .seconds(60))
        #expect(heartbeat.timerFired(at: .seconds(59)) == nil)
        #expect(heartbeat.timerFired(at: .seconds(60)) == .beat(2))
    }

    @Test func `heartbeats that only fill silence are delayed by bytes that arrive`() {
        var heartbeat = Self.heartbeat(.whenQuiet)
        heartbeat.received(at: .seconds(29))
        #expect(heartbeat.timerFired(at: .seconds(30)) == nil)
        #expect(heartbeat.deadline == .seconds(59))
        #expect(heartbeat.timerFired(at: .seconds(59)) == .beat(1))
    }

    @Test func `while an answer is expected, bytes that arrive do not delay a heartbeat`() {
        var heartbeat = Self.heartbeat(.whenQuiet)
        heartbeat.received(at: .seconds(29), isEnough: false)
        #expect(heartbeat.timerFired(at: .seconds(30)) == .beat(1))
        heartbeat.hurry(at: .seconds(31))
        #expect(heartbeat.timerFired(at: .seconds(31)) == .beat(2))
    }

    @Test(arguments: [HeartbeatPolicy.Rhythm.steady, .whenQuiet])
    func `a silent peer counts as dead after the timeout`(rhythm: HeartbeatPolicy.Rhythm) {
        var heartbeat = Self.heartbeat(rhythm)
        #expect(heartbeat.timerFired(at: .seconds(30)) == .beat(1))
        #expect(heartbeat.deadline == .seconds(40))
        #expect(heartbeat.timerFired(at: .milliseconds(39_999)) == nil)
        #expect(heartbeat.timerFired(at: .seconds(40)) == .giveUp)
    }

    @Test func `a probe is a heartbeat at once, with little time for an answer`() {
        var heartbeat = Self.heartbeat()
        heartbeat.probe(at: .seconds(7))
        #expect(heartbeat.deadline == .seconds(7))
        #expect(heartbeat.timerFired(at: .seconds(7)) == .beat(1))
        // More of them ask nothing new.
        heartbeat.probe(at: .seconds(8))
        #expect(heartbeat.deadline == .seconds(10))
        #expect(heartbeat.timerFired(at: .milliseconds(9_999)) == nil)
        #expect(heartbeat.timerFired(at: .seconds(10)) == .giveUp)
    }

    @Test func `a probe shortens the wait for an unanswered heartbeat, and lengthens none`() {
        var heartbeat = Self.heartbeat()
        #expect(heartbeat.timerFired(at: .seconds(30)) == .beat(1))
        heartbeat.probe(at: .seconds(32))
        #expect(heartbeat.timerFired(at: .seconds(32)) == .beat(2))
        #expect(heartbeat.deadline == .seconds(35))
        heartbeat = Self.heartbeat()
        #expect(heartbeat.timerFired(at: .seconds(30)) == .beat(1))
        heartbeat.probe(at: .seconds(39))
        #expect(heartbeat.timerFired(at: .seconds(39)) == .beat(2))
        #expect(heartbeat.timerFired(at: .seconds(40)) == .giveUp)
    }

    @Test func `after a probe any byte gives the usual time back`() {
        var heartbeat = Self.heartbeat()
        heartbeat.probe(at: .seconds(7))
        #expect(heartbeat.timerFired(at: .seconds(7)) == .beat(1))
        heartbeat.received(at: .seconds(9))
        #expect(heartbeat.deadline == .seconds(37))
        heartbeat.probe(at: .seconds(20))
        heartbeat.progressed(at: .seconds(22))
        #expect(heartbeat.timerFired(at: .seconds(22)) == .beat(2))
        #expect(heartbeat.deadline == .seconds(25))
    }

    @Test func `any byte shows that the peer is alive`() {
        var heartbeat = Self.heartbeat()
        #expect(heartbeat.timerFired(at: .seconds(30)) == .beat(1))
        heartbeat.received(at: .seconds(39))
        #expect(heartbeat.timerFired(at: .seconds(40)) == nil)
        #expect(heartbeat.deadline == .seconds(60))
    }

    @Test func `a slow upload is not taken for a dead peer while it makes progress`() {
        var heartbeat = Self.heartbeat()
        #expect(heartbeat.timerFired(at: .seconds(30)) == .beat(1))
        heartbeat.progressed(at: .seconds(35))
        #expect(heartbeat.deadline == .seconds(45))
        #expect(heartbeat.timerFired(at: .seconds(40)) == nil)
        heartbeat.progressed(at: .seconds(44))
        #expect(heartbeat.timerFired(at: .seconds(53)) == nil)
        #expect(heartbeat.timerFired(at: .seconds(54)) == .giveUp)
    }

    @Test func `with an interval below the timeout, the first unanswered heartbeat starts the timeout`() {
        var heartbeat = HeartbeatMonitor(
            policy: HeartbeatPolicy(interval: .seconds(2), timeout: .seconds(5)), maximumSequence: nil, at: .zero)
        #expect(heartbeat.timerFired(at: .seconds(2)) == .beat(1))
        #expect(heartbeat.timerFired(at: .seconds(4)) == .beat(2))
        #expect(heartbeat.timerFired(at: .seconds(6)) == .beat(3))
        #expect(heartbeat.deadline == .seconds(7))
        #expect(heartbeat.timerFired(at: .seconds(7)) == .giveUp)
    }

    @Test func `a late answer counts for its own heartbeat, not for the next one`() {
        var heartbeat = Self.heartbeat()
        #expect(heartbeat.timerFired(at: .seconds(30)) == .beat(1))
        heartbeat.received(at: .seconds(31))
        #expect(heartbeat.timerFired(at: .seconds(60)) == .beat(2))
        #expect(heartbeat.answered(sequence: nil, at: .seconds(61)) == 1)
        #expect(heartbeat.roundTrips.last == .seconds(31))
        #expect(heartbeat.answered(sequence: nil, at: .seconds(62)) == 2)
        #expect(heartbeat.roundTrips.last == .seconds(2))
        #expect(heartbeat.answered(sequence: nil, at: .seconds(63)) == nil)
        #expect(heartbeat.roundTrips.count == 2)
    }

    @Test func `sequence numbers show which heartbeat was answered`() {
        var heartbeat = Self.heartbeat(maximumSequence: 2)
        #expect(heartbeat.timerFired(at: .seconds(30)) == .beat(1))
        heartbeat.received(at: .seconds(31))
        #expect(heartbeat.timerFired(at: .seconds(60)) == .beat(2))
        #expect(heartbeat.sequence(of: 2) == 2)
        #expect(heartbeat.sequence(of: 3) == 1)
        #expect(heartbeat.answered(sequence: 2, at: .seconds(61)) == 2)
        #expect(heartbeat.roundTrips.last == .seconds(1))
        #expect(heartbeat.answered(sequence: 1, at: .seconds(62)) == 1)
        #expect(heartbeat.answered(sequence: 0, at: .seconds(62)) == nil)
        #expect(heartbeat.answered(sequence: nil, at: .seconds(62)) == nil)
    }

    @Test func `a server with many unanswered heartbeats is not measured until it has answered all of them`() {
        var heartbeat = Self.heartbeat()
        for count in 1...20 {
            let time = Duration.seconds(30 * count)
            #expect(heartbeat.timerFired(at: time) == .beat(UInt64(count)))
            heartbeat.received(at: time)
        }
        for number in 1...20 as ClosedRange<UInt64> {
            #expect(heartbeat.roundTrips == RoundTrips())
            #expect(heartbeat.answered(sequence: nil, at: .seconds(601)) == number)
        }
        #expect(heartbeat.answered(sequence: nil, at: .seconds(601)) == nil)
        #expect(heartbeat.timerFired(at: .seconds(630)) == .beat(21))
        #expect(heartbeat.answered(sequence: nil, at: .seconds(631)) == 21)
        #expect(heartbeat.roundTrips.last == .seconds(1))
    }

    @Test func `with sequence numbers, old heartbeats are forgotten`() {
        var heartbeat = Self.heartbeat(maximumSequence: 100)
        for count in 1...20 {
            let time = Duration.seconds(30 * count)
            #expect(heartbeat.timerFired(at: time) == .beat(UInt64(count)))
            heartbeat.received(at: time)
        }
        // The time of a forgotten heartbeat is not known any more.
        #expect(heartbeat.answered(sequence: 4, at: .seconds(601)) == 4)
        #expect(heartbeat.roundTrips.count == 0)
        #expect(heartbeat.answered(sequence: 5, at: .seconds(601)) == 5)
        #expect(heartbeat.answered(sequence: 20, at: .seconds(601)) == 20)
    }

    @Test(arguments: [2, 3, 7] as [UInt64])
    func `if all heartbeats have the same number, an answer belongs to the oldest one`(maximumSequence: UInt64) {
        var heartbeat = Self.heartbeat(maximumSequence: maximumSequence)
        for count in 1...20 {
            let time = Duration.seconds(30 * count)
            #expect(heartbeat.timerFired(at: time) == .beat(UInt64(count)))
            heartbeat.received(at: time)
        }
        let answered = (1...20).map { heartbeat.answered(sequence: heartbeat.sequence(of: $0), at: .seconds(601)) }
        #expect(answered == Array(1...20))
        #expect(heartbeat.answered(sequence: 1, at: .seconds(601)) == nil)
    }

    @Test func `round trips are averaged as in RFC 6298`() {
        var heartbeat = HeartbeatMonitor(
            policy: HeartbeatPolicy(interval: .seconds(1), timeout: .seconds(10)), maximumSequence: nil, at: .zero)
        #expect(heartbeat.timerFired(at: .seconds(1)) == .beat(1))
        #expect(heartbeat.answered(sequence: nil, at: .milliseconds(1_800)) == 1)
        #expect(heartbeat.roundTrips.smoothed == .milliseconds(800))
        #expect(heartbeat.roundTrips.variation == .milliseconds(400))
        #expect(heartbeat.timerFired(at: .seconds(2)) == .beat(2))
        #expect(heartbeat.answered(sequence: nil, at: .milliseconds(2_400)) == 2)
        // 3/4 * 400 + 1/4 * |800 - 400|, and 7/8 * 800 + 1/8 * 400.
        #expect(heartbeat.roundTrips.variation == .milliseconds(400))
        #expect(heartbeat.roundTrips.smoothed == .milliseconds(750))
        #expect(heartbeat.timerFired(at: .seconds(3)) == .beat(3))
        #expect(heartbeat.answered(sequence: nil, at: .milliseconds(3_950)) == 3)
        #expect(heartbeat.roundTrips.variation == .milliseconds(350))
        #expect(heartbeat.roundTrips.smoothed == .milliseconds(775))
        #expect(heartbeat.roundTrips.last == .milliseconds(950))
        #expect(heartbeat.roundTrips.minimum == .milliseconds(400))
        #expect(heartbeat.roundTrips.count == 3)
    }
}
