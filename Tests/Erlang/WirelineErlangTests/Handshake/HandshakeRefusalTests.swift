// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineErlang

/// Handshakes that fail, and how each side notices.
struct HandshakeRefusalTests {
    private static let introduction = HandshakeVectorTests.accepting.introduction

    static let introductions: [(String, ErlangHandshakeFault, answer: String)] = [
        // A name of another form is no node; nodes of our name, without flags or without a creation are told so.
        (frame("4e0000000d07df7fbd6b03a698" + "0002" + "6161"), .name, ""),
        (frame("4e0000000d07df7fbd6b03a698" + "0002" + "4061"), .name, ""),
        (frame("4e0000000d07df7fbd6b03a698" + "0004" + "61406240"), .name, ""),
        (frame("4e0000000d07df7fbd6b03a698" + "0004" + "614000" + "62"), .name, ""),
        (frame("4e0000000d07df7fbd6b03a698" + "0004" + "c3a54062"), .name, ""),
        (frame("4e0000000d07df7fbd6b03a698" + "0000"), .name, ""),
        (frame("4e0000000d07df7fbd6b03a698" + "000b" + "67403132372e302e302e31"), .ownName, frame("736e6f6b")),
        (frame("4e0000000d07df7fbd00000000" + "0003" + "614062"), .creation, frame("736e6f745f616c6c6f776564")),
        (
            frame("4e00000004030707d46b03a698" + "0003" + "614062"), .missingFlags(0x800),
            frame("736e6f745f616c6c6f776564")
        ),
        (frame("4e0000000d07df7fbd6b03a698" + "0004" + "614062"), .malformed, ""),
        (frame("6e00060000000061"), .malformed, ""), (frame(""), .malformed, ""), (frame("4e00"), .malformed, ""),
        // A client's greeting in TLS 1.3.
        ("1603010200010001fc0303", .tls, ""),
        ("474554202f20485454502f312e310d0a", .tooLong(limit: 1_024), ""), ("0401", .tooLong(limit: 1_024), ""),
    ]

    @Test(arguments: introductions)
    func `an introduction that is none is refused`(hex: String, fault: ErlangHandshakeFault, answer: String) {
        var handshake = IncomingHandshake(as: Node.ours, cookie: Node.cookie, challenge: 1)
        handshake.receive(bytes(hex).span.bytes)
        for _ in 0..<2 {
            #expect(throws: ErlangError.handshake(fault)) { try handshake.nextEvent() }
        }
        #expect(handshake.takeOutput() == bytes(answer))
        #expect(handshake.errorAtEnd() == .handshake(fault))
        #expect(!"\(fault)".isEmpty)
    }

    static let statuses: [(String, ErlangHandshakeFault)] = [
        ("nok", .simultaneous), ("not_allowed", .notAllowed), ("named:x", .status), ("", .status), ("OK", .status),
    ]

    @Test func `a node that answers in TLS is said to speak it`() {
        var handshake = OutgoingHandshake(as: Node.ours, to: Node.theirs.name, cookie: Node.cookie, challenge: 1)
        handshake.receive(bytes("15030300020246").span.bytes)
        #expect(throws: ErlangError.handshake(.tls)) { try handshake.nextEvent() }
        #expect(ErlangError.handshake(.tls).description.contains("inet_tls"))
    }

    @Test(arguments: statuses)
    func `a status that refuses us ends the handshake`(status: String, fault: ErlangHandshakeFault) {
        var handshake = OutgoingHandshake(as: Node.ours, to: Node.theirs.name, cookie: Node.cookie, challenge: 1)
        let message = [0, UInt8(1 + status.utf8.count), UInt8(ascii: "s")] + status.utf8
        handshake.receive(message.span.bytes)
        #expect(throws: ErlangError.handshake(fault)) { try handshake.nextEvent() }
        #expect(handshake.errorAtEnd() == .handshake(fault))
    }

    @Test func `another node that answers is refused before it learns a digest`() throws {
        var handshake = OutgoingHandshake(
            as: Node.ours, to: Node.name("b@127.0.0.1"), cookie: Node.cookie, challenge: 1)
        _ = handshake.takeOutput()
        handshake.receive(bytes(HandshakeVectorTests.connecting.status).span.bytes)
        handshake.receive(bytes(HandshakeVectorTests.connecting.challenge).span.bytes)
        #expect(throws: ErlangError.handshake(.otherNode)) { try handshake.nextEvent() }
        #expect(handshake.takeOutput() == [])
    }

