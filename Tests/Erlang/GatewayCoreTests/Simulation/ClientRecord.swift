// SPDX-License-Identifier: Apache-2.0

import WirelineErlang
import WirelineGateway

/// A simulated client, and what the promises say about it. It is kept apart from the core, in another way: by what went in
/// and what came out.
struct ClientRecord {
    let gateway: Int
    let pid: ErlangPID
    let number: ClientNumber
    let window: Int

    // The client itself.
    var isRead = true
    var isOpen = true
    /// Whether it takes what is written to it.
    var isSlow = false
    var queuedByteCount = 0
    /// The number of its last message.
    var said: UInt8 = 0
    var sizes: [Int] = [0]

    // Whose it is.
    var owner: ErlangPID?
    /// Who was asked and has not answered, in order.
    var asked: [ErlangPID] = []
    private var closedTo: Set<ErlangPID> = []
    var hadOwner = false
    var isClosed = false
    var hasEnded = false
    /// Whether it has left while it was not read.
    var isUnread = false
    /// Whether some of what it said has reached nobody.
    private(set) var isLost = false

    /// Whether it has no owner, and no process was asked.
    var isParked: Bool { owner == nil && asked.isEmpty }

    // What is where.
    var confirmed: UInt8 = 0
    /// The last number that the present owner has.
    var handed: UInt8 = 0
    /// The last number that any owner had.
    var everHanded: UInt8 = 0
    var answered: UInt8 = 0
    /// The last number that an owner confirmed without those before it.
    private var skippedTo: UInt8 = 0
    /// The processes that owned it before.
    private var formerOwners: Set<ErlangPID> = []
    var isMember = false
    /// What must be written to it by the event that runs.
    var expected: [[UInt8]] = []

    private(set) var problems: [String] = []

    init(gateway: Int, pid: ErlangPID, window: Int) {
        self.gateway = gateway
        self.pid = pid
        number = ClientNumber(pid)
        self.window = window
    }

    private mutating func fail(_ problem: String) { problems.append("client \(pid.id): \(problem)") }

    // MARK: What goes in

    /// Decides whether a step is allowed, and notes what follows from it.
    ///
    /// - Returns: Whether nothing of it is refused.
    mutating func step(_ actions: [ClientAction], from sender: ErlangPID) -> Bool {
        let isAnswer = actions.contains { if case .owner(_?) = $0 { true } else { false } }
        let answering = isAnswer && owner != sender ? askedIndex(of: sender) : nil
        let isAllowed = take(actions, from: sender, mayAccept: answering != nil && owner == nil)
        // It has answered, even if nothing of it is done.
        if let answering { asked.remove(at: answering) }
        return isAllowed
    }

    private mutating func take(_ actions: [ClientAction], from sender: ErlangPID, mayAccept: Bool) -> Bool {
        var next = self
        var mayAccept = mayAccept
        for action in actions {
            switch action {
            case .confirm(let number):
                guard next.owner == sender, number > UInt64(next.confirmed), number <= UInt64(next.handed)
                else { return false }
                if number > UInt64(next.confirmed) + 1 {
                    // Some of its steps were lost, and then it became the owner again. It may do that, and doubles nothing.
                    if !formerOwners.contains(sender) { next.fail("\(number) is confirmed after \(next.confirmed)") }
                    next.skippedTo = UInt8(number)
                }
                next.confirmed = UInt8(number)
            case .owner(let owner?):
                guard mayAccept || next.owner == sender else { return false }
                mayAccept = false
                if next.owner != owner { next.lose() }
                next.owner = owner
                next.hadOwner = true
            case .owner(nil):
                guard next.owner == sender else { return false }
                next.lose()
            case .change(let change):
                guard next.owner == sender, change != SimulatedPacket.noChange else { return false }
                if !next.isClosing { next.expected.append(SimulatedPacket.changed(change)) }
            case .state: guard next.owner == sender else { return false }
            case .send(.bytes(let packet)): if !next.isClosing { next.expected.append(packet) }
            case .send(.unsealed): return false
            case .join: next.isMember = true
            case .leave: next.isMember = false
            case .kick: next.isClosing = true
            }
        }
        self = next
        return true
    }

    /// Whether a step of the present event ends it.
    var isClosing = false

