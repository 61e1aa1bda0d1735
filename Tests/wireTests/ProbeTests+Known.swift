// SPDX-License-Identifier: Apache-2.0

import Testing
import Wireline
import WirelineCodec

@testable import wire

/// Packets of other protocols with lengths, as MariaDB 10.11.19, memcached 1.6.18 and pymodbus 3.6.9 send them.
private enum Recorded {
    static let greetingOfMariaDB = bytes(
        """
        640000000a352e352e352d31302e31312e31392d4d6172696144422d302b646562313275310003000000795b394943545c5200fef708
        0200ff81150000000000001d000000652527346f553b6469612c55006d7973716c5f6e61746976655f70617373776f726400
        """)
    static let refusalOfMariaDB = bytes("17000000ff1004546f6f206d616e7920636f6e6e656374696f6e73")

    /// Function 0x73, which Modbus does not have, and function 3: requests and answers.
    static let modbus = [
        (asked: bytes("00010000000774733a31323334"), answer: bytes("00010000000374f301")),
        (asked: bytes("000100000006010300000001"), answer: bytes("0001000000050103020011")),
        (asked: bytes("00010000000601037f000001"), answer: bytes("000100000003018302")),
    ]

    static let memcached = (
        asked: bytes("800b00000000000000000000000000000000000000000000"),
        answer: bytes("810b00000000000000000006000000000000000000000000312e362e3138")
    )

    private static func bytes(_ text: String) -> [UInt8] {
        (try? Hexadecimal.bytes(of: text.filter { !$0.isWhitespace })) ?? []
    }
}

extension ProbeTests {
    private static let mySQL = Probe.Verdict.packets(
        Framing(offset: 0, width: 3, order: .littleEndian, excess: 4), name: "as of MySQL and MariaDB")
    private static let modbus = Probe.Verdict.packets(
        Framing(offset: 4, width: 2, order: .bigEndian, excess: 6), name: "as of Modbus/TCP")
    private static let qsiop = Probe.Verdict.packets(
        Framing(offset: 4, width: 2, order: .bigEndian, excess: 6), name: "such as QSIOP's")
    private static let memcached = Probe.Verdict.packets(
        Framing(offset: 8, width: 4, order: .bigEndian, excess: 24), name: "as of memcached's binary protocol")

    @Test(arguments: [Recorded.greetingOfMariaDB, Recorded.refusalOfMariaDB])
    func `a MariaDB server is recognised by its greeting, not by its length`(_ greeting: [UInt8]) async throws {
        let peer = try await rawPeer(greeting: greeting) { _, _ in [] }
        #expect(try await probe(peer.address, for: Self.mySQL) == Self.mySQL)
    }

    @Test(arguments: [true, false])
    func `a Modbus server is recognised by its answers, and not taken for QSIOP`(_ answersAnyUnit: Bool) async throws {
        let peer = try await rawPeer { all, _ in
            guard all.count >= 8, all[2] == 0, all[3] == 0, all.count == 6 + Int(all[4]) << 8 + Int(all[5]),
                answersAnyUnit || all[6] == 1
            else { return [] }
            let answer = all[7] == 3 ? [0, 5, all[6], 3, 2, 0, 17] : [0, 3, all[6], all[7] | 0x80, 1]
            return all[..<4] + answer
        }
        #expect(try await probe(peer.address, for: Self.modbus) == Self.modbus)
    }

    @Test func `a server that answers Modbus requests in another way is no Modbus server`() async throws {
        let peer = try await rawPeer { all, _ in
            all.count == 12 && all[5] == 6 ? [0, 1, 0, 1, 0, 3] + "a:b".utf8 : []
        }
        #expect(try await probe(peer.address, for: Self.qsiop) == Self.qsiop)
    }

    @Test(arguments: [true, false])
    func `a memcached is recognised by its packets, with lines or without`(_ speaksLines: Bool) async throws {
        let peer = try await rawPeer { all, new in
            if all.first == 0x80 { return all == Recorded.memcached.asked ? Recorded.memcached.answer : [] }
            return speaksLines && new.last == UInt8(ascii: "\n") ? Array("ERROR\r\n".utf8) : []
        }
        #expect(try await probe(peer.address, for: Self.memcached) == Self.memcached)
    }

    @Test func `a client's packet, or an answer to another request, is not a server's packet`() {
        for (asked, answer) in Recorded.modbus + [Recorded.memcached] {
            #expect(KnownPackets(of: answer, to: asked) != nil)
            #expect(KnownPackets(of: asked, to: asked) == nil)
            #expect(KnownPackets(of: answer, to: []) == nil)
            #expect(KnownPackets(of: answer, to: [9] + asked.dropFirst()) == nil)
            #expect(KnownPackets(of: Array(answer.dropLast()), to: asked) == nil)
        }
        // A MySQL client asks for TLS, or for a list of databases.
        let clients: [[UInt8]] = [
            [0x20, 0, 0, 1, 0x05, 0xAE, 0xBF, 0x19] + [UInt8](repeating: 0, count: 28),
            [0x0F, 0, 0, 0, 3] + "SHOW DATABASES".utf8,
        ]
        for bytes in clients { #expect(KnownPackets(of: bytes, to: []) == nil) }
    }
}
