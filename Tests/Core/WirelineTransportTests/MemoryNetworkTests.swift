// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineTransport

struct MemoryNetworkTests {
    // MARK: Bytes

    @Test(
        arguments: [
            .whole, .bytes(1), .bytes(7), .cut(at: 1), .cut(at: 99), .random(seed: 1), .random(seed: 2),
        ] as [MemoryDelivery])
    func `an echo returns all bytes in order, however they are cut`(delivery: MemoryDelivery) async throws {
        var random = SeededGenerator.forThisRun()
        let pair = try await MemoryPair.make(server: .echo, delivery: delivery)
        let bytes = random.bytes(300)
        await pair.client.write(bytes)
        await pair.loop.waitUntilIdle()
        #expect(pair.clientRecorder.state.received == bytes)
        if delivery == .bytes(1) { #expect(pair.clientRecorder.state.readCount == 300) }
        pair.end()
    }

    @Test func `a reader gets one piece at a time, also if more has arrived`() async throws {
        let pair = try await MemoryPair.make(server: .stall, delivery: .bytes(2))
        await pair.client.write([1, 2, 3, 4, 5])
        await pair.loop.waitUntilIdle()
        #expect(await pair.server.onLoop { pair.server.unreadByteCount } == 5)
        for count in [2, 4, 5] {
            await pair.server.onLoop { pair.server.read() }
            await pair.loop.waitUntilIdle()
            #expect(pair.serverRecorder.state.received.count == count)
        }
        pair.end()
    }

    @Test func `everything written in one turn arrives in one read`() async throws {
        let pair = try await MemoryPair.make()
        await pair.client.onLoop {
            for byte in 0..<100 as Range<UInt8> { pair.client.write(byteCount: 1) { $0[0] = byte } }
        }
        await pair.loop.waitUntilIdle()
        #expect(pair.serverRecorder.state.readCount == 1)
        #expect(pair.serverRecorder.state.received == Array(0..<100))
        pair.end()
    }

    @Test func `latency delays bytes by the clock that the test moves`() async throws {
        let pair = try await MemoryPair.make { $0.latency = .milliseconds(40) }
        await pair.client.write([1])
        await pair.loop.advance(by: .milliseconds(39))
        #expect(pair.serverRecorder.state.received == [])
        #expect(await pair.client.onLoop { pair.client.undeliveredByteCount } == 1)
        await pair.loop.advance(by: .milliseconds(1))
        #expect(pair.serverRecorder.state.received == [1])
        #expect(await pair.client.onLoop { pair.client.undeliveredByteCount } == 0)
        pair.end()
    }

    // MARK: Back-pressure

    @Test func `a writer stalls when both buffers are full, and drains when they are read`() async throws {
        let pair = try await MemoryPair.make(server: .stall) { $0.bufferByteCount = 100 }
        let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
        await pair.client.write(bytes)
        await pair.loop.waitUntilIdle()
        #expect(await pair.client.onLoop { pair.client.isOutputStalled })
        #expect(await pair.client.onLoop { pair.client.pendingByteCount } == 800)
        #expect(await pair.server.onLoop { pair.server.unreadByteCount } == 100)
        while pair.serverRecorder.state.received.count < 1_000 {
            let count = pair.serverRecorder.state.received.count
            await pair.server.onLoop { pair.server.read() }
            await pair.loop.waitUntilIdle()
            try #require(pair.serverRecorder.state.received.count > count)
        }
        #expect(pair.serverRecorder.state.received == bytes)
        #expect(pair.clientRecorder.state.drainedCount == 1)
        pair.end()
    }

    @Test func `a paused reader hears nothing until it goes on`() async throws {
        let pair = try await MemoryPair.make()
        await pair.server.onLoop { pair.server.memorySocket?.isPaused = true }
        await pair.client.write([1, 2])
        await pair.loop.waitUntilIdle()
        #expect(pair.serverRecorder.state.received == [])
        await pair.server.onLoop { pair.server.memorySocket?.isPaused = false }
        await pair.loop.waitUntilIdle()
        #expect(pair.serverRecorder.state.received == [1, 2])
        pair.end()
    }

    @Test func `a peer that does not answer ends the connection after the write timeout`() async throws {
        let pair = try await MemoryPair.make()
        await pair.client.onLoop {
            pair.client.writeTimeout = .seconds(20)
            pair.client.memorySocket?.cut(true)
        }
        await pair.client.write([1])
        await pair.loop.advance(by: .seconds(19))
        #expect(pair.clientRecorder.state.failure == nil)
        await pair.loop.advance(by: .seconds(6))
        #expect(pair.clientRecorder.state.failure == .timedOut)
        pair.end()
    }

    // MARK: Ends

    @Test func `a half-closed connection still carries bytes the other way`() async throws {
        let pair = try await MemoryPair.make()
        await pair.client.write([1])
        await pair.client.onLoop { pair.client.endOutput() }
        await pair.loop.waitUntilIdle()
        #expect(pair.serverRecorder.state.received == [1])
        #expect(pair.serverRecorder.state.hasEnded)
        await pair.server.write([2])
        await pair.loop.waitUntilIdle()
        #expect(pair.clientRecorder.state.received == [2])
        #expect(!pair.clientRecorder.state.hasEnded)
        pair.end()
    }

    @Test func `a reset arrives after the bytes before it`() async throws {
        let pair = try await MemoryPair.make(server: .stall)
        await pair.client.write([1, 2])
        await pair.loop.waitUntilIdle()
        await pair.client.onLoop { pair.client.reset() }
        await pair.loop.waitUntilIdle()
        for _ in 0..<2 {
            await pair.server.onLoop { pair.server.read() }
            await pair.loop.waitUntilIdle()
        }
        #expect(pair.serverRecorder.state.received == [1, 2])
        #expect(pair.serverRecorder.state.failure == .reset)
        pair.end()
    }

    @Test func `closing with unread bytes resets the connection`() async throws {
        let pair = try await MemoryPair.make(server: .stall)
        await pair.client.write([1])
        await pair.loop.waitUntilIdle()
        await pair.server.onLoop { pair.server.close() }
        await pair.loop.waitUntilIdle()
        #expect(pair.clientRecorder.state.failure == .reset)
        pair.end()
    }

    @Test func `writing to a closed end resets the connection`() async throws {
        let pair = try await MemoryPair.make()
        await pair.server.onLoop { pair.server.close() }
        await pair.loop.waitUntilIdle()
        #expect(pair.clientRecorder.state.hasEnded)
        #expect(pair.clientRecorder.state.failure == nil)
        await pair.client.write([1])
        await pair.loop.waitUntilIdle()
        #expect(pair.clientRecorder.state.outputFailure ?? pair.clientRecorder.state.failure == .reset)
        pair.end()
    }

    @Test func `keep-alive finds a peer that has vanished`() async throws {
        let pair = try await MemoryPair.make()
        await pair.server.onLoop {
            pair.server.keepAlive(after: .seconds(30))
            pair.server.memorySocket?.cut(true)
        }
        await pair.loop.advance(by: .seconds(59))
        #expect(pair.serverRecorder.state.failure == nil)
        await pair.loop.advance(by: .seconds(1))
        #expect(pair.serverRecorder.state.failure == .timedOut)
        pair.end()
    }

    @Test func `what was sent while the network was cut arrives when it is mended`() async throws {
        let pair = try await MemoryPair.make()
        await pair.loop.run { pair.loop.memoryNetwork?.cut(true) }
        await pair.client.write([1])
        await pair.client.onLoop { pair.client.endOutput() }
        await pair.loop.waitUntilIdle()
        #expect(pair.serverRecorder.state.received == [])
        await pair.loop.run { pair.loop.memoryNetwork?.cut(false) }
        await pair.loop.waitUntilIdle()
        #expect(pair.serverRecorder.state.received == [1])
        #expect(pair.serverRecorder.state.hasEnded)
        pair.end()
    }

    // MARK: Connecting

    @Test func `a port without a listener refuses, and an address is used once`() async throws {
        let loop = try MemoryNetwork.start()
        await #expect(throws: TransportError.refused) {
            try await ByteStream.connect(to: .loopback(port: 9), on: loop, timeout: .seconds(1))
        }
        let group = EventLoopGroup(loops: [loop])
        let listener = try Listener.bind(to: .loopback(port: 0), on: group)
        #expect(listener.address.port != 0)
        #expect(throws: TransportError.self) { try Listener.bind(to: listener.address, on: group) }
        await loop.run { listener.close() }
        _ = try Listener.bind(to: listener.address, on: group)
        loop.memoryNetwork?.end()
    }

