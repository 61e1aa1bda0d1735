// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

/// A node and its program: a process `box` that is talked to, and one that watches the other node's box.
struct SimulatedProgram {
    let index: Int
    let name: ErlangNodeName
    let creation: UInt32
    var core: NodeCore
    /// What went wrong.
    private(set) var problems: [String] = []

    private(set) var box: ErlangPID
    private var watcher: ErlangPID
    /// What the watcher must still hear of.
    private(set) var monitors: Set<ErlangMonitor> = []
    private(set) var links: Set<ErlangPID> = []
    private(set) var calls: [ErlangReference: ErlangTerm] = [:]
    /// The last number that each process has sent to the box.
    private var received: [ErlangPID: Int64] = [:]
    private var sent: Int64 = 0
    /// Terms that were not numbers.
    private(set) var words: [ErlangTerm] = []
    private(set) var replyCount = 0

    init(_ index: Int, _ name: ErlangNodeName, creation: UInt32) {
        self.index = index
        self.name = name
        self.creation = creation
        core = NodeCore(ErlangPeer(name: name, creation: creation), cookie: SimulatedPair.cookie)
        box = Self.start(&core, "box")
        watcher = Self.start(&core, "watcher")
        if (try? core.watchNodes(watcher)) == nil { problems.append("the watcher is not there") }
    }

    private static func start(_ core: inout NodeCore, _ name: ErlangAtom) -> ErlangPID {
        do { return try core.start(name: name, trapsExits: true) } catch { preconditionFailure("\(error)") }
    }

    mutating func restart(creation: UInt32) {
        let old = problems
        self = SimulatedProgram(index, name, creation: creation)
        problems = old
    }

    // MARK: The program

    mutating func send(_ term: ErlangTerm, to other: ErlangNodeName, at now: Duration) {
        attempt { try $0.core.send(term, to: .name("box", at: other), from: $0.watcher, at: now) }
    }

    mutating func sendNumber(to other: ErlangNodeName, at now: Duration) {
        sent += 1
        send(.integer(sent), to: other, at: now)
    }

    mutating func monitor(_ target: ErlangDestination, at now: Duration) {
        attempt { $0.monitors.insert(try $0.core.monitor(target, by: $0.watcher, at: now)) }
    }

    mutating func demonitor(at now: Duration) {
        guard let monitor = monitors.min(by: { $0.reference.words.lexicographicallyPrecedes($1.reference.words) })
        else { return }
        core.demonitor(monitor, by: watcher, at: now)
        takeEvents(at: now)
        monitors.remove(monitor)
    }

    mutating func link(to other: ErlangPID, at now: Duration) {
        links.insert(other)
        attempt { try $0.core.link($0.watcher, to: other, at: now) }
    }

    mutating func unlink(from other: ErlangPID, at now: Duration) {
        core.unlink(watcher, from: other, at: now)
        takeEvents(at: now)
        links.remove(other)
    }

    mutating func call(_ other: ErlangNodeName, at now: Duration) {
        sent += 1
        let request = ErlangTerm.tuple("ask", .integer(sent))
        attempt { $0.calls[try $0.core.call(.name("box", at: other), request, at: now)] = request }
    }

    mutating func giveUpCall(at now: Duration) {
        guard let reference = calls.keys.min(by: { $0.words.lexicographicallyPrecedes($1.words) }) else { return }
        core.endCall(reference, at: now)
        // A reply that was there before is an action, and may still come.
        calls[reference] = nil
        givenUp.insert(reference)
    }

    private var givenUp: Set<ErlangReference> = []

    /// Ends the box, and starts another one.
    mutating func endBox(at now: Duration) {
        attempt { try $0.core.end($0.box, reason: "done", at: now) }
        box = Self.start(&core, "box")
        received = [:]
    }

    private mutating func attempt(_ body: (inout Self) throws -> Void) {
        do { try body(&self) } catch { problems.append("\(error)") }
    }

    // MARK: What it hears

    mutating func note(_ action: NodeCore.Action, at now: Duration) {
        switch action {
        case .wake: takeEvents(at: now)
        case .reply(let reference, let result):
            guard let request = calls.removeValue(forKey: reference) else {
                if !givenUp.contains(reference) { problems.append("a second reply") }
                return
            }
            if case .success(let reply) = result {
                replyCount += 1
                if reply != .tuple("reply", request) { problems.append("the reply \(reply) to \(request)") }
            }
        case .ended(let pid, let reason): problems.append("\(pid) has ended for \(reason)")
        case .note(.droppedMessage(_, let error)): problems.append("\(error)")
        default: break
        }
    }

    private mutating func takeEvents(at now: Duration) {
        for event in core.takeEvents(of: box) { hear(event, at: now) }
        for event in core.takeEvents(of: watcher) {
            switch event {
            case .down(let monitor, reason: _):
                if monitors.remove(monitor) == nil { problems.append("an end that was not asked for") }
            case .exit(let pid, reason: _):
                if links.remove(pid) == nil { problems.append("the end of no link") }
            case .nodeUp, .nodeDown: break
            default: problems.append("\(event)")
            }
        }
    }

    private mutating func hear(_ event: ErlangEvent, at now: Duration) {
        switch event {
        case .message(.integer(let number), from: let sender?):
            if received[sender, default: 0] >= number { problems.append("\(number) after \(received)") }
            received[sender] = number
        case .message(let term, from: _): words.append(term)
        case .call(let call):
            do {
                try core.reply(.tuple("reply", call.request), to: call, from: box, at: now)
            } catch {
                problems.append("\(error)")
            }
        // A watcher of an earlier life may be linked to it.
        case .exit: break
        default: problems.append("\(event)")
        }
    }
}
