// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Synchronization
import Testing
import TestingSupport

// Only the stream itself uses what the system reports about it.
@testable import WirelineTransport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite(.ahead)
struct ByteStreamTests {
    // MARK: Bytes

    @Test func `what one end writes, the other reads`() async throws {
        let pair = try await StreamPair.make()
        await pair.client.write([1, 2, 3])
        await pair.serverRecorder.wait { $0.received == [1, 2, 3] }
        await pair.server.write([4, 5])
        await pair.clientRecorder.wait { $0.received == [4, 5] }
        await pair.close()
    }

    @Test func `everything written in one turn leaves in one write`() async throws {
        let pair = try await StreamPair.make()
        await pair.client.onLoop {
            for byte in 0..<100 as Range<UInt8> { pair.client.write(byteCount: 1) { $0[0] = byte } }
        }
        await pair.serverRecorder.wait { $0.received == Array(0..<100) }
        #expect(pair.serverRecorder.state.readCount == 1)
        await pair.close()
    }

    @Test(arguments: [1, 127, 65_536, 131_071, 131_072, 131_073, 5_000_000])
    func `an echo returns all bytes, however many are written at once`(byteCount: Int) async throws {
        var random = SeededGenerator.forThisRun()
        let pair = try await StreamPair.make(server: .echo)
        let bytes = random.bytes(byteCount)
        await pair.client.write(bytes)
        await pair.clientRecorder.wait { $0.received.count >= byteCount }
        #expect(pair.clientRecorder.state.received == bytes)
        await pair.close()
    }

    @Test func `an echo returns all bytes in order, wherever they are split`() async throws {
        var random = SeededGenerator.forThisRun()
        let pair = try await StreamPair.make(server: .echo)
        var sent: [UInt8] = []
        for _ in 0..<300 {
            let piece = (0..<Int.random(in: 1...3_000, using: &random)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
            await pair.client.write(piece)
            sent += piece
        }
        let byteCount = sent.count
        await pair.clientRecorder.wait { $0.received.count >= byteCount }
        #expect(pair.clientRecorder.state.received == sent)
        await pair.close()
    }

    // MARK: Back-pressure

    @Test func `writes wait for a peer that does not read, and leave when it reads`() async throws {
        let pair = try await StreamPair.make(server: .stall)
        // More than the system buffers for both ends together.
        let bytes = [UInt8](repeating: 7, count: 32 << 20)
        await pair.client.write(bytes)
        await pair.client.onLoop { pair.client.flush() }
        #expect(await pair.client.onLoop { pair.client.pendingByteCount } > 0)
        #expect(pair.serverRecorder.state.received.isEmpty)
        while pair.serverRecorder.state.received.count < bytes.count {
            let count = pair.serverRecorder.state.readCount
            await pair.server.onLoop { pair.server.read() }
            await pair.serverRecorder.wait { $0.readCount > count }
        }
        await pair.clientRecorder.wait { $0.drainedCount == 1 }
        #expect(await pair.client.onLoop { pair.client.pendingByteCount } == 0)
        #expect(pair.serverRecorder.state.received == bytes)
        await pair.close()
    }

    @Test func `a handler that does not ask for bytes gets none, and no byte is lost`() async throws {
        let pair = try await StreamPair.make(server: .stall)
        for byte in 1...5 as ClosedRange<UInt8> { await pair.client.write([byte]) }
        await pair.client.onLoop { pair.client.endOutput() }
        await pair.server.onLoop { pair.server.read() }
        await pair.serverRecorder.wait { $0.readCount == 1 }
        while !pair.serverRecorder.state.hasEnded {
            await pair.server.onLoop { pair.server.read() }
        }
        #expect(pair.serverRecorder.state.received == [1, 2, 3, 4, 5])
        await pair.close()
    }

    // MARK: Ends

    @Test func `the end of output arrives after everything written before it`() async throws {
        let pair = try await StreamPair.make()
        let bytes = [UInt8](repeating: 1, count: 3 << 20)
        await pair.client.onLoop {
            pair.client.write(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
            pair.client.endOutput()
        }
        await pair.serverRecorder.wait(until: \.hasEnded)
        #expect(pair.serverRecorder.state.received == bytes)
        // The other direction stays open.
        await pair.server.write([9])
        await pair.clientRecorder.wait { $0.received == [9] }
        await pair.close()
    }

    @Test func `a reset and an end of stream are different`() async throws {
        let pair = try await StreamPair.make()
        await pair.client.onLoop { pair.client.reset() }
        await pair.serverRecorder.wait { $0.failure != nil }
        #expect(pair.serverRecorder.state.failure == .reset)
        #expect(!pair.serverRecorder.state.hasEnded)
        #expect(await pair.server.onLoop { pair.server.isOpen } == false)
    }

    @Test func `writing to a peer that has closed ends in a reset`() async throws {
        let pair = try await StreamPair.make()
        await pair.server.onLoop { pair.server.close() }
        await pair.clientRecorder.wait(until: \.hasEnded)
        while pair.clientRecorder.state.failure == nil { await pair.client.write([1]) }
        #expect(pair.clientRecorder.state.failure == .reset)
    }

    @Test func `bytes sent before a reset are read even if writing fails first`() async throws {
        let pair = try await StreamPair.make(client: .stall, server: .stall)
        let bytes = [UInt8](repeating: 7, count: 32 << 20)
        await pair.client.write(bytes)
        await pair.server.write([1, 2, 3])
        await pair.server.onLoop {
            pair.server.flush()
            pair.server.reset()
        }
        #expect(try await eventually { await !pair.client.onLoop({ pair.client.takesOutput }) })
        #expect(await pair.client.onLoop { pair.client.pendingByteCount } == 0)
        #expect(pair.clientRecorder.state.failure == nil)
        while pair.clientRecorder.state.failure == nil { await pair.client.onLoop { pair.client.read() } }
        #expect(pair.clientRecorder.state.received == [1, 2, 3])
        #expect(pair.clientRecorder.state.failure == .reset)
        #expect(!pair.clientRecorder.state.hasEnded)
        #expect(await pair.client.onLoop { pair.client.isOpen } == false)
    }

    @Test func `a closed stream reports nothing, and is released`() async throws {
        var pair: StreamPair? = try await StreamPair.make()
        weak let server = pair?.serverRecorder
        weak let stream = pair?.server
        let client = try #require(pair?.client)
        await pair?.server.onLoop { [server = pair?.server] in server?.close() }
        await client.write([1, 2, 3])
        #expect(pair?.serverRecorder.state.received == [])
        pair = nil
        // What the loop still references, it releases when its turn ends.
        #expect(try await eventually { stream == nil })
        #expect(server == nil)
        await client.onLoop { client.close() }
    }

    @Test func `a closed stream reports nothing even if another process still has its socket`() async throws {
        let pair = try await StreamPair.make()
        let (client, server) = (pair.client, pair.server)
        let copy = await server.onLoop {
            let copy = dup(server.number)
            server.close()
            server.readiness.foundNoInput()
            return copy
        }
        try #require(copy >= 0)
        await client.onLoop {
            client.write([1, 2, 3])
            client.flush()
        }
        // The loop gets this event after the bytes.
        #expect(await server.onLoop { server.readiness.isReadable } == false)
        close(copy)
        await client.onLoop { client.close() }
    }

    // MARK: Connecting

    @Test func `a port without a listener refuses the connection`() async throws {
        let group = try StreamPair.group.get()
        // No process listens at this port, and the system assigns it to no other.
        let address = try SocketAddress(ipAddress: "127.0.0.3", port: 1)
        await #expect(throws: TransportError.refused) {
            try await ByteStream.connect(to: address, on: group.nextLoop(), timeout: .seconds(3_000))
        }
    }

    @Test func `a task that is cancelled does not connect`() async throws {
        let group = try StreamPair.group.get()
        let listener = try Listener.bind(to: .loopback(port: 0), on: group)
        listener.start { _ in }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await ByteStream.connect(to: listener.address, on: group.nextLoop(), timeout: .seconds(60))
        }
        await #expect(throws: TransportError.cancelled) { try await task.value }
        listener.loop.execute { listener.close() }
    }

