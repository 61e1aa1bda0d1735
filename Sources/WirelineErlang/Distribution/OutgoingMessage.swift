// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// What we say to another node.
///
/// There are only forms that Erlang takes. Whatever would end the other node's connection, or the node itself, cannot be
/// said: a fragment without the others, a reference to an atom cache, the ID 0, another group leader, a monitor of what cannot be monitored.
package enum OutgoingMessage: Equatable, Sendable {
    case send(ErlangTerm, from: ErlangPID, to: ErlangPID)
    /// Sends a term that is in bytes already, without the version byte. The caller answers for them: Erlang ends the
    /// connection for bytes that are no term.
    case sendEncoded([UInt8], from: ErlangPID, to: ErlangTarget)
    case sendNamed(ErlangTerm, from: ErlangPID, to: ErlangAtom)
    /// Answers a call: a caller that has given up drops it.
    case sendAlias(ErlangTerm, from: ErlangPID, alias: ErlangReference)
    case link(from: ErlangPID, to: ErlangPID)
    case unlink(UnlinkID, from: ErlangPID, to: ErlangPID)
    case unlinkAcknowledgement(UnlinkID, from: ErlangPID, to: ErlangPID)
    /// A process of ours that was linked has ended.
    case exit(reason: ErlangTerm, from: ErlangPID, to: ErlangPID)
    /// `exit(Pid, Reason)`.
    case exitSignal(reason: ErlangTerm, from: ErlangPID, to: ErlangPID)
    case monitor(from: ErlangPID, ErlangTarget, ErlangReference)
    case demonitor(from: ErlangPID, ErlangTarget, ErlangReference)
    /// What was monitored here has ended, or was never there: `noproc`.
    case down(ErlangTarget, reason: ErlangTerm, to: ErlangPID, ErlangReference)
    /// Refuses to start a process, in OTP's word: callers get `notsup`.
    case spawnRefusal(ErlangReference, to: ErlangPID)
}

