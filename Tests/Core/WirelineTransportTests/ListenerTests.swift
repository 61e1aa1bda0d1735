// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport

@testable import WirelineTransport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite(.ahead)
struct ListenerTests {
    @Test func `waiting connections are accepted when listening ends`() async throws {
        let group = try EventLoopGroup(threadCount: 1)
        let listener = try Listener.bind(to: .loopback(port: 0), on: group, connectionLimit: 2)
        let accepted = Seen<ByteStream>()
        listener.start { accepted.add($0) }
        var clients: [RawSocket] = []
        for _ in 0..<100 { clients.append(try RawSocket.connect(to: listener.address.port)) }
        #expect(await accepted.first(2).count == 2)
        await listener.loop.run { listener.close() }
        #expect(await accepted.first(100).count == 100)
        #expect(clients.count == 100)
    }

    @Test func `at most 1,000 connections are accepted in a turn`() async throws {
        let loop = try MemoryNetwork.start()
        let listener = try Listener.bind(to: .loopback(port: 0), on: EventLoopGroup(loops: [loop]))
        var clients: [ByteStream] = []
        for _ in 0..<2_100 {
            clients.append(try await ByteStream.connect(to: listener.address, on: loop, timeout: .seconds(60)))
        }
        let times = Seen<MonotonicTime>()
        // The clock moves only between turns.
        listener.start { _ in times.add(loop.clockTime) }
        let counts = Dictionary(grouping: await times.first(clients.count)) { $0 }.values.map(\.count)
        #expect(counts.sorted() == [100, 1_000, 1_000])
        loop.memoryNetwork?.end()
    }

    /// A flood of them would end the program when the stack is full: a debug build stops before that.
    @Test(arguments: [1, .max])
    func `connections that end while they are accepted do not accept the next ones`(limit: Int) async throws {
        let group = try EventLoopGroup(threadCount: 1)
        let listener = try Listener.bind(to: .loopback(port: 0), on: group, connectionLimit: limit)
        // All wait in the system's queue.
        let clients = try (0..<300).map { _ in try RawSocket.connect(to: listener.address.port) }
        let accepted = Seen<ByteStream>()
        listener.start { stream in
            accepted.add(stream)
            listener.connectionEnded()
        }
        #expect(await accepted.first(clients.count).count == clients.count)
        await listener.loop.run { listener.close() }
    }

    @Test func `a socket that would connect to itself is refused`() async throws {
        let loop = try EventLoopGroup.shared.nextLoop()
        // A port without a listener.
        let listener = try Listener.bind(to: .loopback(port: 0), on: EventLoopGroup.shared)
        let address = listener.address
        await listener.loop.run { listener.close() }
        await #expect(throws: TransportError.refused) {
            _ = try await ByteStream.connect(
                to: address, from: ConnectionOrigin(address: address), on: loop, timeout: .seconds(60))
        }
    }

    @Test func `a server without descriptors reports it once, and continues when some are free`() async {
        await #expect(processExitsWith: .success) {
            let group = try EventLoopGroup(threadCount: 1)
            let listener = try Listener.bind(to: .loopback(port: 0), on: group)
            let failures = Seen<Bool>()
            let accepted = Seen<ByteStream>()
            listener.start(
                acceptFailed: { error, isFirst in
                    guard case .system(let error) = error, error.code == EMFILE else { return }
                    failures.add(isFirst)
                }, { accepted.add($0) })
            let client = try RawSocket.connect(to: listener.address.port)
            _ = await accepted.first(1)
            try takeAllDescriptorsButOne()
            let waiting = try RawSocket.connect(to: listener.address.port)
            #expect(await failures.first(3) == [true, false, false])
            #expect(DescriptorLimit.raise() == DescriptorLimit.current)
            #expect(DescriptorLimit.current > 64)
            #expect(await accepted.first(2).count == 2)
            withExtendedLifetime((client, waiting)) {}
        }
    }

    @Test func `the program's code has a stack of 8 MiB on every thread`() async throws {
        let depth = Seen<Int>()
        try SystemThread.start {
            // About 4 MiB, and half as much again with the address sanitizer.
            depth.add(Self.descend(1_000))
        }
        #expect(await depth.first(1) == [1_000])
    }

    @inline(never)
    private static func descend(_ count: Int) -> Int {
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 16) { memory in
            memory[0] = UInt8(truncatingIfNeeded: count)
            return count == 0
                ? 0 : descend(count - 1) + (memory[0] == UInt8(truncatingIfNeeded: count) ? 1 : 0)
        }
    }
}

/// Leaves the process one more descriptor until the limit is raised.
private func takeAllDescriptorsButOne() throws {
    #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    try #require(getrlimit(resource, &limit) == 0)
    limit.rlim_cur = 64
    try #require(setrlimit(resource, &limit) == 0)
    var last: Int32 = -1
    while case let next = dup(2), next >= 0 { last = next }
    close(last)
}
