// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema
import WirelineTransport

/// A remark about a connection, or about what one side has sent.
struct Remark: CustomStringConvertible {
    let sender: Sender?
    let text: String

    init(_ text: String, of sender: Sender? = nil) {
        self.sender = sender
        self.text = text
    }

    var description: String { sender.map { "\($0): \(text)" } ?? text }
}

/// Watches what one side of a connection sends. The proxy works the same if it cannot be decoded.
struct PacketWatch: ~Copyable {
    private let sender: Sender
    private let layout: PacketLayout
    private let log: TrafficLog
    private let hidesValues: Bool
    private var splitter: PacketSplitter
    /// The number of bytes since they stopped being packets; nil while they are packets.
    private var otherByteCount: Int?

    /// - Parameter hidesValues: Whether the schema has a `@sensitive` field.
    init(of sender: Sender, _ description: ProtocolDescription, hidesValues: Bool, _ log: TrafficLog) {
        self.sender = sender
        self.hidesValues = hidesValues
        self.log = log
        layout = description.layout
        splitter = PacketSplitter(
            layout: layout, maximumPacketByteCount: description.options.maximumPacketByteCount)
    }

    /// Returns the remarks about received bytes.
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
            let reason = error.shownText(hidingValues: hidesValues)
            let text = "no packets: \(reason); all that follows is passed on as it is"
            remarks.append(Remark(text, of: sender))
        }
        return remarks
    }

    /// Returns the remarks at the end.
    func finish() -> [Remark] {
        if let count = otherByteCount {
            return count > 0 ? [Remark("\(count) more bytes that are no packets", of: sender)] : []
        }
        do throws(CodecError) {
            try splitter.finish()
            return []
        } catch {
            return [Remark(error.shownText(hidingValues: hidesValues), of: sender)]
        }
    }
}
