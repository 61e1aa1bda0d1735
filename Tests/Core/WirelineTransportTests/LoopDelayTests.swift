// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineTransport

/// What a loop reports about its turns.
@Suite(.ahead)
struct LoopDelayTests {
    /// Loops of its own, because the turns of other tests would count.
    private static let group = Result { () throws(TransportError) in try EventLoopGroup(threadCount: 2) }

    /// Blocks the thread, as a handler must not.
    private static func block(for duration: Duration) {
        let end = MonotonicTime.now + duration
        while MonotonicTime.now < end {}
    }

    @Test func `a turn that blocks is counted with its length`() async throws {
        let loop = try EventLoop()
        let before = await loop.counters()
        await loop.run { Self.block(for: .milliseconds(30)) }
        let after = await loop.counters()
        #expect(after.turns.count > before.turns.count)
        #expect(after.turns.longest >= .milliseconds(30))
        #expect(after.turns.sum - before.turns.sum >= .milliseconds(30))
    }

    @Test func `an idle loop makes no turns`() async throws {
        let loop = try EventLoop()
        let before = await loop.counters()
        let after = await loop.counters()
        // Each question takes one turn, and the wake-up that it causes may take one more.
        #expect(after.turns.count - before.turns.count <= 2)
        #expect(after.socketCount == 0 && after.timerCount == 0 && after.unfinishedCount == 0)
    }

    @Test func `a loop counts its timers`() async throws {
        let loop = try EventLoop()
        let timer = await loop.run { loop.schedule(at: .now + .seconds(1_000)) {} }
        #expect(await loop.counters().timerCount == 1)
        await loop.run { loop.cancel(timer) }
        #expect(await loop.counters().timerCount == 0)
    }

    @Test func `a slow turn is reported once, and later ones only after a second`() async throws {
        let loop = try EventLoop()
        let reports = Seen<Duration>()
        let limit = Duration.milliseconds(20)
        let start = MonotonicTime.now
        let watch = await loop.watchSlowTurns(over: limit) { reports.add($0) }
        for _ in 0..<3 { await loop.run { Self.block(for: .milliseconds(25)) } }
        // On a busy machine the turn that began the watch may be slow, too.
        #expect(await reports.first(1)[0] >= limit)
        loop.endWatch(watch)
        _ = await loop.counters()
        let seconds = start.duration(to: .now).components.seconds
        let count = reports.count
        #expect(count <= 1 + seconds)
        await loop.run { Self.block(for: .milliseconds(25)) }
        _ = await loop.counters()
        #expect(reports.count == count)
    }

    @Test func `each watch has its own limit`() async throws {
        let loop = try EventLoop()
        let (short, long) = (Seen<Duration>(), Seen<Duration>())
        _ = await loop.watchSlowTurns(over: .milliseconds(10)) { short.add($0) }
        _ = await loop.watchSlowTurns(over: .seconds(1_000)) { long.add($0) }
        await loop.run { Self.block(for: .milliseconds(15)) }
        #expect(await short.first(1)[0] >= .milliseconds(10))
        #expect(long.count == 0)
    }

    @Test func `a group reports each of its loops`() async throws {
        let group = try Self.group.get()
        await group.loops[1].run { Self.block(for: .milliseconds(30)) }
        let counters = await group.counters()
        #expect(counters.count == 2)
        #expect(counters[1].turns.longest >= .milliseconds(30))
    }
}
