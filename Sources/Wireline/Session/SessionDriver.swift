// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSession
import WirelineTransport

/// Carries out what a `ClientSession` decides, on one loop, whatever it is that its connections carry.
///
/// Everything but what is handed out at the beginning is for the loop's own thread; that is also the lock behind
/// `@unchecked Sendable`.
final class SessionDriver<Carrier: SessionCarrier>: @unchecked Sendable {
    typealias Link = Carrier.Link
    typealias Action = ClientSession<Carrier.Payload>.Action

    let loop: EventLoop
    let carrier: Carrier
    let inbox: SessionInbox<Carrier.Element>
    /// Tells this session from others.
    let sessionID = UInt64.random(in: 1 ... .max)
    /// The session's times count from here.
    let origin = MonotonicTime.now

    private let configuration: SessionConfiguration
    private var session: ClientSession<Carrier.Payload>
    private var random = SystemRandomness()
    private var latestTime = Duration.zero
    private var events = Queue<(event: SessionEvent, time: Duration)>()
    private var isHandling = false
    private var timer: (timer: EventLoop.Timer, deadline: Duration)?
    /// When the peer is to be looked at, before the session asks for that.
    private(set) var nextLook: Duration?

    /// The connection that there is, or that is being made.
    var link: Link?
    private var tickets: [MessageNumber: DeliveryTicket] = [:]

    /// What is not counted in the connection that there is: what has passed through earlier ones, and the messages that
    /// nobody could read. They wait in the session, and are read when somebody takes them.
    var ownCounters = ConnectionCounters()

    private var observers: [Int: AsyncStream<SessionState>.Continuation] = [:]
    private var observerCount = 0

    init(on loop: EventLoop, _ carrier: Carrier) {
        self.loop = loop
        self.carrier = carrier
        configuration = carrier.configuration
        inbox = SessionInbox(on: loop, limit: carrier.unreadByteCount, dropsOldest: carrier.dropsOldestUnread)
        session = ClientSession(configuration)
    }

    // MARK: What is to be seen

    var state: SessionState? { session.state }

    var roundTrips: RoundTrips { session.roundTrips }

    /// What the session holds of what it was given to send.
    var currentOutboundCounters: OutboundCounters { session.outboundCounters }

    /// Whether something that arrives may be the reply to a message.
    var awaitsReplies: Bool { session.awaitsReplies }

    /// The time, as the session has it.
    var elapsed: Duration { time(of: .now) }

    private func time(of moment: MonotonicTime) -> Duration {
        .nanoseconds(max(0, moment.nanoseconds - origin.nanoseconds))
    }

    /// Tells an observer where the session stands, now and after each change.
    func add(_ observer: AsyncStream<SessionState>.Continuation) {
        observerCount += 1
        let number = observerCount
        // Before anything is sent to it: a stream that nobody reads any more does not tell of that later.
        observer.onTermination = { [weak self, loop] _ in
            loop.execute { [weak self] in self?.observers[number] = nil }
        }
        guard let state else {
            observers[number] = observer
            return
        }
        if case .terminated = observer.yield(state) { return }
        if case .ended = state { observer.finish() } else { observers[number] = observer }
    }

    private func report(_ state: SessionState) {
        for observer in observers.values { observer.yield(state) }
        guard case .ended(let cause) = state else { return }
        inbox.finish(cause == .byUs ? .success(nil) : .failure(.sessionEnded(cause)))
        for observer in observers.values { observer.finish() }
        observers = [:]
    }

    // MARK: Events

    /// Hands an event to the session, behind those that wait, and carries out what it decides.
    func handle(_ event: SessionEvent) {
        handle(event, at: elapsed)
    }

    private func handle(_ event: SessionEvent, at time: Duration) {
        loop.preconditionIsCurrent()
        events.append((event, time))
        if !isHandling { handleEvents() }
    }

    private func handleEvents() {
        isHandling = true
        var actions: [Action] = []
        while let (event, time) = events.popFirst() {
            // What is told of late has happened earlier; but the session's clock does not go back.
            latestTime = max(latestTime, time)
            session.handle(event, at: latestTime, using: &random, into: &actions)
            carryOut(&actions)
        }
        isHandling = false
        setTimer()
    }

    /// Has the session take a message.
    func send(_ message: OutboundMessage<Carrier.Payload>, _ ticket: DeliveryTicket) throws(SessionError) {
        loop.preconditionIsCurrent()
        guard !ticket.isGivenUp else { throw .cancelled(mayHaveArrived: false) }
        // The connection may have ended, and whoever reads from it not have come to that: nothing goes there any more.
        if let link, link.isRead { noteIfClosed(link) }
        var actions: [Action] = []
        latestTime = max(latestTime, elapsed)
        let number = try session.send(message, at: latestTime, into: &actions)
        ticket.number = number
        tickets[number] = ticket
        isHandling = true
        carryOut(&actions)
        // Sending may have come upon the end of the connection.
        handleEvents()
    }

    /// Gives a message up.
    func cancel(_ ticket: DeliveryTicket) {
        ticket.isGivenUp = true
        if let number = ticket.number { handle(.cancel(number)) }
    }

