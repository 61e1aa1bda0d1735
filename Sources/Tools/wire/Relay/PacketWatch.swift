// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineSchema

/// Decodes the bytes of one side of a connection. A failure does not affect the forwarding.
struct PacketWatch: ~Copyable {
    private let sender: Sender
    private let reader: PacketReader
    private var splitter: PacketSplitter
    /// Opens packets with layers; nil if the protocol has no layers.
    private var layered: OpenedStream?
    /// The number of bytes since the stream became unreadable as packets; nil while it is readable.
    private var otherByteCount: Int?

    init(of sender: Sender, _ reader: PacketReader, _ states: PacketStates) {
        self.sender = sender
        self.reader = reader
        let description = reader.translator.description
        splitter = PacketSplitter(
            layout: description.layout, context: PacketContext(from: sender, states: states),
            maximumPacketByteCount: description.options.maximumPacketByteCount)
        layered = reader.makeStream(of: sender, states)
    }

    /// The connection's states for the next packet.
    var states: PacketStates { mutating get { layered?.states ?? splitter.states } }

    /// Sets the states after the other side has changed them.
    mutating func setStates(_ states: PacketStates) {
        layered?.setStates(states)
        if states != splitter.states { splitter.setStates(states) }
    }

    mutating func receive(_ bytes: [UInt8]) -> [TrafficNote] {
        if let count = otherByteCount {
            otherByteCount = count + bytes.count
            return []
        }
        var notes: [TrafficNote] = []
        var piece = bytes
        do throws(CodecError) {
            guard layered == nil else {
                try receiveLayered(bytes, &notes)
                return notes
            }
            repeat {
                // The splitter stops after a packet that changes the states.
                let states = splitter.states
                try splitter.receive(piece.rawSpan) { packet in
                    var note = reader.note(on: packet, from: sender)
                    note.states = states
                    notes.append(note)
                }
                piece = []
            } while splitter.endedAtStateChange
        } catch {
            otherByteCount = 0
            notes.append(reader.note(on: error, from: sender, "all that follows is passed on as it is"))
        }
        return notes
    }

    private mutating func receiveLayered(_ bytes: [UInt8], _ notes: inout [TrafficNote]) throws(CodecError) {
        layered?.receive(bytes)
        while let states = layered?.states, let (sealed, opened) = try layered?.next() {
            notes += reader.notes(on: opened, sealed, from: sender, in: states)
        }
    }

    mutating func finish() -> [TrafficNote] {
        if let count = otherByteCount {
            return count > 0 ? [TrafficNote(.fault, "\(count) more bytes that are no packets", of: sender)] : []
        }
        if layered != nil { return layered?.endError().map { [reader.note(on: $0, from: sender)] } ?? [] }
        do throws(CodecError) {
            try splitter.finish()
            return []
        } catch {
            return [reader.note(on: error, from: sender)]
        }
    }
}
