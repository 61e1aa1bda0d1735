// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

// How a message becomes a control message: its number, and the parts after it.
extension OutgoingMessage {
    func kind(for flags: ErlangFlags) -> ControlKind {
        let hasPayload = flags.contains(.exitPayloads)
        return switch self {
        case .send, .sendEncoded(_, from: _, to: .process): flags.contains(.senders) ? .sendFrom : .send
        case .sendNamed, .sendEncoded(_, from: _, to: .name): .namedSend
        case .sendAlias: .aliasSend
        case .link: .link
        case .unlink: .unlink
        case .unlinkAcknowledgement: .unlinkAcknowledgement
        case .exit: hasPayload ? .payloadExit : .exit
        case .exitSignal: hasPayload ? .payloadExitSignal : .exitSignal
        case .monitor: .monitor
        case .demonitor: .demonitor
        case .down: hasPayload ? .payloadDown : .down
        case .spawnRefusal: .spawnReply
        }
    }

    func addControl<Sink: ControlSink & ~Copyable & ~Escapable>(
        _ kind: ControlKind, to sink: inout Sink
    ) throws(Sink.Failure) {
        sink.beginControl(kind)
        switch self {
        case .send(_, let from, let to), .sendEncoded(_, let from, .process(let to)):
            if kind == .sendFrom { try sink.add(from) } else { try sink.add("" as ErlangAtom) }
            try sink.add(to)
        case .sendNamed(_, let from, let name), .sendEncoded(_, let from, .name(let name)):
            try sink.add(from)
            try sink.add("" as ErlangAtom)
            try sink.add(name)
        case .sendAlias(_, let from, let alias):
            try sink.add(from)
            try sink.add(alias)
        case .link(let from, let to):
            try sink.add(from)
            try sink.add(to)
        case .unlink(let id, let from, let to), .unlinkAcknowledgement(let id, let from, let to):
            try sink.add(term: id.term)
            try sink.add(from)
            try sink.add(to)
        case .exit(let reason, let from, let to), .exitSignal(let reason, let from, let to):
            try sink.add(from)
            try sink.add(to)
            if kind.hasReason { try sink.add(term: reason) }
        case .monitor(let from, let target, let reference), .demonitor(let from, let target, let reference):
            try sink.add(from)
            try Self.add(target, to: &sink)
            try sink.add(reference)
        case .down(let target, let reason, let to, let reference):
            try Self.add(target, to: &sink)
            try sink.add(to)
            try sink.add(reference)
            if kind.hasReason { try sink.add(term: reason) }
        case .spawnRefusal(let reference, let to):
            try sink.add(reference)
            try sink.add(to)
            try sink.add(term: 0)
            try sink.add("notsup" as ErlangAtom)
        }
    }

    private static func add<Sink: ControlSink & ~Copyable & ~Escapable>(
        _ target: ErlangTarget, to sink: inout Sink
    ) throws(Sink.Failure) {
        switch target {
        case .process(let pid): try sink.add(pid)
        case .name(let name): try sink.add(name)
        }
    }

    /// The term after the control message; nil if none follows.
    func content(_ kind: ControlKind) -> OutgoingContent? {
        switch self {
        case .send(let term, _, _), .sendNamed(let term, _, _), .sendAlias(let term, _, _): .term(term)
        case .sendEncoded(let bytes, _, _): .encoded(bytes)
        case .exit(let reason, _, _), .exitSignal(let reason, _, _), .down(_, let reason, _, _):
            kind.hasReason ? nil : .term(reason)
        case .link, .unlink, .unlinkAcknowledgement, .monitor, .demonitor, .spawnRefusal: nil
        }
    }

    /// The receiving process of the other node; nil: none.
    var receiver: ErlangPID? {
        switch self {
        case .send(_, _, let to), .sendEncoded(_, _, .process(let to)), .link(_, let to), .unlink(_, _, let to),
            .unlinkAcknowledgement(_, _, let to), .exit(_, _, let to), .exitSignal(_, _, let to),
            .monitor(_, .process(let to), _), .demonitor(_, .process(let to), _), .down(_, _, let to, _),
            .spawnRefusal(_, let to):
            to
        case .sendNamed, .sendEncoded(_, _, .name), .sendAlias, .monitor(_, .name, _), .demonitor(_, .name, _): nil
        }
    }

    /// Whether a process of an earlier life of the node must not get it. For some of these, OTP closes the connection.
    /// It
    /// answers monitors of such a process.
    var isForPresentLife: Bool {
        switch self {
        case .monitor, .demonitor: false
        default: true
        }
    }

    /// The sending process of ours; nil if any sender is allowed.
    var sender: ErlangPID? {
        switch self {
        case .send(_, let from, _), .sendEncoded(_, let from, _), .sendNamed(_, let from, _),
            .sendAlias(_, let from, _), .link(let from, _), .unlink(_, let from, _),
            .unlinkAcknowledgement(_, let from, _), .exit(_, let from, _), .exitSignal(_, let from, _),
            .monitor(let from, _, _), .demonitor(let from, _, _), .down(.process(let from), _, _, _):
            from
        case .down(.name, _, _, _), .spawnRefusal: nil
        }
    }
}

enum OutgoingContent {
    case term(ErlangTerm)
    case encoded([UInt8])

    func byteCount(_ limits: ErlangTermLimits) throws(ErlangError) -> Int {
        switch self {
        case .term(let term): return try TermMeasure.byteCount(of: term, limits)
        case .encoded(let bytes):
            guard bytes.count <= limits.byteCount else { throw .termTooLong(limit: limits.byteCount) }
            return bytes.count
        }
    }

    func write(to writer: inout ByteWriter) {
        switch self {
        case .term(let term): writer.writeTerm(term)
        case .encoded(let bytes): writer.writeBytes(bytes)
        }
    }

    /// `byteCount` must be the term's own.
    func bytes(byteCount: Int) -> [UInt8] {
        if case .encoded(let bytes) = self { return bytes }
        return [UInt8](byteCount: byteCount) { write(to: &$0) }
    }
}
