// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineSchema

/// Remarks about packets with layers. The packets are opened only for the notes, and forwarded unchanged.
extension PacketReader {
    /// Returns nil if the protocol has no layers.
    func makeStream(of sender: Sender, _ states: PacketStates) -> OpenedStream? {
        translator.hasContent ? translator.makeStream(from: sender, states: states) : nil
    }

    /// Returns the notes about a packet. The first one is about the packet itself and contains its bytes as they were
    /// sent. The others are about the packets inside.
    func notes(
        on opened: OpenedPackets, _ sealed: OpenedStream.SealedPacket, from sender: Sender, in states: PacketStates
    ) -> [TrafficNote] {
        var notes = notes(on: opened, sealed, from: sender)
        // A packet that was not opened can be any message.
        let names = opened.entries.indices.filter { opened.entries[$0].kind == .message }.map { index in
            opened.withPacket(at: index) { message($0.id, from: sender) }
        }
        let hidesValues =
            opened.failure != nil && description.hidesValues
            || names.contains { $0.map(description.hidesValues(ofMessage:)) ?? false }
        guard !notes.isEmpty, !hidesValues else { return notes }
        notes[0].packet = wholePacket(Packet(sealed.content.rawSpan, sealed.bounds))
        notes[0].states = states
        return notes
    }

    /// Returns the name of the message as which a packet is decoded.
    private func message(_ id: UInt64, from sender: Sender) -> String? {
        (description.message(id: id, from: sender) ?? description.message(id: id, from: sender.peer))?.name
    }

    private func notes(
        on opened: OpenedPackets, _ sealed: OpenedStream.SealedPacket, from sender: Sender
    ) -> [TrafficNote] {
        var notes: [TrafficNote] = []
        var depths: [Int] = []
        let counts = opened.innerCounts
        for (index, entry) in opened.entries.enumerated() {
            let depth = entry.parent.map { depths[$0] + 1 } ?? 0
            depths.append(depth)
            let note = opened.withPacket(at: index) { packet in
                entry.kind == .packets
                    ? bundleNote(on: packet, counts[index], from: sender)
                    : self.note(on: packet, from: sender)
            }
            notes.append(note.indented(by: depth))
        }
        guard let failure = opened.failure else { return notes }
        let packet = Packet(sealed.content.rawSpan, sealed.bounds)
        if case .layerUnavailable = failure.reason, opened.entries.isEmpty {
            return [sealedNote(on: packet, failure, from: sender)]
        }
        return notes + [note(on: failure, from: sender)]
    }

    /// Returns a note such as `packet 5 {Version: "zlib"}, which has 2 packets`.
    private func bundleNote(on packet: borrowing Packet, _ count: Int, from sender: Sender) -> TrafficNote {
        let title = translator.description.layout.hasMessageID ? "packet \(packet.id)" : "packet"
        return TrafficNote(
            .packet, Self.line([title, header(of: packet)]) + ", which has \(count.counted("packet"))", of: sender)
    }

    /// Returns a note such as `sealed: "session" {size: 9} 7 bytes 0102030405…`.
    private func sealedNote(on packet: borrowing Packet, _ error: CodecError, from sender: Sender) -> TrafficNote {
        let name = error.path.split(separator: ".").last.map(String.init) ?? ""
        let payload = packet.payload
        var note = TrafficNote(
            .unknown, Self.line(["sealed: \(JSONValue.string(name))", header(of: packet), shown(payload)]), of: sender)
        guard keepsParts else { return note }
        note.parts = [
            TrafficNote.Part(
                offset: packet.payloadRange.lowerBound, digits: Self.digits(ArraySlice([UInt8](copying: payload))),
                path: name, text: "\(error)")
        ]
        return note
    }
}

extension OpenedPackets {
    /// For each packet, the number of packets directly inside it.
    fileprivate var innerCounts: [Int] {
        entries.reduce(into: Array(repeating: 0, count: entries.count)) { counts, entry in
            if let parent = entry.parent { counts[parent] += 1 }
        }
    }
}

extension TrafficNote {
    /// The remark for a packet that is inside others.
    fileprivate func indented(by depth: Int) -> TrafficNote {
        guard depth > 0 else { return self }
        var note = TrafficNote(kind, String(repeating: "  ", count: depth) + text, of: sender)
        (note.message, note.parts, note.replyTime) = (message, parts, replyTime)
        return note
    }
}
