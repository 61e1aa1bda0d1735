// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineTransport

@testable import Wireline

/// A WebSocket as a stream's transform, in memory: two ends, with bytes that are split anywhere between them.
struct WebSocketTransformTests {
    /// One end, and what came out of it.
    private final class End {
        let transform: any ConnectionTransform
        private(set) var received: [UInt8] = []
        private(set) var stop = TransformReading.Stop.needsBytes
        /// Received and not yet taken.
        private var rest: [UInt8] = []

        init(_ transform: any ConnectionTransform) { self.transform = transform }

        /// All bytes to be sent.
        func output() -> [UInt8] {
            var bytes: [UInt8] = []
            while transform.hasOutput {
                transform.withOutput { waiting in
                    bytes += waiting.withUnsafeBytes { Array($0) }
                    return waiting.byteCount
                }
            }
            return bytes
        }

        /// Takes bytes as a stream delivers them, with so much free space at a time.
        func receive(_ bytes: [UInt8], room byteCount: Int) {
            rest += bytes
            repeat {
                let lent = rest
                let span = lent.span
                let bytes = span.bytes
                var room = [UInt8](repeating: 0, count: transform.isReady ? byteCount : 0)
                let reading = room.withUnsafeMutableBytes { transform.receive(bytes, into: $0) }
                received += room[..<reading.filledByteCount]
                rest.removeFirst(reading.takenByteCount)
                stop = reading.stop
            } while stop == .needsRoom
        }

        func send(_ bytes: [UInt8]) throws {
            var rest = bytes[...]
            while !rest.isEmpty {
                let lent = Array(rest)
                let span = lent.span
                let bytes = span.bytes
                rest = rest.dropFirst(try transform.send(bytes))
            }
        }
    }

    private static func serverTransform() throws -> WebSocketTransform {
        let options = ServerConfiguration.WebSocketOptions(paths: ["/sub"])
        return try options.transforms(options.sharedHandshake())(true)
    }

    private static func pair() throws -> (client: End, server: End) {
        let options = ClientConfiguration.WebSocketOptions(path: "/sub")
        return (
            End(
                try WebSocketTransform(
                    options.request(host: "127.0.0.1", port: 80, isSecure: false),
                    messageByteCount: options.messageByteCount)),
            End(try Self.serverTransform())
        )
    }

    @Test func `the WebSockets of a server share the memory for their compression`() throws {
        var client = ClientConfiguration.WebSocketOptions(path: "/sub")
        client.deflate = WebSocketDeflate()
        var options = ServerConfiguration.WebSocketOptions()
        options.handshake.deflate = WebSocketDeflate()
        options.handshake.compressionByteLimit = 304 << 10
        let makeTransform = options.transforms(options.sharedHandshake())
        var transforms: [WebSocketTransform] = []
        for _ in 0..<2 {
            let request = try client.request(host: "127.0.0.1", port: 80, isSecure: false)
            let asking = End(try WebSocketTransform(request, messageByteCount: client.messageByteCount))
            let transform = try makeTransform(true)
            End(transform).receive(asking.output(), room: 1)
            transforms.append(transform)
        }
        #expect(transforms.map { $0.agreement?.compresses } == [true, false])
    }

    @Test(arguments: [("dev.test", true), ("other.test", false)])
    func `a server on a loopback address has the name at which it listens`(host: String, isReady: Bool) throws {
        let options = ServerConfiguration.WebSocketOptions()
        let server = End(try options.transforms(options.sharedHandshake(ownNames: ["dev.test"]))(true))
        var client = ClientConfiguration.WebSocketOptions()
        // As from a web page.
        client.origin = "http://" + host
        let request = try client.request(host: host, port: 80, isSecure: false)
        server.receive(
            End(try WebSocketTransform(request, messageByteCount: client.messageByteCount)).output(), room: 1_000)
        #expect(server.transform.isReady == isReady)
    }

    @Test(arguments: [1, 7, 1_000])
    func `sent bytes arrive unchanged, wherever they are split`(room: Int) throws {
        let content = [UInt8]((0..<200).map { UInt8($0) })
        // The handshake has the same length each time; the mask keys differ.
        let (client, server) = try Self.pair()
        let request = client.output()
        server.receive(request, room: room)
        let byteCount = server.output().count
        for cut in 0...byteCount + 300 {
            let (client, server) = try Self.pair()
            let request = client.output()
            server.receive(Array(request.prefix(cut)), room: room)
            server.receive(Array(request.dropFirst(cut)), room: room)
            #expect(server.transform.isReady)
            // The server sends at once, and ends.
            try server.send(content)
            try server.transform.endOutput()
            let answer = server.output()
            client.receive(Array(answer.prefix(cut)), room: room)
            client.receive(Array(answer.dropFirst(cut)), room: room)
            #expect(client.received == content)
            #expect(client.stop == .ended)
            // The client may continue until it ends, too.
            try client.send(content)
            try client.send(content)
            try client.transform.endOutput()
            let last = client.output()
            server.receive(Array(last.prefix(cut)), room: room)
            #expect(server.stop != .failed)
            server.receive(Array(last.dropFirst(cut)), room: room)
            #expect(server.received == content + content)
            #expect(server.stop == .ended)
            try server.transform.endOfInput()
            try client.transform.endOfInput()
        }
    }

    @Test func `any bytes end a handshake or a connection, and never trap`() throws {
        var random = SeededGenerator.forThisRun()
        for _ in 0..<5_000 {
            let (client, server) = try Self.pair()
            let (request, isReady) = (client.output(), Bool.random(using: &random))
            if isReady {
                server.receive(request, room: 100)
                client.receive(server.output(), room: 100)
            }
            var bytes = random.bytes(Int.random(in: 0...200, using: &random))
            if Bool.random(using: &random) { bytes = [0x82, 0x05] + bytes }
            for end in [client, server] {
                end.receive(bytes, room: Int.random(in: 1...50, using: &random))
                _ = end.output()
                try? end.transform.endOfInput()
                #expect(end.transform.connectionFailure != nil || end.stop == .ended, random.seedComment)
            }
        }
    }
}
