// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineSession

struct ReconnectPolicyTests {
    @Test(
        arguments: [
            (0, .milliseconds(500)), (1, .seconds(1)), (2, .seconds(2)), (5, .seconds(16)), (6, .seconds(30)),
            (7, .seconds(30)), (Int.max, .seconds(30)),
        ] as [(Int, Duration)])
    func `delays double up to the limit`(delayIndex: Int, longest: Duration) {
        #expect(ReconnectPolicy().longestDelay(delayIndex) == longest)
    }

    @Test(
        arguments: [
            (.zero, .seconds(1), .zero), (.seconds(-1), .seconds(1), .zero), (.seconds(1), .seconds(-1), .zero),
            (.seconds(5), .seconds(1), .seconds(1)), (.seconds(1), .seconds(Int64.max), .seconds(1 << 40)),
        ] as [(Duration, Duration, Duration)])
    func `delays that make no sense are none, and long ones do not overflow`(
        base: Duration, limit: Duration, longest: Duration
    ) {
        #expect(ReconnectPolicy(baseDelay: base, maximumDelay: limit).longestDelay(40) == longest)
    }

    @Test func `a delay that no clock can show does not overflow either`() {
        let policy = ReconnectPolicy(
            baseDelay: .seconds(Int64.max), maximumDelay: .seconds(Int64.max), retryLimit: nil)
        var reconnector = Reconnector(policy: policy, endpointCount: 1)
        var random = SeededGenerator(seed: 1)
        guard case .wait(let until, _) = reconnector.lost(.refused, at: .zero, using: &random) else {
            Issue.record("no delay")
            return
        }
        #expect(until >= .zero)
    }

    /// The endpoints that are tried, with nil for a delay, when each attempt fails.
    static func attempts(_ cause: DisconnectCause, endpointCount: Int, retryLimit: Int) -> [Int?] {
        var reconnector = Reconnector(
            policy: ReconnectPolicy(retryLimit: retryLimit), endpointCount: endpointCount)
        var random = SeededGenerator(seed: 1)
        var attempts: [Int?] = [reconnector.endpoint]
        while true {
            switch reconnector.lost(cause, at: .zero, using: &random) {
            case .connect: attempts.append(reconnector.endpoint)
            case .wait: attempts += [nil, reconnector.endpoint]
            case .stop(let outOfRetries):
                #expect(outOfRetries)
                return attempts
            }
        }
    }

    @Test(
        arguments: [.refused, .reset, .timedOut, .unknownHost, .failed, .broken, .endedByPeer, .loginFailed]
            as [DisconnectCause])
    func `an attempt that fails goes on to the next endpoint at once, and a round waits`(cause: DisconnectCause) {
        #expect(Self.attempts(cause, endpointCount: 3, retryLimit: 1) == [0, 1, 2, nil, 0, 1, 2])
        #expect(Self.attempts(cause, endpointCount: 1, retryLimit: 2) == [0, nil, 0, nil, 0])
        #expect(Self.attempts(cause, endpointCount: 1, retryLimit: 0) == [0])
        #expect(Self.attempts(cause, endpointCount: 2, retryLimit: 0) == [0, 1])
    }

    @Test(
        arguments: [
            .loginRefused, .notTrusted, .misconfigured, .endedByUs, .kicked(KickNotice(reason: 4, advice: .stop)),
        ] as [DisconnectCause])
    func `what would only be repeated is not tried again`(cause: DisconnectCause) {
        var reconnector = Reconnector(policy: ReconnectPolicy(), endpointCount: 3)
        var random = SeededGenerator(seed: 1)
        #expect(reconnector.lost(cause, at: .zero, using: &random) == .stop(outOfRetries: false))
    }

