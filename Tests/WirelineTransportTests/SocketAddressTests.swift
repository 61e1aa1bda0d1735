// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineTransport

struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:9001"), ("::1", "[::1]:9001"), ("2001:DB8:0:0::1", "[2001:db8::1]:9001"),
        ("::ffff:10.0.0.1", "[::ffff:10.0.0.1]:9001"),
    ])
    func `an address is written as RFC 5952 asks`(text: String, description: String) throws {
        #expect(try SocketAddress(ipAddress: text, port: 9001).description == description)
    }

    @Test(arguments: ["", "localhost", "1.2.3", "256.1.1.1", "01.2.3.4", ":::", "::1%", "127.0.0.1:80", "127.0.0.1\0x"])
    func `what is no address is refused`(text: String) {
        #expect(throws: TransportError.invalidAddress) { try SocketAddress(ipAddress: text, port: 1) }
    }

    @Test func `addresses are equal when their bytes and ports are`() throws {
        #expect(try SocketAddress(ipAddress: "0:0::1", port: 5) == SocketAddress(ipAddress: "::1", port: 5))
        #expect(try SocketAddress(ipAddress: "::1", port: 5) != SocketAddress(ipAddress: "::1", port: 6))
    }

    @Test(arguments: ["127.0.0.1", "::1"])
    func `a listener's address has the port that the system has chosen`(text: String) throws {
        let group = try StreamPair.group.get()
        let listener = try Listener.bind(to: SocketAddress(ipAddress: text, port: 0), on: group)
        listener.start { _ in }
        #expect(listener.address.port != 0)
        #expect(listener.address.ipAddress == text)
        listener.loop.execute { listener.close() }
    }
}
