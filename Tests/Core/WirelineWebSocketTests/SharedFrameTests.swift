// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WebSocketSupport
import WirelineWebSocket

/// Frames that are made once for several connections of a server.
struct SharedFrameTests {
    private static let content = Array(String(repeating: "one message for all ", count: 20).utf8)

    private static func deflate(takesContextOver: Bool, windowBits: Int = 15) -> WebSocketDeflate {
        var deflate = WebSocketDeflate()
        (deflate.takesContextOver, deflate.windowBits) = (takesContextOver, windowBits)
        return deflate
    }

    /// Both ends of a connection.
    private static func pair(_ deflate: WebSocketDeflate?) throws -> (client: Side, server: Side) {
        let outcome = try DeflateNegotiationTests.agreements(
            client: deflate == nil ? nil : WebSocketDeflate(), server: deflate)
        return (Side(.client, agreement: outcome.client), Side(.server, agreement: outcome.server))
    }

    @Test(arguments: [nil, deflate(takesContextOver: false), deflate(takesContextOver: false, windowBits: 9)])
    func `every client reads a shared frame, between frames of its own`(deflate: WebSocketDeflate?) throws {
        var frames: Set<[UInt8]> = []
        for own in [Array("first".utf8), Self.content + [1], []] {
            let (client, server) = try Self.pair(deflate)
            _ = try server.engine.send(own.span.bytes, as: .binary)
            // The macros of Swift Testing would copy an engine.
            let shared = server.engine.sharedForm(ofMessageWith: Self.content.count)
            let form = try #require(shared)
            let frame = try WebSocketEngine.frame(of: Self.content.span.bytes, in: form)
            frames.insert(frame)
            let isTaken = server.engine.sendShared(frame)
            #expect(isTaken)
            _ = try server.engine.send(own.span.bytes, as: .binary)
            client.receive(server.output())
            #expect(client.told == [.message(.binary, own), .message(.binary, Self.content), .message(.binary, own)])
        }
        #expect(frames.count == 1)
        #expect(frames.allSatisfy { ($0.count < Self.content.count) == (deflate != nil) })
    }

    @Test func `connections with other compression have other forms`() throws {
        let deflates = [
            nil, Self.deflate(takesContextOver: false), Self.deflate(takesContextOver: false, windowBits: 9),
        ]
        let forms = try deflates.map { deflate in
            let (_, server) = try Self.pair(deflate)
            let form = server.engine.sharedForm(ofMessageWith: Self.content.count)
            return try #require(form)
        }
        #expect(Set(forms).count == 3)
        let shorts = try deflates.map { try Self.pair($0).server.engine.sharedForm(ofMessageWith: 10) }
        // Short messages are not compressed.
        #expect(Set(shorts) == [forms[0]])
    }

    @Test func `a client, a compressor with context, a fragment and a closed WebSocket share nothing`() throws {
        let (client, server) = try Self.pair(Self.deflate(takesContextOver: true))
        let forms = [client, server].map { $0.engine.sharedForm(ofMessageWith: Self.content.count) }
        #expect(forms == [nil, nil])
        let (_, plain) = try Self.pair(nil)
        _ = try plain.engine.sendFragment([1].span.bytes, as: .binary, isLast: false)
        let insideForm = plain.engine.sharedForm(ofMessageWith: 1)
        #expect(insideForm == nil)
        _ = try plain.engine.sendFragment([2].span.bytes, as: .binary, isLast: true)
        let shared = plain.engine.sharedForm(ofMessageWith: 1)
        let form = try #require(shared)
        let frame = try WebSocketEngine.frame(of: [3].span.bytes, in: form)
        try plain.engine.close(at: .zero)
        let (closedForm, isTaken) = (plain.engine.sharedForm(ofMessageWith: 1), plain.engine.sendShared(frame))
        #expect(closedForm == nil)
        #expect(!isTaken)
    }
}
