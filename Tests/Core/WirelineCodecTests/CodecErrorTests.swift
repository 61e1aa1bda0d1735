// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

struct CodecErrorTests {
    @Test func `an error is one word wide`() {
        #expect(MemoryLayout<CodecError>.size == MemoryLayout<Int>.size)
    }

    @Test func `an error's path grows from the inner field to the outer message`() {
        let error = CodecError(.truncated(needed: 4, available: 2), offset: 27)
            .located(in: "", fields: "id 4 count 4", at: 1)
            .located(in: "Sc_20001", fields: "res 1 items 2", at: 1, item: 1)
        #expect(error.description == "Sc_20001.items[1].count: needs 4 bytes at offset 27, 2 are left")
    }

    @Test func `the error for a length that spells HTTP asks about an HTTP server`() {
        let splitting = Splitting(Array("HTTP/1.1 400".utf8), layout: .standard, isFinished: false)
        #expect(
            splitting.error?.description
                == "length 0x48545450 is over the limit of 1048576; these bytes are ASCII \"HTTP\": is this an HTTP server?"
        )
    }

    @Test(
        arguments: [
            ("GET / HTTP/1.1".utf8 + [], "these bytes are ASCII \"GET \": is this an HTTP client?"),
            ("SSH-2.0-x".utf8 + [], "these bytes are ASCII \"SSH-\": does the peer speak SSH?"),
            ([0x16, 3, 1, 2, 0, 1], "these bytes begin a TLS record: is this a TLS client?"),
            ([0x16, 3, 3, 2, 0, 2], "these bytes begin a TLS record: is this a TLS server?"),
            ([0x15, 3, 3, 0, 2, 2, 70], "these bytes begin a TLS record: is this a TLS server?"),
            ([0x16, 3, 3, 2], "these bytes begin a TLS record: does the peer speak TLS?"),
        ] as [([UInt8], String)])
    func `the error names the foreign protocol and the side that sends such bytes`(bytes: [UInt8], question: String) {
        let splitting = Splitting(bytes, layout: .standard, isFinished: false)
        #expect(splitting.error?.description.hasSuffix(question) == true, "\(splitting.error as Any)")
    }

    static let texts: [(CodecError, String)] = [
        (CodecError(.truncated(needed: 1, available: 1), offset: 0), "needs 1 byte at offset 0, 1 is left"),
        (CodecError(.invalidBoolean(2), offset: 7), "a bool is 0 or 1, the byte at offset 7 is 2"),
        (
            CodecError(.invalidEscape(0x7D, 3), offset: 7, path: "packet.frame"),
            "packet.frame: 0x7D 0x03 at offset 7 are no escape"
        ),
        (
            CodecError(.invalidEscape(0x5B, nil), offset: 7, path: "packet.frame"),
            "packet.frame: the start mark 0x5B at offset 7, before the packet's end mark"
        ),
        (CodecError(.invalidUTF8(.overlong), offset: 3), "not UTF-8 at offset 3: an overlong form"),
        (CodecError(.outOfRange(value: 300, minimum: 0, maximum: 255), path: "A.b"), "A.b: 300 is not in 0...255"),
        (
            CodecError(.floatOutOfRange(value: Double(2.1 as Float), minimum: 0.1, maximum: Double(0.7 as Float))),
            "2.1 is not in 0.1...0.7"
        ),
        (CodecError(.floatOutOfRange(value: .nan, minimum: 0, maximum: 1.5)), "nan is not in 0.0...1.5"),
        (
            CodecError(.numberTooLarge(65520), path: "A.b"), "A.b: 65520.0 is too large for any field of its kind"
        ),
        (CodecError(.tooLong(count: 33, limit: 32)), "33 is over the limit of 32"),
        (
            CodecError(.lengthTooSmall(length: 3, minimum: 6), offset: 0),
            "length 0x03 (3) at offset 0 is under the minimum of 6"
        ),
        (
            CodecError(.packetTooLong(length: 18, packetByteCount: 24, limit: 23)),
            "length 0x12 makes a packet of 24 bytes, over the limit of 23"
        ),
        (
            CodecError(.endOfStream(received: 5, needed: 1)),
            "the stream ended inside a packet: 5 bytes came, 1 more was needed"
        ),
        (
            CodecError(.wrongConstant(value: 17, expected: 16), offset: 4, path: "packet.HeaderLength"),
            "packet.HeaderLength: 0x11 at offset 4 where the constant 0x10 was expected"
        ),
        (CodecError(.duplicateKey("uid"), offset: 4), "the key \"uid\" stands twice at offset 4"),
        (CodecError(.invalidHex, offset: 3), "not pairs of hexadecimal digits at offset 3"),
        (CodecError(.invalidLayer(.cut)), "the compressed stream ends too early"),
        (CodecError(.invalidLayer(.damaged), offset: 3), "the compressed stream is damaged at offset 3"),
        (CodecError(.invalidLayer(.brokenBlock)), "the encrypted bytes are no whole blocks"),
        (CodecError(.invalidLayer(.wrongPadding)), "the padding is wrong: is the key right?"),
        (
            CodecError(.layerUnavailable(.key("k", of: .server)), path: "packet.k"),
            "packet.k: the layer is not available: there is no key \"k\" for packets of the server"
        ),
        (
            CodecError(.layerUnavailable(.library("install it"))),
            "the layer is not available: install it"
        ),
        (
            CodecError(.layerUnavailable(.transform("rsa"))),
            "the layer is not available: the program has no transform \"rsa\""
        ),
        (CodecError(.inflatedTooLong(limit: 1)), "the layers make more than 1 byte of the packet"),
        (CodecError(.gapBeforeOptional, path: "M.a"), "M.a: is not set, but what follows it is"),
    ]

    @Test(arguments: texts)
    func `an error reads as a sentence`(error: CodecError, text: String) {
        #expect(error.description == text)
    }
}
