// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WirelineTransport

/// The time by which a peer must have read something. Times are in seconds.
struct WriteDeadlineTests {
    private static func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    /// A deadline of 40 seconds, starting at 100.
    private static let deadline = {
        var deadline = WriteDeadline()
        deadline.timeout = .seconds(40)
        deadline.progressed(at: time(100))
        return deadline
    }()

    private static func nextCheck(
        _ deadline: inout WriteDeadline, from time: Int64, _ acknowledged: UInt64?
    ) -> MonotonicTime? {
        deadline.nextCheck(from: Self.time(time), acknowledged: acknowledged)
    }

    private static func checkExpired(_ deadline: inout WriteDeadline, at time: Int64, _ acknowledged: UInt64?) -> Bool {
        deadline.checkExpired(at: Self.time(time), acknowledged: acknowledged)
    }

    @Test func `without a timeout there is no check`() {
        var deadline = WriteDeadline()
        deadline.progressed(at: Self.time(100))
        #expect(Self.nextCheck(&deadline, from: 100, 0) == nil)
        #expect(!Self.checkExpired(&deadline, at: 1_000, 0))
    }

    @Test func `a peer that reads nothing is checked four times, and times out at the last check`() {
        var deadline = Self.deadline
        for time in [110, 120, 130] as [Int64] {
            #expect(Self.nextCheck(&deadline, from: time - 10, 7) == Self.time(time))
            #expect(!Self.checkExpired(&deadline, at: time, 7))
        }
        #expect(Self.nextCheck(&deadline, from: 130, 7) == Self.time(140))
        #expect(Self.checkExpired(&deadline, at: 140, 7))
    }

    @Test func `each acknowledged byte starts the peer's timeout again`() {
        var deadline = Self.deadline
        #expect(Self.nextCheck(&deadline, from: 100, 7) == Self.time(110))
        #expect(!Self.checkExpired(&deadline, at: 139, 8))
        #expect(Self.nextCheck(&deadline, from: 139, 8) == Self.time(149))
        #expect(!Self.checkExpired(&deadline, at: 178, 8))
        #expect(Self.checkExpired(&deadline, at: 179, 8))
    }

    @Test func `bytes acknowledged before output was queued do not count as progress`() {
        var deadline = Self.deadline
        #expect(Self.nextCheck(&deadline, from: 100, 7) != nil)
        deadline.rest()
        deadline.progressed(at: Self.time(200))
        #expect(Self.nextCheck(&deadline, from: 200, 1_000) == Self.time(210))
        #expect(Self.checkExpired(&deadline, at: 240, 1_000))
    }

    @Test func `if the system reports no acknowledgements, only accepted writes count`() {
        var deadline = Self.deadline
        #expect(!Self.checkExpired(&deadline, at: 139, nil))
        deadline.progressed(at: Self.time(139))
        #expect(!Self.checkExpired(&deadline, at: 178, nil))
        #expect(Self.checkExpired(&deadline, at: 179, nil))
    }
}
