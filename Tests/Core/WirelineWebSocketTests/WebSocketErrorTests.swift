// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineWebSocket

struct WebSocketErrorTests {
    @Test(
        arguments: [
            (.invalidURL(.port, offset: 7), "not the address of a WebSocket: a port is 1 to 65535 at offset 7"),
            (
                .invalidURL(.credentials, offset: 5),
                "not the address of a WebSocket: a user's name or password that cannot be decoded at offset 5"
            ),
            (
                .invalidHeader(name: "A\r\n\u{1B}[2J"),
                #"the header "A\r\n\u{1B}[2J" has a name or a value that HTTP does not allow"#
            ),
            (.reservedHeader(name: "Upgrade"), "the header \"Upgrade\" is the handshake's own"),
            (.invalidCookie(name: "a"), "the cookie \"a\" has a name or a value that HTTP does not allow"),
            (
                .invalidCredentials,
                "a user's name must have no colon, and neither name nor password control characters"
            ),
            (.invalidSubprotocol("a b"), "\"a b\" is no subprotocol's name, or stands there twice"),
            (.invalidOrigin, "the origin has characters that HTTP does not allow"),
            (.invalidStatus(200), "200 refuses nothing: 300 to 599 do"),
            (.invalidCloseCode(1005), "the close code 1005 never stands on the wire"),
            (.controlTooLong(byteCount: 126), "a control frame holds 125 bytes, not 126"),
            (.invalidText(offset: 3), "the text is not UTF-8 at offset 3"),
            (.insideMessage, "another message has begun and has not ended"),
            (.closed, "the WebSocket is closing or has ended"),
            (.invalidDeflate, "window bits are 8 to 15, compression levels 0 to 9"),
            (.deflateUnavailable(reason: "so"), "there is no compression: so"),
            (
                .notHTTP(firstBytes: [0x15, 0x03, 0x0A]),
                "the peer does not speak HTTP: its first bytes are 15 03 0a: is this TLS?"
            ),
            (
                .notHTTP(firstBytes: Array("SSH-2.0-".utf8)),
                "the peer does not speak HTTP: its first bytes are 53 53 48 2d 32 2e 30 2d, ASCII \"SSH-2.0-\""
            ),
            (
                .malformedHead(.bareLineFeed, offset: 20),
                "the peer's HTTP head has a line that ends with LF alone instead of CR LF at offset 20"
            ),
            (.headTooLarge(limit: 9), "the peer's HTTP head is over the limit of 9 bytes"),
            (.tooManyHeaders(limit: 9), "the peer's HTTP head has more than 9 headers"),
            (.truncated, "the connection has ended inside the WebSocket handshake"),
            (
                .invalidResponse(.accept),
                "the server's answer to the handshake is wrong: Sec-WebSocket-Accept does not answer the key"
            ),
            (
                .invalidRequest(.origin, status: 403),
                "the client's handshake is wrong: the Origin is not allowed; it is answered 403"
            ),
            (
                .invalidRequest(.foreignHost, status: 403),
                "the client's handshake is wrong: the Host is not one of the names that this server allows to browsers; "
                    + "it is answered 403"
            ),
            (
                .requestRefused(status: 404), "the client's request was refused with 404"
            ),
            (
                .unexpectedText(offset: 8),
                "the peer's message at offset 8 is text, and only binary ones are taken"
            ),
            (
                .violation(.closeCode(1005), offset: 9),
                """
                the peer has broken the WebSocket protocol: the close code 1005 must not stand on the wire in the frame \
                at offset 9
                """
            ),
            (.invalidUTF8(offset: 4), "the peer's text is not UTF-8 at offset 4"),
            (.invalidCompression(offset: 4), "the peer's compressed frame at offset 4 is damaged"),
            (.frameTooLarge(limit: 5), "the peer's frame is over the limit of 5 bytes"),
            (.messageTooLarge(limit: 5), "the peer's message is over the limit of 5 bytes"),
            (.tooManyFragments(limit: 5), "the peer's message is over the limit of 5 fragments"),
        ] as [(WebSocketError, String)])
    func `an error's description is one readable line`(error: WebSocketError, text: String) {
        #expect(error.description == text)
    }

    @Test func `an error is small`() {
        #expect(MemoryLayout<WebSocketError>.size <= 32)
    }
}
