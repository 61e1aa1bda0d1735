// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A message from us to another node.
///
/// These are only forms that Erlang accepts. Others, which would end the connection or the other node, do not exist
/// here:
/// a fragment without the rest, a reference to an atom cache, the ID 0, a group leader, a monitor of an invalid target.
package enum OutgoingMessage: Equatable, Sendable {
    case send(ErlangTerm, from: ErlangPID, to: ErlangPID)
    /// The bytes of a term, without the version byte. They are not checked: Erlang closes the connection if they are no
    /// term.
    case sendEncoded([UInt8], from: ErlangPID, to: ErlangTarget)
    case sendNamed(ErlangTerm, from: ErlangPID, to: ErlangAtom)
    /// Answers a call. If the caller has given up, its node drops the message.
    case sendAlias(ErlangTerm, from: ErlangPID, alias: ErlangReference)
    case link(from: ErlangPID, to: ErlangPID)
    case unlink(UnlinkID, from: ErlangPID, to: ErlangPID)
    case unlinkAcknowledgement(UnlinkID, from: ErlangPID, to: ErlangPID)
    /// A linked process of ours has ended.
    case exit(reason: ErlangTerm, from: ErlangPID, to: ErlangPID)
    /// Erlang's `exit(Pid, Reason)`.
    case exitSignal(reason: ErlangTerm, from: ErlangPID, to: ErlangPID)
    case monitor(from: ErlangPID, ErlangTarget, ErlangReference)
    case demonitor(from: ErlangPID, ErlangTarget, ErlangReference)
    /// A monitored process of ours has ended, or never existed: `noproc`.
    case down(ErlangTarget, reason: ErlangTerm, to: ErlangPID, ErlangReference)
    /// Refuses to start a process, as OTP does: the caller gets `notsup`.
    case spawnRefusal(ErlangReference, to: ErlangPID)
}

package struct PacketEncoder: Sendable {
    private let ourselves: ErlangAtom
    private let peer: ErlangPeer
    private let peerName: ErlangAtom
    private let limits: ErlangTermLimits

    /// - Parameters:
    ///   - ourselves: Our name.
    ///   - peer: The other node, with the flags that both nodes have.
    ///   - limits: The limits of each term.
    package init(ourselves: ErlangNodeName, peer: ErlangPeer, limits: ErlangTermLimits = ErlangTermLimits()) {
        self.ourselves = ourselves.atom
        self.peer = peer
        peerName = peer.name.atom
        self.limits = limits
    }

    /// An empty packet: we are alive.
    package static let tick: [UInt8] = [0, 0, 0, 0]

    /// Appends a packet with a message.
    ///
    /// - Returns: False if it appended nothing. It drops messages to a process of an earlier life of the node, because
    ///   OTP
    ///   closes the connection for some of them. It also drops an alias that the node cannot have made.
    /// - Throws: ``ErlangError`` for a term that Erlang would refuse, and ``ErlangDistributionFault/foreignSender`` or
    ///   ``ErlangDistributionFault/foreignReceiver`` for processes of other nodes; nothing is appended then.
    package func append(_ message: OutgoingMessage, to output: inout [UInt8]) throws(ErlangError) -> Bool {
        if let sender = message.sender, sender.node != ourselves { throw .distribution(.foreignSender) }
        if let receiver = message.receiver {
            guard receiver.node == peerName else { throw .distribution(.foreignReceiver) }
            if receiver.creation != peer.creation, message.isForPresentLife { return false }
        }
        let kind = message.kind(for: peer.flags)
        if kind == .aliasSend, !peer.flags.contains(.aliases) { return false }
        var measure = ControlMeasure(limits)
        try message.addControl(kind, to: &measure)
        let content = message.content(kind)
        let contentByteCount = try content?.byteCount(limits)
        let hasHeader = peer.flags.contains(.fragments)
        if hasHeader, let content, let contentByteCount, contentByteCount > Self.fragmentByteCount {
            let control = [UInt8](byteCount: measure.byteCount) { message.addControl(kind, to: &$0) }
            appendFragments(control, content.bytes(byteCount: contentByteCount), to: &output)
            return true
        }
        let versionByteCount = hasHeader ? 0 : 1 + (contentByteCount == nil ? 0 : 1)
        let byteCount = (hasHeader ? 3 : 1) + versionByteCount + measure.byteCount + (contentByteCount ?? 0)
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
            message.addControl(kind, to: &writer)
            if let content {
                if !hasHeader { writer.writeInteger(TermTag.version, .bigEndian) }
                content.write(to: &writer)
            }
        }
        return true
    }

    /// The most bytes of a term in one packet, as in OTP. A longer one is sent in fragments. Then a node can skip one
    /// that is
    /// above its limits: it need not keep it in memory, and need not close the connection.
    package static let fragmentByteCount = 64 << 10

    /// An upper bound for the bytes of a packet before its control message, or before its part of a term.
    static let headByteCount = 4 + 2 + 8 + 8 + 1

    /// Appends a message in fragments. No other packet comes between them, so one sequence number serves all messages.
    ///
    ///     131 69 | sequence u64 | fragments left u64 | 0 | control | content …     the first
    ///     131 70 | sequence u64 | fragments left u64 | content …                   the others, down to 1
    private func appendFragments(
        _ control: [UInt8], _ content: [UInt8], to output: inout [UInt8]
    ) {
        let count = (content.count + Self.fragmentByteCount - 1) / Self.fragmentByteCount
        for index in 0..<count {
            let start = index * Self.fragmentByteCount
            let end = min(start + Self.fragmentByteCount, content.count)
            let headByteCount = 18 + (index == 0 ? 1 + control.count : 0)
            output.append(byteCount: 4 + headByteCount + end - start) { writer in
                writer.writeInteger(UInt32(headByteCount + end - start), .bigEndian)
                writer.writeInteger(TermTag.version, .bigEndian)
                writer.writeInteger(index == 0 ? PacketTag.firstFragment : PacketTag.laterFragment, .bigEndian)
                writer.writeInteger(1 as UInt64, .bigEndian)
                writer.writeInteger(UInt64(count - index), .bigEndian)
                if index == 0 {
                    writer.writeInteger(0 as UInt8, .bigEndian)
                    writer.writeBytes(control)
                }
                writer.writeBytes(content.rawSpan.extracting(start..<end))
            }
        }
    }
}
