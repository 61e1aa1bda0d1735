// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema
import WirelineTransport

/// What one side of a connection sends, looked at from outside: nothing depends on whether it can be read.
struct PacketWatch: ~Copyable {
    private let sender: Sender
    private let layout: PacketLayout
    private let log: TrafficLog
    private var splitter: PacketSplitter
    /// How many bytes have come since they are no packets any more; nil while they are.
    private var otherByteCount: Int?

    init(of sender: Sender, _ description: ProtocolDescription, _ log: TrafficLog) {
        self.sender = sender
        self.log = log
        layout = description.layout
        splitter = PacketSplitter(
            layout: layout, maximumPacketByteCount: description.options.maximumPacketByteCount)
    }

    /// What there is to say of bytes that have come.
    mutating func receive(_ bytes: [UInt8]) -> [String] {
        if let count = otherByteCount {
            otherByteCount = count + bytes.count
            return []
        }
        var lines: [String] = []
        do throws(CodecError) {
            try splitter.receive(bytes.rawSpan) { packet in
                lines.append("\(sender): \(log.message(in: packet, from: sender, layout))")
            }
        } catch {
            otherByteCount = 0
            lines.append("\(sender): no packets: \(error.shownText); all that follows is passed on as it is")
        }
        return lines
    }

    /// What there is to say at the end.
    func finish() -> [String] {
        if let count = otherByteCount {
            return count > 0 ? ["\(sender): \(count) more bytes that are no packets"] : []
        }
        do throws(CodecError) {
            try splitter.finish()
            return []
        } catch {
            return ["\(sender): \(error.shownText)"]
        }
    }
}
