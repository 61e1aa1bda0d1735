// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A copy of a borrowed packet, to compare.
struct PacketCopy: Equatable {
    var id: UInt64
    var bytes: [UInt8]
    var payload: [UInt8]
}

/// The result of splitting a stream that arrived in pieces.
struct Splitting: Equatable {
    var packets: [PacketCopy] = []
    var error: CodecError?

    init() {}

    init(
        _ pieces: [ArraySlice<UInt8>], layout: PacketLayout, limit: Int = 1 << 20, isFinished: Bool = true
    ) {
        var splitter = PacketSplitter(layout: layout, maximumPacketByteCount: limit)
        do throws(CodecError) {
            for piece in pieces {
                try splitter.receive(Array(piece).span.bytes) { packet throws(CodecError) in
                    packets.append(
                        PacketCopy(
                            id: packet.id, bytes: [UInt8](copying: packet.bytes),
                            payload: [UInt8](copying: packet.payload)))
                }
            }
            if isFinished { try splitter.finish() }
        } catch {
            self.error = error
        }
    }

    init(_ stream: [UInt8], layout: PacketLayout, limit: Int = 1 << 20, isFinished: Bool = true) {
        self.init([stream[...]], layout: layout, limit: limit, isFinished: isFinished)
    }
}

/// Each split that the tests use: whole, byte by byte, and cut in two at every place.
func everyCut(of stream: [UInt8]) -> [[ArraySlice<UInt8>]] {
    [[stream[...]], stream.indices.map { stream[$0...$0] }]
        + (0...stream.count).map { [stream[..<$0], stream[$0...]] }
}

/// A stream in random pieces, some of them empty.
func randomPieces(of stream: [UInt8], using random: inout some RandomNumberGenerator) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var rest = stream[...]
    while !rest.isEmpty {
        let count = Int.random(in: 0...min(rest.count, 9), using: &random)
        pieces.append(rest.prefix(count))
        rest = rest.dropFirst(count)
    }
    return pieces
}
