// SPDX-License-Identifier: Apache-2.0

import Scene
import Testing
import WirelineCodec

struct SceneTests {
    @Test func `a scene message is encoded and decoded back`() throws {
        let message = Cs_20001(sceneID: 7, line: 2, message: "hi")
        let packet = try message.encoded()
        #expect(packet == [0, 0, 0, 15, 0x4E, 0x21, 7, 0, 0, 0, 2, 0, 2, 0x68, 0x69])
        #expect(try Cs_20001(packet: packet.span.bytes) == message)
    }

    @Test func `64 KiB after the last field are kept and written back`() throws {
        let rest = [UInt8](repeating: 0xA5, count: 65_536)
        let message = Cs_20001(sceneID: 7, line: 2, message: "hi", trailingBytes: rest)
        let packet = try message.encoded()
        #expect(packet.count == 15 + 65_536)
        let again = try Cs_20001(packet: packet.span.bytes)
        #expect(again == message)
    }
}
