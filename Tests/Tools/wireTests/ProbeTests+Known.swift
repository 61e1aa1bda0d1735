// SPDX-License-Identifier: Apache-2.0

import Testing
import Wireline
import WirelineCodec

@testable import wire

/// Packets of other protocols with lengths, as MariaDB 10.11.19, memcached 1.6.18, pymodbus 3.6.9, PostgreSQL 15.18,
/// RabbitMQ 3.10.8, nginx 1.22.1, dnsmasq 2.90, epmd of Erlang 25.2 and microsocks 1.0.3 send them.
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

    /// "no PostgreSQL user name specified in startup packet"
    static let postgreSQL = (
        asked: bytes("000000090003000000"),
        answer: bytes(
            """
            450000007953464154414c0056464154414c00433238303030004d6e6f20506f737467726553514c2075736572206e616d652073
            706563696669656420696e2073746172747570207061636b65740046706f73746d61737465722e63004c32333531005250726f63
            657373537461727475705061636b65740000
            """)
    )

    static let preambleOfRabbitMQ = bytes("414d515000000901")
    static let settingsOfNginx = bytes(
        """
        000012040000000000000300000080000400010000000500ffffff0000040800000000007fff00000000080700000000000000000000000001
        """)

    static let dns = (
        asked: bytes("00117770000000010000000000000000020001"), answer: bytes("00117770808500010000000000000000020001")
    )
    static let epmd = [
        (asked: bytes("00016e"), answer: bytes("00003a9f6e616d652070726f626520617420706f72742031353131330a")),
        (asked: bytes("000b7a776972652d70726f6265"), answer: bytes("7701")),
    ]
    static let microsocks = [
        (asked: bytes("0503000102"), answer: bytes("0502")), (asked: bytes("0501fe"), answer: bytes("05ff")),
    ]

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

    @Test func `PostgreSQL is recognised by its refusal of a session without a user`() async throws {
        let peer = try await rawPeer(endsBehindAnswer: true) { all, _ in
            all == Recorded.postgreSQL.asked ? Recorded.postgreSQL.answer : []
        }
        let verdict = Probe.Verdict.packets(
            KnownPackets.postgreSQL.framing, name: KnownPackets.postgreSQL.name)
        #expect(KnownPackets.postgreSQL.framing.excess == 1)
        #expect(try await probe(peer.address, for: verdict) == verdict)
    }

    @Test func `RabbitMQ is recognised by the preamble with which it answers anything`() async throws {
        let peer = try await rawPeer(endsBehindAnswer: true) { all, _ in
            all.count >= 8 ? Recorded.preambleOfRabbitMQ : []
        }
        let verdict = Probe.Verdict.packets(
            Framing(offset: 3, width: 4, order: .bigEndian, excess: 8), name: "as of AMQP 0-9-1, which RabbitMQ speaks")
        #expect(try await probe(peer.address, for: verdict) == verdict)
        let start: [UInt8] = [1, 0, 0, 0, 0, 0, 6, 0, 10, 0, 10, 0, 9, 0xCE]
        #expect(KnownPackets(of: start, to: Array("AMQP".utf8) + [0, 0, 9, 1]) == KnownPackets.amqp)
        #expect(KnownPackets(of: Array("AMQP".utf8) + [3, 1, 0, 0], to: []) == KnownPackets.amqp1)
    }

    @Test func `a greeting with a byte less, or of another kind, is not recognised`() {
        let recorded = [Recorded.postgreSQL.answer, Recorded.preambleOfRabbitMQ, Recorded.settingsOfNginx]
        for answer in recorded {
            #expect(KnownPackets(of: answer, to: []) != nil)
            #expect(KnownPackets(of: Array(answer.dropLast()), to: []) == nil)
            #expect(KnownPackets(of: [answer[0] ^ 1] + answer.dropFirst(), to: []) == nil)
        }
        // A row of PostgreSQL's kind without a code, HTTP/2 frames without settings, and AMQP's future.
        let others: [[UInt8]] = [
            [0x45, 0, 0, 0, 9] + "Sa\0Mb".utf8, [0, 0, 0, 4, 0, 0, 0, 0, 0], Array("AMQP".utf8) + [0, 9, 9, 9],
        ]
        for bytes in others { #expect(KnownPackets(of: bytes, to: []) == nil) }
    }

    @Test func `a signature needs its own answer to each of its requests`() {
        let recorded = [[Recorded.dns], Recorded.epmd, Recorded.microsocks]
        for exchanges in recorded {
            let signature = Signature.all.first { $0.exchanges.map(\.request) == exchanges.map(\.asked) }
            #expect(signature != nil)
            for (step, recorded) in zip(signature?.exchanges ?? [], exchanges) {
                #expect(step.isAnswer(recorded.answer))
                #expect(!step.isAnswer([]))
                #expect(!step.isAnswer(recorded.asked))
                #expect(!step.isAnswer(Array(recorded.answer.dropLast())))
                #expect(!step.isAnswer([recorded.answer[0] ^ 1] + recorded.answer.dropFirst()))
            }
        }
        for signature in Signature.all {
            for step in signature.exchanges { #expect(!step.isAnswer(step.request), "\(signature.verdict)") }
        }
    }

    @Test func `a server that takes any method is no SOCKS proxy`() async throws {
        let peer = try await rawPeer { all, _ in all.first == 5 ? [5, 0] : [] }
        let verdict = try await probe(peer.address, for: .unknown(.unclear([5, 0])))
        #expect(verdict == .unknown(.unclear([5, 0])))
    }
}
