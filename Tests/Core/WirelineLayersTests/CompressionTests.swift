// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineLayers

/// Layers that compress, beside Python's zlib, gzip and brotli.
struct CompressionTests {
    static let kinds: [LayerKind] = [.zlib, .deflate, .gzip, .brotli]

    /// `A small market, ` several times, compressed by this side.
    private static func sealed(_ kind: LayerKind) throws -> (content: [UInt8], sealed: [UInt8]) {
        let content = Array("A small market, a small market, a smaller market. 12345".utf8)
        var end = End(kind)
        return (content, try end.seal(content))
    }

    @Test(.enabled(if: PythonTool.isWanted, "\(PythonTool.absence)"), arguments: kinds)
    func `what Python compresses is opened, and Python opens what is sealed`(kind: LayerKind) throws {
        var random = SeededGenerator.forThisRun()
        let contents = [[UInt8]].samples(using: &random)
        var opening = End(kind)
        var sealing = End(kind)
        let sealed = try Peer.answer(contents.map { .init(operation: "seal-" + kind.name, bytes: $0) })
        let opened = try sealed.map { try opening.open($0) }
        #expect(opened == contents, random.seedComment)
        let ours = try contents.map { try sealing.seal($0) }
        let theirs = try Peer.answer(ours.map { .init(operation: "open-" + kind.name, bytes: $0) })
        #expect(theirs == contents, random.seedComment)
    }

    @Test(arguments: kinds)
    func `a stream that is cut anywhere is refused, and the next packet is read`(kind: LayerKind) throws {
        let (content, sealed) = try Self.sealed(kind)
        var end = End(kind)
        for count in sealed.indices {
            let error = CodecError(.invalidLayer(.cut), path: "packet." + kind.name)
            #expect(end.outcome(of: Array(sealed[..<count])) == .failure(error), "\(count) bytes")
        }
        #expect(try end.open(sealed) == content)
    }

    /// zlib and gzip have a checksum of the content, but not of gzip's header, nor of what fills the last byte of the
    /// compressed bits. Raw deflate and brotli have none.
    @Test(arguments: kinds, [0, 3, 7])
    func `a flipped bit in any byte is an error or another content, and the next packet is read`(
        kind: LayerKind, bit: Int
    ) throws {
        let (content, sealed) = try Self.sealed(kind)
        var end = End(kind)
        var refusalCount = 0
        for index in sealed.indices {
            var flipped = sealed
            flipped[index] ^= 1 << UInt8(bit)
            switch end.outcome(of: flipped) {
            case .success(let other): #expect(other == content || kind == .deflate || kind == .brotli)
            case .failure(let error):
                switch error.reason {
                case .invalidLayer, .trailingBytes: refusalCount += 1
                default: Issue.record("\(error) at byte \(index)")
                }
            }
        }
        #expect(refusalCount > 0)
        #expect(try end.open(sealed) == content)
    }

    @Test(arguments: kinds)
    func `bytes after the stream are refused, another stream too`(kind: LayerKind) throws {
        let sealed = try Self.sealed(kind).sealed
        var end = End(kind)
        #expect(end.outcome(of: sealed + [0]).reason == .trailingBytes(count: 1))
        #expect(end.outcome(of: sealed + sealed).reason == .trailingBytes(count: sealed.count))
    }

    @Test(.enabled(if: PythonTool.isWanted, "\(PythonTool.absence)"))
    func `a stream with a dictionary is refused`() throws {
        let sealed = try Peer.answer([.init(operation: "seal-dictionary", bytes: Array("hello hello".utf8))])
        var end = End(.zlib)
        #expect(end.outcome(of: sealed[0]).reason == .invalidLayer(.damaged))
    }

    @Test(arguments: kinds)
    func `a stream of another kind is refused`(kind: LayerKind) throws {
        for other in Self.kinds where other != kind {
            var end = End(kind)
            #expect(end.outcome(of: try Self.sealed(other).sealed).reason != nil, "\(other)")
        }
    }

    // MARK: Limits

    @Test(arguments: kinds, [0, 1, 255, 256, 257, 1_000, 70_000])
    func `the limit is exact`(kind: LayerKind, count: Int) throws {
        var random = SeededGenerator.forThisRun()
        for content in [random.bytes(count), [UInt8](repeating: 7, count: count)] {
            var sealing = End(kind)
            let sealed = try sealing.seal(content)
            var fitting = End(kind, limit: count)
            #expect(try fitting.open(sealed) == content)
            guard count > 0 else { continue }
            var short = End(kind, limit: count - 1)
            let error = CodecError(.inflatedTooLong(limit: count - 1), path: "packet." + kind.name)
            #expect(short.outcome(of: sealed) == .failure(error))
            #expect(throws: error) { try short.seal(content) }
        }
    }

    @Test(arguments: [LayerKind.deflate, .zlib, .gzip])
    func `empty blocks take as long as their bytes, and make nothing`(kind: LayerKind) throws {
        let header: [UInt8] =
            switch kind {
            case .zlib: [0x78, 0x9C]
            case .gzip: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
            default: []
            }
        let blocks = Array(repeatElement([0, 0, 0, 0xFF, 0xFF] as [UInt8], count: 100_000).joined())
        var end = End(kind)
        #expect(end.outcome(of: header + blocks).reason == .invalidLayer(.cut))
    }

    @Test(arguments: kinds, [Int?.none, 0, 1, 9])
    func `each level makes streams that are opened`(kind: LayerKind, level: Int?) throws {
        var random = SeededGenerator.forThisRun()
        var options = LayerOptions()
        (options.zlibLevel, options.brotliLevel) = (level, level)
        for content in [[UInt8]].samples(using: &random) {
            var sealing = End(kind, options: options)
            var opening = End(kind)
            #expect(try opening.open(sealing.seal(content)) == content, random.seedComment)
        }
    }

    @Test func `a level decides how much is compressed`() throws {
        let content = [UInt8](repeating: 7, count: 10_000)
        var options = LayerOptions()
        options.zlibLevel = 0
        var stored = End(.zlib, options: options)
        var usual = End(.zlib)
        #expect(try stored.seal(content).count > content.count)
        #expect(try usual.seal(content).count < 100)
    }
}
