// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport

/// `wire call --proxy`, as a program, through proxies of other authors.
@Suite(.enabled(if: ProxyTool.isWanted, Comment(rawValue: ProxyTool.absence)), .aside)
struct ProxyOptionTests {
    @Test(arguments: ProxyTool.Kind.allCases)
    func `a call goes through the proxy, or gives the reason for a failure`(kind: ProxyTool.Kind) async throws {
        let tool = try await ProxyTool.start(kind, credentials: ("wang", "dich"))
        let server = try ServingTool()
        let scheme = kind == .tinyproxy ? "http" : "socks5"
        let call = ["call", server.address, "Cs_20001", packetFields, "--expect", "Cs_20001", "--proxy"]
        #expect(try server.wire(call + ["\(scheme)://wang:dich@127.0.0.1:\(tool.port)"]) == .success(packetLine))
        let unknown = try server.wire(call + ["\(scheme)://127.0.0.1:\(tool.port)"])
        #expect(unknown.status == 1)
        #expect(
            unknown.errors.hasPrefix("error: cannot connect to \(server.address): the proxy "), "\(unknown.errors)")
        let wrong = try server.wire(call + ["ftp://wang:dich@127.0.0.1"])
        #expect(wrong.status == 2)
        #expect(
            wrong.errors.hasPrefix(
                "error: --proxy: not the address of a proxy: http:// or socks5://, a host and a port\n"))
        #expect(server.end().status == 0)
        withExtendedLifetime(tool) {}
    }
}
