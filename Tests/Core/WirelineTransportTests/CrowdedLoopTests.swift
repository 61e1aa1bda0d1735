// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport

@testable import WirelineTransport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A loop with more events than it takes in one turn.
@Suite(.ahead)
struct CrowdedLoopTests {
    /// The read end of a pipe. Only the loop's own thread uses it, so `@unchecked Sendable` needs no lock.
    private final class Ear: PollTarget, @unchecked Sendable {
        let number: Int32
        private let mouth: Int32
        var hears: () -> Void = {}

        override init() {
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            (number, mouth) = (ends[0], ends[1])
        }

        override func becameReady(_ readiness: Poller.Readiness) {
            guard readiness.contains(.readable) else { return }
            var byte: UInt8 = 0
            if read(number, &byte, 1) == 1 { hears() }
        }

        func speak() {
            var byte: UInt8 = 1
            #expect(write(mouth, &byte, 1) == 1)
        }

        func end() {
            close(number)
            close(mouth)
        }
    }

    /// Changed only on the loop, so `@unchecked Sendable` needs no lock.
    private final class Count: @unchecked Sendable { var value = 0 }

    @Test func `a loop that was blocked handles arrived events before deadlines that passed`() async throws {
        let loop = try EventLoop(eventLimit: 4)
        let ears = (0..<50).map { _ in Ear() }
        let heard = Count()
        let heardBefore = Seen<Int>()
        try await loop.run { () throws(TransportError) in
            for ear in ears {
                ear.hears = { heard.value += 1 }
                try loop.watch(ear, ear.number)
            }
        }
        // In another turn: the loop reports these writes in this turn at the earliest.
        await loop.run {
            let deadline = MonotonicTime.now + .milliseconds(1)
            loop.schedule(at: deadline) { heardBefore.add(heard.value) }
            for ear in ears { ear.speak() }
            while MonotonicTime.now < deadline {}
        }
        #expect(await heardBefore.first(1) == [50])
        await end(ears, on: loop)
    }

    @Test func `a slow event in a turn does not count as time of the next event`() async throws {
        let loop = try EventLoop()
        let ears = [Ear(), Ear()]
        let starts = Seen<MonotonicTime>()
        let time = Duration.milliseconds(2)
        try await loop.run { () throws(TransportError) in
            for ear in ears {
                ear.hears = {
                    let start = loop.now
                    starts.add(start)
                    while MonotonicTime.now < start + time {}
                }
                try loop.watch(ear, ear.number)
            }
        }
        await loop.run { for ear in ears { ear.speak() } }
        let seen = await starts.first(2)
        #expect(seen[0] + time <= seen[1])
        await end(ears, on: loop)
    }

    @Test func `sockets that are always ready do not delay timers`() async throws {
        let loop = try EventLoop(eventLimit: 4)
        let ears = (0..<20).map { _ in Ear() }
        let fired = Seen<Int>()
        let rounds = Count()
        try await loop.run { () throws(TransportError) in
            for ear in ears {
                // Each one writes its next event immediately.
                ear.hears = {
                    rounds.value += 1
                    ear.speak()
                }
                try loop.watch(ear, ear.number)
                ear.speak()
            }
            loop.schedule(at: .now) { fired.add(rounds.value) }
        }
        #expect(await fired.first(1).count == 1)
        await end(ears, on: loop)
    }

    @Test func `what takes little time does not wait for all that takes long`() async throws {
        /// Work that never ends.
        final class Long: PollTarget, @unchecked Sendable {
            let loop: EventLoop
            let count: Count
            init(_ loop: EventLoop, _ count: Count) { (self.loop, self.count) = (loop, count) }
            override func continueWork() {
                count.value += 1
                let end = MonotonicTime.now + .milliseconds(1)
                while MonotonicTime.now < end {}
                loop.continueLater(self)
            }
        }
        final class Brief: PollTarget, @unchecked Sendable {
            let body: () -> Void
            init(_ body: @escaping () -> Void) { self.body = body }
            override func continueWork() { body() }
        }
        let loop = try EventLoop()
        let turns = Count()
        let seen = Seen<Int>()
        await loop.run { for _ in 0..<100 { loop.continueLater(Long(loop, turns)) } }
        await loop.run {
            let before = turns.value
            loop.continueLater(Brief { seen.add(turns.value - before) }, isBrief: true)
        }
        // They work for 2 ms in a turn.
        #expect(try #require(await seen.first(1).first) < 10)
    }

    private func end(_ ears: [Ear], on loop: EventLoop) async {
        await loop.run {
            for ear in ears {
                loop.unwatch(ear, ear.number)
                ear.hears = {}
            }
        }
        // The turn continues with the events that it already has.
        await loop.run {}
        for ear in ears { ear.end() }
    }
}
