// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

package enum DistributionPacket: Equatable, Sendable {
    /// An empty packet: the node is alive.
    case tick
    /// One fragment; its message is not complete.
    case fragment
    /// A control message, and the range of its term (a message or a reason) in the packet.
    case message(ControlMessage, content: Range<Int>)
    /// A control message, and its term, which fragments carried.
    case assembled(ControlMessage, content: [UInt8])
    /// A control message that has no term after it. Its reason, if it has one, is inside.
    case control(ControlMessage, reason: ErlangTerm?)
    /// The term of this message was longer than the limit, and was dropped.
    case skipped(ControlMessage)
}

/// Reads the packets that a node sends after the handshake.
///
///     length u32 │ 131 68 count │ control │ message              fragments or the atom cache are agreed
///                │ 131 69 sequence left count │ control │ …       the first fragment
///                │ 131 70 sequence left │ …                       the others
///                │ 112 │ 131 control │ 131 message                neither is agreed
///
/// A decoder that has thrown must not be used again, and its connection must be closed.
package struct PacketDecoder {
    private let peer: ErlangPeer
    private let node: ErlangAtom
    private let limits: DistributionLimits
    private var fragments: FragmentStore
    private var nodes: NodeNames

    /// - Parameter peer: The other node, with the flags that both nodes have.
    package init(peer: ErlangPeer, limits: DistributionLimits = DistributionLimits()) {
        precondition(!peer.flags.contains(.atomCache), "the atom cache is never agreed")
        self.peer = peer
        node = peer.name.atom
        self.limits = limits
        fragments = FragmentStore(limits)
        nodes = NodeNames(peer: node)
    }

    /// Drops incomplete messages. The decoder must not be used again.
    mutating func forget() { fragments = FragmentStore(limits) }

    /// The bytes of incomplete messages.
    package var heldByteCount: Int { fragments.byteCount }

    /// Returns the bytes of the next packet, without the 4 of its length.
    ///
    /// - Returns: nil until the length has arrived. The packet itself may still be incomplete.
    /// - Throws: If the packet is above the limit. Nothing has been kept for it.
    package func packetByteCount(in bytes: RawSpan) throws(ErlangError) -> Int? {
        var reader = ByteReader(bytes)
        guard let length = try? reader.takeInteger(UInt32.self) else { return nil }
        guard let byteCount = Int(exactly: length), byteCount <= limits.packetByteCount
        else { throw .distribution(.packetTooLong(limit: limits.packetByteCount)) }
        return byteCount
    }

    /// - Parameter packet: A whole packet, without its length.
    package mutating func decode(_ packet: RawSpan) throws(ErlangError) -> DistributionPacket {
        guard packet.byteCount > 0 else { return .tick }
        var reader = ByteReader(packet)
        let start = try reader.takeInteger(UInt8.self)
        let hasHeader = peer.flags.contains(.fragments)
        guard start == (hasHeader ? TermTag.version : PacketTag.passThrough)
        else { throw .distribution(.header(start)) }
        guard hasHeader else { return try decodePlain(reader, packet) }
        let kind = try reader.takeInteger(UInt8.self)
        switch kind {
        case PacketTag.header:
            try requireNoReferences(&reader)
            return try decodeWhole(reader, packet)
        case PacketTag.firstFragment, PacketTag.laterFragment:
            return try decodeFragment(kind, &reader, packet)
        default: throw .distribution(.header(kind))
        }
    }

    /// Here would be references to an atom cache, which we never agree to.
    private func requireNoReferences(_ reader: inout ByteReader) throws(ErlangError) {
        guard try reader.takeInteger(UInt8.self) == 0 else { throw .distribution(.atomCache) }
    }

    private mutating func decodePlain(_ reader: ByteReader, _ packet: RawSpan) throws(ErlangError) -> DistributionPacket
    {
        var reader = reader
        try requireVersion(&reader)
        let (control, payload, offset) = try readControl(reader)
        guard case .follows = payload else { return try withoutContent(control, payload, offset, packet.byteCount) }
        var rest = ByteReader(packet, range: offset..<packet.byteCount)
        try requireVersion(&rest)
        return whole(control, content: rest.offset..<packet.byteCount)
    }

    private func requireVersion(_ reader: inout ByteReader) throws(ErlangError) {
        let offset = reader.offset
        let version = try reader.takeInteger(UInt8.self)
        guard version == TermTag.version else { throw .invalidTerm(.version(version), offset: offset) }
    }

    private mutating func decodeWhole(_ reader: ByteReader, _ packet: RawSpan) throws(ErlangError) -> DistributionPacket
    {
        let (control, payload, offset) = try readControl(reader)
        guard case .follows = payload else { return try withoutContent(control, payload, offset, packet.byteCount) }
        return whole(control, content: offset..<packet.byteCount)
    }

    private func whole(_ control: ControlMessage, content: Range<Int>) -> DistributionPacket {
        content.count <= limits.terms.byteCount ? .message(control, content: content) : .skipped(control)
    }

    private func withoutContent(
        _ control: ControlMessage, _ payload: ControlPayload, _ offset: Int, _ byteCount: Int
    ) throws(ErlangError) -> DistributionPacket {
        guard offset == byteCount
        else { throw .invalidTerm(.trailingBytes(byteCount - offset), offset: offset) }
        if case .reason(let reason) = payload { return .control(control, reason: reason) }
        return .control(control, reason: nil)
    }

    private mutating func decodeFragment(
        _ kind: UInt8, _ reader: inout ByteReader, _ packet: RawSpan
    ) throws(ErlangError) -> DistributionPacket {
        let sequence = try reader.takeInteger(UInt64.self)
        let leftCount = try reader.takeInteger(UInt64.self)
        let message: FragmentStore.Whole?
        if kind == PacketTag.firstFragment {
            try requireNoReferences(&reader)
            let (control, payload, offset) = try readControl(reader)
            guard case .follows = payload else { throw .distribution(.fragment) }
            let content = packet.extracting(offset..<packet.byteCount)
            message = try fragments.begin(sequence, leftCount: leftCount, control, content)
        } else {
            message = try fragments.continue(sequence, leftCount: leftCount, reader.readRest())
        }
        guard let message else { return .fragment }
        return message.content.map { .assembled(message.control, content: $0) } ?? .skipped(message.control)
    }

    /// - Returns: The message, the kind of its payload, and the offset after it.
    private mutating func readControl(
        _ reader: ByteReader
    ) throws(ErlangError) -> (ControlMessage, ControlPayload, offset: Int) {
        var controls = ControlReader(reader, nodes)
        guard let (control, payload) = try controls.read() else { throw .distribution(.control) }
        if let sender = control.boundSender, sender.node != node { throw .distribution(.foreignSender) }
        if case .send(_, let to) = control { nodes.note(to.node) }
        return (control, payload, controls.offset)
    }
}

/// The first bytes of packets.
enum PacketTag {
    static let passThrough: UInt8 = 112
    static let header: UInt8 = 68
    static let firstFragment: UInt8 = 69
    static let laterFragment: UInt8 = 70
}
