// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec

struct CaptureFileTests {
    /// The offset of the only frame of a file, after the file's header and its own.
    private static let frame = 24 + 16

    /// The client's address and port, and the sequence number, in the only frame of a file.
    private func frame(of connection: Int, at offset: Int = 0) -> (address: [UInt8], port: Int, sequence: UInt32) {
        var capture = CaptureFile()
        capture.add([1], at: offset, from: .client, connection)
        let bytes = Array(capture.bytes[Self.frame...])
        let sequence = bytes[24..<28].reduce(0) { $0 << 8 | UInt32($1) }
        return (Array(bytes[12..<16]), Int(bytes[20]) << 8 | Int(bytes[21]), sequence)
    }

    @Test(
        arguments: [
            (0, [10, 0, 0, 1], 20_000), (45_535, [10, 0, 0, 1], 65_535), (45_536, [10, 0, 1, 1], 20_000),
            (45_536 * 256, [10, 1, 0, 1], 20_000), (CaptureFile.mostConnections - 1, [10, 255, 255, 1], 65_535),
        ] as [(Int, [UInt8], Int)])
    func `each connection has an address and a port of its own`(_ connection: Int, _ address: [UInt8], _ port: Int) {
        let frame = frame(of: connection)
        #expect(frame.address == address)
        #expect(frame.port == port)
    }

    @Test func `sequence numbers start again after 4 GiB`() {
        #expect(frame(of: 0, at: (1 << 32) - 1_001).sequence == 0)
        #expect(frame(of: 0, at: 1 << 32).sequence == 1_001)
    }
}