    @Test func `a connection over the limit waits until another one ends`() async throws {
        let group = try StreamPair.group.get()
        let (accepted, feed) = AsyncStream<ByteStream>.makeStream()
        let listener = try Listener.bind(to: .loopback(port: 0), on: group, connectionLimit: 2)
        listener.start { feed.yield($0) }
        var clients: [ByteStream] = []
        for _ in 0..<4 {
            clients.append(
                try await ByteStream.connect(to: listener.address, on: group.nextLoop(), timeout: .seconds(60)))
        }
        var iterator = accepted.makeAsyncIterator()
        _ = try #require(await iterator.next())
        _ = try #require(await iterator.next())
        let hasEnded = Lock(false)
        Task {
            await listener.loop.run { hasEnded.withLock { $0 = true } }
            listener.connectionEnded()
        }
        _ = try #require(await iterator.next())
        #expect(hasEnded.withLock { $0 })
        listener.connectionEnded()
        _ = try #require(await iterator.next())
        await listener.loop.run { listener.close() }
        #expect(clients.count == 4)
    }

    @Test func `many connections are spread over the loops`() async throws {
        let group = try StreamPair.group.get()
        let (accepted, feed) = AsyncStream<ByteStream>.makeStream()
        let listener = try Listener.bind(to: .loopback(port: 0), on: group)
        listener.start { feed.yield($0) }
        var clients: [ByteStream] = []
        for _ in 0..<200 {
            clients.append(
                try await ByteStream.connect(to: listener.address, on: group.nextLoop(), timeout: .seconds(60)))
        }
        var counts: [ObjectIdentifier: Int] = [:]
        var iterator = accepted.makeAsyncIterator()
        for _ in 0..<200 {
            let stream = try #require(await iterator.next())
            counts[ObjectIdentifier(stream.loop), default: 0] += 1
        }
        #expect(counts.count == 2)
        #expect(counts.values.allSatisfy { $0 > 50 })
        listener.loop.execute { listener.close() }
    }
}
