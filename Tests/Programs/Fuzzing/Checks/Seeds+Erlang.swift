// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import WirelineCodec
import WirelineErlang

extension Seed {
    private static let texts = [
        "{enter,7,<<\"hi\">>,[low,high]}", "[1,-1,256,-70000,12345678901234567890,1.5,-2.5e-7]", "#{a => 1,2 => \"b\"}",
        "[a|b]", "<<1,5:3>>", "<<\"\u{E5}\"/utf8>>", "'a b'", "#Pid<a@b.1.0.3>", "#Ref<a@b.3.1.2.3>", "#Port<a@b.9.3>",
        "fun lists:sum/1", "[[[[[[]]]]]]", "\"abc\"", "{$a,16#ff,1_000,'it\\'s'}", "% comment\n{}.",
    ]

    /// Terms of every kind, as bytes.
    static var erlangTerms: [Seed] {
        let closure: [UInt8] =
            [131, 112, 0, 0, 0, 60, 1] + (0..<16) + [0, 0, 0, 2, 0, 0, 0, 1, 119, 1, 109, 97, 3, 97, 4, 88, 119, 1, 97]
            + [0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1, 119, 1, 120]
        let old: [[UInt8]] = [
            [131, 100, 0, 1, 97], [131, 103, 115, 1, 97, 0, 0, 0, 1, 0, 0, 0, 2, 3],
            [131, 114, 0, 1, 119, 1, 97, 3, 0, 0, 0, 9],
        ]
        let written = texts.compactMap { text in
            (try? ErlangTerm(parsing: text)).flatMap { try? $0.externalFormat() }
        }
        return (written + old + [closure]).enumerated().map { Seed("term-\($0)", $1) }
    }

    /// Terms of every kind, as text.
    static var erlangTexts: [Seed] { texts.enumerated().map { Seed("text-\($0)", Array($1.utf8)) } }

    /// Packets, whole and in fragments, and handshakes of OTP.
    static var erlangStreams: [Seed] {
        let (a9, g1) = (pid("a@127.0.0.1", 9, 0x6B03_A698), pid("g@127.0.0.1", 1, 0x0102_0304))
        let send: [UInt8] = [104, 3, 97, 22] + a9 + g1
        let reference: [UInt8] = [90, 0, 1, 119, 1, 97, 0, 0, 0, 3, 0, 0, 0, 9]
        let controls: [[UInt8]] = [
            send + [97, 1], [104, 3, 97, 1] + a9 + g1, [104, 4, 97, 35, 97, 6] + a9 + g1,
            [104, 4, 97, 19] + a9 + g1 + reference, [104, 4, 97, 28] + a9 + g1 + reference + [97, 1],
            [104, 4, 97, 3] + a9 + g1 + [97, 1], [104, 4, 97, 6] + a9 + [119, 0, 119, 1, 120, 97, 1],
        ]
        let number: [UInt8] = [0, 0, 0, 0, 0, 0, 0]
        let fragments = [
            [131, 69] + number + [5] + number + [2, 0] + send + [109, 0, 0],
            [131, 70] + number + [5] + number + [1, 0, 1, 7],
        ]
        let streams =
            controls.map { framed([131, 68, 0] + $0) } + [
                fragments.flatMap(framed) + [0, 0, 0, 0] + framed([131, 68, 0] + controls[0])
            ]
        let plain = framed([112, 131] + controls[1]) + framed([112, 131] + send + [131, 97, 1])
        let flags: [UInt8] = [0, 0, 0, 0x0D, 0x07, 0xDF, 0x7F, 0xBD]
        let name: [UInt8] = [0, 11] + Array("a@127.0.0.1".utf8)
        let digests: [[UInt8]] = [
            [0x6B, 0x4B, 0x5A, 0x03, 0xCA, 0xD2, 0x90, 0x5F, 0xE0, 0x03, 0xC5, 0x16, 0xD8, 0x63, 0xBC, 0x12],
            [0x65, 0xAA, 0x0F, 0x74, 0x37, 0x0C, 0xC8, 0x8C, 0x7A, 0x90, 0xB8, 0x35, 0x3A, 0x50, 0xBB, 0x6A],
        ]
        let incoming =
            short([78] + flags + [0x6B, 3, 0xA6, 0x98] + name) + short([114, 0xA6, 0xD8, 0x4E, 0x9D] + digests[0])
        let outgoing =
            short([115] + "ok".utf8) + short([78] + flags + [0x11, 0x98, 0x2D, 0xC1, 0x6B, 3, 0xA6, 0x98] + name)
            + short([97] + digests[1])
        return streams.enumerated().map { Seed("packets-\($0)", [0, 7] + $1) }
            + [
                Seed("plain", [1, 5] + plain), Seed("incoming", [2, 3] + incoming),
                Seed("outgoing", [3, 9] + outgoing),
            ]
    }

    /// What a connected node says: the packets of ``erlangStreams``.
    static var erlangNodes: [Seed] {
        let packets = erlangStreams.filter { $0.name.hasPrefix("packets-") }.map { Array($0.bytes.dropFirst()) }
        let all: [UInt8] = [3] + packets.flatMap { Array($0.dropFirst()) }
        let calls: [UInt8] = [40] + framed(named("box", "$gen_call")) + framed(named("net_kernel", "$gen_call"))
        return (packets + [all, calls]).enumerated().map { Seed("node-\($0)", $1) }
    }

    /// A message `{Name, x}` to a process with a name.
    private static func named(_ receiver: String, _ name: String) -> [UInt8] {
        [131, 68, 0, 104, 4, 97, 6] + pid("a@127.0.0.1", 9, 0x6B03_A698) + [119, 0, 119, UInt8(receiver.utf8.count)]
            + Array(receiver.utf8) + [104, 2, 119, UInt8(name.utf8.count)] + Array(name.utf8) + [119, 1, 120]
    }

    /// The records of a protocol's vectors.
    static func recordTerms(of place: Int) throws -> [Seed] {
        let subject = Subject.all[place]
        let unknown = Seed(
            "\(subject.folder.name)-unknown",
            [UInt8(place), 0, 104, 3, 119, 7] + Array("unknown".utf8) + [97, 0, 109, 0, 0, 0, 0])
        return try [unknown]
            + subject.folder.vectors(.exact).compactMap { vector in
                let context = subject.nearest(to: try vector.context())
                guard let number = subject.contexts.firstIndex(of: context) else { return nil }
                var writer = ErlangTermWriter()
                try subject.records.write(try vector.bytes(), in: context, to: &writer)
                // Without the header, of which most fields cannot be set.
                var reader = ErlangTermReader(writer.bytes.span.bytes)
                guard reader.readTuple() == 2, reader.skip() != nil, let message = reader.skip() else { return nil }
                return Seed(
                    "\(subject.folder.name)-\(vector.name)",
                    [UInt8(place), UInt8(number)] + [UInt8](copying: message))
            }
    }

    private static func pid(_ node: String, _ id: UInt8, _ creation: UInt32) -> [UInt8] {
        [88, 119, UInt8(node.utf8.count)] + Array(node.utf8) + [0, 0, 0, id, 0, 0, 0, 0]
            + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: creation >> $0) }
    }

    private static func framed(_ packet: [UInt8]) -> [UInt8] { [0, 0] + short(packet) }

    private static func short(_ message: [UInt8]) -> [UInt8] {
        [UInt8(message.count >> 8), UInt8(truncatingIfNeeded: message.count)] + message
    }
}
