// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import JTT808
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

/// Packets between marks on connections: JT/T 808.
@Suite(.ahead)
struct FramedConnectionTests {
    typealias TrackerServer = PacketServer<JTT808Protocol>

    /// A message with both listed bytes in its fields and in its header.
    private static let location = Location(
        place: Place(
            alarms: 0x7E7E_7E7E, status: 0x7D7D_7D7D, latitude: 0x7D02_7D01, longitude: 0, altitude: 0x7E, speed: 0x7D,
            direction: 0, time: "240101000000"),
        extras: [.mileage(0x7E)])

    private static let layout = JTT808Protocol.layout

    private static func packets(_ count: Int) throws -> [[UInt8]] {
        try (0..<count).map { number in
            let message = Authentication(code: [UInt8](repeating: UInt8(0x70 + number % 16), count: number % 900))
            return try message.encoded(header: ["serial": Int128(number % 65_536)])
        }
    }

    /// The error in what arrived next; nil if it is no error.
    private static func fault(of connection: PacketConnection) async -> CodecError? {
        do throws(ConnectionError) {
            _ = try await connection.next()
            return nil
        } catch {
            if case .codec(let fault) = error { return fault }
            return nil
        }
    }

    // MARK: Receiving

    @Test func `packets arrive unescaped even if every byte travels alone`() async throws {
        let pair = try await ConnectionPair.make(Self.layout)
        defer { pair.close() }
        let packets = try Self.packets(24).map { $0 + [0x7E, 0x7E] }
        let sending = Task {
            for byte in packets.joined() { try await pair.client.sendRaw([byte]) }
        }
        for bytes in try Self.packets(24) {
            let expected = try Self.layout.unframed(bytes)
            #expect(try await pair.server.nextBytes() == expected)
        }
        try await sending.value
        pair.client.endOutput()
        #expect(try await pair.server.next() == nil)
    }

    @Test func `merged packets are split again, for reads of any size`() async throws {
        let pair = try await ConnectionPair.make(Self.layout)
        defer { pair.close() }
        let packets = try Self.packets(3_000)
        let sending = Task { try await pair.client.sendRaw(packets.merged) }
        for bytes in packets {
            let found = try await pair.server.nextBytes()
            let expected = try Self.layout.unframed(bytes)
            guard found != expected else { continue }
            #expect(found == expected)
            break
        }
        try await sending.value
    }

    @Test func `a packet that is kept does not change while others arrive`() async throws {
        let pair = try await ConnectionPair.make(Self.layout)
        defer { pair.close() }
        let bytes = try Self.location.encoded()
        try await pair.client.sendRaw(bytes)
        let kept = try #require(try await pair.server.next())
        for packet in try Self.packets(100) {
            try await pair.client.sendRaw(packet)
            _ = try await pair.server.next()
        }
        #expect(try kept.decode(Location.self) == Self.location)
        let again = Self.layout.framed(kept.bytes)
        #expect(again == bytes)
    }

    @Test func `a frame that never ends is refused at the limit, without memory for more`() async throws {
        let limits = ConnectionLimits(maximumPacketByteCount: 100_000, writeTimeout: nil)
        let pair = try await ConnectionPair.make(Self.layout, limits: limits)
        defer { pair.close() }
        let sending = Task {
            try await pair.client.sendRaw([0x7E])
            for _ in 0..<40 { try? await pair.client.sendRaw([UInt8](repeating: 0x55, count: 10_000)) }
        }
        let fault = try #require(await Self.fault(of: pair.server))
        let length: Int128 = 100_001
        #expect(fault.reason == .packetTooLong(length: length, packetByteCount: length, limit: 100_000))
        try await sending.value
    }

    @Test(
        arguments: [
            ([0x00], "packet.frame: 0x00 at offset 0 where the constant 0x7E was expected"),
            ([0x7E, 0x00, 0x7D, 0x7E], "packet.frame: 0x7D 0x7E at offset 1 are no escape"),
            ([0x7E, 0x00, 0x02, 0x7E], "needs 2 bytes at offset 2, 0 are left"),
        ] as [([UInt8], String)])
    func `a fault ends the connection, after the packets before it`(bytes: [UInt8], text: String) async throws {
        let pair = try await ConnectionPair.make(Self.layout)
        defer { pair.close() }
        let good = try Self.location.encoded()
        try await pair.client.sendRaw(good + bytes)
        let expected = try Self.layout.unframed(good)
        #expect(try await pair.server.nextBytes() == expected)
        let fault = try #require(await Self.fault(of: pair.server))
        #expect(CodecError(fault.reason, offset: fault.offset, path: fault.path).description == text)
    }

