// SPDX-License-Identifier: Apache-2.0

import Bilibili
import Ciphers
import Keyed
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTesting
import WirelineTransport

/// Packets with layers between programs: compressed packets in packets, ciphers, and keys that come later.
struct LayerTests {
    /// Bytes of a server, published in SocialSisterYi/bilibili-API-collect, `docs/live/message_stream.md`.
    private static let recorded = """
        000000860010000300000005000000008b3880000000720010000000000005000000007b22636d64223a22574154434845445f434841\
        4e4745222c2264617461223a7b226e756d223a32323039372c22746578745f736d616c6c223a22322e32e4b887222c22746578745f6c\
        61726765223a22322e32e4b887e4babae79c8be8bf87227d7d03
        """
    private static let body = """
        {"cmd":"WATCHED_CHANGE","data":{"num":22097,"text_small":"2.2万","text_large":"2.2万人看过"}}
        """

    private static let bundles: [PacketHeader] = [["Version": 2], ["Version": 3]]

    // MARK: Compression

    @Test(arguments: [.whole, .bytes(1), .bytes(7), .random(seed: 1), .random(seed: 2)] as [TestNetwork.Delivery])
    func `packets in packets arrive, however the network cuts them`(delivery: TestNetwork.Delivery) async throws {
        let network = try TestNetwork()
        network.delivery = delivery
        let recorded = try Hexadecimal.bytes(of: Self.recorded)
        let server = try await network.serve(BilibiliProtocol.self) { client in
            for header in Self.bundles {
                try await client.connection.send(
                    packets: [Notification(body: "a"), HeartbeatReply(popularity: 7)], id: 5, header: header)
            }
            try await client.send(packet: recorded)
            try await client.send(Notification(body: "plain"))
        }
        let ann = try await network.connect(to: server)
        for _ in Self.bundles {
            try await ann.expect(Notification(body: "a"))
            try await ann.expect(HeartbeatReply(popularity: 7))
        }
        try await ann.expect(Notification(body: Self.body))
        try await ann.expect(Notification(body: "plain"))
        try await ann.expectEnd()
    }

    @Test func `every cut of a recorded packet in two gives the same message`() async throws {
        let recorded = try Hexadecimal.bytes(of: Self.recorded)
        for offset in 0...recorded.count {
            let network = try TestNetwork()
            network.delivery = .cut(at: offset)
            let server = try await network.serve(BilibiliProtocol.self) { client in
                try await client.send(packet: recorded)
            }
            let ann = try await network.connect(to: server)
            try await ann.expect(Notification(body: Self.body))
            try await ann.expectEnd()
        }
    }

    @Test func `a client sends packets in packets, and handlers get each of them`() async throws {
        let network = try TestNetwork()
        var handlers = MessageHandlers<BilibiliProtocol, Int>()
        handlers.reply(to: Heartbeat.self) { _, client in
            client.state += 1
            return HeartbeatReply(popularity: UInt32(client.state))
        }
        handlers.on(Authentication.self) { _, _ in }
        let server = try await network.serve(handlers) { _ in 0 }
        let ann = try await network.connect(to: server)
        let client = ann.client
        try await network.run {
            try await client.connection.send(
                packets: [Heartbeat(body: "a"), Heartbeat(body: "b")], id: 2, header: ["Version": 2])
        }
        try await ann.expect(HeartbeatReply(popularity: 1))
        try await ann.expect(HeartbeatReply(popularity: 2))
        #expect(try await ann.request(Heartbeat(body: "c")) == HeartbeatReply(popularity: 3))
    }

