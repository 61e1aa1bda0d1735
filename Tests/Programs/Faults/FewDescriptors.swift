// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Goim
import TestingSupport
import Wireline

/// Processes that have no descriptors left (EMFILE): a client and a server.
enum FewDescriptors {
    static func look(_ findings: Findings) async throws {
        try await lookAtClient(findings)
        try await lookAtServer(findings)
    }

    private static func lookAtClient(_ findings: Findings) async throws {
        let server = try Child("--remember")
        let usual = limitDescriptors(to: 0)
        var error: ConnectionError?
        do throws(ConnectionError) {
            _ = try await PacketClient.connect(to: "127.0.0.1", port: server.port, protocol: GoimProtocol.self)
        } catch let thrown {
            error = thrown
        }
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: .eager)
        let watch = Watch(session)
        await watch.state(behind: 0) { if case .waiting(_, .failed) = $0 { true } else { false } }
        _ = limitDescriptors(to: usual)
        var isPrecise = false
        if case .transport(.system(let failure)) = error { isPrecise = failure.code == EMFILE }
        findings.check(isPrecise, "a client without descriptors: \(error.map { "\($0)" } ?? "no error")")
        findings.check(
            try await session.move(to: ["1"]).areConfirmed(), "its session goes on when there are some again")
        session.end()
    }

    private static func lookAtServer(_ findings: Findings) async throws {
        let server = try Child("--remember")
        let before = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: .eager)
        findings.check(try await before.move(to: ["1"]).areConfirmed(), "a server answers")
        let usual = try server.limitDescriptors(to: 0)
        // The server's system completes the connection; the server cannot accept it.
        let late = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: .eager
        ) { login in _ = try await login.client.request(Authentication(body: "late")) }
        let watch = Watch(late)
        await watch.state(behind: 0) { $0 == .loggingIn }
        let sent = try await late.move(to: ["1"])
        let start = try server.processorTime()
        // Measures how much processor time the server uses meanwhile.
        try await Task.sleep(for: .seconds(2))
        let spent = try server.processorTime() - start
        findings.check(spent < .seconds(1), "it has no descriptors for 2 s, and takes \(spent) of them to try again")
        findings.check(try await before.move(to: ["2"]).areConfirmed(), "it goes on to serve those who are there")
        let states = await watch.states.first(watch.states.count)
        findings.check(states.last == .loggingIn, "who comes waits")
        _ = try server.limitDescriptors(to: usual)
        findings.check(await sent.areConfirmed(), "and is taken when there are some again")
        before.end()
        late.end()
    }

    /// Sets the limit of this process's descriptors; open ones stay open.
    ///
    /// - Returns: The old limit.
    static func limitDescriptors(to count: rlim_t) -> rlim_t {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { fail("getrlimit: \(errno)", code: 1) }
        let old = limit.rlim_cur
        limit.rlim_cur = count
        guard setrlimit(resource, &limit) == 0 else { fail("setrlimit: \(errno)", code: 1) }
        return old
    }
}

extension Child {
    fileprivate func limitDescriptors(to count: rlim_t) throws -> rlim_t {
        guard let old = rlim_t(try answer(to: "descriptors \(count)")) else { fail("the child has not heard", code: 1) }
        return old
    }
}
