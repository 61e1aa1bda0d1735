// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineErlang

/// The bytes of control messages between `a@127.0.0.1` and `g@127.0.0.1`, as OTP 25 and 27 send and take them.
struct ControlVectorTests {
    static let remote = ErlangPID(node: "a@127.0.0.1", id: 9, serial: 0, creation: 0x6B03_A698)
    static let local = ErlangPID(node: "g@127.0.0.1", id: 1, serial: 0, creation: 0x0102_0304)
    private static let a9 = "58770b61403132372e302e302e3100000009000000006b03a698"
    private static let g1 = "58770b67403132372e302e302e31000000010000000001020304"
    private static let r = "5a0003770b61403132372e302e302e316b03a698000017c931e000017dd567b8"
    static let reference = ErlangReference(
        node: "a@127.0.0.1", creation: 0x6B03_A698, words: [0x17C9, 0x31E0_0001, 0x7DD5_67B8])!
    private static let id = UnlinkID(6)!

    /// What comes: the bytes after `83 44 00`, what they say, and the term that follows.
    static let incoming: [(String, ControlMessage, ErlangTerm?)] = [
        ("68036101" + a9 + g1, .link(from: remote, to: local), nil),
        ("68046106" + a9 + "7700" + "7708776972656c696e65" + "6101", .sendNamed(from: remote, to: "wireline"), 1),
        ("68036107" + a9 + g1, .groupLeader(from: remote, to: local), nil),
        ("68046113" + a9 + g1 + r, .monitor(from: remote, .process(local), reference), nil),
        ("68046113" + a9 + "77027067" + r, .monitor(from: remote, .name("pg"), reference), nil),
        ("68046114" + a9 + g1 + r, .demonitor(from: remote, .process(local), reference), nil),
        (
            "68036116" + a9 + g1
                + "6809770873635f3230303031" + "610161076101610061006164" + "6d000000026869" + "6d00000000",
            .send(from: remote, to: local),
            .tuple("sc_20001", 1, 7, 1, 0, 0, 100, .text("hi"), .text(""))
        ),
        ("68036118" + a9 + g1 + "7704626f6f6d", .exit(from: remote, to: local), "boom"),
        (
            "6803611a" + a9 + g1 + "6802770873687574646f776e770178", .exitSignal(from: remote, to: local),
            .tuple("shutdown", "x")
        ),
        ("6804611c" + a9 + g1 + r + "77066e6f726d616c", .down(.process(remote), to: local, reference), "normal"),
        (
            "6804611c" + "77066e6f626f6479" + g1 + r + "77066e6f70726f63", .down(.name("nobody"), to: local, reference),
            "noproc"
        ),
        ("68036121" + a9 + r + "6101", .sendAlias(from: remote, alias: reference), 1),
        ("680461236106" + a9 + g1, .unlink(id, from: remote, to: local), nil),
        ("680461246106" + a9 + g1, .unlinkAcknowledgement(id, from: remote, to: local), nil),
        (
            "6806611d" + r + a9 + a9 + "6803" + "77016d" + "770166" + "6100" + "6a" + "6a",
            .spawnRequest(reference, from: remote), []
        ),
        ("6805611f" + r + g1 + "6100" + "77066e6f74737570", .spawnReply(reference, to: local), nil),
        // With a trace token after the receiver.
        ("68036102" + "7700" + g1 + "6101", .send(from: nil, to: local), 1),
        ("6804610c" + "7700" + g1 + "6100" + "6101", .send(from: nil, to: local), 1),
        ("68046117" + a9 + g1 + "6100" + "6101", .send(from: remote, to: local), 1),
        ("68056110" + a9 + "7700" + "770178" + "6100" + "6101", .sendNamed(from: remote, to: "x"), 1),
        ("68046122" + a9 + r + "6100" + "6101", .sendAlias(from: remote, alias: reference), 1),
        ("68046119" + a9 + g1 + "6100" + "6101", .exit(from: remote, to: local), 1),
        ("6804611b" + a9 + g1 + "6100" + "6101", .exitSignal(from: remote, to: local), 1),
        ("68066120" + r + g1 + "6100" + "77066e6f74737570" + "6100", .spawnReply(reference, to: local), nil),
        (
            "6807611e" + r + a9 + a9 + "6803" + "77016d" + "770166" + "6100" + "6a" + "6100" + "6a",
            .spawnRequest(reference, from: remote), []
        ),
    ]

