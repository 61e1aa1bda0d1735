// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineLayers

/// Several layers, one inside another.
struct LayerStackTests {
    @Test func `layers are opened from the outermost inwards`() throws {
        var random = SeededGenerator.forThisRun()
        let contents = [[UInt8]].samples(using: &random)
        var sealing = End(.aesCBC(key: "a", vector: .key("v")), .brotli, .rc4(key: "b"), .zlib)
        var opening = End(.aesCBC(key: "a", vector: .key("v")), .brotli, .rc4(key: "b"), .zlib)
        for name in ["a", "v", "b"] {
            let key = random.bytes(16)
            try sealing.setKey(name, key)
            try opening.setKey(name, key)
        }
        for content in contents {
            let sealed = try sealing.seal(content)
            #expect(try opening.open(sealed) == content, random.seedComment)
        }
    }

    @Test func `only the layers that apply are opened and sealed`() throws {
        var one = End(.xor(key: "a"), .xor(key: "b"), .zlib)
        var other = End(.xor(key: "a"))
        try one.setKey("a", [1])
        try one.setKey("b", [6])
        try other.setKey("a", [1])
        #expect(try one.seal([0, 1], applying: .layer(at: 0)) == [1, 0])
        #expect(try one.open([0, 1], applying: .layer(at: 1)) == [6, 7])
        #expect(try one.open([0, 1], applying: [.layer(at: 0), .layer(at: 1)]) == [7, 6])
        #expect(try one.open([0, 1], applying: []) == [0, 1])
        #expect(try one.seal([0, 1], applying: []) == [0, 1])
        #expect(try one.open(one.seal([0, 1])) == [0, 1])
    }

    // MARK: The budget

    @Test func `all layers of a packet share one budget`() throws {
        let content = [UInt8](repeating: 7, count: 10_000)
        var inner = End(.zlib)
        var outer = End(.zlib)
        let middle = try inner.seal(content)
        let sealed = try outer.seal(middle)
        let limit = content.count + middle.count
        var fitting = End(.zlib, .xor(key: "k"), .zlib, limit: limit)
        try fitting.setKey("k", [0])
        #expect(try fitting.open(sealed) == content)
        #expect(try fitting.seal(content) == sealed)
        var short = End(.zlib, .xor(key: "k"), .zlib, limit: limit - 1)
        try short.setKey("k", [0])
        let error = CodecError(.inflatedTooLong(limit: limit - 1), path: "packet.zlib")
        #expect(short.outcome(of: sealed) == .failure(error))
        #expect(throws: error) { try short.seal(content) }
        #expect(error.description == "packet.zlib: the layers make more than \(limit - 1) bytes of the packet")
    }

    @Test func `packets inside a packet use the same budget`() throws {
        var sealing = End(.zlib)
        let sealed = try sealing.seal([UInt8](repeating: 7, count: 60))
        var stack = LayerStack([.zlib], from: .server)
        var budget = InflationBudget(limit: 100)
        _ = try stack.opened(sealed, within: &budget)
        #expect(budget.remainingByteCount == 40)
        #expect(throws: CodecError(.inflatedTooLong(limit: 100), path: "packet.zlib")) {
            try stack.opened(sealed, within: &budget)
        }
        #expect(budget.remainingByteCount == 40)
    }

    @Test func `what ciphers make is not counted`() throws {
        var end = End(.xor(key: "k"), limit: 0)
        try end.setKey("k", [1])
        #expect(try end.open([1, 2]) == [0, 3])
    }

    // MARK: Transforms of the program

    /// Adds the number of the packet to each byte.
    private struct Counting: PacketLayer {
        let sender: Sender
        var packetCount: UInt8 = 0

        mutating func open(_ sealed: RawSpan, _ header: PacketHeader, limit: Int) throws(CodecError) -> [UInt8] {
            guard sealed.byteCount < 100 else { throw CodecError(.invalidLayer(.damaged), offset: 99) }
            packetCount += 1
            return [UInt8](copying: sealed).map { $0 &- packetCount }
        }

        mutating func seal(_ content: RawSpan, _ header: PacketHeader) throws(CodecError) -> [UInt8] {
            packetCount += 1
            return [UInt8](copying: content).map { $0 &+ packetCount } + (header["tail"] == 1 ? [0] : [])
        }
    }

    private static var options: LayerOptions {
        var options = LayerOptions()
        options.custom["session"] = { Counting(sender: $0) }
        return options
    }

    @Test func `a transform of the program keeps its state, and sees the header`() throws {
        var sealing = End(.custom("session"), options: Self.options)
        var opening = End(.custom("session"), options: Self.options)
        #expect(try sealing.seal([1, 2]) == [2, 3])
        #expect(try sealing.seal([1, 2]) == [3, 4])
        #expect(try sealing.seal([1, 2], ["tail": 1]) == [4, 5, 0])
        #expect(try opening.open([2, 3]) == [1, 2])
        #expect(try opening.open([3, 4]) == [1, 2])
        let error = CodecError(.invalidLayer(.damaged), offset: 99, path: "packet.session")
        #expect(opening.outcome(of: [UInt8](repeating: 0, count: 100)) == .failure(error))
        #expect(error.description == "packet.session: the compressed stream is damaged at offset 99")
    }

    @Test func `a transform of the program that makes too much is refused`() throws {
        var end = End(.custom("session"), limit: 2, options: Self.options)
        #expect(try end.open([1, 2]) == [0, 1])
        let error = CodecError(.inflatedTooLong(limit: 2), path: "packet.session")
        #expect(end.outcome(of: [1, 2, 3]) == .failure(error))
        #expect(throws: error) { try end.seal([1, 2, 3]) }
    }

    @Test func `without the program's transform, a layer is not available`() throws {
        var end = End(.custom("session"))
        let error = CodecError(.layerUnavailable(.transform("session")), path: "packet.session")
        #expect(end.outcome(of: [1]) == .failure(error))
        #expect(throws: error) { try end.seal([1]) }
        #expect(
            error.description
                == "packet.session: the layer is not available: the program has no transform \"session\"")
    }
}
