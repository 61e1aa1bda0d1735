// SPDX-License-Identifier: Apache-2.0

import Testing
import Wireline

struct ClientSessionTests {
    @Test func `a session connects, logs in and is ready`() throws {
        var bench = SessionBench()
        #expect(bench.session.state == nil)
        #expect(bench.session.deadline == nil)
        let connection = try bench.start()
        #expect(
            bench.actions == [.report(.connecting(endpoint: 0, attempt: 1)), .connect(connection, endpoint: 0)])
        #expect(bench.session.deadline == .seconds(10))
        #expect(bench.handle(.start) == [])
        bench.now = .seconds(3)
        #expect(bench.handle(.connected(connection)) == [.report(.loggingIn), .beginLogin(connection)])
        #expect(bench.session.deadline == .seconds(13))
        #expect(bench.handle(.connected(connection)) == [])
        #expect(bench.handle(.loggedIn(connection)) == [.report(.ready)])
        #expect(bench.session.deadline == nil)
    }

    @Test func `a connection attempt and a login have a timeout`() throws {
        var bench = SessionBench()
        let first = try bench.start()
        try bench.reachDeadline()
        #expect(bench.actions.first == .close(first, .timedOut))
        guard case .waiting(_, .timedOut) = bench.session.state else {
            Issue.record("\(String(describing: bench.session.state))")
            return
        }
        try bench.reachDeadline()
        let second = try bench.connecting()
        bench.handle(.connected(second))
        try bench.reachDeadline()
        #expect(bench.actions.first == .close(second, .timedOut))
    }

    @Test func `a timer that fires early does nothing`() throws {
        var bench = SessionBench(SessionConfiguration(heartbeat: HeartbeatPolicy()))
        bench.handle(.timerFired)
        _ = try bench.start()
        #expect(bench.handle(.timerFired) == [])
        bench = SessionBench(SessionConfiguration(heartbeat: HeartbeatPolicy()))
        try bench.makeReady()
        bench.now += .seconds(29)
        #expect(bench.handle(.timerFired) == [])
    }

    @Test func `events of an older connection change nothing`() throws {
        var bench = SessionBench(
            SessionConfiguration(maximumSequence: 255, heartbeat: HeartbeatPolicy(), pendingByteCount: 10))
        let old = try bench.makeReady()
        bench.handle(.ended(old, .reset))
        let new = try bench.makeReady()
        try bench.send("a", .exactlyOnce, .acknowledgement)
        try bench.send("b", .exactlyOnce, .acknowledgement)
        for event in [
            .connected(old), .loggedIn(old), .ended(old, .loginRefused("")), .received(old),
            .sent(old, byteCount: 10, pendingByteCount: 0), .progressed(old), .heartbeatAnswered(old, sequence: 1),
            .acknowledged(old, .cumulative(1)),
        ] as [SessionEvent] {
            #expect(bench.handle(event) == [])
        }
        #expect(bench.session.state == .ready)
        #expect(bench.session.messageCount == 2)
        #expect(bench.handle(.sent(new, byteCount: 10, pendingByteCount: 0)) != [])
    }

    @Test(
        arguments: [
            (.loginRefused("banned"), .stopped(.loginRefused("banned"))),
            (.refusedByHTTP(status: 401), .stopped(.refusedByHTTP(status: 401))),
            (.misconfigured("no OpenSSL"), .stopped(.misconfigured("no OpenSSL"))), (.endedByUs, .byUs),
        ] as [(DisconnectCause, SessionEndCause)])
    func `a cause that a retry cannot change ends the session`(cause: DisconnectCause, end: SessionEndCause) throws {
        var bench = SessionBench()
        let connection = try bench.start()
        let number = try bench.send("hello", .atMostOnce)
        #expect(
            bench.handle(.ended(connection, cause)) == [
                .close(connection, cause), .complete(number, .failed(.ended(mayHaveArrived: false))),
                .report(.ended(end)),
            ])
        #expect(bench.session.deadline == nil)
        #expect(bench.handle(.timerFired) == [])
        #expect(bench.handle(.end) == [])
        #expect(bench.handle(.drain(deadline: .seconds(1))) == [])
        #expect(throws: SessionError.ended(mayHaveArrived: false)) { try bench.send("late", .atMostOnce) }
    }

    @Test func `a session without retries left ends with the last cause`() throws {
        var bench = SessionBench(SessionConfiguration(reconnect: ReconnectPolicy(retryLimit: 2)))
        _ = try bench.start()
        for attempt in 1...3 {
            #expect(bench.session.state == .connecting(endpoint: 0, attempt: attempt))
            bench.handle(.ended(try bench.connecting(), .refused))
            if attempt < 3 { try bench.reachDeadline() }
        }
        #expect(bench.session.state == .ended(.outOfRetries(last: .refused)))
    }

    @Test func `a session with the policy never does not reconnect`() throws {
        var bench = SessionBench(SessionConfiguration(reconnect: .never))
        let connection = try bench.makeReady()
        bench.now += .seconds(3_600)
        bench.handle(.ended(connection, .endedByPeer))
        #expect(bench.session.state == .ended(.outOfRetries(last: .endedByPeer)))
    }

    @Test func `endpoints are tried one after another`() throws {
        var bench = SessionBench(SessionConfiguration(endpointCount: 2))
        bench.handle(.ended(try bench.start(), .unknownHost))
        #expect(bench.session.state == .connecting(endpoint: 1, attempt: 2))
        try bench.makeReady()
        #expect(bench.session.state == .ready)
    }

    @Test func `a hurry skips the delay`() throws {
        var bench = SessionBench()
        #expect(bench.handle(.hurry) == [])
        let connection = try bench.start()
        #expect(bench.handle(.hurry) == [])
        bench.handle(.ended(connection, .refused))
        bench.handle(.hurry)
        #expect(bench.session.state == .connecting(endpoint: 0, attempt: 2))
    }

    @Test func `a hurry still waits as long as the server has asked for`() throws {
        var bench = SessionBench()
        let connection = try bench.makeReady()
        let cause = DisconnectCause.kicked(KickNotice(reason: 1, advice: .wait(atLeast: .seconds(9))))
        bench.handle(.ended(connection, cause))
        #expect(bench.handle(.hurry) == [.report(.waiting(until: .seconds(9), cause: cause))])
        #expect(bench.session.deadline == .seconds(9))
        bench.now = .seconds(9)
        bench.handle(.hurry)
        #expect(bench.session.state == .connecting(endpoint: 0, attempt: 2))
    }

    @Test func `a hurry asks the server, and replaces a dead connection at once`() throws {
        var bench = SessionBench(SessionConfiguration(heartbeat: HeartbeatPolicy()))
        let connection = try bench.makeReady()
        bench.now += .seconds(5)
        #expect(bench.handle(.hurry) == [])
        #expect(try bench.reachDeadline() == [.heartbeat(connection, sequence: nil)])
        #expect(bench.now == .seconds(5))
        try bench.reachDeadline()
        #expect(bench.now == .seconds(8))
        #expect(bench.session.state == .connecting(endpoint: 0, attempt: 2))
    }

    @Test func `an attempt that fails after a hurry is not repeated at once`() throws {
        var bench = SessionBench()
        let connection = try bench.makeReady()
        bench.handle(.hurry)
        bench.handle(.ended(connection, .reset))
        bench.handle(.ended(try bench.connecting(), .refused))
        guard case .waiting = bench.session.state else { return #expect(bench.session.state == nil) }
    }

    @Test func `long after a hurry a lost connection waits as usual`() throws {
        var bench = SessionBench()
        let connection = try bench.makeReady()
        bench.handle(.hurry)
        bench.now += .milliseconds(10_001)
        bench.handle(.ended(connection, .silent))
        guard case .waiting = bench.session.state else { return #expect(bench.session.state == nil) }
    }

    @Test func `a session without a limit goes on for as long as it is offline`() throws {
        var bench = SessionBench()
        var connection = try bench.start()
        for _ in 0..<1_000 {
            bench.handle(.ended(connection, .unknownHost))
            try bench.reachDeadline()
            connection = try bench.connecting()
        }
        #expect(bench.now > .seconds(3_600))
    }

    // MARK: Heartbeats

    @Test func `heartbeats begin after the login, and silence ends the connection`() throws {
        var bench = SessionBench(
            SessionConfiguration(maximumSequence: 255, heartbeat: HeartbeatPolicy(interval: .seconds(5))))
        let connection = try bench.makeReady()
        #expect(try bench.reachDeadline() == [.heartbeat(connection, sequence: 1)])
        bench.now += .milliseconds(300)
        bench.handle(.heartbeatAnswered(connection, sequence: 1))
        #expect(bench.session.roundTrips.last == .milliseconds(300))
        #expect(try bench.reachDeadline() == [.heartbeat(connection, sequence: 2)])
        #expect(try bench.reachDeadline() == [.heartbeat(connection, sequence: 3)])
        try bench.reachDeadline()
        #expect(bench.closings == [.silent])
        #expect(bench.session.roundTrips.count == 1)
        try bench.makeReady()
        #expect(bench.session.roundTrips.count == 0)
    }

    @Test func `sent bytes extend the timeout only if other bytes were waiting`() throws {
        let heartbeat = HeartbeatPolicy(interval: .seconds(5), timeout: .seconds(5))
        var bench = SessionBench(SessionConfiguration(heartbeat: heartbeat, pendingByteCount: 1_000))
        let connection = try bench.makeReady()
        try bench.send("large", .atMostOnce, byteCount: 500)
        try bench.reachDeadline()
        bench.now += .seconds(4)
        bench.handle(.sent(connection, byteCount: 300, pendingByteCount: 200))
        bench.now += .seconds(4)
        bench.handle(.timerFired)
        #expect(bench.closings == [])
        bench.handle(.sent(connection, byteCount: 200, pendingByteCount: 0))
        bench.now += .seconds(4)
        // Nothing waited, so this says nothing about the peer.
        bench.handle(.sent(connection, byteCount: 8, pendingByteCount: 0))
        bench.now += .seconds(1)
        bench.handle(.timerFired)
        #expect(bench.closings == [.silent])
    }

    @Test func `bytes that the peer's system acknowledges extend the timeout`() throws {
        let heartbeat = HeartbeatPolicy(interval: .seconds(50), timeout: .seconds(5))
        var bench = SessionBench(SessionConfiguration(heartbeat: heartbeat))
        let connection = try bench.makeReady()
        try bench.reachDeadline()
        bench.now += .seconds(4)
        bench.handle(.progressed(connection))
        bench.now += .seconds(4)
        #expect(bench.handle(.timerFired) == [])
        bench.now += .seconds(1)
        bench.handle(.timerFired)
        #expect(bench.closings == [.silent])
    }

    // MARK: Ending

    @Test func `ending a session closes the connection and fails the waiting messages`() throws {
        var bench = SessionBench()
        let connection = try bench.makeReady()
        let number = try bench.send("request", .atMostOnce, .reply(id: 7))
        #expect(
            bench.handle(.end) == [
                .close(connection, .endedByUs), .complete(number, .failed(.ended(mayHaveArrived: true))),
                .report(.ended(.byUs)),
            ])
        #expect(bench.session.messageCount == 0)
    }

    @Test func `a session can be ended before it is started`() {
        var bench = SessionBench()
        #expect(bench.handle(.end) == [.report(.ended(.byUs))])
        #expect(bench.handle(.start) == [])
    }

    @Test func `draining ends the session after the last message has its outcome`() throws {
        var bench = SessionBench(SessionConfiguration(maximumSequence: 255))
        let connection = try bench.makeReady()
        try bench.send("must", .exactlyOnce, .acknowledgement)
        bench.handle(.drain(deadline: .seconds(60)))
        #expect(bench.session.deadline == .seconds(60))
        bench.handle(.drain(deadline: .seconds(30)))
        #expect(bench.session.deadline == .seconds(30))
        #expect(throws: SessionError.ended(mayHaveArrived: false)) { try bench.send("late", .atMostOnce) }
        bench.handle(.acknowledged(connection, .sequence(1)))
        #expect(bench.outcomes == [.confirmed])
        #expect(bench.closings == [.endedByUs])
        #expect(bench.session.state == .ended(.byUs))
        #expect(bench.session.deadline == nil)
    }

    @Test func `draining ends at its deadline, even if messages still wait`() throws {
        var bench = SessionBench()
        _ = try bench.start()
        try bench.send("never leaves", .atMostOnce)
        bench.handle(.drain(deadline: .seconds(2)))
        #expect(bench.session.state == .connecting(endpoint: 0, attempt: 1))
        try bench.reachDeadline()
        #expect(bench.now == .seconds(2))
        #expect(bench.outcomes == [.failed(.ended(mayHaveArrived: false))])
        #expect(bench.session.state == .ended(.byUs))
    }

    @Test func `a peer is not silent while bytes from it may be unread`() throws {
        let policy = HeartbeatPolicy(interval: .seconds(30), timeout: .seconds(10))
        var bench = SessionBench(SessionConfiguration(heartbeat: policy))
        let connection = try bench.makeReady()
        try bench.reachDeadline()
        #expect(bench.actions == [.heartbeat(connection, sequence: nil)])
        // The program has blocked its thread for longer than the timeout.
        let (sent, late) = (bench.now, bench.now + .seconds(20))
        var actions: [SessionBench.Action] = []
        bench.session.handle(
            .timerFired, at: late, heard: sent + .seconds(9), using: &bench.random, into: &actions)
        #expect(actions == [])
        #expect(bench.session.state == .ready)
        // Everything is read now, and nothing has come.
        bench.session.handle(.timerFired, at: late, heard: late, using: &bench.random, into: &actions)
        #expect(actions.first == .close(connection, .silent))
    }

    @Test func `an attempt has its whole timeout, even if the thread was blocked before it`() throws {
        var bench = SessionBench(SessionConfiguration(connectTimeout: .seconds(10)))
        bench.handle(.ended(try bench.start(), .refused))
        let until = try #require(bench.session.deadline)
        var actions: [SessionBench.Action] = []
        let late = until + .seconds(60)
        bench.session.handle(.timerFired, at: late, heard: until, using: &bench.random, into: &actions)
        #expect(bench.session.deadline == late + .seconds(10))
    }

    @Test func `draining without messages ends at once`() throws {
        var bench = SessionBench()
        try bench.makeReady()
        bench.handle(.drain(deadline: .seconds(60)))
        #expect(bench.session.state == .ended(.byUs))
    }

    @Test func `errors and states are one line, and an error is small`() {
        #expect(MemoryLayout<SessionError>.size <= 32)
        let errors: [SessionError] = [
            .tooManyBytes(limit: 1), .tooManyMessages(limit: 1), .notConnected, .needsSequence, .needsReceipt,
            .needsHeartbeat, .outOfSequenceNumbers, .unencodable, .lost(mayHaveArrived: true),
            .lost(mayHaveArrived: false),
            .expired(mayHaveArrived: true), .cancelled(mayHaveArrived: true), .ended(mayHaveArrived: true),
        ]
        let causes: [DisconnectCause] = [
            .refused, .reset, .timedOut, .unknownHost, .failed(""), .failed("no route"), .broken(""),
            .broken("no packet"), .silent, .endedByPeer, .kicked(KickNotice(reason: 7, advice: .stop)),
            .loginRefused(""), .loginRefused("banned"), .misconfigured(""), .misconfigured("no OpenSSL"),
            .loginFailed(""), .loginFailed("no token"), .refusedByHTTP(status: 404), .endedByUs, .wrongKey,
            .notTrusted(.unknownIssuer), .notTrusted(.selfSigned), .notTrusted(.expired), .notTrusted(.notYetValid),
            .notTrusted(.wrongHost(expected: "a")), .notTrusted(.missing), .notTrusted(.refused(code: 26)),
        ]
        let states: [SessionState] = [
            .connecting(endpoint: 1, attempt: 2), .loggingIn, .ready, .waiting(until: .seconds(3), cause: .refused),
            .ended(.byUs), .ended(.stopped(.wrongKey)), .ended(.outOfRetries(last: .wrongKey)),
        ]
        #expect(states[0].description == "connecting to endpoint 1, attempt 2")
        #expect(states[3].description == "waiting until 3.0 seconds to reconnect: nobody listens at the address")
        let texts = errors.map(\.description) + causes.map(\.description) + states.map(\.description)
        #expect(Set(texts).count == errors.count + causes.count + states.count)
        #expect(texts.filter { $0.isEmpty || $0.contains("\n") } == [])
    }
}
