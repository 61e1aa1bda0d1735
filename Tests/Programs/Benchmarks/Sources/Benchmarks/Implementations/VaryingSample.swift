// SPDX-License-Identifier: Apache-2.0

/// Packets whose header varies in width (`varying.wire`): the values, and the bytes they must become.
enum VaryingSample {
    /// The message is that of ``Sample/clientPacket``, with a text that a Swift string holds without an allocation.
    static let sample = Sample(textByteCount: 12)

    static let encoding = "varying_enc"
    static let encodingFixed = "varying_fixed"
    static let encodingSet = "varying_set"
    static let decoding = "varying_dec"
    static let splitting = "varying_split"

    /// Reads arrive in pieces of this size.
    static let pieceByteCount = PacketStream.pieceByteCount

    /// A packet as it is encoded: nothing is set in its header.
    static let plainPacket = packet(isVersioned: false, serial: [0])

    /// A packet whose message fixes the level.
    static let fixedPacket = packet(level: 2, isVersioned: false, serial: [0])

    /// A packet as it is decoded, and as it is encoded with set values: with all that a header can have.
    static let fullPacket = packet(isVersioned: true, serial: [0xAC, 0x02])

    private static func packet(level: UInt8 = 1, isVersioned: Bool, serial: [UInt8]) -> [UInt8] {
        let rest = (isVersioned ? [0, 7] : []) + serial + sample.clientPacket.dropFirst(6)
        return [5 << 4 | (isVersioned ? 1 << 3 : 0) | level, UInt8(rest.count)] + rest
    }
}

/// A long stream of such packets, of which no two in a row have a header of the same width.
final class VaryingStream {
    private let byteCount: Int
    private lazy var content = makeContent()

    var bytes: [UInt8] { content.bytes }
    /// What the packets add up to, without looking at the stream.
    var expected: Tally { content.tally }

    init(mebibytes: Int) { byteCount = mebibytes << 20 }

    private func makeContent() -> (bytes: [UInt8], tally: Tally) {
        var bytes: [UInt8] = []
        var tally = Tally()
        bytes.reserveCapacity(byteCount + 64)
        while bytes.count < byteCount {
            let index = tally.packetCount
            let serial: [UInt8] = index % 3 == 0 ? [UInt8(index & 0x7F)] : [0x80 | UInt8(index & 0x7F), 1]
            let payload = UInt64(index).bigEndianBytes.reversed() + [UInt8](repeating: 9, count: index % 4)
            let isVersioned = index % 2 == 1
            let rest = (isVersioned ? [0, 7] : []) + serial + payload
            bytes += [5 << 4 | (isVersioned ? 1 << 3 : 0), UInt8(rest.count)] + rest
            tally.add(id: 5, byteCount: payload.count, first: payload[0])
        }
        return (bytes, tally)
    }

    /// A benchmark that splits the whole stream once an iteration.
    func benchmark(_ implementation: String, split: @escaping () throws -> Tally) -> Benchmark {
        Benchmark(
            caseName: VaryingSample.splitting, implementation: implementation, byteCount: bytes.count,
            packetCount: expected.packetCount,
            check: { [self] in try WrongResult.unlessEqual(split(), expected) },
            repeats: { count in
                for _ in 0..<count { observe(try split().mixture) }
            })
    }
}