/// Writes the packets that we send to a node.
package struct PacketEncoder: Sendable {
    private let ourselves: ErlangAtom
    private let peer: ErlangPeer
    private let peerName: ErlangAtom
    private let limits: ErlangTermLimits

    /// - Parameters:
    ///   - ourselves: Our name.
    ///   - peer: The other node, with the flags that both have.
    ///   - limits: What terms may have.
    package init(ourselves: ErlangNodeName, peer: ErlangPeer, limits: ErlangTermLimits = ErlangTermLimits()) {
        self.ourselves = ourselves.atom
        self.peer = peer
        peerName = peer.name.atom
        self.limits = limits
    }

    /// A packet that only says that we live.
    package static let tick: [UInt8] = [0, 0, 0, 0]

    /// Appends a packet with a message.
    ///
    /// - Returns: Whether there is one. A message to a process of an earlier life of the node is dropped: for some of
    ///   these, OTP closes the connection. The same holds for an alias that the node could not have made.
    /// - Throws: ``ErlangError`` for a term that Erlang would refuse, and ``ErlangDistributionFault/foreignSender`` or
    ///   ``ErlangDistributionFault/foreignReceiver`` for processes of other nodes; nothing is appended then.
    package func append(_ message: OutgoingMessage, to output: inout [UInt8]) throws(ErlangError) -> Bool {
        let form = form(of: message)
        try requireNodes(of: message)
        if let receiver = form.receiver, receiver.creation != peer.creation { return false }
        if form.kind == .aliasSend, !peer.flags.contains(.aliases) { return false }
        let control = ErlangTerm.tuple([.integer(form.kind.rawValue)] + form.parts)
        let controlByteCount = try TermMeasure.byteCount(of: control, limits)
        let contentByteCount = try form.content?.byteCount(limits)
        let hasHeader = peer.flags.contains(.fragments)
        if hasHeader, let content = form.content, let contentByteCount, contentByteCount > Self.fragmentByteCount {
            appendFragments(control, controlByteCount, content.bytes(byteCount: contentByteCount), to: &output)
            return true
        }
        let versionByteCount = hasHeader ? 0 : 1 + (contentByteCount == nil ? 0 : 1)
        let byteCount = (hasHeader ? 3 : 1) + versionByteCount + controlByteCount + (contentByteCount ?? 0)
        guard let length = UInt32(exactly: byteCount) else { throw .termTooLong(limit: limits.byteCount) }
        output.append(byteCount: 4 + byteCount) { writer in
            writer.writeInteger(length, .bigEndian)
            if hasHeader {
                writer.writeInteger(TermTag.version, .bigEndian)
                writer.writeInteger(PacketTag.header, .bigEndian)
                writer.writeInteger(0 as UInt8, .bigEndian)
            } else {
                writer.writeInteger(PacketTag.passThrough, .bigEndian)
                writer.writeInteger(TermTag.version, .bigEndian)
            }
            writer.writeTerm(control)
            if let content = form.content {
                if !hasHeader { writer.writeInteger(TermTag.version, .bigEndian) }
                content.write(to: &writer)
            }
        }
        return true
    }

    /// The most bytes of a message in one packet, as in OTP. A longer message is in fragments: then a node can skip one that
    /// is over its limits, without having it in memory and without closing the connection.
    package static let fragmentByteCount = 64 << 10

    /// Appends a message in fragments. No other packet comes between them, so all messages have the same sequence number.
    ///
    ///     131 69 | sequence u64 | fragments left u64 | 0 | control | content …     the first
    ///     131 70 | sequence u64 | fragments left u64 | content …                   the others, down to 1
    private func appendFragments(
        _ control: ErlangTerm, _ controlByteCount: Int, _ content: [UInt8], to output: inout [UInt8]
    ) {
        let count = (content.count + Self.fragmentByteCount - 1) / Self.fragmentByteCount
        for index in 0..<count {
            let start = index * Self.fragmentByteCount
            let end = min(start + Self.fragmentByteCount, content.count)
            let headByteCount = 18 + (index == 0 ? 1 + controlByteCount : 0)
            output.append(byteCount: 4 + headByteCount + end - start) { writer in
                writer.writeInteger(UInt32(headByteCount + end - start), .bigEndian)
                writer.writeInteger(TermTag.version, .bigEndian)
                writer.writeInteger(index == 0 ? PacketTag.firstFragment : PacketTag.laterFragment, .bigEndian)
                writer.writeInteger(1 as UInt64, .bigEndian)
                writer.writeInteger(UInt64(count - index), .bigEndian)
                if index == 0 {
                    writer.writeInteger(0 as UInt8, .bigEndian)
                    writer.writeTerm(control)
                }
                writer.writeBytes(content.rawSpan.extracting(start..<end))
            }
        }
    }

    /// What follows a control message.
    private enum Content {
        case term(ErlangTerm)
        case encoded([UInt8])

        func write(to writer: inout ByteWriter) {
            switch self {
            case .term(let term): writer.writeTerm(term)
            case .encoded(let bytes): writer.writeBytes(bytes)
            }
        }

        /// Returns the bytes of the term, of which there are so many.
        func bytes(byteCount: Int) -> [UInt8] {
            if case .encoded(let bytes) = self { return bytes }
            return [UInt8](byteCount: byteCount) { write(to: &$0) }
        }

        func byteCount(_ limits: ErlangTermLimits) throws(ErlangError) -> Int {
            switch self {
            case .term(let term): return try TermMeasure.byteCount(of: term, limits)
            case .encoded(let bytes):
                guard bytes.count <= limits.byteCount else { throw .termTooLong(limit: limits.byteCount) }
                return bytes.count
            }
        }
    }

    /// A control message: its number, the elements after it, and the term that follows.
    private struct Form {
        let kind: ControlKind
        let parts: [ErlangTerm]
        var content: Content?
        /// The process that must be of the node's present life.
        var receiver: ErlangPID?
    }

    private func form(of message: OutgoingMessage) -> Form {
        switch message {
        case .send(let term, let from, let to): return sending(.term(term), from, .process(to))
        case .sendNamed(let term, let from, let to): return sending(.term(term), from, .name(to))
        case .sendEncoded(let bytes, let from, let to): return sending(.encoded(bytes), from, to)
        case .sendAlias(let term, let from, let alias):
            return Form(kind: .aliasSend, parts: [.pid(from), .reference(alias)], content: .term(term))
        case .link(let from, let to): return Form(kind: .link, parts: [.pid(from), .pid(to)], receiver: to)
        case .unlink(let id, let from, let to):
            return Form(kind: .unlink, parts: [id.term, .pid(from), .pid(to)], receiver: to)
        case .unlinkAcknowledgement(let id, let from, let to):
            return Form(kind: .unlinkAcknowledgement, parts: [id.term, .pid(from), .pid(to)], receiver: to)
        case .exit(let reason, let from, let to):
            return withReason(reason, .payloadExit, .exit, [.pid(from), .pid(to)], to)
        case .exitSignal(let reason, let from, let to):
            return withReason(reason, .payloadExitSignal, .exitSignal, [.pid(from), .pid(to)], to)
        case .monitor(let from, let target, let reference):
            return Form(kind: .monitor, parts: [.pid(from), target.term, .reference(reference)])
        case .demonitor(let from, let target, let reference):
            return Form(kind: .demonitor, parts: [.pid(from), target.term, .reference(reference)])
        case .down(let target, let reason, let to, let reference):
            return withReason(reason, .payloadDown, .down, [target.term, .pid(to), .reference(reference)], to)
        case .spawnRefusal(let reference, let to):
            return Form(kind: .spawnReply, parts: [.reference(reference), .pid(to), 0, "notsup"], receiver: to)
        }
    }

    private func sending(_ content: Content, _ from: ErlangPID, _ to: ErlangTarget) -> Form {
        switch to {
        case .name(let name):
            return Form(kind: .namedSend, parts: [.pid(from), "", .atom(name)], content: content)
        case .process(let pid):
            let hasSender = peer.flags.contains(.senders)
            return Form(
                kind: hasSender ? .sendFrom : .send, parts: [hasSender ? .pid(from) : "", .pid(pid)],
                content: content, receiver: pid)
        }
    }

    private func withReason(
        _ reason: ErlangTerm, _ kind: ControlKind, _ oldKind: ControlKind, _ parts: [ErlangTerm], _ to: ErlangPID
    ) -> Form {
        peer.flags.contains(.exitPayloads)
            ? Form(kind: kind, parts: parts, content: .term(reason), receiver: to)
            : Form(kind: oldKind, parts: parts + [reason], receiver: to)
    }

    /// Senders must be ours, and receivers the other node's.
    private func requireNodes(of message: OutgoingMessage) throws(ErlangError) {
        let (sender, receiver): (ErlangPID?, ErlangPID?) =
            switch message {
            case .send(_, let from, let to), .link(let from, let to), .unlink(_, let from, let to),
                .unlinkAcknowledgement(_, let from, let to), .exit(_, let from, let to),
                .exitSignal(_, let from, let to):
                (from, to)
            case .sendNamed(_, let from, _), .sendAlias(_, let from, _): (from, nil)
            case .monitor(let from, let target, _), .demonitor(let from, let target, _),
                .sendEncoded(_, let from, let target):
                (from, target.pid)
            case .down(let target, _, let to, _): (target.pid, to)
            case .spawnRefusal(_, let to): (nil, to)
            }
        if let sender, sender.node != ourselves { throw .distribution(.foreignSender) }
        if let receiver, receiver.node != peerName { throw .distribution(.foreignReceiver) }
    }
}

extension ErlangTarget {
    fileprivate var pid: ErlangPID? {
        if case .process(let pid) = self { pid } else { nil }
    }
}