    @Test func `more than max_inflated ends the connection, with all packets before it`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(BilibiliProtocol.self) { client in
            try await client.send(Notification(body: "before"))
            try await client.send(packet: Bomb.packet(inflatedByteCount: 5 << 20))
            while try await client.nextPacket() != nil {}
        }
        let ann = try await network.connect(to: server)
        try await ann.expect(Notification(body: "before"))
        let client = ann.client
        let error = ConnectionError.codec(CodecError(.inflatedTooLong(limit: 4_194_304), path: "packet.zlib"))
        await #expect(throws: error) { try await network.run { _ = try await client.nextMessage() } }
    }

    // MARK: Keys

    private static let key: [UInt8] = [1, 2, 3, 4]

    /// Connects a client that sends a key, uses it at once, and waits for an answer.
    private static func sendKey(
        to server: TestServer<KeyedProtocol>, on network: TestNetwork
    ) async throws {
        let ann = try await network.connect(to: server)
        try ann.client.layers.setKey("session", key)
        try await ann.sendTogether(KeyOffer(key: key), Note(text: "a"), Note(text: "b"), Note(text: "c"))
        try await ann.expect(Note(text: "a b c"))
        try await ann.expectEnd()
    }

    @Test(arguments: [.whole, .bytes(1), .bytes(9), .random(seed: 3)] as [TestNetwork.Delivery])
    func `a program sets a key after the message that has it`(delivery: TestNetwork.Delivery) async throws {
        let network = try TestNetwork()
        network.delivery = delivery
        let server = try await network.serve(KeyedProtocol.self) { client in
            var texts: [String] = []
            while texts.count < 3, let received = try await client.nextMessage() {
                switch received.message {
                case .keyOffer(let offer): try client.layers.setKey("session", offer.key)
                case .note(let note): texts.append(note.text)
                case .unknown: break
                }
            }
            try await client.send(Note(text: texts.joined(separator: " ")))
        }
        try await Self.sendKey(to: server, on: network)
    }

    /// Reads three notes in batches, and sets the key that comes before them.
    private static func texts(
        of client: ServerConnection<KeyedProtocol>, _ batches: Seen<[UInt64]>
    ) async throws -> [String] {
        var texts: [String] = []
        while var batch = try await client.nextBatch() {
            var ids: [UInt64] = []
            while let packet = try batch.next() {
                ids.append(packet.id)
                if packet.id == KeyOffer.messageID {
                    let offer = try KeyOffer(payloadOf: packet)
                    try client.layers.setKey("session", offer.key)
                } else {
                    let note = try Note(payloadOf: packet)
                    texts.append(note.text)
                }
            }
            batches.add(ids)
            if texts.count == 3 { break }
        }
        return texts
    }

    @Test func `a batch ends after the packet that has a key`() async throws {
        let network = try TestNetwork()
        let batches = Seen<[UInt64]>()
        let server = try await network.serve(KeyedProtocol.self) { client in
            let texts = try await Self.texts(of: client, batches)
            try await client.send(Note(text: texts.joined(separator: " ")))
        }
        try await Self.sendKey(to: server, on: network)
        let seen = await batches.first(2)
        #expect(seen[0] == [2])
        // Where opening takes long, the notes come in several batches.
        #expect(seen[1].allSatisfy { $0 == 3 })
    }

    @Test func `a client sets the key that a server has sent`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(KeyedProtocol.self) { client in
            try await client.send(KeyPacket(key: Self.key))
            try client.layers.setKey("session", Self.key)
            for text in ["a", "b"] { try await client.send(Note(text: text)) }
            while try await client.nextPacket() != nil {}
        }
        let client = try await network.run {
            try await PacketClient.connect(
                to: server.endpoint.host, port: server.endpoint.port, protocol: KeyedProtocol.self, on: network.loops)
        }
        let texts = try await network.run {
            try await Task(executorPreference: client.loop) {
                var texts: [String] = []
                while texts.count < 2, let received = try await client.nextMessage() {
                    switch received.message {
                    case .keyPacket(let packet): try client.layers.setKey("session", packet.key)
                    case .note(let note): texts.append(note.text)
                    case .unknown: break
                    }
                }
                return texts
            }.value
        }
        #expect(texts == ["a", "b"])
        client.close()
    }

    @Test func `a handler sets a key for the messages that have arrived with it`() async throws {
        let network = try TestNetwork()
        var handlers = MessageHandlers<KeyedProtocol, Int>()
        handlers.on(KeyOffer.self) { offer, client in
            try client.connection.layers.setKey("session", offer.key)
        }
        handlers.on(Note.self) { note, client in try client.send(Note(text: note.text + "!")) }
        let server = try await network.serve(handlers) { _ in 0 }
        let ann = try await network.connect(to: server)
        try ann.client.layers.setKey("session", [9, 8, 7, 6])
        try await ann.sendTogether(KeyOffer(key: [9, 8, 7, 6]), Note(text: "hidden"))
        try await ann.expect(Note(text: "hidden!"))
    }

    @Test(arguments: [.whole, .bytes(1), .random(seed: 5)] as [TestNetwork.Delivery])
    func `keystreams go on, however the network cuts packets`(delivery: TestNetwork.Delivery) async throws {
        let network = try TestNetwork()
        network.delivery = delivery
        let server = try await network.serve(CiphersProtocol.self) { client in
            try client.layers.setKey("session", [1, 2, 3], for: .client)
            try client.layers.setKey("session", [4, 5, 6], for: .server)
            while let received = try await client.nextMessage() {
                guard case .ask(let ask) = received.message else { continue }
                try await client.send(Note(text: "heard"))
                try await client.reply(to: received, with: Answer(text: ask.text + "!"))
            }
        }
        let ann = try await network.connect(to: server)
        try ann.client.layers.setKey("session", [1, 2, 3], for: .client)
        try ann.client.layers.setKey("session", [4, 5, 6], for: .server)
        for text in ["a", "b", "c"] {
            #expect(try await ann.request(Ask(text: text)) == Answer(text: text + "!"))
            try await ann.expect(Note(text: "heard"))
        }
    }
}

/// A packet that is short and contains much.
private enum Bomb {
    /// A packet of version 2 whose zlib stream is one zero, and then repeats it 258 bytes at a time (RFC 1951, 3.2.6).
    static func packet(inflatedByteCount: Int) -> [UInt8] {
        var bits = BitWriter()
        bits.append("110" + "00110000")
        for _ in 0..<inflatedByteCount / 258 { bits.append("11000101" + "00000") }
        bits.append("0000000")
        let stream: [UInt8] = [0x78, 0x9C] + bits.bytes
        let byteCount = UInt32(16 + stream.count)
        let length = (0..<4).reversed().map { UInt8(truncatingIfNeeded: byteCount >> (8 * $0)) }
        return length + [0, 16, 0, 2, 0, 0, 0, 5, 0, 0, 0, 0] + stream
    }

    /// Bits in the order of deflate: the first one is the lowest of the first byte.
    private struct BitWriter {
        var bytes: [UInt8] = []
        private var count = 0

        mutating func append(_ text: String) {
            for bit in text {
                if count % 8 == 0 { bytes.append(0) }
                if bit == "1" { bytes[count / 8] |= 1 << UInt8(count % 8) }
                count += 1
            }
        }
    }
}
