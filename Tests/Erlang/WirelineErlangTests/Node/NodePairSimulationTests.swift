// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineErlang

/// Two nodes that talk while their network fails, by seeds.
struct NodePairSimulationTests {
    private static let runCount = Depth.rounds(500)

    @Test func `whatever fails, messages come in order, calls and monitors end, and one connection stays`() throws {
        var seeds = SeededGenerator.forThisRun()
        let comment = seeds.seedComment
        var (replyCount, greatestCount) = (0, 0)
        for run in 0..<Self.runCount {
            let seed = seeds.next()
            var pair = SimulatedPair(SeededGenerator(seed: seed))
            for _ in 0..<12 {
                Self.step(&pair)
                greatestCount = max(greatestCount, pair.lineCount)
            }
            let problems = Self.finish(&pair)
            try #require(problems == [], "run \(run), \(comment)")
            replyCount += pair.nodes.reduce(0) { $0 + $1.replyCount }
        }
        // The runs are worth something.
        #expect(replyCount > Self.runCount / 10, comment)
        #expect(greatestCount > 1, comment)
    }

    private static func step(_ pair: inout SimulatedPair) {
        let index = pair.number(below: 2)
        let other = pair.nodes[1 - index].name
        let otherBox = pair.nodes[1 - index].box
        switch pair.number(below: 16) {
        case 0..<4: pair.change(index) { $0.sendNumber(to: other, at: $1) }
        case 4:
            // Both at once.
            for index in 0..<2 {
                let other = pair.nodes[1 - index].name
                pair.change(index) { $0.sendNumber(to: other, at: $1) }
            }
        case 5: pair.change(index) { $0.monitor(.name("box", at: other), at: $1) }
        case 6: pair.change(index) { $0.monitor(.pid(otherBox), at: $1) }
        case 7: pair.change(index) { $0.demonitor(at: $1) }
        case 8: pair.change(index) { $0.link(to: otherBox, at: $1) }
        case 9: pair.change(index) { $0.unlink(from: otherBox, at: $1) }
        case 10, 11: pair.change(index) { $0.call(other, at: $1) }
        case 12: pair.change(index) { $0.giveUpCall(at: $1) }
        case 13: pair.change(index) { $0.endBox(at: $1) }
        case 14:
            if pair.chance(0.5) { pair.change(index) { $0.core.disconnect(from: other, at: $1) } } else { pair.cut() }
        default: if pair.chance(0.3) { pair.restart(index) } else { pair.cut() }
        }
        let pause = pair.chance(0.5) ? pair.number(below: 3_000) : pair.number(below: 2_000_000)
        pair.run(until: pair.now + .microseconds(Int64(pause)))
    }

    /// Lets the network be well, and looks whether all is in order.
    private static func finish(_ pair: inout SimulatedPair) -> [String] {
        // Silent connections are given up after the tick time of 60 s.
        pair.run(until: pair.now + .seconds(200))
        for index in 0..<2 {
            let other = pair.nodes[1 - index].name
            // An attempt may be refused by chance.
            for _ in 0..<8 where !pair.nodes[index].core.isConnected(other) {
                pair.change(index) { $0.send("hello", to: other, at: $1) }
                pair.run(until: pair.now + .seconds(20))
            }
        }
        for index in 0..<2 {
            let other = pair.nodes[1 - index].name
            pair.change(index) { $0.send("last", to: other, at: $1) }
        }
        pair.run(until: pair.now + .seconds(20))
        var problems = pair.nodes.flatMap(\.problems)
        for node in pair.nodes where node.words.last != "last" {
            problems.append("\(node.name) did not hear the last word")
        }
        if pair.openCount != 1 || pair.lineCount != 1 { problems.append("\(pair.lineCount) connections are left") }
        for index in 0..<2 { pair.change(index) { $0.endBox(at: $1) } }
        pair.run(until: pair.now + .seconds(20))
        for node in pair.nodes {
            if !node.calls.isEmpty { problems.append("\(node.calls.count) calls have no end") }
            if !node.monitors.isEmpty { problems.append("\(node.monitors.count) monitors have no end") }
            if !node.links.isEmpty { problems.append("\(node.links.count) links have no end") }
        }
        return problems + pair.nodes.flatMap(\.problems)
    }
}
