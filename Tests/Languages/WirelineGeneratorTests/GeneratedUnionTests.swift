// SPDX-License-Identifier: Apache-2.0

import Features
import Testing
import WirelineCodec

/// Generated unions, beyond what both codecs read and write.
struct GeneratedUnionTests {
    @Test func `every value has its tag`() {
        #expect(Addition.mileage(1).tag == 1 && Addition.other(tag: 9, bytes: []).tag == 9)
        #expect(Shape.radius(1).tag == .circle && Pair.low(1).tag == -1)
    }

    @Test func `a list of empty arms takes at most 128 times its bytes`() throws {
        let count = 10_000
        let message = UnionRows.unions(extras: Array(repeating: .nothing, count: count))
        let payload = try message.encodedPayload()
        let read = try Unions(payload: payload.span.bytes)
        #expect(read.extras.count == count)
        #expect(read.extras.capacity * MemoryLayout<Addition>.stride <= 128 * payload.count)
    }
}