    @Test func `a listener at all addresses is reached at each of them`() async throws {
        let loop = try MemoryNetwork.start()
        let any = try SocketAddress(ipAddress: "0.0.0.0", port: 9001)
        let listener = try Listener.bind(to: any, on: EventLoopGroup(loops: [loop]))
        let (accepted, feed) = AsyncStream<SocketAddress>.makeStream()
        listener.start { feed.yield($0.peerAddress) }
        let origin = ConnectionOrigin(address: try SocketAddress(ipAddress: "10.0.0.9", port: 5))
        let stream = try await ByteStream.connect(
            to: try SocketAddress(ipAddress: "10.0.0.1", port: 9001), from: origin, on: loop, timeout: .seconds(1))
        var iterator = accepted.makeAsyncIterator()
        #expect(await iterator.next() == origin.address)
        #expect(!stream.isOpen)
        loop.memoryNetwork?.end()
    }
}

struct ManualClockTests {
    @Test func `timers fire in the order of their deadlines, at their times`() async throws {
        let loop = try MemoryNetwork.start()
        let (times, feed) = AsyncStream<Int>.makeStream()
        let start = loop.clockTime
        await loop.run {
            for seconds in [3, 1, 2] {
                loop.schedule(at: start + .seconds(seconds)) {
                    feed.yield(Int(start.duration(to: loop.clockTime) / .seconds(1)) * 10 + seconds)
                    // Due in the same call, between the others.
                    if seconds == 1 {
                        loop.schedule(at: loop.now + .milliseconds(500)) { feed.yield(99) }
                    }
                }
            }
        }
        await loop.advance(by: .milliseconds(2_500))
        await loop.advance(by: .seconds(1))
        feed.finish()
        var seen: [Int] = []
        for await time in times { seen.append(time) }
        #expect(seen == [11, 99, 22, 33])
        #expect(start.duration(to: loop.clockTime) >= .milliseconds(3_500))
        #expect(start.duration(to: loop.clockTime) < .milliseconds(3_501))
        loop.memoryNetwork?.end()
    }

