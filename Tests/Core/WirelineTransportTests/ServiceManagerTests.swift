// SPDX-License-Identifier: Apache-2.0

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

/// What systemd and other service managers hand over, and are told.
struct ServiceManagerTests {
    @Test(
        arguments: [
            (nil, nil, 0), ("1", "2", 0), ("\(getpid())", nil, 0), ("\(getpid())", "x", 0), ("\(getpid())", "-1", 0),
            ("\(getpid())", "2", 2), ("\(getpid())", "2000000000", 1_024),
        ] as [(String?, String?, Int)])
    func `sockets are inherited only by the process that they are for`(process: String?, count: String?, expected: Int)
    {
        let addresses = ServiceManager.inheritedAddresses(process: process, count: count)
        #expect(addresses.count == expected)
        #expect(addresses.first.map { $0 == .inherited(descriptor: 3) } != false)
    }

    @Test func `states are sent as datagrams`() throws {
        let path = try SocketPath()
        let receiver = try SystemCall.makeSocket(for: SocketAddress(unixPath: path.path), .datagram)
        try SystemCall.bind(receiver.number, to: SocketAddress(unixPath: path.path))
        for (state, text) in [
            (.ready, "READY=1"), (.stopping, "STOPPING=1"), (.status("two\nlines"), "STATUS=two lines"),
        ] as [(ServiceManager.State, String)] {
            #expect(ServiceManager.notify(state, at: path.path))
            var bytes = [UInt8](repeating: 0, count: 100)
            let count = recv(receiver.number, &bytes, 100, 0)
            #expect(String(decoding: bytes.prefix(count), as: UTF8.self) == text)
        }
    }

    @Test(arguments: [nil, "", "/tmp/wireline-nobody"])
    func `without a service manager nobody is told`(path: String?) {
        #expect(!ServiceManager.notify(.ready, at: path))
    }
}
