// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineSchema

/// Packets with layers. They are opened for the remarks, but forwarded as they are.
extension PacketReader {
    /// Nil for a protocol without layers.
    func makeStream(of sender: Sender, _ states: PacketStates) -> OpenedStream? {
        translator.hasContent ? translator.makeStream(from: sender, states: states) : nil
    }

    /// The first remark is about the packet itself, and contains it as it was sent. The others are about packets
    /// inside.
    func remarks(
        on opened: OpenedPackets, _ sealed: OpenedStream.SealedPacket, from sender: Sender, in states: PacketStates
    ) -> [Remark] {
        var remarks = remarks(on: opened, sealed, from: sender)
        // An unopened packet may be any message.
        let names = opened.entries.indices.filter { opened.entries[$0].kind == .message }.map { index in
            opened.withPacket(at: index) { message($0.id, from: sender) }
        }
        let hidesValues =
            opened.failure != nil && description.hidesValues
            || names.contains { $0.map(description.hidesValues(ofMessage:)) ?? false }
        guard !remarks.isEmpty, !hidesValues else { return remarks }
        remarks[0].packet = wholePacket(Packet(sealed.content.rawSpan, sealed.bounds))
        remarks[0].states = states
        return remarks
    }

    /// The name of the message as which a packet is read.
    private func message(_ id: UInt64, from sender: Sender) -> String? {
        (description.message(id: id, from: sender) ?? description.message(id: id, from: sender.peer))?.name
    }

    private func remarks(
        on opened: OpenedPackets, _ sealed: OpenedStream.SealedPacket, from sender: Sender
    ) -> [Remark] {
        var remarks: [Remark] = []
        var depths: [Int] = []
        let counts = opened.innerCounts
        for (index, entry) in opened.entries.enumerated() {
            let depth = entry.parent.map { depths[$0] + 1 } ?? 0
            depths.append(depth)
            let remark = opened.withPacket(at: index) { packet in
                entry.kind == .packets
                    ? bundleRemark(on: packet, counts[index], from: sender)
                    : self.remark(on: packet, from: sender)
            }
            remarks.append(remark.indented(by: depth))
        }
        guard let failure = opened.failure else { return remarks }
        let packet = Packet(sealed.content.rawSpan, sealed.bounds)
        if case .layerUnavailable = failure.reason, opened.entries.isEmpty {
            return [sealedRemark(on: packet, failure, from: sender)]
        }
        return remarks + [remark(on: failure, from: sender)]
    }

    /// For example `packet 5 {Version: "zlib"}, which has 2 packets`.
    private func bundleRemark(on packet: borrowing Packet, _ count: Int, from sender: Sender) -> Remark {
        let title = translator.description.layout.hasMessageID ? "packet \(packet.id)" : "packet"
        return Remark(
            .packet, Self.line([title, header(of: packet)]) + ", which has \(count.counted("packet"))", of: sender)
    }

    /// For example `sealed: "session" {size: 9} 7 bytes 0102030405…`.
    private func sealedRemark(on packet: borrowing Packet, _ error: CodecError, from sender: Sender) -> Remark {
        let name = error.path.split(separator: ".").last.map(String.init) ?? ""
        let payload = packet.payload
        var remark = Remark(
            .unknown, Self.line(["sealed: \(JSONValue.string(name))", header(of: packet), shown(payload)]), of: sender)
        guard keepsParts else { return remark }
        remark.parts = [
            Remark.Part(
                offset: packet.payloadRange.lowerBound, digits: Self.digits(ArraySlice([UInt8](copying: payload))),
                path: name, text: "\(error)")
        ]
        return remark
    }
}

extension OpenedPackets {
    /// The number of packets directly inside of each one.
    fileprivate var innerCounts: [Int] {
        entries.reduce(into: Array(repeating: 0, count: entries.count)) { counts, entry in
            if let parent = entry.parent { counts[parent] += 1 }
        }
    }
}

extension Remark {
    /// For a packet inside of others.
    fileprivate func indented(by depth: Int) -> Remark {
        guard depth > 0 else { return self }
        var remark = Remark(kind, String(repeating: "  ", count: depth) + text, of: sender)
        (remark.message, remark.parts, remark.replyTime) = (message, parts, replyTime)
        return remark
    }
}
