// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

/// Packets that are written around an existing payload.
struct PayloadWritingTests {
    static let layouts = [PacketLayout.standard, .qsiop, .erlangPacket1, .erlangPacket2, .erlangPacket4]

    @Test(arguments: layouts, 0...40)
    func `a packet that is written at once is the one of the general path`(
        layout: PacketLayout, payloadByteCount: Int
    ) throws {
        let payload = (0..<payloadByteCount).map { UInt8($0 + 1) }
        let id: UInt64 = layout.hasMessageID ? 0xABCD : 0
        let expected = try layout.encode(id: id, payload: payload.span.bytes)
        let byteCount = layout.plan.byteCountAtOnce(id: id, payloadByteCount: payloadByteCount, limit: 1 << 20)
        #expect(byteCount == expected.count)
        // The bytes after the packet belong to something else.
        var memory = [UInt8](repeating: 0xEE, count: expected.count + 32)
        memory.withUnsafeMutableBytes { memory in
            let room = UnsafeMutableRawBufferPointer(rebasing: memory[..<expected.count])
            layout.plan.encodeAtOnce(id: id, payload: payload.span.bytes, into: room)
        }
        #expect(memory == expected + [UInt8](repeating: 0xEE, count: 32))
    }
}