    @Test func `a wrong digest is refused without an answer`() throws {
        var handshake = IncomingHandshake(as: Node.ours, cookie: Node.cookie, challenge: 0xB7C4_1462)
        handshake.receive(bytes(Self.introduction).span.bytes)
        _ = try handshake.nextEvent()
        handshake.answer(.ok)
        _ = handshake.takeOutput()
        var reply = bytes(HandshakeVectorTests.accepting.reply)
        reply[reply.count - 1] ^= 1
        handshake.receive(reply.span.bytes)
        #expect(throws: ErlangError.handshake(.wrongCookie)) { try handshake.nextEvent() }
        #expect(handshake.takeOutput() == [])
    }

    @Test(arguments: [
        "72aabbccdd", "7286c67661624e76d4ff9d5350e205a74357e5de7200", "6186c67661624e76d4ff9d5350e205a74357e5de72",
    ])
    func `a reply of another form is refused`(hex: String) throws {
        var handshake = IncomingHandshake(as: Node.ours, cookie: Node.cookie, challenge: 1)
        handshake.receive(bytes(Self.introduction).span.bytes)
        _ = try handshake.nextEvent()
        handshake.answer(.okSimultaneous)
        handshake.receive(bytes(frame(hex)).span.bytes)
        #expect(throws: ErlangError.handshake(.malformed)) { try handshake.nextEvent() }
    }

    @Test func `an end says where the handshake was`() throws {
        var handshake = OutgoingHandshake(as: Node.ours, to: Node.theirs.name, cookie: Node.cookie, challenge: 1)
        #expect(handshake.errorAtEnd() == .handshake(.ended))
        handshake.receive(bytes(HandshakeVectorTests.connecting.status).span.bytes)
        #expect(try handshake.nextEvent() == nil)
        #expect(handshake.errorAtEnd() == .handshake(.ended))
        handshake.receive(bytes(HandshakeVectorTests.connecting.challenge).span.bytes)
        #expect(try handshake.nextEvent() == nil)
        // OTP closes here without a byte if the digest was wrong.
        #expect(handshake.errorAtEnd() == .handshake(.cookieRefused))
    }

    @Test func `a node that does not wait for our answer cannot fill our memory`() throws {
        var handshake = IncomingHandshake(as: Node.ours, cookie: Node.cookie, challenge: 1)
        handshake.receive(bytes(Self.introduction).span.bytes)
        _ = try handshake.nextEvent()
        let much = [UInt8](repeating: 0, count: 1_027)
        handshake.receive(much.span.bytes)
        #expect(throws: ErlangError.handshake(.tooLong(limit: 1_024))) { try handshake.nextEvent() }
    }

    static let rules: [(String, String, connected: Bool, connecting: Bool, HandshakeStatus)] = [
        ("a@h", "b@h", false, false, .ok), ("a@h", "b@h", true, false, .alive), ("a@h", "b@h", true, true, .alive),
        // Our own attempt stays if our name is the greater one.
        ("a@h", "b@h", false, true, .refused), ("b@h", "a@h", false, true, .okSimultaneous),
    ]

    @Test(arguments: rules)
    func `who may connect depends on what is there`(
        peer: String, ours: String, connected: Bool, connecting: Bool, status: HandshakeStatus
    ) {
        let answer = HandshakeStatus(
            for: Node.name(peer), at: Node.name(ours), connected: connected, connecting: connecting)
        #expect(answer == status)
    }

    @Test(arguments: [
        "a", "", "@", "a@", "@b", "a@b@c", "å@b", "a@å", "a b@c", "a@b c", "a.b@c",
        String(repeating: "a", count: 254) + "@b",
    ])
    func `a name that Erlang would refuse is none`(text: String) {
        #expect(ErlangNodeName(text) == nil)
    }

    @Test func `a name has a part before and a part after the sign`() throws {
        let text = "game-1_A@10.0.0.5"
        let name = try #require(ErlangNodeName(text))
        #expect(name.name == "game-1_A" && name.host == "10.0.0.5" && name.description == "game-1_A@10.0.0.5")
        #expect(ErlangNodeName(String(repeating: "a", count: 253) + "@b") != nil)
    }
}

/// A message with its length in front of it, as hexadecimal digits.
private func frame(_ hex: String) -> String {
    let count = String(hex.utf8.count / 2, radix: 16)
    return String(repeating: "0", count: 4 - count.utf8.count) + count + hex
}
