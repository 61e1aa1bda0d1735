// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Reads a connection's packets from the blocks in which they arrive. Packets within one block are not copied.
///
/// `DistributionInput` copies them, and returns events.
struct PacketReader {
    private var decoder: PacketDecoder
    /// The start of an incomplete packet.
    private var beginning: [UInt8] = []

    init(peer: ErlangPeer, limits: DistributionLimits) { decoder = PacketDecoder(peer: peer, limits: limits) }

    /// The handler gets each whole packet, and the bytes in which the packet's ranges count.
    mutating func receive(
        _ bytes: RawSpan, _ handle: (DistributionPacket, RawSpan) throws(ErlangError) -> Void
    ) throws(ErlangError) {
        guard !beginning.isEmpty else {
            let end = try read(bytes, handle)
            if end < bytes.byteCount { beginning = [UInt8](copying: bytes.extracting(end..<bytes.byteCount)) }
            return
        }
        beginning.append(byteCount: bytes.byteCount) { $0.writeBytes(bytes) }
        var input: [UInt8] = []
        swap(&input, &beginning)
        let end = try read(input.rawSpan, handle)
        if end > 0 { input.removeFirst(end) }
        beginning = input
    }

    /// Returns the offset after the last whole packet.
    private mutating func read(
        _ bytes: RawSpan, _ handle: (DistributionPacket, RawSpan) throws(ErlangError) -> Void
    ) throws(ErlangError) -> Int {
        var offset = 0
        while let byteCount = try decoder.packetByteCount(in: bytes.extracting(offset..<bytes.byteCount)),
            bytes.byteCount - offset - 4 >= byteCount
        {
            let packet = bytes.extracting(offset + 4..<offset + 4 + byteCount)
            try handle(try decoder.decode(packet), packet)
            offset += 4 + byteCount
        }
        return offset
    }
}
