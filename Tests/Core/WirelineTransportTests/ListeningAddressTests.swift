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

/// Where a server can listen: at several addresses, at Unix domain sockets, on sockets that it was given.
@Suite(.ahead)
struct ListeningAddressTests {
    private static func bind(
        _ addresses: [ListeningAddress], sharesPorts: Bool = false, backlog: Int32 = 64
    ) async throws(TransportError) -> Listener {
        try await Listener.bind(
            to: addresses, on: try EventLoopGroup.shared, ListeningPolicy(backlog: backlog, sharesPorts: sharesPorts))
    }

    private static func connect(to address: SocketAddress) async throws(TransportError) -> ByteStream {
        try await ByteStream.connect(to: address, on: try EventLoopGroup.shared.nextLoop(), timeout: .seconds(500))
    }

    private static func close(_ listener: Listener) async { await listener.loop.run { listener.close() } }

    // MARK: Several addresses

    @Test func `a listener accepts at each of its addresses, and names the one that a connection came to`() async throws
    {
        let path = try SocketPath()
        let listener = try await Self.bind([
            .host("127.0.0.1", port: 0), .host("localhost", port: 0), .unix(path.path), .host("::1", port: 0),
        ])
        let accepted = Seen<SocketAddress>()
        let streams = Seen<ByteStream>()
        listener.start(Listener.Reports()) { stream, address in
            streams.add(stream)
            accepted.add(address)
        }
        for address in listener.addresses { _ = try await Self.connect(to: address) }
        #expect(Set(await accepted.first(4)) == Set(listener.addresses))
        #expect(listener.addresses.count == 4)
        #expect(listener.address == listener.addresses[0])
        await Self.close(listener)
    }

    @Test func `all addresses of IPv4 and of IPv6 can share a port`() async throws {
        let first = try await Self.bind([.host("127.0.0.1", port: 0)])
        let port = first.address.port
        await Self.close(first)
        let listener = try await Self.bind([.host("0.0.0.0", port: port), .host("::", port: port)])
        let accepted = Seen<SocketAddress>()
        listener.start(Listener.Reports()) { _, address in accepted.add(address) }
        _ = try await Self.connect(to: .loopback(port: port))
        _ = try await Self.connect(to: try SocketAddress(ipAddress: "::1", port: port))
        // The sockets may be ready in the same turn, in either order.
        #expect(Set(await accepted.first(2).map(\.addressFamily)) == [.ipv4, .ipv6])
        await Self.close(listener)
    }

