// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// A long stream of equal packets, and what splitting it must add up to.
final class PacketStream {
    /// The bytes of each packet, header included.
    let packetByteCount: Int
    let packetCount: Int

    /// How the stream arrives: the size of a read.
    static let pieceByteCount = 64 * 1024

    init(packetByteCount: Int, mebibytes: Int) {
        self.packetByteCount = packetByteCount
        packetCount = (mebibytes << 20) / packetByteCount
    }

    var byteCount: Int { packetCount * packetByteCount }
    var caseName: String { "frame_\(packetByteCount)" }

    /// The stream in the seed's layout: a length that counts the whole packet, then the message ID.
    lazy var bytes = makeBytes(lengthIncrement: 0)

    /// The same for a decoder that cannot have a length that counts itself: it counts ID and payload.
    private lazy var bytesWithoutSelfCount = makeBytes(lengthIncrement: -4)

    /// What arrives, in buffers as the kernel would fill them.
    lazy var pieces = Self.cut(bytes)
    lazy var piecesWithoutSelfCount = Self.cut(bytesWithoutSelfCount)

    /// What the packets add up to, without looking at the stream.
    lazy var expected: Tally = {
        var tally = Tally()
        for index in 0..<packetCount {
            tally.add(id: 20_001, byteCount: packetByteCount - 6, first: UInt8(truncatingIfNeeded: index))
        }
        return tally
    }()

    /// Each payload begins with its packet's number, so that a lost or doubled packet shows.
    private func makeBytes(lengthIncrement: Int) -> [UInt8] {
        let header = UInt32(packetByteCount + lengthIncrement).bigEndianBytes + UInt16(20_001).bigEndianBytes
        var bytes = [UInt8]()
        bytes.reserveCapacity(byteCount)
        for index in 0..<packetCount {
            bytes.append(contentsOf: header)
            for offset in 0..<packetByteCount - header.count {
                bytes.append(UInt8(truncatingIfNeeded: index &+ offset))
            }
        }
        return bytes
    }

    private static func cut(_ bytes: [UInt8]) -> [ByteBuffer] {
        stride(from: 0, to: bytes.count, by: pieceByteCount).map { start in
            ByteBuffer(bytes: bytes[start..<min(start + pieceByteCount, bytes.count)])
        }
    }

    /// A benchmark that splits the whole stream once an iteration.
    func benchmark(_ implementation: String, split: @escaping () throws -> Tally) -> Benchmark {
        Benchmark(
            caseName: caseName, implementation: implementation, byteCount: byteCount, packetCount: packetCount,
            check: { [self] in try WrongResult.unlessEqual(split(), expected) },
            repeats: { count in
                for _ in 0..<count { observe(try split().mixture) }
            })
    }
}

/// What a receiver of packets adds up: little work, but all that was handed to it has to be read.
struct Tally: Equatable {
    var packetCount = 0
    /// Between the sums, because of two sums side by side compilers make a vector, which takes more instructions and
    /// waits for the store before it.
    var mixture: UInt64 = 0
    var payloadByteCount = 0

    @inline(__always)
    mutating func add(id: UInt16, byteCount: Int, first: UInt8) {
        packetCount &+= 1
        payloadByteCount &+= byteCount
        mixture ^= UInt64(id) &+ UInt64(first)
    }
}
