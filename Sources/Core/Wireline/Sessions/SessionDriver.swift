// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

/// Carries out the decisions of a `ClientSession` on one loop, for packets and for WebSockets.
///
/// Only the loop's thread uses mutable state after initialization, so `@unchecked Sendable` needs no lock.
final class SessionDriver<Adapter: SessionAdapter>: @unchecked Sendable {
    typealias Link = Adapter.Link
    typealias Action = ClientSession<Adapter.Payload>.Action

    let loop: EventLoop
    let adapter: Adapter
    let inbox: Inbox<Adapter.Element>
    let sessionID = UInt64.random(in: 1 ... .max)
    /// The origin of the session's times.
    let origin: MonotonicTime

    private let configuration: SessionConfiguration
    private var session: ClientSession<Adapter.Payload>
    private var random = SystemRandomness()
    private var latestTime = Duration.zero
    private var events = Queue<(event: SessionEvent, time: Duration, heard: Duration?)>()
    private var isHandling = false
    private var timer: (timer: EventLoop.Timer, deadline: Duration)?
    /// The time of the next check of the peer, before the session's own deadline.
    private(set) var nextCheck: Duration?

    /// The current connection, or the attempt to make one.
    var link: Link?
    private var tickets: [MessageNumber: DeliveryTicket] = [:]

    /// The counters of earlier connections, and of messages that could not be decoded.
    ///
    /// Such messages wait in the session, and are decoded when the program takes them.
    var ownCounters = ConnectionCounters()

    private var observers: [Int: AsyncStream<SessionState>.Continuation] = [:]
    private var observerCount = 0

    init(on loop: EventLoop, _ adapter: Adapter) {
        self.loop = loop
        origin = loop.clockTime
        self.adapter = adapter
        configuration = adapter.configuration
        inbox = Inbox(on: loop, limit: adapter.unreadByteCount, dropsOldest: adapter.dropsOldestUnread)
        session = ClientSession(configuration)
    }

    // MARK: State

    var state: SessionState? { session.state }

    var roundTrips: RoundTrips { session.roundTrips }

    var currentOutboundCounters: OutboundCounters { session.outboundCounters }

    /// Whether an arriving packet may be the reply to a message.
    var awaitsReplies: Bool { session.awaitsReplies }

    var elapsed: Duration { time(of: loop.clockTime) }

    private func time(of moment: MonotonicTime) -> Duration {
        .nanoseconds(max(0, moment.nanoseconds - origin.nanoseconds))
    }

    /// Reports the session's state to an observer, now and after each change.
    func add(_ observer: AsyncStream<SessionState>.Continuation) {
        observerCount += 1
        let number = observerCount
        // Set before anything is yielded: a stream that has already ended does not call it later.
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
        let end: Inbox<Adapter.Element>.Taken = cause == .byUs ? .success(nil) : .failure(.sessionEnded(cause))
        inbox.finish(end)
        adapter.ended(end)
        for observer in observers.values { observer.finish() }
        observers = [:]
    }

    // MARK: Events

    /// Gives the session an event, after those that wait, and carries out its decisions.
    func handle(_ event: SessionEvent) {
        handle(event, at: elapsed)
    }

    /// - Parameter heard: As in `ClientSession.handle`.
    private func handle(_ event: SessionEvent, at time: Duration, heard: Duration? = nil) {
        loop.preconditionIsCurrent()
        events.append((event, time, heard))
        if !isHandling { handleEvents() }
    }

    /// Connects as soon as the server allows. On a connection, asks whether the peer is alive.
    func hurry() {
        // Earlier arrivals do not count.
        checkPeer(heard: time(of: loop.turnTime))
        if let link, link.isRead, let connection = link.connection { adapter.probe(connection) }
        handle(.hurry)
    }

    private func handleEvents() {
        isHandling = true
        var actions: [Action] = []
        while let (event, time, heard) = events.popFirst() {
            // A late report is about an earlier time, but the session's clock must not go back.
            latestTime = max(latestTime, time)
            session.handle(event, at: latestTime, heard: heard, using: &random, into: &actions)
            carryOut(&actions)
        }
        isHandling = false
        setTimer()
    }

    func send(_ message: OutboundMessage<Adapter.Payload>, _ ticket: DeliveryTicket) throws(SessionError) {
        loop.preconditionIsCurrent()
        guard !ticket.isGivenUp else { throw .cancelled(mayHaveArrived: false) }
        // The connection may have ended before its reader noticed. Then it gets no message.
        if let link, link.isRead { noteIfClosed(link) }
        var actions: [Action] = []
        latestTime = max(latestTime, elapsed)
        let number = try session.send(message, at: latestTime, into: &actions)
        ticket.number = number
        tickets[number] = ticket
        isHandling = true
        carryOut(&actions)
        // Sending may have found the end of the connection.
        handleEvents()
    }

    func cancel(_ ticket: DeliveryTicket) {
        ticket.isGivenUp = true
        if let number = ticket.number { handle(.cancel(number)) }
    }

