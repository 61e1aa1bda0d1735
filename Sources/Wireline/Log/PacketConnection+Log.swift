// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
package import WirelineTransport

/// What a connection tells its log, if it has one.
extension PacketConnection {
    func logReceived(_ packet: ReceivedPacket) {
        guard let supervision, let log = supervision.log else { return }
        // What was sent before has its place before.
        stream.showWritten()
        let sender: WirelineCodec.Sender = supervision.side == .client ? .server : .client
        log.record(.received(log.message(in: packet.lent, from: sender, layout)), of: peerAddress)
    }

    package func wrote(_ bytes: [UInt8], to stream: ByteStream) {
        guard let supervision, let log = supervision.log else { return }
        let span = unsafe bytes.span.bytes
        var splitter = PacketSplitter(layout: layout, maximumPacketByteCount: .max)
        var position = 0
        while let bounds = try? splitter.packet(in: span, at: position) {
            let message = log.message(in: Packet(span, bounds, at: position), from: supervision.side, layout)
            log.record(.sent(message), of: peerAddress)
            position += bounds.packetByteCount
        }
        if position < bytes.count { log.record(.sentOther(byteCount: bytes.count - position), of: peerAddress) }
    }

    func logEnd() {
        guard let log = supervision?.log, !hasLoggedEnd else { return }
        hasLoggedEnd = true
        let cause = failure as? ConnectionError ?? (isFinishing ? nil : endingError)
        log.record(.ended(cause?.shownText), of: peerAddress)
    }
}
