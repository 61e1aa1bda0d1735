// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// Watches what one side of a connection sends. The proxy works the same if it cannot be decoded.
struct PacketWatch: ~Copyable {
    private let sender: Sender
    private let reader: PacketReader
    private var splitter: PacketSplitter
    /// The number of bytes since they stopped being packets; nil while they are packets.
    private var otherByteCount: Int?

    init(of sender: Sender, _ reader: PacketReader, _ states: PacketStates) {
        self.sender = sender
        self.reader = reader
        let description = reader.translator.description
        splitter = PacketSplitter(
            layout: description.layout, context: PacketContext(from: sender, states: states),
            maximumPacketByteCount: description.options.maximumPacketByteCount)
    }

    /// The states of the connection, for the next packet.
    var states: PacketStates { splitter.states }

    /// Sets the states, because the other side has changed them.
    mutating func setStates(_ states: PacketStates) {
        if states != splitter.states { splitter.setStates(states) }
    }

    /// Returns the remarks about received bytes.
    mutating func receive(_ bytes: [UInt8]) -> [Remark] {
        if let count = otherByteCount {
            otherByteCount = count + bytes.count
            return []
        }
        var remarks: [Remark] = []
        var piece = bytes
        do throws(CodecError) {
            repeat {
                try splitter.receive(piece.rawSpan) { packet in
                    remarks.append(reader.remark(on: packet, from: sender))
                }
                piece = []
            } while splitter.endedAtStateChange
        } catch {
            otherByteCount = 0
            remarks.append(reader.remark(on: error, from: sender, "all that follows is passed on as it is"))
        }
        return remarks
    }

    /// Returns the remarks at the end.
    func finish() -> [Remark] {
        if let count = otherByteCount {
            return count > 0 ? [Remark(.fault, "\(count) more bytes that are no packets", of: sender)] : []
        }
        do throws(CodecError) {
            try splitter.finish()
            return []
        } catch {
            return [reader.remark(on: error, from: sender)]
        }
    }
}
