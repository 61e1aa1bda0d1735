// SPDX-License-Identifier: Apache-2.0

/// The target of a monitor. A node reports the end by the same PID or name.
package enum ErlangTarget: Hashable, Sendable {
    case process(ErlangPID)
    case name(ErlangAtom)
}

/// A message of another node to a process of ours, or to our node.
///
/// https://www.erlang.org/doc/apps/erts/erl_dist_protocol, "Protocol between Connected Nodes". A form with a trace
/// token
/// reads as the form without it.
package enum ControlMessage: Equatable, Sendable {
    /// A message to a process; no sender if the other node does not send it.
    case send(from: ErlangPID?, to: ErlangPID)
    case sendNamed(from: ErlangPID, to: ErlangAtom)
    /// A message to an alias, which only its process knows.
    case sendAlias(from: ErlangPID, alias: ErlangReference)
    case link(from: ErlangPID, to: ErlangPID)
    /// Send ``OutgoingMessage/unlinkAcknowledgement(_:from:to:)`` at once, with the same ID.
    case unlink(UnlinkID, from: ErlangPID, to: ErlangPID)
    case unlinkAcknowledgement(UnlinkID, from: ErlangPID, to: ErlangPID)
    /// A linked process has ended.
    case exit(from: ErlangPID, to: ErlangPID)
    /// A process must end: `exit(Pid, Reason)`.
    case exitSignal(from: ErlangPID, to: ErlangPID)
    case monitor(from: ErlangPID, ErlangTarget, ErlangReference)
    case demonitor(from: ErlangPID, ErlangTarget, ErlangReference)
    /// A monitored process has ended.
    case down(ErlangTarget, to: ErlangPID, ErlangReference)
    /// Ignore this: the group leader is where the output of Erlang's processes goes.
    case groupLeader(from: ErlangPID, to: ErlangPID)
    /// Answer with ``OutgoingMessage/spawnRefusal(_:to:)``.
    case spawnRequest(ErlangReference, from: ErlangPID)
    /// We never send a spawn request.
    case spawnReply(ErlangReference, to: ErlangPID)

    /// The sender, if it must be a process of the other node. The sender of a message is not checked, as in OTP:
    /// another
    /// process may have passed the message on.
    var boundSender: ErlangPID? {
        switch self {
        case .link(let from, _), .unlink(_, let from, _), .unlinkAcknowledgement(_, let from, _), .exit(let from, _),
            .exitSignal(let from, _), .monitor(let from, _, _), .demonitor(let from, _, _),
            .down(.process(let from), _, _), .spawnRequest(_, let from):
            from
        case .send, .sendNamed, .sendAlias, .down(.name, _, _), .groupLeader, .spawnReply: nil
        }
    }
}

/// Connects an unlinking with its acknowledgement.
package struct UnlinkID: Hashable, Sendable {
    /// 1 to 2^64 − 1. OTP closes the connection for 0, and for a larger number.
    package let number: UInt64

    /// Returns nil for 0.
    package init?(_ number: UInt64) {
        guard number > 0 else { return nil }
        self.number = number
    }

    init?(_ term: ErlangTerm) {
        guard let number = term.integer(as: UInt64.self) else { return nil }
        self.init(number)
    }

    var term: ErlangTerm { ErlangTerm(number) }
}

enum ControlPayload: Equatable {
    case none
    /// The message or the reason.
    case follows
    /// The reason was part of the control message: the node lacks ``ErlangFlags/exitPayloads``.
    case reason(ErlangTerm)
}

enum ControlKind: Int64 {
    case link = 1
    case send = 2
    case exit = 3
    case namedSend = 6
    case groupLeader = 7
    case exitSignal = 8
    case tracedSend = 12
    case tracedExit = 13
    case tracedNamedSend = 16
    case tracedExitSignal = 18
    case monitor = 19
    case demonitor = 20
    case down = 21
    case sendFrom = 22
    case tracedSendFrom = 23
    case payloadExit = 24
    case tracedPayloadExit = 25
    case payloadExitSignal = 26
    case tracedPayloadExitSignal = 27
    case payloadDown = 28
    case spawnRequest = 29
    case tracedSpawnRequest = 30
    case spawnReply = 31
    case tracedSpawnReply = 32
    case aliasSend = 33
    case tracedAliasSend = 34
    case unlink = 35
    case unlinkAcknowledgement = 36

    /// The number of elements of the tuple.
    var partCount: Int {
        switch self {
        case .link, .send, .groupLeader, .sendFrom, .payloadExit, .payloadExitSignal, .aliasSend: 3
        case .exit, .namedSend, .exitSignal, .tracedSend, .monitor, .demonitor, .tracedSendFrom, .tracedPayloadExit,
            .tracedPayloadExitSignal, .payloadDown, .tracedAliasSend, .unlink, .unlinkAcknowledgement:
            4
        case .tracedExit, .tracedNamedSend, .tracedExitSignal, .down, .spawnReply: 5
        case .spawnRequest, .tracedSpawnReply: 6
        case .tracedSpawnRequest: 7
        }
    }

    /// Whether a term follows the control message.
    var hasPayload: Bool {
        switch self {
        case .send, .namedSend, .tracedSend, .tracedNamedSend, .sendFrom, .tracedSendFrom, .payloadExit,
            .tracedPayloadExit, .payloadExitSignal, .tracedPayloadExitSignal, .payloadDown, .spawnRequest,
            .tracedSpawnRequest, .aliasSend, .tracedAliasSend:
            true
        default: false
        }
    }

    var hasReason: Bool {
        switch self {
        case .exit, .tracedExit, .exitSignal, .tracedExitSignal, .down: true
        default: false
        }
    }
}