    private func setTimer() {
        // A timer that fires early is harmless.
        if let timer, let deadline = session.deadline, timer.deadline <= min(deadline, nextCheck ?? deadline) { return }
        if let (timer, _) = timer.take() { loop.cancel(timer) }
        guard var deadline = session.deadline else { return }
        if let look = nextCheck { deadline = min(deadline, look) }
        let handle = loop.schedule(at: origin + deadline) {
            self.timer = nil
            // All sockets that were ready when this turn began have been handled. Bytes that have arrived since then,
            // for example because a program blocked the loop, have not.
            let heard = self.time(of: self.loop.turnTime)
            self.checkPeer(heard: heard)
            self.handle(.timerFired, at: self.elapsed, heard: heard)
        }
        timer = (handle, deadline)
    }

    /// Reports the peer's signs of life, before the session decides about a timeout.
    private func checkPeer(heard: Duration) {
        // An ended connection has nothing to report.
        nextCheck = nil
        guard let link, link.connection != nil else { return }
        guard link.isRead else { return checkLogin(link, heard: heard) }
        if link.waitsForInbox {
            // The connection reads nothing because the program takes nothing. That does not count as silence of the
            // peer.
            link.heartbeatInTransit.forget()
            handle(.progressed(link.number))
        } else if let arrival = link.takeArrival() {
            handle(.received(link.number), at: time(of: arrival))
        }
        if let stream = link.connection?.stream, link.heartbeatInTransit.noteProgress(on: stream) {
            handle(.progressed(link.number))
        }
        scheduleCheck(at: link)
        noteOutput(of: link)
    }

    /// Plans several checks for the arrival of a heartbeat at the peer: the timeout starts with that.
    private func scheduleCheck(at link: Link) {
        let timeout = configuration.heartbeat?.timeout ?? .zero
        nextCheck = link.heartbeatInTransit.isUnderWay ? elapsed + timeout / 8 : nil
    }

    /// Handles a server that refuses a login with a message, and expects this side to close.
    private func checkLogin(_ link: Link, heard: Duration) {
        guard case .loggingIn = session.state, let deadline = session.deadline, deadline <= heard else { return }
        if let notice = adapter.takeRestOfLogin(link, for: self) { handle(.ended(link.number, .kicked(notice))) }
    }

    // MARK: Actions

    private func carryOut(_ actions: inout [Action]) {
        for action in actions {
            switch action {
            case .connect(let number, let endpoint): connect(number, to: endpoint)
            case .expireAddresses: adapter.expireAddresses()
            case .beginLogin(let number): withLink(number) { logIn($0) }
            case .give(let number, let message): withLink(number) { give(message, to: $0) }
            case .heartbeat(let number, let sequence):
                withLink(number) { beat(sequence: sequence, on: $0) }
            case .close(let number, let cause): withLink(number) { close($0, cause) }
            case .complete(let number, let outcome): complete(number, outcome)
            case .ignoreReply: adapter.ignoreReply()
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
        adapter.complete(ticket, outcome)
    }

    private func give(_ message: GivenMessage<Adapter.Payload>, to link: Link) {
        guard let connection = link.connection else { return }
        do throws(CodecError) {
            try adapter.write(message, to: connection)
            if let ticket = tickets[message.number] { adapter.wrote(message, for: ticket) }
            link.givenByteCount += message.byteCount
            if link.givenByteCount >= configuration.pendingByteCount { noteOutput(of: link) }
        } catch {
            // Only this message fails. Its sender learns it here, because the session may report next that the message
            // was given.
            ownCounters.unencodableMessageCount += 1
            tickets[message.number]?.encodingError = error
            complete(message.number, .failed(.unencodable))
            handle(.unencodable(link.number, message.number))
            // The session has counted its bytes.
            noteOutput(of: link)
        }
    }

    /// Sends a heartbeat. If it cannot be encoded, the session skips it. The silence timeout runs anyway.
    private func beat(sequence: UInt64?, on link: Link) {
        guard let connection = link.connection else { return }
        do throws(CodecError) {
            try adapter.writeHeartbeat(sequence: sequence, to: connection)
            link.heartbeatInTransit.began(on: connection.stream)
        } catch {
            ownCounters.unencodableMessageCount += 1
        }
        scheduleCheck(at: link)
    }

    /// Reports the connection's waiting output to the session, now and when less waits.
    private func noteOutput(of link: Link) {
        guard let connection = link.connection else { return }
        _ = connection.stream.flushForMore()
        guard !noteIfClosed(link) else { return }
        link.givenByteCount = connection.waitingByteCount
        handle(.sent(link.number, byteCount: 0, pendingByteCount: link.givenByteCount))
        guard !connection.prepareToSend(), !link.isWaitingForRoom else { return }
        link.isWaitingForRoom = true
        connection.whenReadyToSend {
            link.isWaitingForRoom = false
            self.noteOutput(of: link)
        }
    }

    /// Stops the session from giving messages to a connection that takes no more.
    ///
    /// The connection reads its remaining input to the end, even beyond the limit. Then the session learns of the end.
    @discardableResult
    func noteIfClosed(_ link: Link) -> Bool {
        guard let connection = link.connection, !connection.takesMessages else { return false }
        handle(.sent(link.number, byteCount: 0, pendingByteCount: .max))
        inbox.resumeProducer()
        return true
    }
}
