// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import TestingSupport
import WirelineCodec
import WirelineLayers
import WirelineSchema

/// Packets with layers are opened: within all limits, read by generated code as by the description, and the same after
/// they are sealed again.
///
///     +----------+---------+--------------+---------- - - -
///     | protocol | context | 0 bytes are  | bytes
///     |          |         | … the packet |
///     |          |         | 1 … a content|
///     +----------+---------+--------------+---------- - - -
///
/// A content is sealed first, so that the fuzzer need not find compressed streams.
struct OpenerCheck {
    private let subject: LayeredSubject
    private let context: PacketContext
    private var codec: LayeredCodec { subject.codec }

    static func check(_ bytes: [UInt8]) throws(Finding) {
        var input = Input(bytes)
        let subject = LayeredSubject.all[input.choice(of: LayeredSubject.all.count)]
        let context = subject.contexts[input.choice(of: subject.contexts.count)]
        let check = OpenerCheck(subject: subject, context: context)
        let isContent = input.byte() & 1 == 1
        let rest = Array(input.rest)
        guard let packet = isContent ? subject.sealed(rest, in: context) : rest else { return }
        try check.open(packet)
    }

    private func open(_ packet: [UInt8]) throws(Finding) {
        guard let packets = opened(packet) else { return }
        try requireWithinLimits(packets, packet.count)
        if let disagreement = codec.disagreement(on: packets, from: context.sender) { throw Finding(disagreement) }
        let again = opened(packet)
        try require(
            again?.entries.count == packets.entries.count
                && again?.failure?.description == packets.failure?.description,
            "\(packets.entries.count) packets and \(String(describing: packets.failure)), then another result")
        guard packets.failure == nil, codec.canRead(packets, from: context.sender) else { return }
        try requireSameWhenSealedAgain(packets)
    }

    private func opened(_ packet: [UInt8]) -> OpenedPackets? {
        do throws(CodecError) {
            return try codec.open(packet, in: context)
        } catch {
            return nil
        }
    }

    private func requireWithinLimits(_ packets: OpenedPackets, _ byteCount: Int) throws(Finding) {
        let content = codec.translator.description.layout.content
        let innerCount = packets.entries.count - 1
        try require(innerCount <= PacketOpener.innerPacketLimit, "\(innerCount) packets inside of one")
        // At each depth, a content is what layers have made of one that was counted before.
        let (mostBytes, mostDepth) = (content.maximumInflatedByteCount, content.maximumNestedDepth)
        let most = (byteCount + mostBytes) * (mostDepth + 1)
        let sum = packets.buffers.reduce(0) { $0 + $1.count }
        try require(sum <= most, "\(sum) bytes are held of a packet of \(byteCount)")
        for var index in packets.entries.indices {
            var depth = 0
            while let parent = packets.entries[index].parent {
                try require(parent < index, "\(index) stands in \(parent)")
                (index, depth) = (parent, depth + 1)
            }
            try require(depth <= mostDepth, "packets are \(depth) deep")
        }
    }

    private func requireSameWhenSealedAgain(_ packets: OpenedPackets) throws(Finding) {
        let sealed: [UInt8]
        do throws(CodecError) {
            sealed = try codec.sealAgain(packets, in: context)
        } catch {
            // What was stored well may be compressed worse, and bytes that a reader skips may be written.
            return try require(error.reason.isOfLength, "opened, but not sealed again: \(error)")
        }
        let again = opened(sealed)
        try require(again?.failure == nil, "sealed again, but refused: \(String(describing: again?.failure))")
        try require(again?.entries.map(\.kind) == packets.entries.map(\.kind), "other packets when sealed again")
    }
}

/// A protocol whose packets have layers.
struct LayeredSubject: Sendable {
    let folder: ProtocolFolder
    let contexts: [PacketContext]
    private let generated: any PacketProtocol.Type
    private let translator: PacketTranslator

    var codec: LayeredCodec { LayeredCodec(generated, translator) }

    /// Regression files name a protocol by its place here: a new one goes to the end, none is taken away.
    static let names = ["Bilibili", "Minecraft", "KeyedGame"]

    static let all: [LayeredSubject] = names.map { name in
        do {
            return try LayeredSubject(ProtocolFolder.named(name))
        } catch {
            fatalError("\(error)")
        }
    }

    private init(_ folder: ProtocolFolder) throws {
        self.folder = folder
        generated = try folder.generated()
        let layout = folder.translator.description.layout
        translator = try folder.translator.withKeys(LayerKey.madeUp(for: layout))
        contexts =
            layout.hasStates
            ? Array((layout.exampleContexts ?? []).prefix(16)) : Sender.allCases.map { PacketContext(from: $0) }
    }

    /// Returns a packet with a content of these bytes in as many layers as there can be; nil if it is too long.
    func sealed(_ content: [UInt8], in context: PacketContext) -> [UInt8]? {
        let layout = translator.description.layout
        for kind in [OpenedContent.Kind.packets, .message] {
            for field in layout.fields where layout.isSettable(field) {
                for value in 1...3 as ClosedRange<Int128> {
                    var sealer = translator.makeSealer(from: context.sender)
                    var keystreams = LayerSet()
                    sealer.beginPacket()
                    let packet = try? sealer.packet(
                        id: 5, header: [field.name: value], payload: content.rawSpan, kind, states: context.states,
                        &keystreams)
                    if let packet { return layout.framed(packet) }
                }
            }
        }
        return nil
    }
}