    @Test(arguments: incoming)
    func `what OTP says is read`(hex: String, control: ControlMessage, content: ErlangTerm?) throws {
        let packet = bytes("834400" + hex)
        var decoder = PacketDecoder(peer: agreed())
        switch try decoder.decode(packet.span.bytes) {
        case .message(let message, content: let range):
            #expect(message == control)
            #expect(try term(Array(packet[range])) == content)
        case .control(let message, reason: nil):
            #expect(message == control)
            #expect(content == nil)
        case let other: Issue.record("\(other)")
        }
    }

    @Test(arguments: incoming)
    func `it is read, too, where neither fragments nor exit payloads are agreed`(
        hex: String, control: ControlMessage, content: ErlangTerm?
    ) throws {
        var packet = bytes("7083" + hex)
        if let content { packet.insert(131, at: packet.count - (try content.externalFormat().count - 1)) }
        var decoder = PacketDecoder(peer: agreed(without: [.fragments, .exitPayloads]))
        switch try decoder.decode(packet.span.bytes) {
        case .message(let message, content: let range):
            #expect(message == control)
            #expect(try term(Array(packet[range])) == content)
        case .control(let message, reason: nil):
            #expect(message == control)
            #expect(content == nil)
        case let other: Issue.record("\(other)")
        }
    }

    static let reasons: [(String, ControlMessage)] = [
        ("68046103" + a9 + g1 + "770178", .exit(from: remote, to: local)),
        ("6805610d" + a9 + g1 + "6100" + "770178", .exit(from: remote, to: local)),
        ("68046108" + a9 + g1 + "770178", .exitSignal(from: remote, to: local)),
        ("68056112" + a9 + g1 + "6100" + "770178", .exitSignal(from: remote, to: local)),
        ("68056115" + a9 + g1 + r + "770178", .down(.process(remote), to: local, reference)),
    ]

    @Test(arguments: reasons)
    func `a reason inside of a control message is read`(hex: String, control: ControlMessage) throws {
        var decoder = PacketDecoder(peer: agreed())
        let packet = bytes("834400" + hex)
        #expect(try decoder.decode(packet.span.bytes) == .control(control, reason: "x"))
    }

    /// What we say: the bytes that OTP takes.
    static let outgoing: [(OutgoingMessage, String)] = [
        (.send(1, from: local, to: remote), "68036116" + g1 + a9 + "6101"),
        (.sendNamed(1, from: local, to: "pg"), "68046106" + g1 + "7700" + "77027067" + "6101"),
        (.sendAlias(1, from: local, alias: reference), "68036121" + g1 + r + "6101"),
        (.link(from: local, to: remote), "68036101" + g1 + a9),
        (.unlink(id, from: local, to: remote), "680461236106" + g1 + a9),
        (.unlinkAcknowledgement(id, from: local, to: remote), "680461246106" + g1 + a9),
        (.exit(reason: "boom", from: local, to: remote), "68036118" + g1 + a9 + "7704626f6f6d"),
        (.exitSignal(reason: "x", from: local, to: remote), "6803611a" + g1 + a9 + "770178"),
        (.monitor(from: local, .process(remote), reference), "68046113" + g1 + a9 + r),
        (.demonitor(from: local, .name("pg"), reference), "68046114" + g1 + "77027067" + r),
        (
            .down(.process(local), reason: "normal", to: remote, reference),
            "6804611c" + g1 + a9 + r + "77066e6f726d616c"
        ),
        (
            .down(.name("nobody"), reason: "noproc", to: remote, reference),
            "6804611c" + "77066e6f626f6479" + a9 + r + "77066e6f70726f63"
        ),
        (.spawnRefusal(reference, to: remote), "6805611f" + r + a9 + "6100" + "77066e6f74737570"),
    ]

