// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Parts
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineLayers
import WirelineTransport

/// Contents on connections that are not one message: parts of messages, and packets in packets up to their limits. Each is
/// tried from a client and from a server.
@Suite(.ahead)
struct LayeredContentTests {
    private static let key: [UInt8] = [1, 2, 3, 4, 5]
    /// The text of the message after which no other one comes.
    private static let lastText = "that was all"

    /// What one end has received, until the last message or the end of the connection.
    private struct Received: Sendable {
        /// The texts of messages; of a part of a message, its bytes.
        var texts: [String] = []
        var error: ConnectionError?
        /// The error of one more packet.
        var nextError: ConnectionError?

        init(from connection: PacketConnection) async {
            do throws(ConnectionError) {
                while let packet = try await connection.next() {
                    let digits = Hexadecimal.text(of: packet.lent.payload)
                    let say = try? Say(payloadOf: packet.lent)
                    if say?.text == lastText { return }
                    texts.append(packet.lent.isOpaque ? "part \(digits)" : say?.text ?? "broken \(digits)")
                }
            } catch {
                self.error = error
                do throws(ConnectionError) { _ = try await connection.next() } catch { nextError = error }
            }
        }

        /// Whether exactly these texts came before the last message, or before an error.
        func isOnly(_ texts: [String], _ reason: CodecError? = nil) -> Bool {
            self.texts == texts && error == reason.map { .codec($0) } && nextError == error
        }
    }

