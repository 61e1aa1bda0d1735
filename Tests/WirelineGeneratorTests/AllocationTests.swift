// SPDX-License-Identifier: Apache-2.0

import AllocationCounter
import Scene
import Testing
import WirelineCodec

/// What the splitter and generated code ask memory for; time is measured elsewhere, this can be asserted.
@Suite(.enabled(if: allocation_counter_is_available(), "a sanitizer, or a system without glibc, has the allocator"))
struct AllocationTests {
    /// As many bytes as a Swift string holds without memory of its own.
    static let message = Cs_20001(sceneID: 7, line: 2, message: "fifteen bytes !")

    @Test func `allocations are counted`() {
        var arrays: [[UInt8]] = []
        arrays.reserveCapacity(2)
        #expect(allocations { arrays.append([UInt8](repeating: 1, count: 100)) } == 1)
    }

    @Test func `splitting whole packets allocates nothing`() throws {
        let packet = try Self.message.encoded()
        let stream = Array(repeatElement(packet, count: 1_000).joined())
        var splitter = PacketSplitter(layout: SceneProtocol.layout)
        var packetCount = 0
        let count = allocations {
            packetCount = 0
            try? splitter.receive(stream.span.bytes) { packet throws(CodecError) in
                packetCount += packet.id == 20_001 && packet.payload.byteCount == 22 ? 1 : 0
            }
        }
        #expect(count == 0)
        #expect(packetCount == 1_000)
    }

    /// Copied at each packet, what is pending would add up to more than 100 MB.
    @Test func `what a receiver throws at each of 3,000 packets does not copy all that is pending`() throws {
        let stream = Array(repeatElement(try Self.message.encoded(), count: 3_000).joined())
        let failure = CodecError(.invalidHex)
        var splitter = PacketSplitter(layout: SceneProtocol.layout)
        var packetCount = 0
        try? splitter.receive(stream.span.bytes) { _ throws(CodecError) in throw failure }
        let nothing: [UInt8] = []
        let before = allocated_byte_count()
        while splitter.pendingByteCount > 0 {
            try? splitter.receive(nothing.span.bytes) { _ throws(CodecError) in
                packetCount += 1
                throw failure
            }
        }
        #expect(allocated_byte_count() - before < 20_000_000)
        #expect(packetCount == 2_999)
    }

    @Test func `encoding a packet takes one allocation`() {
        var byteCount = 0
        #expect(allocations { byteCount = (try? Self.message.encoded())?.count ?? 0 } == 1)
        #expect(byteCount == 28)
    }

    @Test func `appending packets to an array with room for them allocates nothing`() {
        var output: [UInt8] = []
        output.reserveCapacity(56)
        let count = allocations {
            output.removeAll(keepingCapacity: true)
            try? Self.message.encode(appendingTo: &output)
            try? Self.message.encode(appendingTo: &output)
        }
        #expect(count == 0)
        #expect(output.count == 56)
    }

    /// It grows once at most for each packet, and not for each: by a part of what it has.
    @Test func `appending a thousand packets grows an array a few times`() {
        var output: [UInt8] = []
        let count = allocations {
            output = []
            for _ in 0..<1_000 { try? Self.message.encode(appendingTo: &output) }
        }
        #expect(output.count == 28_000)
        #expect(count <= 12)
    }

    @Test func `appending a packet to an array without room allocates once`() {
        var output: [UInt8] = []
        let count = allocations {
            output = []
            try? Self.message.encode(appendingTo: &output)
        }
        #expect(count == 1)
        #expect(output.count == 28)
    }

    @Test func `decoding fixed fields and a string of 15 bytes allocates nothing`() throws {
        let packet = try Self.message.encoded()
        var line: UInt32 = 0
        #expect(allocations { line = (try? Cs_20001(packet: packet.span.bytes))?.line ?? 0 } == 0)
        #expect(line == 2)
    }

    /// How often `body` asks for memory; it is run before, for what is made once and kept.
    private func allocations(_ body: () -> Void) -> Int {
        body()
        let before = allocation_count()
        body()
        return Int(allocation_count() - before)
    }
}
