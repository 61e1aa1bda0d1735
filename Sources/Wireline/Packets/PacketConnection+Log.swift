// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
package import WirelineTransport

/// Reports a connection's messages and its end to its log, if it has one.
extension PacketConnection {
    func logReceived(_ packet: ReceivedPacket) {
        guard let sharedLimits, let log = sharedLimits.log else { return }
        // Messages that were sent earlier come first in the log.
        stream.showWritten()
        let sender: WirelineCodec.Sender = sharedLimits.side == .client ? .server : .client
        log.record(.received(log.message(in: packet.lent, from: sender, layout)), of: peerAddress, id)
    }

    package func wrote(_ bytes: [UInt8], to stream: ByteStream) {
        guard let sharedLimits, let log = sharedLimits.log else { return }
        // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
        let span = unsafe bytes.span.bytes
        var splitter = PacketSplitter(layout: layout, maximumPacketByteCount: .max)
        var position = 0
        while let bounds = try? splitter.packet(in: span, at: position) {
            let message = log.message(in: Packet(span, bounds, at: position), from: sharedLimits.side, layout)
            log.record(.sent(message), of: peerAddress, id)
            position += bounds.packetByteCount
        }
        if position < bytes.count { log.record(.sentOther(byteCount: bytes.count - position), of: peerAddress, id) }
    }

    func logEnd() {
        guard let log = sharedLimits?.log else { return }
        let cause = ending.failure as? ConnectionError ?? (ending.isLeaving ? nil : endingError)
        log.record(.ended(cause?.shownText), of: peerAddress, id)
    }
}
