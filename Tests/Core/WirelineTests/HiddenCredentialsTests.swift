// SPDX-License-Identifier: Apache-2.0

import Testing
import Wireline
import WirelineTLS
import WirelineWebSocket

/// Secrets do not appear in anything that is printed.
struct HiddenCredentialsTests {
    private static func values() throws -> [any Sendable] {
        var request = try WebSocketRequest(WebSocketURL("ws://me:s3cret@a/"))
        request.headers = ["authorization": "Bearer s3cret", "Proxy-Authorization": "s3cret", "X-Other": "shown"]
        request.cookies = [WebSocketRequest.Cookie(name: "session", value: "s3cret")]
        var client = WebSocketClientConfiguration()
        client.headers = ["Cookie": "session=s3cret"]
        client.credentials = WebSocketCredentials(user: "me", password: "s3cret")
        var tls = TLSConfiguration.server(
            identity: TLSIdentity(certificateChain: .file("chain.pem"), privateKey: .text("s3cret")))
        tls.identitiesByName["a"] = tls.identity
        let proxy = Proxy.http(host: "a", port: 1, credentials: Proxy.Credentials(user: "me", password: "s3cret"))
        return [
            request, request.url, client, tls, proxy, WebSocketHeaders(dictionaryLiteral: ("Set-Cookie", "s3cret")),
        ]
    }

    @Test(arguments: 0..<6)
    func `credentials do not appear in any text`(index: Int) throws {
        let value = try Self.values()[index]
        var dumped = ""
        dump(value, to: &dumped)
        for text in [dumped, "\(value)", String(reflecting: value)] {
            #expect(!text.contains("s3cret"))
            // Nor as numbers: 115 is `s`, 51 is `3`.
            #expect(!text.contains("115, 51") && !text.contains("- 115"))
        }
    }

    @Test func `values that are not secret are shown`() {
        let headers: WebSocketHeaders = ["X-Other": "shown", "Cookie": "a=b"]
        #expect(headers.fields.map(\.description) == ["X-Other: shown", "Cookie: (hidden)"])
        #expect("\(WebSocketCredentials(user: "me", password: "x"))" == #""me", password: (hidden)"#)
        #expect("\(WebSocketRequest.Cookie(name: "a", value: "b"))" == "a=(hidden)")
        #expect("\(TLSPEM.file("key.pem"))" == #"file("key.pem")"#)
        #expect("\(TLSPEM.text("key"))" == "bytes(3 bytes)")
    }
}
