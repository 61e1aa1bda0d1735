// SPDX-License-Identifier: Apache-2.0

import Bilibili
import FaultSupport
import Testing
import TestingSupport
import Wireline
import WirelineCodec

/// Bilibili's live comments between this project and a server and clients in Python, with Python's zlib and brotli.
@Suite(.ahead, .enabled(if: PythonTool.isWanted, "\(PythonTool.absence)"))
struct LayeredPeerTests {
    /// What both ends in Python know: 16 bytes of header, and packets in versions 2 and 3.
    private static let common = """
        import brotli, socket, struct, sys, zlib

        PACK = {2: zlib.compress, 3: lambda data: brotli.compress(data, quality=5)}
        UNPACK = {2: zlib.decompress, 3: brotli.decompress}

        def packet(version, operation, body, sequence=0):
            return struct.pack(">IHHII", 16 + len(body), 16, version, operation, sequence) + body

        def bundle(version, packets):
            return packet(version, 5, PACK[version](b"".join(packets)))

        def split(data):
            while data:
                size, head, version, operation, sequence = struct.unpack(">IHHII", data[:16])
                assert head == 16 and 16 <= size <= len(data), (head, size, len(data))
                body, data = data[16:size], data[size:]
                if version in UNPACK:
                    yield from split(UNPACK[version](body))
                else:
                    yield version, operation, sequence, body

        class Stream:
            def __init__(self, connection):
                self.connection, self.waiting = connection, []

            def read(self, count):
                data = b""
                while len(data) < count:
                    piece = self.connection.recv(count - len(data))
                    assert piece, "the stream ended"
                    data += piece
                return data

            def next(self):
                while not self.waiting:
                    head = self.read(16)
                    self.waiting = list(split(head + self.read(struct.unpack(">I", head[:4])[0] - 16)))
                return self.waiting.pop(0)

            def torn(self, data):
                for start in range(0, len(data), 7):
                    self.connection.sendall(data[start:start + 7])

        """

    private static let server =
        common + """
            listener = socket.create_server(("127.0.0.1", 0))
            print(listener.getsockname()[1])
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            stream = Stream(connection)
            version, operation, sequence, body = stream.next()
            assert (operation, body) == (7, b'{"roomid":7}'), (operation, body)
            connection.sendall(packet(1, 8, b'{"code":0}', sequence))
            for version in (2, 3):
                stream.torn(bundle(version, [packet(0, 5, b"%d.%d" % (version, i)) for i in range(100)]))
                stream.torn(packet(0, 5, b"plain"))
            # A packet in a packet in a packet.
            connection.sendall(bundle(2, [bundle(3, [packet(0, 5, b"deep")]), packet(0, 5, b"flat")]))
            for _ in range(4):
                version, operation, sequence, body = stream.next()
                assert operation == 2, operation
                connection.sendall(packet(1, 3, struct.pack(">I", len(body)), sequence))
            assert connection.recv(1) == b""
            """

    private static let client =
        common + """
            connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            stream = Stream(connection)
            stream.torn(packet(1, 7, b'{"roomid":7}', 5))
            version, operation, sequence, body = stream.next()
            assert (operation, sequence, body) == (8, 5, b"ok"), (operation, sequence, body)
            for version in (2, 3):
                stream.torn(bundle(version, [packet(1, 2, b"x" * i) for i in range(3)]))
                for i in range(3):
                    _, operation, _, body = stream.next()
                    assert (operation, body) == (3, struct.pack(">I", i)), (operation, body)
            print(" ".join(stream.next()[3].decode() for _ in range(6)))
            """

    @Test func `a server in Python sends packets in packets, and takes them`() async throws {
        let peer = try PythonPeer(Self.server)
        let line = try await onThread { try peer.line() }
        let port = try #require(line.flatMap { UInt16($0) }, "\(line ?? "nothing")")
        let client = try await PacketClient.connect(to: "127.0.0.1", port: port, protocol: BilibiliProtocol.self)
        #expect(
            try await client.request(Authentication(body: #"{"roomid":7}"#))
                == AuthenticationReply(body: #"{"code":0}"#))
        var bodies: [String] = []
        while bodies.count < 204, let received = try await client.nextMessage() {
            if case .notification(let notification) = received.message { bodies.append(notification.body) }
        }
        let expected = [2, 3].flatMap { version in (0..<100).map { "\(version).\($0)" } + ["plain"] }
        #expect(bodies == expected + ["deep", "flat"])
        for version in [2, 3] as [Int128] {
            try await client.connection.send(
                packets: [Heartbeat(body: "a"), Heartbeat(body: "bb")], id: 2, header: ["Version": version])
        }
        var popularities: [UInt32] = []
        while popularities.count < 4, let received = try await client.nextMessage() {
            if case .heartbeatReply(let reply) = received.message { popularities.append(reply.popularity) }
        }
        #expect(popularities == [1, 2, 1, 2])
        client.finish()
        #expect(try await onThread { try peer.finish() } == "")
    }

    @Test func `clients in Python send packets in packets, and take them`() async throws {
        let room = Room<BilibiliProtocol>()
        let server = try await PacketServer.start(at: "127.0.0.1", port: 0, protocol: BilibiliProtocol.self) { client in
            room.join(client)
            var count = 0
            while let received = try await client.nextMessage() {
                switch received.message {
                case .authentication: try await client.reply(to: received, with: AuthenticationReply(body: "ok"))
                case .heartbeat(let heartbeat):
                    try await client.send(HeartbeatReply(popularity: UInt32(heartbeat.body.utf8.count)))
                    count += 1
                    guard count == 6 else { continue }
                    for version in [2, 3] as [Int128] {
                        let bodies = ["a", "b", "c"].map { "\($0)\(version)" }
                        try await client.connection.send(
                            packets: bodies.map { Notification(body: $0) }, id: 5, header: ["Version": version])
                    }
                case .unknown: break
                }
            }
        }
        let port = try #require(server.addresses.first?.port)
        let peers = try (0..<2).map { _ in try PythonPeer(Self.client, "\(port)") }
        for peer in peers {
            #expect(try await onThread { try peer.line() } == "a2 b2 c2 a3 b3 c3")
            #expect(try await onThread { try peer.finish() } == "")
        }
        await server.shutDown()
    }
}
