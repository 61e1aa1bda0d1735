// SPDX-License-Identifier: Apache-2.0

import AllocationCounter
import Testing
import WirelineCodec
import WirelineLayers
import WirelineLibraries

/// What compressed packets cost in memory.
@Suite(.enabled(if: allocation_counter_is_available(), "a sanitizer, or a system without glibc, has the allocator"))
struct CompressionMemoryTests {
    /// The allocations of `body`, and their bytes.
    private static func allocations(_ body: () -> Void) -> (count: Int, byteCount: Int) {
        let (count, byteCount) = (allocation_count(), allocated_byte_count())
        body()
        return (Int(allocation_count() - count), Int(allocated_byte_count() - byteCount))
    }

    /// One gigabyte of zeros in about one megabyte: the same megabyte over and over, without an end, which is never
    /// reached. For brotli, an eighth of that.
    private static func bomb(_ kind: LayerKind) throws -> [UInt8] {
        guard kind != .brotli else {
            var options = LayerOptions()
            options.brotliLevel = 5
            var end = End(.brotli, limit: 1 << 27, options: options)
            return try end.seal([UInt8](repeating: 0, count: 1 << 27))
        }
        var block: [UInt8] = []
        let stream = try ZlibDeflation(Zlib.shared.get(), .none, level: 9)
        try stream.deflate([UInt8](repeating: 0, count: 1 << 20).span.bytes, then: .sync, into: &block)
        let blocks = Array(repeatElement(block, count: 1_024).joined())
        switch kind {
        case .zlib: return [0x78, 0x9C] + blocks
        case .gzip: return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255] + blocks
        default: return blocks
        }
    }

    @Test(arguments: CompressionTests.kinds, [1_000, 1 << 20, 8 << 20])
    func `a bomb is refused at the limit, and takes memory for the limit only`(kind: LayerKind, limit: Int) throws {
        let bomb = try Self.bomb(kind)
        var end = End(kind, limit: limit)
        var outcome: Result<[UInt8], CodecError>?
        let allocations = Self.allocations { outcome = end.outcome(of: bomb) }
        #expect(outcome == .failure(CodecError(.inflatedTooLong(limit: limit), path: "packet." + kind.name)))
        // Doubling adds up to less than twice the limit. The rest are the states: zlib's keep 32 KiB, brotli's window here
        // 4 MiB.
        let ownByteCount = kind == .brotli ? 10 << 20 : 64 << 10
        #expect(allocations.byteCount < 2 * limit + ownByteCount, "\(allocations)")
    }

    @Test func `the connections of a thread share zlib's states`() throws {
        let content = Array("A small market, a small market, a smaller market. 12345".utf8)
        let states = CompressionStates()
        func layers() -> ConnectionLayers { ConnectionLayers([.zlib], states: states) }
        func seal(_ layers: inout ConnectionLayers) throws -> [UInt8] {
            var budget = InflationBudget(limit: 1_000)
            return try layers.ofServer.sealed(content, within: &budget)
        }
        func open(_ sealed: [UInt8], _ layers: inout ConnectionLayers) throws -> [UInt8] {
            var budget = InflationBudget(limit: 1_000)
            return try layers.ofClient.opened(sealed, within: &budget)
        }
        var first = layers()
        let sealed = try seal(&first)
        #expect(try open(sealed, &first) == content)
        var result: [UInt8]?
        let allocations = Self.allocations {
            var second = layers()
            result = try? open(seal(&second), &second)
        }
        #expect(result == content)
        // The arrays of two stacks, and two contents. A state of zlib has 7 KB at least.
        #expect(allocations.byteCount < 4_096)
    }

    @Test(arguments: [LayerKind.zlib, .deflate, .gzip])
    func `zlib's states are kept, so that a packet allocates its content only`(kind: LayerKind) throws {
        let content = Array("A small market, a small market, a smaller market. 12345".utf8)
        var sealing = End(kind)
        var opening = End(kind)
        let sealed = try sealing.seal(content)
        #expect(try opening.open(sealed) == content)
        var result: [UInt8]?
        let openings = Self.allocations { result = try? opening.open(sealed) }
        #expect(result == content)
        #expect(openings.count == 1)
        #expect(openings.byteCount < 1_024)
        let sealings = Self.allocations { result = try? sealing.seal(content) }
        #expect(result == sealed)
        #expect(sealings.count == 1)
        #expect(sealings.byteCount < 1_024)
    }
}