    @Test func `a server that asks for time gets it, and the delay on top`() {
        var random = SeededGenerator(seed: 1)
        var delays: Set<Duration> = []
        for _ in 0..<100 {
            var reconnector = Reconnector(policy: ReconnectPolicy(), endpointCount: 3)
            let kick = KickNotice(reason: 1, advice: .wait(atLeast: .seconds(20)))
            guard case .wait(let until, let earliest) = reconnector.lost(.kicked(kick), at: .seconds(5), using: &random)
            else { return #expect(Bool(false), "no delay") }
            #expect(earliest == .seconds(25))
            #expect(until >= .seconds(25))
            #expect(until <= .milliseconds(25_500))
            delays.insert(until)
        }
        #expect(delays.count > 90)
    }

    @Test func `a connection that stood starts everything anew`() {
        var reconnector = Reconnector(policy: ReconnectPolicy(retryLimit: 3), endpointCount: 2)
        var random = SeededGenerator(seed: 1)
        _ = reconnector.lost(.refused, at: .zero, using: &random)
        _ = reconnector.lost(.refused, at: .zero, using: &random)
        _ = reconnector.lost(.refused, at: .zero, using: &random)
        #expect(reconnector.endpoint == 1)
        #expect(reconnector.retryCount == 3)
        reconnector.ready(at: .seconds(10))
        guard case .wait(let until, _) = reconnector.lost(.reset, at: .seconds(70), using: &random) else {
            Issue.record("no delay")
            return
        }
        #expect(until <= .milliseconds(70_500))
        #expect(reconnector.endpoint == 0)
        #expect(reconnector.retryCount == 1)
    }

    @Test func `a connection that did not stand long refills nothing`() {
        var reconnector = Reconnector(policy: ReconnectPolicy(retryLimit: 2), endpointCount: 2)
        var random = SeededGenerator(seed: 1)
        reconnector.ready(at: .seconds(0))
        _ = reconnector.lost(.reset, at: .milliseconds(59_999), using: &random)
        reconnector.ready(at: .seconds(60))
        _ = reconnector.lost(.endedByPeer, at: .seconds(61), using: &random)
        reconnector.ready(at: .seconds(62))
        #expect(reconnector.lost(.silent, at: .seconds(70), using: &random) == .stop(outOfRetries: true))
    }

    // MARK: What has happened says where to go on

    static let restart = DisconnectCause.kicked(KickNotice(reason: 1, advice: .wait(atLeast: .seconds(20))))

    /// Of three endpoints the one that follows the end of a connection to the second, which was ready for so long.
    static func endpoint(after cause: DisconnectCause, readyFor seconds: Int) -> Int {
        var reconnector = Reconnector(policy: ReconnectPolicy(), endpointCount: 3)
        var random = SeededGenerator(seed: 1)
        _ = reconnector.lost(.refused, at: .zero, using: &random)
        reconnector.ready(at: .zero)
        _ = reconnector.lost(cause, at: .seconds(seconds), using: &random)
        return reconnector.endpoint
    }

    @Test(arguments: [.reset, .endedByPeer, .broken, restart] as [DisconnectCause])
    func `an endpoint that has ended a connection is come back to, and one that stood long leads to the first`(
        cause: DisconnectCause
    ) {
        #expect(Self.endpoint(after: cause, readyFor: 1) == 1)
        #expect(Self.endpoint(after: cause, readyFor: 60) == 0)
    }

    @Test(arguments: [.silent, .timedOut, .failed] as [DisconnectCause])
    func `where the path is gone the next endpoint has its turn, however long the connection stood`(
        cause: DisconnectCause
    ) {
        #expect(Self.endpoint(after: cause, readyFor: 1) == 2)
        #expect(Self.endpoint(after: cause, readyFor: 60) == 2)
    }

    @Test func `an endpoint that ends every connection is come back to once`() {
        var reconnector = Reconnector(policy: ReconnectPolicy(), endpointCount: 2)
        var random = SeededGenerator(seed: 1)
        var endpoints: [Int] = []
        for second in 0..<6 {
            reconnector.ready(at: .seconds(second))
            _ = reconnector.lost(.reset, at: .seconds(second + 1), using: &random)
            endpoints.append(reconnector.endpoint)
        }
        #expect(endpoints == [0, 1, 1, 0, 0, 1])
    }

    @Test func `an endpoint that is come back to and refuses makes room for the others at once`() {
        var reconnector = Reconnector(policy: ReconnectPolicy(), endpointCount: 3)
        var random = SeededGenerator(seed: 1)
        _ = reconnector.lost(.refused, at: .zero, using: &random)
        reconnector.ready(at: .zero)
        #expect(reconnector.lost(.reset, at: .seconds(1), using: &random) != .connect)
        #expect(reconnector.endpoint == 1)
        #expect(reconnector.lost(.refused, at: .seconds(2), using: &random) == .connect)
        #expect(reconnector.endpoint == 2)
        #expect(reconnector.lost(.timedOut, at: .seconds(2), using: &random) == .connect)
        #expect(reconnector.endpoint == 0)
    }

    @Test func `a login that is answered with a kick leads to the next endpoint, after the time that was asked for`() {
        var reconnector = Reconnector(policy: ReconnectPolicy(), endpointCount: 2)
        var random = SeededGenerator(seed: 1)
        guard case .wait(_, .seconds(20)) = reconnector.lost(Self.restart, at: .zero, using: &random) else {
            Issue.record("no delay")
            return
        }
        #expect(reconnector.endpoint == 1)
    }

    @Test(
        arguments: [
            (.timedOut, true), (.unknownHost, true), (.silent, true), (.refused, false), (.reset, false),
            (.endedByPeer, false), (.failed, false), (.broken, false), (.loginFailed, false), (restart, false),
        ] as [(DisconnectCause, Bool)])
    func `addresses expire where nobody has answered, before the next attempt`(
        cause: DisconnectCause, expire: Bool
    ) throws {
        var bench = SessionBench(SessionConfiguration(endpointCount: 2))
        let actions = bench.handle(.ended(try bench.start(), cause))
        #expect(actions.first { $0 == .expireAddresses } == (expire ? .expireAddresses : nil))
        if let expiry = actions.firstIndex(of: .expireAddresses),
            let attempt = actions.firstIndex(where: { if case .connect = $0 { true } else { false } })
        {
            #expect(expiry < attempt)
        }
        let ready = try bench.makeReady()
        #expect(bench.handle(.ended(ready, cause)).contains(.expireAddresses) == expire)
    }

    @Test func `the end of a connection that was ready always waits, whatever was tried before`() {
        for attemptCount in 0..<3 {
            var reconnector = Reconnector(policy: ReconnectPolicy(), endpointCount: 3)
            var random = SeededGenerator(seed: 1)
            for _ in 0..<attemptCount { _ = reconnector.lost(.refused, at: .zero, using: &random) }
            reconnector.ready(at: .zero)
            let decision = reconnector.lost(.reset, at: .seconds(1), using: &random)
            #expect(decision != .connect)
            // And a whole round follows.
            #expect(reconnector.lost(.refused, at: .seconds(2), using: &random) == .connect)
            #expect(reconnector.lost(.refused, at: .seconds(2), using: &random) == .connect)
            #expect(reconnector.lost(.refused, at: .seconds(2), using: &random) != .connect)
        }
    }
}