    private func askedIndex(of sender: ErlangPID) -> Int? {
        asked.firstIndex(of: sender)
            ?? asked.firstIndex { sender.node == $0.node && sender.creation == $0.creation }
    }

    /// It has no owner any more.
    mutating func lose() {
        if let owner { formerOwners.insert(owner) }
        owner = nil
        handed = confirmed
    }

    /// A process has ended.
    mutating func down(_ process: ErlangPID) {
        asked.removeAll { $0 == process }
        if owner == process { lose() }
    }

    mutating func say(byteCount: Int) {
        said += 1
        sizes.append(byteCount)
    }

    // MARK: What comes out

    /// A backend was asked.
    mutating func offered(to backend: ErlangPID, isResume: Bool, _ snapshot: ClientSnapshot) {
        if owner != nil { fail("\(backend) was asked while \(owner!) owns it") }
        if isClosed { fail("a backend was asked after `close`") }
        if isResume != hadOwner { fail("resume is \(isResume), and it had an owner: \(hadOwner)") }
        if snapshot.confirmed != UInt64(confirmed) { fail("\(snapshot.confirmed) is not \(confirmed)") }
        if asked.contains(backend) { fail("\(backend) was asked again before it answered") }
        asked.append(backend)
    }

    /// A message was handed over.
    mutating func handed(to process: ErlangPID, number: UInt64?, term: [UInt8], isNodeSlow: Bool, isEnding: Bool) {
        if process != owner { fail("\(process) got a message and is not the owner") }
        if isClosed { fail("a message came after `close`") }
        if number != (window > 0 ? UInt64(term[0]) : nil) { fail("the number is \(String(describing: number))") }
        if term[0] != handed + 1 { fail("message \(term[0]) came after \(handed)") }
        if term[0] > said { fail("message \(term[0]) was not said") }
        if !isEnding, isNodeSlow { fail("a message went to a node that does not read") }
        handed = term[0]
        if window == 0 {
            if handed <= everHanded { fail("message \(handed) was handed over twice") }
            confirmed = handed
        } else if !isEnding {
            let unconfirmed = Int(confirmed) + 1...Int(handed)
            if unconfirmed.count > window { fail("\(unconfirmed.count) messages are not confirmed") }
            let byteCount = unconfirmed.reduce(0) { $0 + sizes[$1] }
            if byteCount > SimulatedLimits.windowByteCount, unconfirmed.count > 1 {
                fail("\(byteCount) bytes are not confirmed")
            }
        }
        everHanded = max(everHanded, handed)
    }

    mutating func closed(to process: ErlangPID) {
        if !closedTo.insert(process).inserted { fail("a second `close`") }
        if process != owner, !asked.contains(process) { fail("\(process) got `close`") }
        if process == owner, handed != said { fail("`close` came after message \(handed) of \(said)") }
        isClosed = true
    }

    mutating func ended() {
        if hasEnded { fail("its process has ended twice") }
        if closedTo != Set(asked + [owner].compactMap(\.self)) { fail("its process has ended before `close`") }
        if !expected.isEmpty { fail("\(expected) was not written before its end") }
        hasEnded = true
        isLost = isUnread || owner == nil && said > confirmed
        isClosed = true
        isMember = false
    }

    mutating func written(_ packet: [UInt8]) {
        if hasEnded { fail("something was written after its end") }
        if expected.first != packet { fail("\(packet) was written in place of \(expected)") }
        if !expected.isEmpty { expected.removeFirst() }
        queuedByteCount += packet.count
        guard packet[0] == 1 else { return }
        if window > 0, packet[1] != answered + 1, packet[1] != skippedTo || packet[1] <= answered {
            fail("answer \(packet[1]) came after \(answered)")
        }
        // Without a window, a former owner that was slow may answer later than its successor.
        answered = max(answered, packet[1])
    }

    /// Its packets have another state from here on.
    mutating func changed(_ change: ConnectionChange) {
        let expectation = expected.isEmpty ? nil : expected.removeFirst()
        if expectation != SimulatedPacket.changed(change) {
            fail("\(change) came in place of \(String(describing: expectation))")
        }
    }

    /// An event is over.
    mutating func eventEnded() {
        if !expected.isEmpty { fail("\(expected) was not written") }
        if isClosing, !hasEnded { fail("it was to end, and did not") }
        isClosing = false
    }
}
