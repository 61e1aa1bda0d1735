// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A protocol whose servers answer only its own requests.
struct Signature: Sendable {
    struct Exchange: Sendable {
        let request: [UInt8]
        let isAnswer: @Sendable ([UInt8]) -> Bool
    }

    let verdict: Probe.Verdict
    /// The requests with their answers, at least one. All must succeed, because a short answer can come from another
    /// protocol.
    let exchanges: [Exchange]

    /// The protocols, in the order in which they are tried. Only the first one sends a line end, which other servers
    /// answer.
    static let all = [memcached, dns, epmd, rtmp, socks]

    /// memcached with its text protocol ("protocol.txt", `version`).
    private static let memcached = Signature(
        verdict: .other("memcached"),
        exchanges: [
            Exchange(request: Array("version\r\n".utf8)) {
                $0.starts(with: "VERSION ".utf8) && ProbeGreeting.isText($0)
            }
        ])

    /// Asks for the name servers of the root, without recursion.
    ///
    ///     bytes 0–1: how many bytes follow    bytes 2–3: the query's number    byte 4: 0x80 in an answer
    ///     bytes 6–7: 1 question: the name "", type NS (2), class IN (1)
    ///
    /// RFC 1035, 4.1 and 4.2.2. A server may refuse, but it answers.
    private static let dns = Signature(
        verdict: .packets(
            Framing(offset: 0, width: 2, order: .bigEndian, excess: 2), name: "as of DNS over TCP"),
        exchanges: [
            Exchange(request: [0, 17, 0x77, 0x70, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1]) {
                // The answer has the same operation (bits 3 to 6), and either repeats the question or has none.
                $0.count >= 14 && Int($0[0]) << 8 | Int($0[1]) == $0.count - 2 && $0[2...3] == [0x77, 0x70]
                    && $0[4] & 0xF8 == 0x80 && $0[6] == 0 && $0[7] <= 1
            }
        ])

    /// Asks Erlang's port mapper for all names, and for a name that is not registered.
    ///
    ///     NAMES_REQ: 110    answer: 4 bytes of port, then lines `name NAME at port PORT`
    ///     PORT_PLEASE2_REQ: 122, the name    answer: 119 and not 0, if the name is not registered
    ///
    /// Erlang/OTP, "Distribution Protocol", 1.
    private static let epmd = Signature(
        verdict: .packets(
            Framing(offset: 0, width: 2, order: .bigEndian, excess: 2),
            name: "as of epmd, Erlang's port mapper, whose answers have no length"),
        exchanges: [
            Exchange(request: [0, 1, 110]) {
                let names = Array($0.dropFirst(4))
                return $0.count >= 4 && $0[..<2] == [0, 0] && $0[2...3] != [0, 0]
                    && (names.isEmpty || names.starts(with: "name ".utf8) && ProbeGreeting.isText(names))
            },
            Exchange(request: [0, 11, 122] + "wire-probe".utf8) {
                $0.count == 2 && $0[0] == 119 && $0[1] != 0
            },
        ])

    /// The handshake of a client: its version, and 1,536 bytes that the server returns.
    ///
    ///     C0: 3    C1: 4 bytes of time, 4 zeros, 1,528 bytes
    ///     S0: 3    S1: as C1    S2: C1 again, with two times
    ///
    /// Adobe's "Real Time Messaging Protocol" 1.0, 5.2.
    private static let rtmp: Signature = {
        let filler = (0..<1_528).map { UInt8(ascii: "A") + UInt8($0 % 26) }
        return Signature(
            verdict: .other("RTMP"),
            exchanges: [
                Exchange(request: [3] + [UInt8](repeating: 0, count: 8) + filler) {
                    $0.count == 1 + 2 * 1_536 && $0[0] == 3 && Array($0.suffix(filler.count)) == filler
                }
            ])
    }()

    /// Offers the methods no authentication, GSSAPI and password, and then a method that no server has. A server
    /// accepts only the first offer.
    ///
    ///     request: 5, how many methods, the methods    answer: 5 and a method; 0xFF if it takes none
    ///
    /// RFC 1928, 3.
    private static let socks = Signature(
        verdict: .other("SOCKS 5"),
        exchanges: [
            Exchange(request: [5, 3, 0, 1, 2]) { $0.count == 2 && $0[0] == 5 && $0[1] <= 2 },
            Exchange(request: [5, 1, 0xFE]) { $0 == [5, 0xFF] },
        ])
}
