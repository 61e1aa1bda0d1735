// SPDX-License-Identifier: Apache-2.0

internal import Scene
internal import WirelineCodec

/// `wireline`: a splitter that lends each packet to a receiver, which is a call that is not inlined.
func wirelineSplittingBenchmarks(_ stream: PacketStream) -> [Benchmark] {
    [stream.benchmark("wireline") { try split(stream.bytes) }]
}

@inline(never)
private func split(_ stream: [UInt8]) throws(CodecError) -> Tally {
    var tally = Tally()
    var splitter = PacketSplitter(layout: SceneProtocol.layout)
    let bytes = stream.span.bytes
    var start = 0
    while start < bytes.byteCount {
        let end = min(start + PacketStream.pieceByteCount, bytes.byteCount)
        try splitter.receive(bytes.extracting(start..<end)) { packet throws(CodecError) in
            add(packet.id, packet.payload, to: &tally)
        }
        start = end
    }
    try splitter.finish()
    return tally
}

@inline(never)
private func add(_ id: UInt64, _ payload: RawSpan, to tally: inout Tally) {
    let first = unsafe payload.unsafeLoad(fromUncheckedByteOffset: 0, as: UInt8.self)
    tally.add(id: UInt16(truncatingIfNeeded: id), byteCount: payload.byteCount, first: first)
}
