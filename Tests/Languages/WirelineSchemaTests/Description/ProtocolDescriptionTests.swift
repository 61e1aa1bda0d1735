// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSchema

struct ProtocolDescriptionTests {
    @Test func `a protocol without options has the defaults of the seed`() {
        #expect(ProtocolDescription(name: "Empty").options.maximumPacketByteCount == 1_048_576)
    }
}
