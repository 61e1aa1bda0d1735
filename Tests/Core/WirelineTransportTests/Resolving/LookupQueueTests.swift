// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport

@testable import WirelineTransport

/// Lookups while the system's resolver does not answer.
@Suite(.amongAll)
struct LookupQueueTests {
    typealias Question = LookupQueue.Question

    /// A queue with one thread. A first lookup of `slow` blocks the thread until the gate opens.
    struct Bench {
        let gate = Seen<Void>()
        let begun = Seen<String>()
        let calls = BlockingCalls(threadLimit: 1)
        let queue: LookupQueue

        init(limit: Int = 1_000) async throws {
            queue = LookupQueue(on: calls, limit: limit) { [begun, gate] question in
                begun.add(question.host)
                if question.host == "slow" { gate.block(until: 1) }
                return .failure(.unknownHost(question.host, reason: "test"))
            }
            _ = try queue.join(Question(host: "slow", family: nil)) { _ in }
            _ = await begun.first(1)
        }
    }

    @Test func `equal lookups that wait in the queue become one call, and all callers get its answer`() async throws {
        let bench = try await Bench()
        let told = Seen<LookupQueue.Outcome>()
        for _ in 0..<1_000 {
            _ = try bench.queue.join(Question(host: "a", family: .ipv4)) { told.add($0) }
            _ = try bench.queue.join(Question(host: "a", family: .ipv6)) { told.add($0) }
        }
        // A lookup that has begun may belong to an older network, so a new one starts.
        _ = try bench.queue.join(Question(host: "slow", family: nil)) { told.add($0) }
        #expect(bench.calls.waitingCount == 3)
        bench.gate.add(())
        #expect(await told.first(2_001).count == 2_001)
        #expect(await bench.begun.first(4) == ["slow", "a", "a", "slow"])
        #expect(bench.begun.count == 4)
    }

    @Test func `a lookup without callers leaves the queue`() async throws {
        let bench = try await Bench()
        let told = Seen<String>()
        for number in 0..<5_000 {
            let question = Question(host: "\(number % 500)", family: nil)
            let tickets = try (0..<2).map { _ in try bench.queue.join(question) { _ in told.add("stale") } }
            for ticket in tickets { bench.queue.leave(ticket) }
        }
        #expect(bench.calls.waitingCount == 0)
        let kept = try bench.queue.join(Question(host: "kept", family: nil)) { _ in told.add("kept") }
        let left = try bench.queue.join(Question(host: "kept", family: nil)) { _ in told.add("left") }
        bench.queue.leave(left)
        bench.queue.leave(left)
        bench.gate.add(())
        #expect(await told.first(1) == ["kept"])
        bench.queue.leave(kept)
        #expect(bench.begun.count == 2)
        #expect(told.count == 1)
    }

    @Test func `the queue holds no more lookups than its limit`() async throws {
        let bench = try await Bench(limit: 3)
        let tickets = try (0..<3).map { try bench.queue.join(Question(host: "\($0)", family: nil)) { _ in } }
        let refusal = TransportError.lookupFailed("3", reason: "3 other look-ups wait for the resolver")
        #expect(throws: refusal) { try bench.queue.join(Question(host: "3", family: nil)) { _ in } }
        // An equal lookup takes no place in the queue.
        _ = try bench.queue.join(Question(host: "2", family: nil)) { _ in }
        bench.queue.leave(tickets[0])
        let told = Seen<Void>()
        _ = try bench.queue.join(Question(host: "3", family: nil)) { _ in told.add(()) }
        bench.gate.add(())
        _ = await told.first(1)
    }
}
