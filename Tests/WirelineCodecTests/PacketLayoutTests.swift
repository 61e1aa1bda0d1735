// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

struct PacketLayoutTests {
    @Test func `the standard header has six bytes`() {
        #expect(PacketLayout.standard.minimumPacketByteCount == 6)
    }
}
