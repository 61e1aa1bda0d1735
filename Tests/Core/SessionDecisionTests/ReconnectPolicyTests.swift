// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import Wireline

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
    func `invalid delays count as zero, and long ones do not overflow`(
        base: Duration, limit: Duration, longest: Duration
    ) {
        #expect(ReconnectPolicy(baseDelay: base, maximumDelay: limit).longestDelay(40) == longest)
    }

    @Test func `a delay beyond the clock's range does not overflow either`() {
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

    /// The endpoints that are tried if each attempt fails; nil stands for a delay.
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
        arguments: [
            .refused, .reset, .timedOut, .unknownHost, .failed(""), .broken(""), .endedByPeer, .loginFailed(""),
            .refusedByHTTP(status: 404), .notTrusted(.expired), .wrongKey,
        ] as [DisconnectCause])
    func `after a failed attempt the next endpoint follows at once, and a round waits`(cause: DisconnectCause) {
        #expect(Self.attempts(cause, endpointCount: 3, retryLimit: 1) == [0, 1, 2, nil, 0, 1, 2])
        #expect(Self.attempts(cause, endpointCount: 1, retryLimit: 2) == [0, nil, 0, nil, 0])
        #expect(Self.attempts(cause, endpointCount: 1, retryLimit: 0) == [0])
        #expect(Self.attempts(cause, endpointCount: 2, retryLimit: 0) == [0, 1])
    }

    @Test(
        arguments: [
            .loginRefused(""), .refusedByHTTP(status: 401), .refusedByHTTP(status: 403), .misconfigured(""), .endedByUs,
            .kicked(KickNotice(reason: 4, advice: .stop)),
        ] as [DisconnectCause])
    func `an attempt that can only fail again is not repeated`(cause: DisconnectCause) {
        var reconnector = Reconnector(policy: ReconnectPolicy(), endpointCount: 3)
        var random = SeededGenerator(seed: 1)
        #expect(reconnector.lost(cause, at: .zero, using: &random) == .stop(outOfRetries: false))
    }

    /// The shortest and the longest of 200 delays after the end of a connection or, if none was ready, of an attempt.
    static func delays(after cause: DisconnectCause, wasReady: Bool) throws -> (least: Duration, greatest: Duration) {
        var random = SeededGenerator(seed: 1)
        var delays: [Duration] = []
        for _ in 0..<200 {
            var reconnector = Reconnector(policy: ReconnectPolicy(), endpointCount: 1)
            if wasReady { reconnector.ready(at: .zero) }
            guard case .wait(let until, _) = reconnector.lost(cause, at: .zero, using: &random) else { continue }
            delays.append(until)
        }
        try #require(delays.count == 200)
        return (try #require(delays.min()), try #require(delays.max()))
    }

    @Test(arguments: [(1, 1), (20, 20), (30, 30), (3_600, 30)])
    func `clients asked to wait return spread over as long again, up to the longest delay`(
        wait: Int, spread: Int
    ) throws {
        let kick = DisconnectCause.kicked(KickNotice(reason: 1, advice: .wait(atLeast: .seconds(wait))))
        for wasReady in [false, true] {
            let (least, greatest) = try Self.delays(after: kick, wasReady: wasReady)
            let spread = Duration.seconds(wasReady ? max(5, spread) : spread)
            #expect(least >= .seconds(wait) && greatest <= .seconds(wait) + spread)
            #expect(greatest - least > spread * 9 / 10)
        }
    }

    @Test(arguments: [.reset, .endedByPeer, .broken("")] as [DisconnectCause])
    func `after a crash of the server, clients return spread over five seconds`(cause: DisconnectCause) throws {
        let (least, greatest) = try Self.delays(after: cause, wasReady: true)
        #expect(least >= .zero && greatest <= .seconds(5))
        #expect(greatest - least > .milliseconds(4_500))
    }

    @Test(arguments: [.silent, .timedOut, .failed("")] as [DisconnectCause])
    func `a client that lost its own network returns within half a second`(cause: DisconnectCause) throws {
        #expect(try Self.delays(after: cause, wasReady: true).greatest <= .milliseconds(500))
        #expect(try Self.delays(after: .refused, wasReady: false).greatest <= .milliseconds(500))
    }

    @Test func `no delay exceeds the policy's limit`() {
        let policy = ReconnectPolicy(maximumDelay: .milliseconds(50))
        var random = SeededGenerator(seed: 1)
        for _ in 0..<100 {
            var reconnector = Reconnector(policy: policy, endpointCount: 1)
            reconnector.ready(at: .zero)
            guard case .wait(let until, _) = reconnector.lost(.reset, at: .zero, using: &random) else {
                Issue.record("no delay")
                return
            }
            #expect(until <= .milliseconds(50))
        }
    }

    @Test func `a stable connection resets the retries, the delay and the endpoint`() {
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
        #expect(until <= .seconds(75))
        #expect(reconnector.endpoint == 0)
        #expect(reconnector.retryCount == 1)
    }

    @Test func `a short connection does not reset the retries`() {
        var reconnector = Reconnector(policy: ReconnectPolicy(retryLimit: 2), endpointCount: 2)
        var random = SeededGenerator(seed: 1)
        reconnector.ready(at: .seconds(0))
        _ = reconnector.lost(.reset, at: .milliseconds(59_999), using: &random)
        reconnector.ready(at: .seconds(60))
        _ = reconnector.lost(.endedByPeer, at: .seconds(61), using: &random)
        reconnector.ready(at: .seconds(62))
        #expect(reconnector.lost(.silent, at: .seconds(70), using: &random) == .stop(outOfRetries: true))
    }

    // MARK: Which endpoint comes next

    static let restart = DisconnectCause.kicked(KickNotice(reason: 1, advice: .wait(atLeast: .seconds(20))))

    /// The endpoint, of three, that is tried after a connection to the second one ended, which was ready for `seconds`.
    static func endpoint(after cause: DisconnectCause, readyFor seconds: Int) -> Int {
        var reconnector = Reconnector(policy: ReconnectPolicy(), endpointCount: 3)
        var random = SeededGenerator(seed: 1)
        _ = reconnector.lost(.refused, at: .zero, using: &random)
        reconnector.ready(at: .zero)
        _ = reconnector.lost(cause, at: .seconds(seconds), using: &random)
        return reconnector.endpoint
    }

    @Test(arguments: [.reset, .endedByPeer, .broken(""), restart] as [DisconnectCause])
    func `after a short connection the same endpoint is tried first, and after a stable one the first endpoint`(
        cause: DisconnectCause
    ) {
        #expect(Self.endpoint(after: cause, readyFor: 1) == 1)
        #expect(Self.endpoint(after: cause, readyFor: 60) == 0)
    }

    @Test(arguments: [.silent, .timedOut, .failed("")] as [DisconnectCause])
    func `if the network path is lost, the next endpoint is tried, however long the connection lasted`(
        cause: DisconnectCause
    ) {
        #expect(Self.endpoint(after: cause, readyFor: 1) == 2)
        #expect(Self.endpoint(after: cause, readyFor: 60) == 2)
    }

    @Test func `an endpoint that ends every connection is tried again once`() {
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

    @Test func `if the same endpoint then refuses, the others are tried at once`() {
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

    @Test func `a kick during the login leads to the next endpoint, after the requested wait`() {
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
            (.endedByPeer, false), (.failed(""), false), (.broken(""), false), (.loginFailed(""), false),
            (restart, false), (.refusedByHTTP(status: 404), false), (.notTrusted(.expired), true), (.wrongKey, true),
        ] as [(DisconnectCause, Bool)])
    func `addresses expire before the next attempt if no server has answered`(
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

    @Test func `the end of a ready connection is always followed by a delay, whatever was tried before`() {
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
