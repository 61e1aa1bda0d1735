// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Reads a control message from its bytes, without a term for each part. One comes with each message.
struct ControlReader: ~Escapable {
    private var terms: TermReader
    private let nodes: NodeNames
    /// The number of elements that are still unread.
    private var missingCount = 0

    /// - Parameter nodes: Names of nodes that are likely to appear.
    @_lifetime(copy reader)
    init(_ reader: ByteReader, _ nodes: NodeNames) {
        terms = TermReader(reader, DistributionLimits.control)
        self.nodes = nodes
    }

    var offset: Int { terms.offset }

    /// - Returns: nil for a term that is no control message.
    mutating func read() throws(ErlangError) -> (ControlMessage, ControlPayload)? {
        let start = terms.offset
        guard let count = try terms.readTupleCount(), count > 0, case .integer(let number) = try terms.readTerm(),
            let kind = ControlKind(rawValue: number), kind.partCount == count
        else {
            // Bytes that are no term must throw.
            if terms.offset == start { _ = try terms.readTerm() }
            return nil
        }
        missingCount = count - 1
        guard let message = try message(of: kind) else { return nil }
        if kind.hasPayload {
            try skip(missingCount)
            return (message, .follows)
        }
        guard kind.hasReason else {
            try skip(missingCount)
            return (message, .none)
        }
        try skip(missingCount - 1)
        return (message, .reason(try terms.readTerm()))
    }

    /// Reads only the elements that matter. Trace tokens and a reason can follow.
    private mutating func message(of kind: ControlKind) throws(ErlangError) -> ControlMessage? {
        switch kind {
        case .sendFrom, .tracedSendFrom: try pair().map { .send(from: $0, to: $1) }
        case .namedSend, .tracedNamedSend: try namedSend()
        case .send, .tracedSend: try unnamedSend()
        case .aliasSend, .tracedAliasSend: try aliasSend()
        case .link: try pair().map { .link(from: $0, to: $1) }
        case .groupLeader: try pair().map { .groupLeader(from: $0, to: $1) }
        case .exit, .tracedExit, .payloadExit, .tracedPayloadExit: try pair().map { .exit(from: $0, to: $1) }
        case .exitSignal, .tracedExitSignal, .payloadExitSignal, .tracedPayloadExitSignal:
            try pair().map { .exitSignal(from: $0, to: $1) }
        case .monitor: try watch().map { .monitor(from: $0, $1, $2) }
        case .demonitor: try watch().map { .demonitor(from: $0, $1, $2) }
        case .down, .payloadDown: try down()
        case .spawnRequest, .tracedSpawnRequest: try spawning().map { .spawnRequest($0, from: $1) }
        case .spawnReply, .tracedSpawnReply: try spawning().map { .spawnReply($0, to: $1) }
        case .unlink: try unlinking().map { .unlink($0, from: $1, to: $2) }
        case .unlinkAcknowledgement: try unlinking().map { .unlinkAcknowledgement($0, from: $1, to: $2) }
        }
    }

    // MARK: Elements

    private mutating func skip(_ count: Int) throws(ErlangError) {
        for _ in 0..<count { _ = try terms.readTerm() }
        missingCount -= count
    }

    private mutating func pid() throws(ErlangError) -> ErlangPID? {
        missingCount -= 1
        return try terms.readPID(nodes)
    }

    private mutating func reference() throws(ErlangError) -> ErlangReference? {
        missingCount -= 1
        guard case .reference(let reference) = try terms.readTerm() else { return nil }
        return reference
    }

    private mutating func name() throws(ErlangError) -> ErlangAtom? {
        missingCount -= 1
        guard case .atom(let name) = try terms.readTerm() else { return nil }
        return name
    }

    private mutating func target() throws(ErlangError) -> ErlangTarget? {
        missingCount -= 1
        return switch try terms.readTerm() {
        case .pid(let pid): .process(pid)
        case .atom(let name): .name(name)
        default: nil
        }
    }

    private mutating func pair() throws(ErlangError) -> (ErlangPID, ErlangPID)? {
        guard let from = try pid(), let to = try pid() else { return nil }
        return (from, to)
    }

    // MARK: Messages

    private mutating func unnamedSend() throws(ErlangError) -> ControlMessage? {
        try skip(1)
        return try pid().map { .send(from: nil, to: $0) }
    }

    private mutating func namedSend() throws(ErlangError) -> ControlMessage? {
        guard let from = try pid() else { return nil }
        try skip(1)
        return try name().map { .sendNamed(from: from, to: $0) }
    }

    private mutating func aliasSend() throws(ErlangError) -> ControlMessage? {
        guard let from = try pid(), let alias = try reference() else { return nil }
        return .sendAlias(from: from, alias: alias)
    }

    private mutating func watch() throws(ErlangError) -> (ErlangPID, ErlangTarget, ErlangReference)? {
        guard let from = try pid(), let target = try target(), let reference = try reference() else { return nil }
        return (from, target, reference)
    }

    private mutating func down() throws(ErlangError) -> ControlMessage? {
        guard let target = try target(), let to = try pid(), let reference = try reference() else { return nil }
        return .down(target, to: to, reference)
    }

    private mutating func spawning() throws(ErlangError) -> (ErlangReference, ErlangPID)? {
        guard let reference = try reference(), let pid = try pid() else { return nil }
        return (reference, pid)
    }

    private mutating func unlinking() throws(ErlangError) -> (UnlinkID, ErlangPID, ErlangPID)? {
        missingCount -= 1
        guard let id = UnlinkID(try terms.readTerm()), let (from, to) = try pair() else { return nil }
        return (id, from, to)
    }
}