    /// Lets one end send, and returns what the other one receives.
    ///
    /// The sender waits for the receiver to end the connection: it would close it itself 2 s after its own end, and on a busy
    /// machine a receiver reads later than that.
    ///
    /// - Parameter send: What the sender does before the last message.
    private static func exchange(
        from sender: Sender, _ send: @escaping @Sendable (PacketConnection) async throws -> Void
    ) async throws -> Received {
        let received = Seen<Received>()
        let server = try await PacketServer.start(
            at: "127.0.0.1", port: 0, protocol: PartsProtocol.self, configuration: .patient
        ) { client in
            try client.layers.setKey("session", Self.key)
            if sender == .server {
                try await Self.sendAll(on: client.connection, send)
            } else {
                let all = await Received(from: client.connection)
                received.add(all)
                if let error = all.error { throw error }
            }
        }
        let port = try #require(server.addresses.first?.port)
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: port, protocol: PartsProtocol.self, configuration: .patient)
        try client.layers.setKey("session", Self.key)
        if sender == .server {
            received.add(await Received(from: client.connection))
        } else {
            try await sendAll(on: client.connection, send)
        }
        let result = await received.first(1)[0]
        client.close()
        await server.shutDown()
        return result
    }

    private static func sendAll(
        on connection: PacketConnection, _ send: (PacketConnection) async throws -> Void
    ) async throws {
        try await send(connection)
        // The receiver may have ended the connection.
        try? await connection.send(Say(text: lastText))
        try? await connection.waitUntilEnd()
    }

    private static func makeSealer(of sender: Sender) throws -> PacketSealer {
        var settings = LayerSettings()
        try settings.setKey("session", key, in: PartsProtocol.layout)
        return PacketSealer(
            PartsProtocol.layout, from: sender, packetLimit: PartsProtocol.maximumPacketByteCount, settings: settings)
    }

    /// A packet as its sender would seal it, without the checks of a connection.
    private static func sealed(
        _ content: [UInt8], _ kind: OpenedContent.Kind, shape: Shape, from sender: Sender
    ) throws -> [UInt8] {
        var sealer = try makeSealer(of: sender)
        sealer.beginPacket()
        var keystreams = LayerSet()
        return try sealer.packet(
            id: 9, header: ["shape": Int128(shape.rawValue)], payload: content.rawSpan, kind, &keystreams)
    }

    private static func say(_ text: String) throws -> [UInt8] { try Say(text: text).encoded() }

    // MARK: Parts

    @Test(arguments: Sender.allCases)
    func `a part of a message arrives as its bytes, in its place`(sender: Sender) async throws {
        let part = try Self.sealed([0xFF, 0x00], .opaque, shape: .part, from: sender)
        let received = try await Self.exchange(from: sender) { connection in
            try await connection.send(packet: Self.say("before") + part + Self.say("after"))
        }
        #expect(received.isOnly(["before", "part ff00", "after"]), "\(received)")
    }

    @Test(arguments: Sender.allCases)
    func `a message cannot be sent as a part of one`(sender: Sender) async throws {
        let received = try await Self.exchange(from: sender) { connection in
            let error = CodecError(.wrongPresence(isSet: false), path: "Say.opaque")
            await #expect(throws: ConnectionError.codec(error)) {
                try await connection.send(Say(text: "no"), header: ["shape": Int128(Shape.part.rawValue)])
            }
            try await connection.send(Say(text: "yes"))
        }
        #expect(received.isOnly(["yes"]), "\(received)")
    }

    // MARK: Packets in packets

    @Test(arguments: Sender.allCases)
    func `packets may stand as deep as the schema says`(sender: Sender) async throws {
        let inner = try Self.sealed(Self.say("deep"), .packets, shape: .bundle, from: sender)
        let outer = try Self.sealed(inner, .packets, shape: .bundle, from: sender)
        let received = try await Self.exchange(from: sender) { try await $0.send(packet: outer) }
        #expect(received.isOnly(["deep"]), "\(received)")
    }

    @Test(arguments: Sender.allCases)
    func `packets that stand too deep end the connection, after those that were whole`(sender: Sender) async throws {
        var packet = try Self.say("too deep")
        for _ in 0..<2 { packet = try Self.sealed(packet, .packets, shape: .bundle, from: sender) }
        let outer = try Self.sealed(Self.say("whole") + packet, .packets, shape: .bundle, from: sender)
        let received = try await Self.exchange(from: sender) { try await $0.send(packet: outer + Self.say("lost")) }
        let reason = CodecError(.tooDeep(limit: 2), path: "packets[1].packets[0]")
        #expect(received.isOnly(["whole"], reason), "\(received)")
    }

    @Test(arguments: Sender.allCases)
    func `a packet has at most 65,536 packets inside`(sender: Sender) async throws {
        let content = Array(repeatElement(try Self.say(""), count: 65_537).joined())
        let outer = try Self.sealed(content, .packets, shape: .bundle, from: sender)
        let received = try await Self.exchange(from: sender) { try await $0.send(packet: outer + Self.say("lost")) }
        let reason = CodecError(.tooLong(count: 65_537, limit: 65_536), path: "packets")
        #expect(received.isOnly(Array(repeating: "", count: 65_536), reason))
    }

    /// What a server with one loop saw of a packet with others inside.
    private struct HandledBundle: Sendable {
        var texts: [String] = []
        /// The turn of the loop in which each came.
        var turns: [Int] = []
    }

    /// Sends packets to a server, and returns what its batch handler took, up to the last message.
    ///
    /// - Parameter onFirst: What the server does in its handler after the first one.
    private static func handled(
        _ packets: [UInt8], onFirst: @escaping @Sendable (PacketConnection) throws -> Void = { _ in }
    ) async throws -> HandledBundle {
        let handled = Seen<HandledBundle>()
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: PartsProtocol.self, configuration: .patient
        ) { client in
            var bundle = HandledBundle()
            let turn = LoopTurn(of: client.connection.loop)
            try? client.layers.setKey("session", key)
            return { batch in
                while let packet = try batch.next() {
                    let text = try Say(payloadOf: packet).text
                    guard text != lastText else {
                        turn.stop()
                        return handled.add(bundle)
                    }
                    bundle.turns.append(turn.number)
                    bundle.texts.append(text)
                    if bundle.texts.count == 1 { try onFirst(client.connection) }
                }
            }
        }
        let port = try #require(server.addresses.first?.port)
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: port, protocol: PartsProtocol.self, configuration: .patient)
        try await client.connection.send(packet: packets + say(lastText))
        let result = await handled.first(1)[0]
        client.close()
        await server.shutDown()
        return result
    }

    private static func bundle(_ content: [UInt8]) throws -> [UInt8] {
        try sealed(content, .packets, shape: .bundle, from: .client)
    }

    @Test func `many packets in one are handled in many turns`() async throws {
        let content = Array(repeatElement(try Self.say("a"), count: 20_000).joined())
        let handled = try await Self.handled(Self.bundle(content))
        #expect(handled.texts == Array(repeating: "a", count: 20_000))
        // A turn has a millisecond for them. That is enough for a hundred in a debug build.
        #expect(Set(handled.turns).count > 10)
    }

    @Test func `packets that are only around others are opened in many turns, and nothing after them is lost`()
        async throws
    {
        let empty = Array(repeatElement(try Self.bundle([]), count: 20_000).joined())
        let handled = try await Self.handled(Self.bundle(Self.say("before") + empty + Self.say("after")))
        #expect(handled.texts == ["before", "after"])
        #expect(try #require(handled.turns.last) - handled.turns[0] > 10)
    }

    @Test func `a key that is set between packets in one is for the packets after that one`() async throws {
        let other: [UInt8] = [9, 8, 7]
        var sealer = try Self.makeSealer(of: .client)
        func secret(_ text: String) throws -> [UInt8] {
            sealer.beginPacket()
            var keystreams = LayerSet()
            return try sealer.packet(
                id: 1, header: ["shape": Int128(Shape.secret.rawValue)], payload: Array(text.utf8).rawSpan, .message,
                &keystreams)
        }
        let inner = try secret("a") + secret("b")
        try sealer.setKey("session", other.rawSpan)
        let handled = try await Self.handled(Self.bundle(inner) + secret("c")) { connection in
            try connection.layers.setKey("session", other)
        }
        #expect(handled.texts == ["a", "b", "c"])
    }

    @Test(arguments: Sender.allCases)
    func `more packets than a packet may have are not sent`(sender: Sender) async throws {
        let received = try await Self.exchange(from: sender) { connection in
            let says = Array(repeating: Say(text: ""), count: 65_537)
            let error = CodecError(.tooLong(count: 65_537, limit: 65_536), path: "packets")
            await #expect(throws: ConnectionError.codec(error)) {
                try await connection.send(packets: says, id: 9, header: ["shape": Int128(Shape.bundle.rawValue)])
            }
            try await connection.send(packets: [Say(text: "few")], id: 9, header: ["shape": 1])
        }
        #expect(received.isOnly(["few"]), "\(received)")
    }

    // MARK: One keystream inside of itself

    private static let nested = CodecError.Reason.invalidLayer(.nestedKeystream)

    @Test(arguments: Sender.allCases)
    func `a packet in a packet with the same keystream is not sent, and the keystream does not move`(
        sender: Sender
    ) async throws {
        let secret: PacketHeader = ["shape": Int128(Shape.secret.rawValue)]
        let received = try await Self.exchange(from: sender) { connection in
            try await connection.send(Say(text: "first"), header: secret)
            let error = await connection.loop.run { () -> CodecError? in
                let inner = UnsealedPacket(id: 1, header: secret, payload: [0x61], named: "Say")
                let outer = UnsealedPacket(
                    id: 9, header: ["shape": Int128(Shape.secretBundle.rawValue)], packets: [inner])
                do throws(CodecError) {
                    _ = try connection.seal(outer)
                    return nil
                } catch {
                    return error
                }
            }
            #expect(error == CodecError(Self.nested, path: "packet.session"))
            try await connection.send(Say(text: "second"), header: secret)
        }
        #expect(received.isOnly(["first", "second"]), "\(received)")
    }

    @Test(arguments: Sender.allCases)
    func `packets with one keystream side by side are sent and taken`(sender: Sender) async throws {
        let secret: PacketHeader = ["shape": Int128(Shape.secret.rawValue)]
        let received = try await Self.exchange(from: sender) { connection in
            let bytes = try await connection.loop.run { () throws(CodecError) in
                let inner = [0x61, 0x62].map { byte in
                    UnsealedPacket(id: 1, header: secret, payload: [byte], named: "Say")
                }
                return try connection.seal(UnsealedPacket(id: 9, header: ["shape": 1], packets: inner))
            }
            try await connection.send(packet: bytes)
            try await connection.send(Say(text: "c"), header: secret)
        }
        #expect(received.isOnly(["a", "b", "c"]), "\(received)")
    }

    @Test(arguments: Sender.allCases)
    func `a packet in a packet with the same keystream ends the connection`(sender: Sender) async throws {
        let inner = try Self.sealed([0x61], .message, shape: .secret, from: sender)
        // What another program might send: the outer packet with the first bytes of the keystream.
        let outer = try Self.sealed(Self.say("whole") + inner, .packets, shape: .secretBundle, from: sender)
        let received = try await Self.exchange(from: sender) { try await $0.send(packet: outer) }
        let reason = CodecError(Self.nested, path: "packets[1].packet.session")
        #expect(received.isOnly(["whole"], reason), "\(received)")
    }
}
