// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema
import WirelineTransport

/// Something that there is to say of a connection, or of what one side of it has sent.
struct Remark: CustomStringConvertible {
    let sender: Sender?
    let text: String

    init(_ text: String, of sender: Sender? = nil) {
        self.sender = sender
        self.text = text
    }

    var description: String { sender.map { "\($0): \(text)" } ?? text }
}

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
    mutating func receive(_ bytes: [UInt8]) -> [Remark] {
        if let count = otherByteCount {
            otherByteCount = count + bytes.count
            return []
        }
        var remarks: [Remark] = []
        do throws(CodecError) {
            try splitter.receive(bytes.rawSpan) { packet in
                remarks.append(Remark("\(log.message(in: packet, from: sender, layout))", of: sender))
            }
        } catch {
            otherByteCount = 0
            let text = "no packets: \(error.shownText); all that follows is passed on as it is"
            remarks.append(Remark(text, of: sender))
        }
        return remarks
    }

    /// What there is to say at the end.
    func finish() -> [Remark] {
        if let count = otherByteCount {
            return count > 0 ? [Remark("\(count) more bytes that are no packets", of: sender)] : []
        }
        do throws(CodecError) {
            try splitter.finish()
            return []
        } catch {
            return [Remark(error.shownText, of: sender)]
        }
    }
}
