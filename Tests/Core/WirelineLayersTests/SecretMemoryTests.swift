// SPDX-License-Identifier: Apache-2.0

import Testing

// Only the module itself has what keeps keys.
@testable import WirelineLayers

struct SecretMemoryTests {
    @Test func `what keeps a key has its bytes, and shows none of them`() {
        let memory = SecretMemory(copying: Array("0123456789".utf8).span.bytes)
        #expect(memory.rawSpan.byteCount == 10)
        #expect(memory.rawSpan.unsafeLoad(fromByteOffset: 9, as: UInt8.self) == UInt8(ascii: "9"))
        var dumped = ""
        dump([memory], to: &dumped)
        for text in ["\(memory)", String(reflecting: memory), dumped] {
            #expect(text.contains("(hidden)"))
            #expect(!text.contains("0x"))
        }
    }
}
