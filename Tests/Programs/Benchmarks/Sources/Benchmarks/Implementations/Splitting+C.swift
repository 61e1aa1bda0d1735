// SPDX-License-Identifier: Apache-2.0

internal import CLimit

/// `c` with the receiver inlined, and `c-call`, which calls it through a pointer as a framework must.
func limitSplittingBenchmarks(_ stream: PacketStream) -> [Benchmark] {
    [("c", limit_split_inlined), ("c-call", limit_split_calling)].map { implementation, split in
        stream.benchmark(implementation) {
            var tally = limit_tally()
            guard split(stream.bytes, stream.byteCount, PacketStream.pieceByteCount, &tally) else {
                throw WrongResult(description: "refused the stream")
            }
            return Tally(
                packetCount: Int(tally.packets), mixture: tally.mixture,
                payloadByteCount: Int(tally.payload_bytes))
        }
    }
}
