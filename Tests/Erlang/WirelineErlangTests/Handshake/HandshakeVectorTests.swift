// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineErlang

/// Whole handshakes of OTP 25, in both roles. The cookie is `secret`.
struct HandshakeVectorTests {
    static let connecting = (
        introduction: "001a4e0000000c07df4fbc01020304000b67403132372e302e302e31", status: "0003736f6b",
        challenge: "001e4e0000000d07df7fbd11982dc16b03a698000b61403132372e302e302e31",
        reply: "00157286c67661624e76d4ff9d5350e205a74357e5de72",
        acknowledgement: "00116165aa0f74370cc88c7a90b8353a50bb6a"
    )
    static let accepting = (
        introduction: "001a4e0000000d07df7fbd6b03a698000b61403132372e302e302e31", status: "0003736f6b",
        challenge: "001e4e0000000c07df4fbcb7c4146201020304000b67403132372e302e302e31",
        reply: "001572a6d84e9d6b4b5a03cad2905fe003c516d863bc12",
        acknowledgement: "0011613d324481340734a2fe210d16701d40e2"
    )

    @Test func `our flags are those that OTP 25 and 27 take`() {
        #expect(ErlangFlags.ours.rawValue == 0xC_07DF_4FBC)
        #expect(ErlangFlags.required25.rawValue == 0x107_0F94)
        #expect(ErlangFlags.required.rawValue == 0x4_0307_0F94)
    }

    @Test func `we connect as OTP expects, however its bytes are cut`() throws {
        let vector = Self.connecting
        let theirs = bytes(vector.status + vector.challenge)
        let last = bytes(vector.acknowledgement) + [1, 2, 3]
        for size in 1...theirs.count {
            var handshake = OutgoingHandshake(
                as: Node.ours, to: Node.theirs.name, cookie: Node.cookie, challenge: 0x86C6_7661)
            try #require(handshake.takeOutput() == bytes(vector.introduction))
            for piece in pieces(of: theirs, size) {
                handshake.receive(piece.span.bytes)
                try #require(try handshake.nextEvent() == nil)
            }
            try #require(handshake.takeOutput() == bytes(vector.reply))
            var event: OutgoingHandshake.Event?
            for piece in pieces(of: last, size) {
                handshake.receive(piece.span.bytes)
                event = try handshake.nextEvent() ?? event
            }
            guard case .connected(let peer)? = event else { throw Unexpected() }
            try #require(peer.name == Node.theirs.name && peer.creation == 0x6B03_A698)
            try #require(peer.flags == .ours)
            try #require(handshake.takeRest() == [1, 2, 3])
        }
    }

    @Test func `we accept what OTP sends, however its bytes are cut`() throws {
        let vector = Self.accepting
        for size in 1...28 {
            var handshake = IncomingHandshake(as: Node.ours, cookie: Node.cookie, challenge: 0xB7C4_1462)
            var peers: [ErlangPeer] = []
            for piece in pieces(of: bytes(vector.introduction), size) {
                handshake.receive(piece.span.bytes)
                if case .introduced(let peer)? = try handshake.nextEvent() { peers.append(peer) }
            }
            try #require(peers.map(\.name) == [Node.theirs.name])
            handshake.answer(.ok)
            try #require(handshake.takeOutput() == bytes(vector.status + vector.challenge))
            for piece in pieces(of: bytes(vector.reply), size) {
                handshake.receive(piece.span.bytes)
                if case .connected(let peer)? = try handshake.nextEvent() { peers.append(peer) }
            }
            try #require(peers.map(\.flags).last == .ours)
            try #require(handshake.takeOutput() == bytes(vector.acknowledgement))
            try #require(handshake.takeRest() == [])
        }
    }

    @Test func `neither a cookie nor its length shows in text`() throws {
        let cookie = try #require(ErlangCookie("very secret indeed"))
        var text = ""
        dump(cookie, to: &text)
        let handshake = OutgoingHandshake(as: Node.ours, to: Node.theirs.name, cookie: cookie, challenge: 1)
        dump(handshake, to: &text)
        text += "\(cookie) \(String(reflecting: cookie)) \(handshake)"
        #expect(!text.contains("secret"))
        #expect(!text.contains("\(Array("very".utf8)[0]), \(Array("very".utf8)[1])"))
        #expect(ErlangCookie("") == nil)
    }

    private struct Unexpected: Error {}
}

/// The nodes of the vectors.
enum Node {
    static let cookie = ErlangCookie("secret")!
    static let ours = ErlangPeer(name: name("g@127.0.0.1"), creation: 0x0102_0304)
    static let theirs = ErlangPeer(name: name("a@127.0.0.1"), creation: 0x6B03_A698)

    static func name(_ text: String) -> ErlangNodeName { ErlangNodeName(text)! }
}

/// Bytes in pieces of one size.
func pieces(of bytes: [UInt8], _ size: Int) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
}
