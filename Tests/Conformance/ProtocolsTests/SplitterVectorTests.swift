// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

/// All packets of a protocol as one stream, split in every way.
struct SplitterVectorTests {
    static let folders = ProtocolFolder.all.filter { !$0.vectors(.exact).isEmpty }
    /// All packets of a folder one after another, or those of each sender if the layout depends on that.
    private static let streams = folders.flatMap { folder in
        guard folder.translator.description.layout.dependsOnContext else {
            return [Subject(folder: folder, context: nil)]
        }
        // Each sender has packets in each of the states that vectors name.
        var contexts: [PacketContext] = []
        for case let context? in folder.vectors(.exact).map({ try? $0.context() }) where !contexts.contains(context) {
            contexts.append(context)
        }
        return contexts.map { Subject(folder: folder, context: $0) }
    }

    fileprivate struct Subject: Sendable, CustomTestStringConvertible {
        let folder: ProtocolFolder
        let context: PacketContext?
        var testDescription: String {
            guard let context else { return folder.name }
            let states = folder.translator.description.texts(of: context.states).joined(separator: " ")
            return "\(folder.name) from the \(context.sender) \(states)"
        }
    }

    @Test(arguments: streams)
    fileprivate func `merged packets are split`(subject: Subject) throws {
        let stream = try Stream(subject)
        #expect(try stream.split(at: []) == stream.packets)
    }

    @Test(arguments: streams)
    fileprivate func `a stream in two pieces gives the same packets, wherever it is cut`(subject: Subject) throws {
        let stream = try Stream(subject)
        let badCuts = try stream.bytes.indices.filter { try stream.split(at: [$0]) != stream.packets }
        #expect(badCuts == [])
    }

    @Test(arguments: streams)
    fileprivate func `a stream that arrives byte by byte gives the same packets`(subject: Subject) throws {
        let stream = try Stream(subject)
        #expect(try stream.split(at: Array(stream.bytes.indices)) == stream.packets)
    }

    @Test(arguments: streams)
    fileprivate func `a stream in random chunks gives the same packets`(subject: Subject) throws {
        let stream = try Stream(subject)
        var random = SeededGenerator.forThisRun()
        let runs = (0..<Depth.rounds(10)).map { _ in
            stream.bytes.indices.filter { _ in Int.random(in: 0..<16, using: &random) == 0 }
        }
        let badRuns = try runs.filter { try stream.split(at: $0) != stream.packets }
        #expect(badRuns == [], random.seedComment)
    }

    /// The error does not depend on how the bytes arrived, except for the guess about the first bytes, which may come
    /// later.
    @Test(arguments: Vector.invalid)
    func `invalid bytes give the same error, wherever they are cut`(vector: Vector) throws {
        // Compared as text: a reason with a NaN is not equal to itself.
        let expected = try #require(try vector.firstError(cutAt: nil)).withoutBytes
        let all = try Array(vector.bytes().indices)
        var random = SeededGenerator.forThisRun()
        // A bomb is inflated each time.
        let cuts = vector.folder.hasLayers ? Depth.some(20, of: all, using: &random) : all
        let badCuts = try cuts.filter { cut in
            try vector.firstError(cutAt: cut)?.withoutBytes != expected
        }
        #expect(badCuts == [])
    }
}

extension CodecError {
    /// The description, without the guess about the first bytes.
    fileprivate var withoutBytes: String { CodecError(reason, offset: offset, path: path).description }
}

/// The packets of all vectors of a protocol, one after another.
private struct Stream {
    let description: ProtocolDescription
    let packets: [[UInt8]]
    let bytes: [UInt8]

    private let layout: PacketLayout

    init(_ subject: SplitterVectorTests.Subject) throws {
        description = subject.folder.translator.description
        // The packets of a file are one after another in one stream, so none of them changes a state here.
        layout = description.layout.layout(in: subject.context ?? PacketContext(from: .client))
        let vectors = try subject.folder.vectors(.exact).filter { vector in
            try subject.context.map { try vector.context() == $0 } ?? true
        }
        packets = try vectors.map { try $0.bytes() }
        bytes = packets.flatMap(\.self)
    }

    /// The packets that a splitter delivers if the stream is cut at these offsets.
    func split(at cuts: [Int]) throws(CodecError) -> [[UInt8]] {
        var splitter = PacketSplitter(
            layout: layout, maximumPacketByteCount: description.options.maximumPacketByteCount)
        var packets: [[UInt8]] = []
        var start = 0
        for end in cuts + [bytes.count] {
            try splitter.receive(bytes.span.bytes.extracting(start..<end)) { packet in
                packets.append(description.layout.framed(packet.bytes))
            }
            start = end
        }
        try splitter.finish()
        return packets
    }
}
