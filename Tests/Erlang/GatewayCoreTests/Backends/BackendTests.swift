// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineErlang
import WirelineGateway

struct BackendsTests {
    private let first = GatewayBench.process(1).target
    private let second = GatewayBench.process(2).target

    @Test func `the one with the fewest clients is asked, then the one that is there longest`() {
        var backends = Backends()
        #expect(backends.choice() == nil)
        #expect(backends.joined(first) == true)
        #expect(backends.joined(second) == true)
        #expect(backends.choice() == first)
        backends.tookClient(first)
        #expect(backends.choice() == second)
        backends.tookClient(second)
        #expect(backends.choice() == first)
        backends.lostClient(second)
        #expect(backends.choice() == second)
    }

    @Test func `who gave a client back is asked last, and who has not answered is not asked`() {
        var backends = Backends()
        _ = backends.joined(first)
        #expect(backends.choice(except: [first]) == first)
        #expect(backends.choice(where: { $0 != first }) == nil)
        _ = backends.joined(second)
        #expect(backends.choice(except: [first]) == second)
        #expect(backends.choice(where: { $0 != second }, except: [first]) == first)
    }

    @Test func `who did not answer in time is asked last until it answers, and who has many offers is not asked`() {
        var backends = Backends()
        _ = backends.joined(first)
        _ = backends.joined(second)
        backends.asked(first)
        backends.ranOut(first)
        for _ in 1...64 {
            #expect(backends.choice() == second)
            backends.asked(second)
        }
        #expect(backends.choice() == first)
        backends.answered(second)
        #expect(backends.choice() == second)
        backends.answered(first)
        #expect(backends.choice() == first)
    }

    @Test func `however many there are, the busiest are shown and the others are added up`() {
        var backends = Backends()
        for id in 1...100 as ClosedRange<UInt32> {
            let backend = GatewayBench.process(id).target
            _ = backends.joined(backend)
            for _ in 0..<id % 10 { backends.tookClient(backend) }
            if id > 98 { backends.asked(backend) }
        }
        let (busiest, others) = backends.loads(limit: 3)
        #expect(busiest.map(\.backend) == [99, 9, 19].map { GatewayBench.process($0).target })
        #expect(busiest.map(\.load.clientCount) == [9, 9, 9])
        #expect(busiest.map(\.load.offerCount) == [1, 0, 0])
        #expect(others?.clientCount == 450 - 27 && others?.offerCount == 1)
        #expect(backends.loads(limit: 100).others == nil)
    }

    @Test func `a member that was in the group twice has left after it left twice`() {
        var backends = Backends()
        _ = backends.joined(first)
        #expect(backends.joined(first) == false)
        #expect(backends.left(first) == false)
        #expect(backends.contains(first))
        #expect(backends.left(first) == true)
        #expect(!backends.contains(first))
        #expect(backends.left(first) == false)
    }

    @Test func `one that comes back is the last, and its clients count`() {
        var backends = Backends()
        _ = backends.joined(first)
        _ = backends.joined(second)
        backends.tookClient(first)
        _ = backends.left(first)
        #expect(backends.count == 1)
        _ = backends.joined(first)
        #expect(backends.choice() == second)
        backends.lostClient(first)
        #expect(backends.choice() == second)
    }
}

struct NodeDialsTests {
    private let node: ErlangNodeName = "a@h"

    @Test func `a node is connected to at once, and again later and later`() throws {
        var dials = NodeDials([node], seed: 1)
        var now = Duration.zero
        for attempt in 0..<12 {
            #expect(dials.takeDue(at: now) == [node])
            #expect(dials.deadline == nil)
            dials.nodeDown(node, at: now)
            let delay = try #require(dials.deadline) - now
            let longest = min(.seconds(5), .milliseconds(200) * (1 << min(attempt, 6)))
            #expect(.milliseconds(100)...longest ~= delay, "attempt \(attempt): \(delay)")
            #expect(dials.takeDue(at: now) == [])
            now += delay
        }
    }

