// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport

@testable import WirelineTransport

/// Messages that use their own stream while they are written: the block in use must stay where it is.
@Suite(.ahead)
struct NestedWriteTests {
    private static func fill(_ room: UnsafeMutableRawBufferPointer, _ byte: UInt8) {
        for index in room.indices { room[index] = byte }
    }

    @Test(arguments: [1, 3, 100, 70_000, 200_000, 3_000_000])
    func `what a message writes leaves after the message, whatever its length`(byteCount: Int) async throws {
        let pair = try await StreamPair.make()
        let client = pair.client
        await client.onLoop {
            client.write([0])
            client.writeMessage(byteCount: 1_000) { room in
                client.write([UInt8](repeating: 2, count: byteCount))
                client.flush()
                Self.fill(room, 1)
                client.write([3])
            }
            client.write([4])
        }
        let expected =
            [0] + [UInt8](repeating: 1, count: 1_000) + [UInt8](repeating: 2, count: byteCount) + [3, 4]
        await pair.serverRecorder.wait { $0.received.count >= expected.count }
        #expect(pair.serverRecorder.state.received == expected)
        await pair.close()
    }

    @Test(arguments: [1, 40_000, 200_000])
    func `each written byte is shown once, in order`(byteCount: Int) async throws {
        let pair = try await StreamPair.make()
        let client = pair.client
        await client.onLoop {
            client.showsWrites = true
            client.write([0])
            client.writeMessage(byteCount: 1_000) { room in
                client.write([UInt8](repeating: 2, count: byteCount))
                Self.fill(room, 1)
            }
            client.write([3])
            client.showWritten()
        }
        let expected =
            [0] + [UInt8](repeating: 1, count: 1_000) + [UInt8](repeating: 2, count: byteCount) + [3]
        #expect(pair.clientRecorder.state.shown == expected)
        await pair.close()
    }

    @Test func `nested messages leave in order, whatever else they do`() async throws {
        var random = SeededGenerator.forThisRun()
        for _ in 0..<30 {
            let pair = try await StreamPair.make()
            let client = pair.client
            let start = random
            let expected = await client.onLoop { () -> [UInt8] in
                var random = start
                var writer = NestedWriter(client, &random)
                return writer.write(depth: 0) + writer.write(depth: 0)
            }
            _ = random.next()
            await pair.serverRecorder.wait { $0.received.count >= expected.count }
            #expect(pair.serverRecorder.state.received == expected, random.seedComment)
            await pair.close()
        }
    }

    @Test func `a message that closes its stream is filled in and dropped`() async throws {
        let pair = try await StreamPair.make()
        let client = pair.client
        for isNested in [false, true] {
            await client.onLoop {
                client.writeMessage(byteCount: 100_000) { room in
                    if isNested { client.write([UInt8](repeating: 2, count: 500_000)) }
                    client.close()
                    // A caller that takes a block now must not get this one.
                    let other = client.takeBlock()
                    Self.fill(room, 1)
                    client.giveBack(other)
                }
                #expect(client.pendingByteCount == 0)
                client.write([9])
            }
        }
        await pair.serverRecorder.wait { $0.hasEnded }
        #expect(pair.serverRecorder.state.received == [])
        await pair.close()
    }

    @Test(arguments: [false, true])
    func `a message that ends the output leaves before the end`(isNested: Bool) async throws {
        let pair = try await StreamPair.make()
        let client = pair.client
        await client.onLoop {
            client.writeMessage(byteCount: 3) { room in
                if isNested { client.write([2]) }
                client.endOutput()
                client.write([9])
                Self.fill(room, 1)
            }
            client.write([9])
        }
        await pair.serverRecorder.wait { $0.hasEnded }
        #expect(pair.serverRecorder.state.received == (isNested ? [1, 1, 1, 2] : [1, 1, 1]))
        await pair.close()
    }
}

/// Writes messages that write messages, at random.
private struct NestedWriter {
    private let stream: ByteStream
    private var random: SeededGenerator
    private var lastByte: UInt8 = 0

    init(_ stream: ByteStream, _ random: inout SeededGenerator) {
        self.stream = stream
        self.random = random
    }

    /// - Returns: The bytes that must arrive.
    mutating func write(depth: Int) -> [UInt8] {
        lastByte &+= 1
        let byte = lastByte
        let byteCount = [1, 100, 20_000, 150_000][Int.random(in: 0..<4, using: &random)]
        let own = [UInt8](repeating: byte, count: byteCount)
        guard depth < 4, Bool.random(using: &random) else {
            stream.write(own)
            return own
        }
        var copy = self
        var nested: [UInt8] = []
        stream.writeMessage(byteCount: byteCount) { room in
            for _ in 0..<Int.random(in: 0..<4, using: &copy.random) {
                nested += copy.write(depth: depth + 1)
            }
            if Bool.random(using: &copy.random) { copy.stream.flush() }
            room.copyBytes(from: own)
        }
        self = copy
        return own + nested
    }
}