    private func setTimer() {
        // One that fires early is harmless.
        if let timer, let deadline = session.deadline, timer.deadline <= min(deadline, nextLook ?? deadline) { return }
        if let (timer, _) = timer.take() { loop.cancel(timer) }
        guard var deadline = session.deadline else { return }
        if let look = nextLook { deadline = min(deadline, look) }
        let handle = loop.schedule(at: origin + deadline) {
            self.timer = nil
            self.lookAtPeer()
            self.handle(.timerFired)
        }
        timer = (handle, deadline)
    }

    /// Tells the session, before it judges the peer, what is known of it.
    private func lookAtPeer() {
        // Of a connection that has ended nothing is to be seen.
        nextLook = nil
        guard let link, link.connection != nil else { return }
        guard link.isRead else { return lookAtLogin(link) }
        if link.isHeldUp {
            // Nothing is read because nobody takes it: that is not the peer's silence.
            link.passage.forget()
            handle(.progressed(link.number))
        } else if let arrival = link.takeArrival() {
            handle(.received(link.number), at: time(of: arrival))
        }
        if let stream = link.connection?.stream, link.passage.hasProgressed(on: stream) {
            handle(.progressed(link.number))
        }
        planLook(at: link)
        noteOutput(of: link)
    }

    /// While a heartbeat is on its way, the peer's time has not begun: when it has arrived is looked for several times.
    private func planLook(at link: Link) {
        let timeout = configuration.heartbeat?.timeout ?? .zero
        nextLook = link.passage.isUnderWay ? elapsed + timeout / 8 : nil
    }

    /// A server that refuses a login may say so and leave the rest to us.
    private func lookAtLogin(_ link: Link) {
        guard case .loggingIn = session.state, let deadline = session.deadline, deadline <= elapsed else { return }
        if let notice = carrier.takeRestOfLogin(link, for: self) { handle(.ended(link.number, .kicked(notice))) }
    }

    // MARK: Actions

    private func carryOut(_ actions: inout [Action]) {
        for action in actions {
            switch action {
            case .connect(let number, let endpoint): connect(number, to: endpoint)
            case .expireAddresses: carrier.expireAddresses()
            case .beginLogin(let number): withLink(number) { logIn($0) }
            case .give(let number, let message): withLink(number) { give(message, to: $0) }
            case .heartbeat(let number, let sequence):
                withLink(number) { link in
                    write(to: link) { connection throws(CodecError) in
                        try carrier.writeHeartbeat(sequence: sequence, to: connection)
                    }
                    if let stream = link.connection?.stream { link.passage.began(on: stream) }
                    planLook(at: link)
                }
            case .close(let number, let cause): withLink(number) { close($0, cause) }
            case .complete(let number, let outcome): complete(number, outcome)
            case .ignoreReply: carrier.ignoreReply()
            case .report(let state): report(state)
            }
        }
        actions.removeAll(keepingCapacity: true)
    }

    private func withLink(_ number: ConnectionNumber, _ body: (Link) -> Void) {
        if let link, link.number == number { body(link) }
    }

    private func complete(_ number: MessageNumber, _ outcome: MessageOutcome) {
        guard let ticket = tickets.removeValue(forKey: number) else { return }
        carrier.complete(ticket, outcome)
    }

    private func give(_ message: GivenMessage<Carrier.Payload>, to link: Link) {
        write(to: link) { connection throws(CodecError) in try carrier.write(message, to: connection) }
        link.givenByteCount += message.byteCount
        if link.givenByteCount >= configuration.pendingByteCount { noteOutput(of: link) }
    }

    /// Writes something to a connection, where there is one.
    func write(to link: Link, _ body: (Carrier.Connection) throws(CodecError) -> Void) {
        guard let connection = link.connection else { return }
        do throws(CodecError) {
            try body(connection)
        } catch {
            // It is this side's message that is none.
            handle(.ended(link.number, .misconfigured))
        }
    }

    /// Tells the session how much waits in the connection, and asks to be told when there is room again.
    private func noteOutput(of link: Link) {
        guard let connection = link.connection else { return }
        _ = connection.stream.flushForMore()
        guard !noteIfClosed(link) else { return }
        link.givenByteCount = connection.waitingByteCount
        handle(.sent(link.number, byteCount: 0, pendingByteCount: link.givenByteCount))
        guard !connection.hasRoomForSender(), !link.isWaitingForRoom else { return }
        link.isWaitingForRoom = true
        connection.whenThereIsRoom {
            link.isWaitingForRoom = false
            self.noteOutput(of: link)
        }
    }

    /// Keeps the session from giving messages to a connection that takes no more. What has arrived on it is read to its
    /// end, whether there is room for it or not, and then the session is told.
    @discardableResult
    func noteIfClosed(_ link: Link) -> Bool {
        guard let connection = link.connection, !connection.takesMessages else { return false }
        handle(.sent(link.number, byteCount: 0, pendingByteCount: .max))
        inbox.releaseFeeder()
        return true
    }
}
