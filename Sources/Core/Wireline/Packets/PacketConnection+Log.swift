// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
package import WirelineTransport

extension PacketConnection {
    func logReceived(_ packet: ReceivedPacket) {
        guard let sharedLimits, let log = sharedLimits.log else { return }
        // Messages that were sent earlier come first in the log.
        stream.showWritten()
        loop.note(.messageLogged)
        let sender: WirelineCodec.Sender = sharedLimits.side == .client ? .server : .client
        log.record(.received(log.message(in: packet.lent, from: sender, layout)), of: peerAddress, id)
    }

    package func wrote(_ bytes: [UInt8], to stream: ByteStream) {
        guard sharedLimits?.log != nil else { return }
        if let sent = layeredTraffic?.sent {
            let wasWaiting = sent.isWaiting
            sent.add(bytes, shownStates)
            shownStates = states
            // Otherwise a later turn shows them, after those that wait.
            if !wasWaiting { show(sent) }
            return
        }
        let end = forEachWrittenPacket(in: bytes) { logSent($0) }
        if end < bytes.count { logSent(otherByteCount: bytes.count - end) }
    }

    /// Records written packets with layers, some now and the rest in later turns.
    private func show(_ sent: SentPackets) {
        sent.show({ logSent($0) }, other: { logSent(otherByteCount: $0) })
        if sent.isWaiting {
            loop.continueLater { self.show(sent) }
        } else if ending.isClosed {
            logEnd()
        }
    }

    private func logSent(_ packet: borrowing Packet) {
        guard let sharedLimits, let log = sharedLimits.log else { return }
        loop.note(.messageLogged)
        log.record(.sent(log.message(in: packet, from: sharedLimits.side, layout)), of: peerAddress, id)
    }

    private func logSent(otherByteCount: Int) {
        sharedLimits?.log?.record(.sentOther(byteCount: otherByteCount), of: peerAddress, id)
    }

    /// Passes the packets that were written to `body`.
    ///
    /// A message or the program may have changed a state since the packets were written. So they are read in the states
    /// after the last shown packet.
    private func forEachWrittenPacket(in bytes: [UInt8], _ body: (borrowing Packet) -> Void) -> Int {
        guard hasStates else { return sentLayout.forEachPacket(atStartOf: bytes, body) }
        var splitter = PacketSplitter(
            layout: layout, context: PacketContext(from: side, states: shownStates), maximumPacketByteCount: .max)
        defer { shownStates = states }
        return splitter.forEachPacket(atStartOf: bytes, body)
    }

    func logEnd() {
        // Sent packets come first.
        guard let log = sharedLimits?.log, layeredTraffic?.sent?.isWaiting != true else { return }
        let cause = ending.failure as? ConnectionError ?? (ending.isLeaving ? nil : endingError)
        log.record(.ended(cause?.shownText), of: peerAddress, id)
    }
}
