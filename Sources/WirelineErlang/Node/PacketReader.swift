// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Reads the packets of a connection from the blocks in which they arrive, without copying those that are whole.
///
/// `DistributionInput` does the same with copies, for those who want events.
struct PacketReader {
    private var decoder: PacketDecoder
    /// The beginning of a packet that is not whole.
    private var beginning: [UInt8] = []

    init(peer: ErlangPeer, limits: DistributionLimits) { decoder = PacketDecoder(peer: peer, limits: limits) }

    /// Takes bytes that have arrived, and hands on each whole packet with the bytes in which its ranges count.
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

    /// - Returns: The offset after the last whole packet.
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