    @Test func `after a connection, the delays begin anew`() throws {
        var dials = NodeDials([node], seed: 1)
        for second in 0..<10 {
            _ = dials.takeDue(at: .seconds(10 * second))
            dials.nodeDown(node, at: .seconds(10 * second))
        }
        _ = dials.takeDue(at: .seconds(200))
        dials.nodeUp(node, at: .seconds(200))
        #expect(dials.deadline == nil)
        dials.nodeDown(node, at: .seconds(300))
        #expect(try #require(dials.deadline) == .milliseconds(300_100))
    }

    @Test func `a node whose connections end at once is connected to later and later`() throws {
        var dials = NodeDials([node], seed: 1)
        var now = Duration.zero
        for _ in 0..<8 {
            #expect(dials.takeDue(at: now) == [node])
            dials.nodeUp(node, at: now)
            dials.nodeDown(node, at: now + .milliseconds(10))
            now = try #require(dials.deadline)
        }
        #expect(dials.takeDue(at: now) == [node])
        dials.nodeUp(node, at: now)
        dials.nodeDown(node, at: now)
        #expect(try #require(dials.deadline) - now >= .milliseconds(2_500))
    }

    @Test func `other nodes are not connected to`() {
        var dials = NodeDials([], seed: 1)
        dials.nodeUp(node, at: .zero)
        dials.nodeDown(node, at: .zero)
        #expect(dials.takeDue(at: .seconds(60)) == [])
    }
}

struct NamedBackendTests {
    private let name = ErlangDestination.name("scene", at: "a@h")

    private func bench() -> GatewayBench {
        GatewayBench {
            $0.backends = .names(["scene": ["a@h"]])
            $0.nodes = ["a@h"]
        }
    }

    @Test func `a name is monitored and its node asked; an answer before its end says that it is there`() {
        let bench = bench()
        let client = bench.open()
        #expect(bench.core.takeEffects() == [])
        #expect(
            bench.effects { $0.nodeUp("a@h", at: $1) } == [.monitor(name), .ping("a@h")])
        let asked = bench.effects { $0.answered("a@h", at: $1) }
        guard case .tell(name, .open(client, _), from: client)? = asked.first else {
            Issue.record("\(asked)")
            return
        }
        // Any process of the node may accept.
        let owner = GatewayBench.process(77)
        _ = bench.tell(client, .tuple("owner", .pid(owner)), from: owner)
        #expect(bench.client(client)?.owner == owner)
    }

    @Test func `a name that nobody has is asked for again after a second`() {
        let bench = bench()
        _ = bench.effects { $0.nodeUp("a@h", at: $1) }
        #expect(bench.effects { $0.down(.name("scene", at: "a@h"), at: $1) } == [])
        #expect(bench.effects { $0.answered("a@h", at: $1) } == [])
        #expect(bench.core.backends.count == 0)
        #expect(bench.pass(.milliseconds(999)) == [])
        #expect(bench.pass(.milliseconds(1)) == [.monitor(name), .ping("a@h")])
        _ = bench.effects { $0.answered("a@h", at: $1) }
        #expect(bench.core.backends.count == 1)
    }

    @Test func `a name whose node is lost waits for the node`() {
        let bench = bench()
        _ = bench.effects { $0.nodeUp("a@h", at: $1) }
        _ = bench.effects { $0.answered("a@h", at: $1) }
        _ = bench.effects {
            $0.nodeDown("a@h", at: $1)
            $0.down(.name("scene", at: "a@h"), at: $1)
        }
        #expect(bench.core.backends.count == 0)
        #expect(bench.pass(.seconds(60)) == [.connect("a@h")])
        #expect(bench.effects { $0.nodeUp("a@h", at: $1) } == [.monitor(name), .ping("a@h")])
    }
}
