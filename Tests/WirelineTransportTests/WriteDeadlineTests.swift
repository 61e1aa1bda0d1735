// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WirelineTransport

/// By when a peer must have taken something. Times are seconds.
struct WriteDeadlineTests {
    private static func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    /// A deadline of 40 seconds, from the time 100 on.
    private static let deadline = {
        var deadline = WriteDeadline()
        deadline.timeout = .seconds(40)
        deadline.progressed(at: time(100))
        return deadline
    }()

    private static func nextLook(
        _ deadline: inout WriteDeadline, from time: Int64, _ acknowledged: UInt64?
    ) -> MonotonicTime? {
        deadline.nextLook(from: Self.time(time), acknowledged: acknowledged)
    }

    private static func isOver(_ deadline: inout WriteDeadline, at time: Int64, _ acknowledged: UInt64?) -> Bool {
        deadline.isOver(at: Self.time(time), acknowledged: acknowledged)
    }

    @Test func `without a timeout nothing is looked at`() {
        var deadline = WriteDeadline()
        deadline.progressed(at: Self.time(100))
        #expect(Self.nextLook(&deadline, from: 100, 0) == nil)
        #expect(!Self.isOver(&deadline, at: 1_000, 0))
    }

    @Test func `a peer that takes nothing is looked at four times, and its time is over at the last`() {
        var deadline = Self.deadline
        for time in [110, 120, 130] as [Int64] {
            #expect(Self.nextLook(&deadline, from: time - 10, 7) == Self.time(time))
            #expect(!Self.isOver(&deadline, at: time, 7))
        }
        #expect(Self.nextLook(&deadline, from: 130, 7) == Self.time(140))
        #expect(Self.isOver(&deadline, at: 140, 7))
    }

    @Test func `each byte that a peer acknowledges gives it all of its time again`() {
        var deadline = Self.deadline
        #expect(Self.nextLook(&deadline, from: 100, 7) == Self.time(110))
        #expect(!Self.isOver(&deadline, at: 139, 8))
        #expect(Self.nextLook(&deadline, from: 139, 8) == Self.time(149))
        #expect(!Self.isOver(&deadline, at: 178, 8))
        #expect(Self.isOver(&deadline, at: 179, 8))
    }

    @Test func `what was acknowledged before something waited is no progress`() {
        var deadline = Self.deadline
        #expect(Self.nextLook(&deadline, from: 100, 7) != nil)
        deadline.rest()
        deadline.progressed(at: Self.time(200))
        #expect(Self.nextLook(&deadline, from: 200, 1_000) == Self.time(210))
        #expect(Self.isOver(&deadline, at: 240, 1_000))
    }

    @Test func `where the system does not say, what it takes counts alone`() {
        var deadline = Self.deadline
        #expect(!Self.isOver(&deadline, at: 139, nil))
        deadline.progressed(at: Self.time(139))
        #expect(!Self.isOver(&deadline, at: 178, nil))
        #expect(Self.isOver(&deadline, at: 179, nil))
    }
}
