// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Packets that one kind of peer answers. Other kinds wait for more bytes.
struct ProbePackets {
    let name: String
    /// Two packets of the kind, with different sizes if possible.
    let packets: [[UInt8]]
    let framing: Framing

    /// The order matters: a kind comes after those that could misread its bytes.
    ///
    /// For example, the bytes of a long length are also an ID and a short length.
    static let all: [ProbePackets] =
        framings(Framing.lengths[..<3]) + [identified(2), identified(4), pomelo, qsiop]
        + framings(Framing.lengths[3...]) + [mqtt, modbus]

    private static func framings(_ lengths: ArraySlice<(width: Int, order: ByteOrder)>) -> [ProbePackets] {
        lengths.flatMap { width, order in
            [width, 0, width + 2, width + 4].map { excess in
                let framing = Framing(offset: 0, width: width, order: order, excess: excess)
                // Both bytes of a two-byte length are nonzero. So it is a large number if it is read as a wider length.
                let counts = width == 1 ? [33, 47] : [0x0111, 0x0127]
                return ProbePackets(
                    name: name(of: framing), packets: counts.map { framing.packet(restByteCount: $0) }, framing: framing
                )
            }
        }
    }

    private static func identified(_ width: Int) -> ProbePackets {
        let framing = Framing(offset: width, width: width, order: .bigEndian, excess: 2 * width)
        return ProbePackets(
            name: "an ID of \(width) bytes first",
            packets: [0x0111, 0x0127].map { framing.packet(restByteCount: $0) }, framing: framing)
    }

    private static let qsiop = ProbePackets(
        name: "such as QSIOP's",
        packets: ["ts:1234", "ts:123456"].map { [0, 1, 0, 0, 0, UInt8($0.utf8.count)] + $0.utf8 },
        framing: Framing(offset: 4, width: 2, order: .bigEndian, excess: 6))

    private static let pomelo = ProbePackets(
        name: "such as pomelo's",
        packets: ["{\"sys\":{}}", "{\"sys\":{},\"user\":{}}"].map { [1, 0, 0, UInt8($0.utf8.count)] + $0.utf8 },
        framing: Framing(offset: 1, width: 3, order: .bigEndian, excess: 4))

    private static let mqtt = ProbePackets(
        name: "MQTT 3.1.1",
        packets: ["a", "bc"].map { client in
            let rest = [0, 4] + Array("MQTT".utf8) + [4, 2, 0, 60, 0, UInt8(client.utf8.count)] + client.utf8
            return [0x10, UInt8(rest.count)] + rest
        },
        framing: Framing(offset: 1, width: 1, order: .bigEndian, excess: 2))

    /// Reads a register of the Modbus unit 1.
    ///
    /// If the answer does not fit ``KnownPackets``, the peer does not use Modbus, but packets with the same header.
    private static let modbus = ProbePackets(
        name: qsiop.name,
        packets: [[0, 1], [0, 2]].map { $0 + [0, 0, 0, 6, 1, 3, 0, 0, 0, 1] },
        framing: Framing(offset: 4, width: 2, order: .bigEndian, excess: 6))

    private static func name(of framing: Framing) -> String {
        switch (framing.width, framing.order, framing.excess) {
        case (let width, .bigEndian, let excess) where width != 3 && excess == width:
            "as of Erlang's {packet, \(width)}"
        case (4, .bigEndian, 0): "what a schema without a header declares"
        default: ""
        }
    }
}