    @Test(arguments: outgoing)
    func `what we say has the bytes that OTP takes`(message: OutgoingMessage, hex: String) throws {
        var output: [UInt8] = []
        #expect(try written(message, for: agreed(), to: &output) == true)
        let packet = bytes("834400" + hex)
        #expect(output == [0, 0, 0, UInt8(packet.count)] + packet)
    }

    @Test func `a node without newer flags gets the older forms`() throws {
        let peer = agreed(without: [.fragments, .exitPayloads, .senders, .aliases])
        var output: [UInt8] = []
        #expect(try written(.send(1, from: Self.local, to: Self.remote), for: peer, to: &output) == true)
        #expect(Array(output.dropFirst(4)) == bytes("7083" + "68036102" + "7700" + Self.a9 + "83" + "6101"))
        output = []
        #expect(try written(.exit(reason: "x", from: Self.local, to: Self.remote), for: peer, to: &output) == true)
        #expect(Array(output.dropFirst(4)) == bytes("7083" + "68046103" + Self.g1 + Self.a9 + "770178"))
        output = []
        #expect(try written(.sendAlias(1, from: Self.local, alias: Self.reference), for: peer, to: &output) == false)
        #expect(output == [])
    }

    @Test func `nothing is said to a process of the node's earlier life`() throws {
        let old = ErlangPID(node: "a@127.0.0.1", id: 9, serial: 0, creation: 1)
        let messages: [OutgoingMessage] = [
            .send(1, from: Self.local, to: old), .link(from: Self.local, to: old),
            .exit(reason: "x", from: Self.local, to: old), .unlink(Self.id, from: Self.local, to: old),
            .unlinkAcknowledgement(Self.id, from: Self.local, to: old),
            .down(.name("x"), reason: "x", to: old, Self.reference), .spawnRefusal(Self.reference, to: old),
        ]
        var output: [UInt8] = []
        for message in messages { #expect(try written(message, for: agreed(), to: &output) == false) }
        #expect(output == [])
    }

    static let unwritable: [(OutgoingMessage, ErlangError)] = [
        (.send(.float(.nan), from: local, to: remote), .unwritableTerm(.notFinite)),
        (.exit(reason: .float(.infinity), from: local, to: remote), .unwritableTerm(.notFinite)),
        (.send(1, from: remote, to: remote), .distribution(.foreignSender)),
        (.send(1, from: local, to: local), .distribution(.foreignReceiver)),
        (.link(from: local, to: local), .distribution(.foreignReceiver)),
        (.monitor(from: local, .process(local), reference), .distribution(.foreignReceiver)),
        (.down(.process(remote), reason: 1, to: remote, reference), .distribution(.foreignSender)),
    ]

    @Test(arguments: unwritable)
    func `what would cost the connection is refused, and nothing is written`(
        message: OutgoingMessage, error: ErlangError
    ) {
        var output: [UInt8] = [7]
        let encoder = encoder(agreed())
        #expect(throws: error) { try encoder.append(message, to: &output) }
        #expect(output == [7])
    }

    @Test func `the ID 0 of an unlinking does not exist`() {
        #expect(UnlinkID(0) == nil)
    }
}

/// The other node with the flags that both have.
func agreed(without missing: ErlangFlags = []) -> ErlangPeer {
    ErlangPeer(name: Node.theirs.name, flags: .ours.subtracting(missing), creation: Node.theirs.creation)
}

func encoder(_ peer: ErlangPeer) -> PacketEncoder { PacketEncoder(ourselves: Node.ours.name, peer: peer) }

/// Appends a packet.
///
/// - Returns: Whether there was anything to say.
func written(_ message: OutgoingMessage, for peer: ErlangPeer, to output: inout [UInt8]) throws(ErlangError) -> Bool {
    try encoder(peer).append(message, to: &output)
}

/// A term without a version byte.
func term(_ content: [UInt8]) throws(ErlangError) -> ErlangTerm { try ErlangTerm(content: content.span.bytes) }