    @Test func `a timer does not fire before the clock is moved`() async throws {
        let loop = try MemoryNetwork.start()
        let fired = Shared(false)
        await loop.run { _ = loop.schedule(at: loop.now + .nanoseconds(10)) { fired.value = true } }
        await loop.waitUntilIdle()
        #expect(!fired.value)
        await loop.advance(by: .nanoseconds(10))
        #expect(fired.value)
        loop.memoryNetwork?.end()
    }

    @Test func `an idle loop has run every job that jobs have begun`() async throws {
        let loop = try MemoryNetwork.start()
        let steps = Shared(0)
        Task(executorPreference: loop) {
            for _ in 0..<50 {
                await Task.yield()
                steps.value += 1
            }
        }
        await loop.run {}
        await loop.waitUntilIdle()
        #expect(steps.value == 50)
        loop.memoryNetwork?.end()
    }
}

/// Two ends of a connection in memory, on one loop.
struct MemoryPair {
    let loop: EventLoop
    let client: ByteStream
    let server: ByteStream
    let clientRecorder: StreamRecorder
    let serverRecorder: StreamRecorder

    /// Connects, and begins to read if the mode does.
    static func make(
        client clientMode: StreamRecorder.Mode = .collect, server serverMode: StreamRecorder.Mode = .collect,
        delivery: MemoryDelivery = .whole, _ setUp: @escaping @Sendable (MemoryNetwork) -> Void = { _ in }
    ) async throws -> MemoryPair {
        let loop = try MemoryNetwork.start()
        await loop.run { loop.memoryNetwork?.delivery = delivery }
        let accepted = Shared<ByteStream?>(nil)
        let listener = try Listener.bind(to: .loopback(port: 0), on: EventLoopGroup(loops: [loop]))
        listener.start { stream in accepted.value = stream }
        let client = try await ByteStream.connect(to: listener.address, on: loop, timeout: .seconds(60))
        await loop.waitUntilIdle()
        let server = try #require(accepted.value)
        let pair = MemoryPair(
            loop: loop, client: client, server: server, clientRecorder: StreamRecorder(clientMode),
            serverRecorder: StreamRecorder(serverMode))
        try await client.onLoop {
            if let network = loop.memoryNetwork { setUp(network) }
            try client.start(pair.clientRecorder)
            if clientMode != .stall { client.read() }
        }
        try await server.onLoop {
            try server.start(pair.serverRecorder)
            if serverMode != .stall { server.read() }
        }
        return pair
    }

    func end() { loop.memoryNetwork?.end() }
}

/// A value that several closures share.
private final class Shared<Value: Sendable>: Sendable {
    private let lock: Lock<Value>

    init(_ value: Value) { lock = Lock(value) }

    var value: Value {
        get { lock.withLock { $0 } }
        set { lock.withLock { $0 = newValue } }
    }
}
