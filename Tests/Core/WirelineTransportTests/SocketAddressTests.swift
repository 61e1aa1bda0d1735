// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineTransport

struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:9001"), ("::1", "[::1]:9001"), ("2001:DB8:0:0::1", "[2001:db8::1]:9001"),
        ("::ffff:10.0.0.1", "[::ffff:10.0.0.1]:9001"),
    ])
    func `an address is written as RFC 5952 requires`(text: String, description: String) throws {
        #expect(try SocketAddress(ipAddress: text, port: 9001).description == description)
    }

    @Test(arguments: ["", "localhost", "1.2.3", "256.1.1.1", "01.2.3.4", ":::", "::1%", "127.0.0.1:80", "127.0.0.1\0x"])
    func `an invalid address is refused`(text: String) {
        #expect(throws: TransportError.invalidAddress) { try SocketAddress(ipAddress: text, port: 1) }
    }

    @Test func `addresses are equal when their bytes and ports are`() throws {
        #expect(try SocketAddress(ipAddress: "0:0::1", port: 5) == SocketAddress(ipAddress: "::1", port: 5))
        #expect(try SocketAddress(ipAddress: "::1", port: 5) != SocketAddress(ipAddress: "::1", port: 6))
    }

    @Test func `an address takes 24 bytes in each connection, whatever its kind`() {
        #expect(MemoryLayout<SocketAddress>.size == 24)
    }

    @Test(arguments: ["127.0.0.1", "::1"])
    func `a listener's address has the port that the system chose`(text: String) throws {
        let group = try StreamPair.group.get()
        let listener = try Listener.bind(to: SocketAddress(ipAddress: text, port: 0), on: group)
        listener.start { _ in }
        #expect(listener.address.port != 0)
        #expect(listener.address.ipAddress == text)
        listener.loop.execute { listener.close() }
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.255.0.9", true), ("126.0.0.1", false), ("128.0.0.1", false), ("0.0.0.0", false),
        ("::1", true), ("::", false), ("::2", false), ("::ffff:127.0.0.1", true), ("::ffff:10.0.0.1", false),
        ("2001:db8::1", false),
    ])
    func `loopback addresses are recognized`(text: String, isLoopback: Bool) throws {
        #expect(try SocketAddress(ipAddress: text, port: 1).isLoopback == isLoopback)
    }
}