    @Test func `a stream that ends inside a packet ends with an error`() async throws {
        let pair = try await ConnectionPair.make(Self.layout)
        defer { pair.close() }
        try await pair.client.sendRaw([0x7E, 0x00, 0x7D])
        pair.client.endOutput()
        let fault = try #require(await Self.fault(of: pair.server))
        #expect(fault.reason == .endOfStream(received: 1, needed: 1))
    }

    // MARK: Clients and servers

    @Test(arguments: [false, true])
    func `messages go both ways, with and without a WebSocket, and a packet is forwarded`(
        isWebSocket: Bool
    ) async throws {
        var configuration = ServerConfiguration.patient
        if isWebSocket { configuration.webSocket = ServerConfiguration.WebSocketOptions() }
        let server = try await TrackerServer.start(configuration: configuration) { client in
            while let received = try await client.nextMessage() {
                guard case .location = received.message else { continue }
                let packet = received.packet
                let serial = UInt16(truncatingIfNeeded: packet.byteCount)
                try await client.send(PlatformReply(serial: serial, id: 0x7E7D, result: .success))
                try await client.forward(packet)
            }
        }
        var own = ClientConfiguration.patient
        if isWebSocket { own.webSocket = ClientConfiguration.WebSocketOptions() }
        let client = try await server.connect(configuration: own)
        for _ in 0..<3 {
            try await client.send(Self.location, header: ["serial": 0x7D7E])
            let size = try Self.layout.unframed(Self.location.encoded()).count
            let reply = try #require(try await client.nextPacket())
            let expected = PlatformReply(serial: UInt16(size), id: 0x7E7D, result: .success)
            #expect(try reply.decode(PlatformReply.self) == expected)
            let again = try #require(try await client.nextPacket())
            #expect(try again.decode(Location.self) == Self.location)
            let header = try Self.layout.header(of: again.lent)
            #expect(header["serial"] == 0x7D7E)
        }
        client.close()
        await server.shutDown(within: .zero)
    }

    /// Of JT/T 808-2013: 4.4.3, the first of two parts of a location, and 4.4.4, a location enciphered with RSA.
    @Test(
        arguments: [
            "7e020020050000000077770001000200010000000000257e",
            "7e020004200000000077770001808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f277e",
        ])
    func `a part of a message and an enciphered one are unknown, and the connection goes on`(
        digits: String
    ) async throws {
        let server = try await TrackerServer.start(configuration: .patient) { client in
            while let received = try await client.nextMessage() {
                let result: ReplyResult
                switch received.message {
                case .unknown: result = .unsupported
                case .location: result = .success
                default: result = .failure
                }
                try await client.send(PlatformReply(serial: 1, id: UInt16(received.packet.id), result: result))
            }
        }
        let client = try await server.connect()
        try await client.send(packet: Hexadecimal.bytes(of: digits) + Self.location.encoded())
        for result in [ReplyResult.unsupported, .success] {
            let packet = try #require(try await client.nextPacket())
            #expect(try packet.decode(PlatformReply.self) == PlatformReply(serial: 1, id: 0x0200, result: result))
        }
        client.close()
        await server.shutDown(within: .zero)
    }

    @Test func `a batch handler gets the packets, and a room sends to all members`() async throws {
        let room = Room<JTT808Protocol>("trackers")
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: JTT808Protocol.self, configuration: .patient
        ) { client in
            room.join(client)
            return { batch in
                while let packet = try batch.next() {
                    guard packet.id == Location.messageID else { continue }
                    let location = try Location(payloadOf: packet)
                    try room.send(PlatformReply(serial: location.place.altitude, id: 0x0200, result: .success))
                }
            }
        }
        let client = try await server.connect()
        let messages = try Array(repeating: Self.location.encoded(), count: 50).merged
        try await client.send(packet: messages)
        let expected = PlatformReply(serial: 0x7E, id: 0x0200, result: .success)
        for _ in 0..<50 {
            let packet = try #require(try await client.nextPacket())
            #expect(try packet.decode(PlatformReply.self) == expected)
        }
        client.close()
        await server.shutDown(within: .zero)
    }

    @Test func `a received packet can be made from its bytes, for tests`() throws {
        let packet = try ReceivedPacket(bytes: Self.location.encoded(), layout: Self.layout.layout(from: .client))
        #expect(try packet.decode(Location.self) == Self.location)
        let received = try ReceivedMessage<JTT808Protocol.FromClient>(of: Self.location, header: ["serial": 5])
        #expect(try received.header["serial"] == 5)
        let bytes = try Self.location.encoded()
        let location = try Location(packet: bytes.span.bytes)
        #expect(location == Self.location)
    }
}
