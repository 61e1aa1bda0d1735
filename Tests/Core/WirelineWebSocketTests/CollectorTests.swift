// SPDX-License-Identifier: Apache-2.0

import Testing
import WebSocketSupport
import WirelineWebSocket

/// Whole messages.
struct CollectorTests {
    @Test func `a message does not keep the memory of the bytes that came with it`() throws {
        let bytes = (0..<1_000).flatMap { _ in Frame.binary([1, 2, 3]).bytes(maskedWith: nil) }
        let stops = Self.collect([bytes])
        #expect(stops.count == 1_000)
        let capacities = stops.map { stop in
            if case .message(.binary(let content)) = stop { content.capacity } else { Int.max }
        }
        #expect(try #require(capacities.max()) < 100)
    }

    @Test func `compressed messages are collected, too`() throws {
        let agreement = WebSocketAgreement(deflate: DeflateAgreement())
        let server = Side(.server, agreement: agreement)
        let long = [UInt8](repeating: 7, count: 1_000_000)
        try server.send(binary: long)
        #expect(try server.engine.send(String(repeating: "老", count: 100)))
        try server.send(binary: [1])
        let expected: [WebSocketMessageCollector.Stop] = [
            .message(.binary(long)), .message(.text(String(repeating: "老", count: 100))), .message(.binary([1])),
        ]
        let bytes = server.output()
        #expect(Self.collect([bytes], agreement) == expected)
        #expect(Self.collect(bytes.map { [$0] }, agreement) == expected)
    }

    private static func collect(
        _ pieces: [[UInt8]], _ agreement: WebSocketAgreement? = nil
    ) -> [WebSocketMessageCollector.Stop] {
        var engine = WebSocketEngine(.client, agreement: agreement)
        var collector = WebSocketMessageCollector()
        var stops: [WebSocketMessageCollector.Stop] = []
        for piece in pieces {
            let span = piece.span
            var rest = span.bytes
            while true {
                guard let reading = try? collector.read(rest, from: &engine, at: .zero) else { return stops }
                rest = rest.extracting(droppingFirst: reading.byteCount)
                if reading.stop == .needsBytes { break }
                stops.append(reading.stop)
                if reading.stop == .ended { return stops }
            }
        }
        return stops
    }

    @Test func `messages are collected, however they are split`() {
        let frames: [Frame] = [
            .text("老", isFinal: false), .ping("?"), .more("王", isFinal: true), .binary([]), .binary([1, 2]),
            .text(String(repeating: "x", count: 200)), .close(1000),
        ]
        let expected: [WebSocketMessageCollector.Stop] = [
            .event(.ping("?".bytes)), .message(.text("老王")), .message(.binary([])), .message(.binary([1, 2])),
            .message(.text(String(repeating: "x", count: 200))), .event(.close(WebSocketClose(code: .normal))), .ended,
        ]
        let bytes = frames.flatMap { $0.bytes(maskedWith: nil) }
        for pieces in (bytes + [1]).everyCut {
            #expect(Self.collect(pieces) == expected)
        }
    }
}
