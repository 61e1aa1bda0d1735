// SPDX-License-Identifier: Apache-2.0

/// Bytes to be masked (RFC 6455 §5.3), in place or on their way to another place.
final class MaskedBytes {
    let caseName: String
    let byteCount: Int

    /// The key, as it stands in a frame.
    static let key: [UInt8] = [0x5C, 0xE1, 0x08, 0xB7]
    /// The same as a number whose bytes stand so in memory.
    static let keyInMemory = key.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }

    /// 16 KiB, which stay in the cache, and so many mebibytes, which do not.
    static func all(mebibytes: Int) -> [MaskedBytes] {
        [
            MaskedBytes(caseName: "mask_16k", byteCount: 16 << 10),
            MaskedBytes(caseName: "mask_\(mebibytes)m", byteCount: mebibytes << 20),
        ]
    }

    private init(caseName: String, byteCount: Int) {
        self.caseName = caseName
        self.byteCount = byteCount
    }

    /// What is to be masked; never freed.
    lazy var source: UnsafeRawBufferPointer = {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 64)
        for index in 0..<byteCount { bytes[index] = Self.byte(index) }
        return UnsafeRawBufferPointer(bytes)
    }()

    /// Where it goes, or where it is masked in place; never freed.
    private lazy var destination = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 64)

    private static func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: index &* 31 &+ index >> 8) }

    /// Throws unless a result is what RFC 6455 §5.3 says, byte by byte.
    func check(_ result: UnsafeRawBufferPointer) throws {
        try WrongResult.unlessEqual(result.count, byteCount)
        for index in 0..<byteCount where result[index] != Self.byte(index) ^ Self.key[index & 3] {
            throw WrongResult(description: "masked byte \(index) wrong")
        }
    }

    /// A benchmark that masks where the bytes stand.
    func inPlace(_ implementation: String, mask: @escaping (UnsafeMutableRawBufferPointer) throws -> Void) -> Benchmark
    {
        benchmark(
            implementation,
            check: { [self] in
                destination.copyMemory(from: source)
                try mask(destination)
                try check(UnsafeRawBufferPointer(destination))
            },
            once: { [self] in try mask(destination) })
    }

    /// A benchmark that masks on the way from one place to another.
    func copying(
        _ implementation: String,
        mask: @escaping (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) throws -> Void
    ) -> Benchmark {
        benchmark(
            implementation,
            check: { [self] in
                destination.copyMemory(from: source)
                try mask(source, destination)
                try check(UnsafeRawBufferPointer(destination))
            },
            once: { [self] in try mask(source, destination) })
    }

    func benchmark(
        _ implementation: String, check: @escaping () throws -> Void, once: @escaping () throws -> Void
    ) -> Benchmark {
        Benchmark(
            caseName: caseName, implementation: implementation, byteCount: byteCount, packetCount: 0,
            check: check,
            repeats: { count in
                for _ in 0..<count { try once() }
            })
    }
}
