// SPDX-License-Identifier: Apache-2.0

import Goim
import TestingSupport
import Wireline

/// Records a session's states.
final class Watch: Sendable {
    let states = Seen<SessionState>()
    private let task: Task<Void, Never>

    init(_ session: PacketSession<GoimProtocol>) {
        let (states, sequence) = (states, session.states)
        task = Task { for await state in sequence { states.add(state) } }
    }

    deinit { task.cancel() }

    /// The causes of ended connections and of failed attempts so far.
    var causes: [DisconnectCause] {
        get async {
            await states.first(states.count).compactMap { if case .waiting(_, let cause) = $0 { cause } else { nil } }
        }
    }

    /// Waits until the session waits to reconnect for a cause, after the first `count` states.
    ///
    /// - Returns: How many states there were then.
    @discardableResult
    func end(by cause: DisconnectCause, behind count: Int) async -> Int {
        await state(behind: count) { if case .waiting(_, cause) = $0 { true } else { false } }
    }

    /// Waits until the session has noticed that its peer is silent, after the first `count` states, within 10 s.
    ///
    /// If a busy machine has ended the connection just before, the session must notice that it cannot connect again.
    ///
    /// - Returns: How many states there were then.
    func findSilence(
        behind count: Int, since start: ContinuousClock.Instant, _ findings: Findings, _ text: String
    ) async -> Int {
        let end = await state(behind: count) {
            switch $0 {
            case .waiting(_, .silent), .waiting(_, .timedOut): true
            default: false
            }
        }
        let time = ContinuousClock.now - start
        let seen = await states.first(end)
        if case .waiting(_, .silent) = seen[end - 1] {
            findings.check(time < .seconds(10), "\(text), and found silent after \(time); it may take 1.2 s")
        } else {
            let stood = count > 0 && seen[count - 1] == .ready
            findings.check(!stood, "\(text) while there is no connection, and none is made in \(time)")
        }
        return end
    }

    /// Waits for a state after the first `count`.
    @discardableResult
    func state(behind count: Int, _ isWanted: (SessionState) -> Bool) async -> Int {
        var count = count
        repeat { count += 1 } while await !isWanted(states.first(count)[count - 1])
        return count
    }
}

extension SessionConventions<GoimProtocol> {
    static func beating(every interval: Duration, timeout: Duration) -> SessionConventions {
        var conventions = SessionConventions()
        conventions.heartbeat(
            HeartbeatPolicy(interval: interval, timeout: timeout), answeredBy: HeartbeatReply.self
        ) { Heartbeat(body: "") }
        return conventions
    }
}

extension PacketSession<GoimProtocol> {
    /// Sends messages that must arrive, one for each room.
    func move(to rooms: some Sequence<String>) async throws -> [SentMessage] {
        var sent: [SentMessage] = []
        for room in rooms {
            sent.append(
                try await send(
                    ChangeRoom(room: room), delivery: .exactlyOnce,
                    confirmedBy: .reply(id: ChangeRoomReply.messageID)))
        }
        return sent
    }
}

extension [SentMessage] {
    /// Waits for the outcomes of all messages.
    func areConfirmed() async -> Bool {
        for message in self where await (try? message.outcome()) != .confirmed { return false }
        return true
    }
}