    @Test func `a listener whose second address is taken listens nowhere`() async throws {
        let path = try SocketPath()
        let taken = try await Self.bind([.host("127.0.0.1", port: 0)])
        await #expect(throws: TransportError.self) {
            _ = try await Self.bind([.unix(path.path), .host("127.0.0.1", port: taken.address.port)])
        }
        #expect(!path.exists)
        await Self.close(taken)
    }

    @Test func `two listeners share a port only if both of them want it`() async throws {
        let first = try await Self.bind([.host("127.0.0.1", port: 0)], sharesPorts: true)
        let address = ListeningAddress.host("127.0.0.1", port: first.address.port)
        await #expect(throws: TransportError.self) { _ = try await Self.bind([address]) }
        let second = try await Self.bind([address], sharesPorts: true)
        #expect(second.address == first.address)
        await Self.close(first)
        await Self.close(second)
    }

    @Test func `a limit holds for all addresses together, and is reported once`() async throws {
        let path = try SocketPath()
        let listener = try await Listener.bind(
            to: [.host("127.0.0.1", port: 0), .unix(path.path)], on: try EventLoopGroup.shared,
            ListeningPolicy(connectionLimit: 2))
        let accepted = Seen<ByteStream>()
        let reports = Seen<Void>()
        listener.start(Listener.Reports(limitReached: { reports.add(()) })) { stream, _ in accepted.add(stream) }
        for index in 0..<4 { _ = try await Self.connect(to: listener.addresses[index % 2]) }
        _ = await reports.first(1)
        #expect(accepted.count == 2)
        for _ in 0..<2 { listener.connectionEnded() }
        #expect(await accepted.first(4).count == 4)
        await Self.close(listener)
    }

    // MARK: Unix domain sockets

    @Test func `the file of a Unix domain socket has the wanted mode, and is removed`() async throws {
        let path = try SocketPath()
        let listener = try await Self.bind([.unix(path.path, mode: 0o620)])
        #expect(try path.permissions() == 0o620)
        #expect(listener.address.unixPath == path.path)
        #expect(listener.address.description == "unix:" + path.path)
        await Self.close(listener)
        #expect(!path.exists)
    }

    @Test func `the file of a server that was killed is replaced, and that of one that listens is not`() async throws {
        let path = try SocketPath()
        // The descriptor is closed, and the file stays.
        let descriptor = try SystemCall.makeSocket(for: SocketAddress(unixPath: path.path))
        try SystemCall.bind(descriptor.number, to: SocketAddress(unixPath: path.path))
        try SystemCall.listen(descriptor.number, backlog: 1)
        descriptor.close()
        #expect(path.exists)
        let listener = try await Self.bind([.unix(path.path)])
        await #expect(throws: TransportError.system(SystemCallError("bind", EADDRINUSE))) {
            _ = try await Self.bind([.unix(path.path)])
        }
        listener.start { _ in }
        _ = try await Self.connect(to: listener.address)
        await Self.close(listener)
    }

    @Test func `a file that is not a socket stays`() async throws {
        let path = try SocketPath()
        try path.writeFile()
        await #expect(throws: TransportError.notASocket(path.path)) { _ = try await Self.bind([.unix(path.path)]) }
        #expect(path.exists)
    }

    @Test func `a file that another server has put in its place is not removed`() async throws {
        let path = try SocketPath()
        let first = try await Self.bind([.unix(path.path)])
        #expect(unlink(path.path) == 0)
        let second = try await Self.bind([.unix(path.path)])
        await Self.close(first)
        #expect(path.exists)
        await Self.close(second)
    }

    @Test(arguments: ["", String(repeating: "x", count: 108), "/tmp/a\0b"])
    func `a path that a socket cannot have is refused`(path: String) {
        #expect(throws: TransportError.invalidPath(path)) { try SocketAddress(unixPath: path) }
    }

    @Test func `the longest path is usable`() async throws {
        let path = try SocketPath()
        let long = path.path + String(repeating: "x", count: 107 - path.path.utf8.count)
        let listener = try await Self.bind([.unix(long)])
        listener.start { _ in }
        #expect(try await Self.connect(to: listener.address).peerAddress.unixPath == long)
        await Self.close(listener)
    }

    #if os(Linux)
        @Test func `an abstract name has no file`() async throws {
            let name = "@wireline-\(UInt64.random(in: 0 ... .max))"
            let listener = try await Self.bind([.unix(name)])
            let accepted = Seen<ByteStream>()
            listener.start { accepted.add($0) }
            let client = try await Self.connect(to: try SocketAddress(unixPath: name))
            #expect(client.peerAddress.description == "unix:" + name)
            // A client has no name.
            #expect(await accepted.first(1)[0].peerAddress.description == "unix")
            await Self.close(listener)
        }
    #endif

    @Test func `nobody listens at the path of a server that has ended`() async throws {
        let path = try SocketPath()
        let listener = try await Self.bind([.unix(path.path)])
        await Self.close(listener)
        await #expect(throws: TransportError.system(SystemCallError("connect", ENOENT))) {
            _ = try await Self.connect(to: listener.address)
        }
    }

    @Test func `clients wait while the queue of a Unix domain socket is full`() async throws {
        let path = try SocketPath()
        let listener = try await Self.bind([.unix(path.path)], backlog: 0)
        let accepted = Seen<ByteStream>()
        let address = listener.address
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = try await Self.connect(to: address) } }
            // One is in the queue, and the others try again.
            _ = try await group.next()
            listener.start { accepted.add($0) }
            try await group.waitForAll()
        }
        #expect(await accepted.first(8).count == 8)
        await Self.close(listener)
    }

    @Test func `bytes that the program has not read are delivered on a Unix domain socket`() async throws {
        let path = try SocketPath()
        let listener = try await Self.bind([.unix(path.path)])
        let accepted = Seen<ByteStream>()
        listener.start { accepted.add($0) }
        let client = try await Self.connect(to: listener.address)
        let recorder = StreamRecorder(.collect)
        let count = try await client.onLoop { () throws(TransportError) in
            try client.start(recorder)
            client.write([1, 2, 3])
            client.flush()
            return client.undeliveredByteCount
        }
        #expect(count == 0)
        #expect(await accepted.first(1).count == 1)
        await client.onLoop { client.close() }
        await Self.close(listener)
    }

    // MARK: Sockets of other programs

    @Test func `a listener takes over a socket that listens already`() async throws {
        let descriptor = try SystemCall.makeSocket(for: .loopback(port: 0))
        try SystemCall.bind(descriptor.number, to: .loopback(port: 0))
        try SystemCall.listen(descriptor.number, backlog: 8)
        // A copy, because the listener closes what it takes over.
        let copy = dup(descriptor.number)
        descriptor.close()
        let listener = try await Self.bind([.inherited(descriptor: copy)])
        let accepted = Seen<ByteStream>()
        listener.start { accepted.add($0) }
        _ = try await Self.connect(to: listener.address)
        #expect(await accepted.first(1).count == 1)
        await Self.close(listener)
    }

    @Test func `an inherited socket goes on listening for its owner, with the connections that wait`() async throws {
        let descriptor = try SystemCall.makeSocket(for: .loopback(port: 0))
        try SystemCall.bind(descriptor.number, to: .loopback(port: 0))
        try SystemCall.listen(descriptor.number, backlog: 8)
        let address = try SystemCall.localAddress(descriptor.number)
        let (first, second) = (dup(descriptor.number), dup(descriptor.number))
        descriptor.close()
        let before = try await Self.bind([.inherited(descriptor: first)])
        await Self.close(before)
        // Both connect while no process accepts.
        let clients = try (0..<2).map { _ in try RawSocket.connect(to: address.port) }
        let after = try await Self.bind([.inherited(descriptor: second)])
        let accepted = Seen<ByteStream>()
        after.start { accepted.add($0) }
        #expect(await accepted.first(clients.count).count == clients.count)
        await Self.close(after)
    }

    @Test func `a descriptor that does not listen is refused, and stays open`() async throws {
        let descriptor = try SystemCall.makeSocket(for: .loopback(port: 0))
        let number = descriptor.number
        await #expect(throws: TransportError.notListening(descriptor: number)) {
            _ = try await Self.bind([.inherited(descriptor: number)])
        }
        #expect(fcntl(number, F_GETFD) >= 0)
        descriptor.close()
    }
}
