// SPDX-License-Identifier: Apache-2.0

internal import Varying
internal import WirelineCodec

/// `wireline`: the generated messages, and a splitter that lends each packet to a receiver that is not inlined.
func wirelineVaryingBenchmarks(_ stream: VaryingStream) -> [Benchmark] {
    let text = VaryingSample.sample.text
    let line = Line(scene: Sample.sceneID, line: Sample.line, message: text)
    let packet = VaryingSample.fullPacket
    let buffer = outputBuffer.bytes
    return [
        Benchmark(
            caseName: VaryingSample.encoding, implementation: "wireline",
            check: {
                try WrongResult.unlessEqual(outputBuffer.prefix(encode(line, into: buffer)), VaryingSample.plainPacket)
            },
            repeats: { count in
                var total = 0
                for _ in 0..<count { total &+= try encode(line, into: buffer) }
                observe(total)
            }),
        encodingFixed(FixedLine(scene: Sample.sceneID, line: Sample.line, message: text)), encodingSet(line),
        Benchmark(
            caseName: VaryingSample.decoding, implementation: "wireline",
            check: { try WrongResult.unlessEqual(Line(packet: packet.span.bytes), line) },
            repeats: { count in
                var total: UInt32 = 0
                for _ in 0..<count { total &+= try Line(packet: packet.span.bytes).line }
                observe(total)
            }),
        stream.benchmark("wireline") { try split(stream.bytes) },
    ]
}

/// A message that fixes a value of its header.
private func encodingFixed(_ line: FixedLine) -> Benchmark {
    let buffer = outputBuffer.bytes
    return Benchmark(
        caseName: VaryingSample.encodingFixed, implementation: "wireline",
        check: {
            try WrongResult.unlessEqual(outputBuffer.prefix(encode(line, into: buffer)), VaryingSample.fixedPacket)
        },
        repeats: { count in
            var total = 0
            for _ in 0..<count { total &+= try encode(line, into: buffer) }
            observe(total)
        })
}

/// A message with a header whose values the program sets.
private func encodingSet(_ line: Line) -> Benchmark {
    let header: PacketHeader = ["versioned": 1, "version": 7, "serial": 300]
    return Benchmark(
        caseName: VaryingSample.encodingSet, implementation: "wireline",
        check: { try WrongResult.unlessEqual(line.encoded(header: header), VaryingSample.fullPacket) },
        repeats: { count in
            var total = 0
            for _ in 0..<count { total &+= try line.encoded(header: header).count }
            observe(total)
        })
}

@inline(never)
private func split(_ stream: [UInt8]) throws(CodecError) -> Tally {
    var tally = Tally()
    var splitter = PacketSplitter(layout: VaryingProtocol.layout)
    let bytes = stream.span.bytes
    var start = 0
    while start < bytes.byteCount {
        let end = min(start + VaryingSample.pieceByteCount, bytes.byteCount)
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
