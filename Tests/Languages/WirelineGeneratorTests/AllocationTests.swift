// SPDX-License-Identifier: Apache-2.0

import AllocationCounter
import MQTT
import Newer
import Scene
import Testing
import WirelineCodec

/// The memory that the splitter and generated code ask for. Time is measured elsewhere, but allocations can be
/// asserted.
@Suite(.enabled(if: allocation_counter_is_available(), "a sanitizer, or a system without glibc, has the allocator"))
struct AllocationTests {
    /// A text of the largest length that a Swift string holds without an allocation.
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

    /// The header has fields that share bytes, so that no plan can read or write it.
    @Test func `packets with fields that share bytes are split and appended without allocations`() throws {
        let message = Puback(packetID: 7)
        var stream: [UInt8] = []
        stream.reserveCapacity(400)
        let appending = allocations {
            stream.removeAll(keepingCapacity: true)
            for _ in 0..<100 { try? message.encode(appendingTo: &stream) }
        }
        var splitter = PacketSplitter(layout: MQTTProtocol.layout)
        var packetCount = 0
        let splitting = allocations {
            packetCount = 0
            try? splitter.receive(stream.span.bytes) { packet throws(CodecError) in
                packetCount += packet.id == Puback.messageID && packet.payload.byteCount == 2 ? 1 : 0
            }
        }
        #expect(appending == 0)
        #expect(splitting == 0)
        #expect(packetCount == 100)
    }

    /// If the pending bytes were copied for each packet, the copies would add up to more than 100 MB.
    @Test func `errors thrown by the receiver for 3,000 packets do not copy the pending bytes each time`() throws {
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

    @Test func `an announced length takes no memory before its bytes arrive`() {
        let start: [UInt8] = [0, 0x10, 0, 0, 0x4E, 0x21, 7]
        var splitter = PacketSplitter(layout: SceneProtocol.layout)
        let before = allocated_byte_count()
        try? splitter.receive(start.span.bytes) { _ throws(CodecError) in }
        let taken = allocated_byte_count() - before
        #expect(taken < 1_000)
        #expect(splitter.pendingByteCount == 7)
    }

    /// If the pending bytes were copied for each piece, the copies would add up to 2 and 32 GiB.
    @Test(arguments: [(1, 1 << 16), (4_096, 16 << 20)])
    func `a packet in small pieces takes memory in proportion to its size, and releases it`(
        pieceByteCount: Int, packetByteCount: Int
    ) {
        let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: packetByteCount >> $0) }
        let stream = length + [0x4E, 0x21] + [UInt8](repeating: 5, count: packetByteCount - 6)
        var splitter = PacketSplitter(layout: SceneProtocol.layout, maximumPacketByteCount: 16 << 20)
        var packetCount = 0
        let bytes = stream.span.bytes
        let before = allocated_byte_count()
        for start in stride(from: 0, to: packetByteCount, by: pieceByteCount) {
            try? splitter.receive(bytes.extracting(start..<start + pieceByteCount)) { _ throws(CodecError) in
                packetCount += 1
            }
        }
        let taken = allocated_byte_count() - before
        #expect(taken < 64 * packetByteCount)
        #expect(packetCount == 1)
        // A buffer that was kept would have space for the beginning of the next packet.
        let beforeNext = allocated_byte_count()
        try? splitter.receive(bytes.extracting(0..<3)) { _ throws(CodecError) in }
        let takenNext = allocated_byte_count() - beforeNext
        #expect((1..<1_000).contains(takenNext))
    }

    /// 65,535 items would take more than 2 MB.
    @Test func `an announced count takes no memory before its items arrive`() {
        let payload: [UInt8] = [0xFF, 0xFF, 1, 7]
        let before = allocated_byte_count()
        let message = try? Newer.Cs_4(payload: payload.span.bytes)
        let taken = allocated_byte_count() - before
        #expect(message == nil)
        #expect(taken < 100_000)
    }

    @Test func `encoding a packet takes one allocation`() {
        var byteCount = 0
        #expect(allocations { byteCount = (try? Self.message.encoded())?.count ?? 0 } == 1)
        #expect(byteCount == 28)
    }

    @Test func `appending packets to an array with enough capacity allocates nothing`() {
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

    /// The array grows by a part of its size, and not for each packet.
    @Test func `appending a thousand packets grows an array only a few times`() {
        var output: [UInt8] = []
        let count = allocations {
            output = []
            for _ in 0..<1_000 { try? Self.message.encode(appendingTo: &output) }
        }
        #expect(output.count == 28_000)
        #expect(count <= 12)
    }

    @Test func `appending a packet to an array without capacity allocates once`() {
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

    /// The number of allocations of `body`. It runs once before that, for what is allocated once and kept.
    private func allocations(_ body: () -> Void) -> Int {
        body()
        let before = allocation_count()
        body()
        return Int(allocation_count() - before)
    }
}
