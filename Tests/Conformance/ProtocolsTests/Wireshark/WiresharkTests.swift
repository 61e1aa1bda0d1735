// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

/// Compares the generated dissector of each protocol, in tshark, with the schema-driven codec: equal fields at equal
/// places with equal values, and equal errors.
@Suite(.enabled(if: SharkTool.isWanted, "\(SharkTool.absence)"), .aside)
struct WiresharkTests {
    /// Those without states: the two sides of a stream are compared on their own here. See ``WiresharkStateTests``.
    static let folders =
        ProtocolFolder.all.filter { !$0.translator.description.layout.hasStates && !$0.hasLayers }.map(\.name) + [
            "Features"
        ]
    /// The number of random messages for each protocol.
    static let messageCount = Depth.rounds(4)

    /// The streams are one connection, and each packet that may be none is another one: tshark takes long to begin.
    @Test(arguments: folders)
    func `tshark shows what the codec reads, however the stream was split, and gives its verdict on changed packets`(
        folder: String
    ) throws {
        var random = SeededGenerator.forThisRun()
        let folder = try ProtocolFolder.named(folder)
        let judge = SharkJudge(folder.translator)
        let streams = try Self.streams(of: folder, using: &random)
        var lines = RandomLines(folder.translator.description, using: random)
        var packets: [(Sender, [UInt8])] = []
        let count = max(1, Self.messageCount / 40)
        while packets.count < count {
            let (sender, line) = lines.next()
            if let bytes = try? folder.translator.encode(line: line, from: sender), bytes.count < 2000 {
                packets.append((sender, bytes))
            }
        }
        packets += try Vector.Kind.allCases.flatMap(folder.vectors).shuffled(using: &random).prefix(count).map {
            vector in
            (try vector.sender(), try vector.bytes())
        }
        let disagreements = try Self.disagreements(on: packets, after: streams, of: judge, using: &random)
        #expect(disagreements == [], random.seedComment)
    }

    /// Scene's messages in packets of any layout: any fields, lengths, IDs, trailers.
    @Test(arguments: 0..<Depth.count(3, deep: 12))
    func `tshark splits packets of any layout like the codec`(number: Int) throws {
        var random = SeededGenerator.forThisRun()
        // Each number makes another layout, and the seed repeats all of them.
        for _ in 0..<number { _ = random.next() }
        var description = try ProtocolFolder.named("Scene").translator.description
        description.layout = number % 3 == 2 ? .randomBySender(using: &random) : .random(using: &random)
        description.options.maximumPacketByteCount = [200, 70_000, 1 << 20].randomElement(using: &random)!
        let id = description.layout.layout(from: .client).randomMessageID(using: &random)
        for index in description.messages.indices { description.messages[index].id = id }
        let judge = SharkJudge(PacketTranslator(description))
        var lines = RandomLines(description, using: random)
        var packets: [(Sender, [UInt8])] = []
        for _ in 0..<max(2, Self.messageCount / 20) {
            let (sender, line) = lines.next()
            if let bytes = try? judge.translator.encode(line: line, from: sender) { packets.append((sender, bytes)) }
        }
        let disagreements = try Self.disagreements(on: packets, of: judge, using: &random)
        #expect(disagreements == [], "\(random.seedComment): \(description.layout)")
    }

    /// Messages of any types, counts, conditions and unions.
    @Test(arguments: 0..<Depth.count(2, deep: 4))
    func `tshark shows messages of any schema like the codec`(number: Int) throws {
        var random = SeededGenerator.forThisRun()
        // Each number makes another schema, and the seed repeats all of them.
        for _ in 0..<number { _ = random.next() }
        let (schema, description) = RandomSchema.make(using: &random)
        let judge = SharkJudge(PacketTranslator(description))
        var lines = RandomLines(description, using: random)
        var packets: [(Sender, [UInt8])] = []
        for _ in 0..<max(2, Self.messageCount / 20) {
            let (sender, line) = lines.next()
            if let bytes = try? judge.translator.encode(line: line, from: sender) { packets.append((sender, bytes)) }
        }
        let disagreements = try Self.disagreements(on: packets, of: judge, using: &random)
        #expect(disagreements == [], "\(random.seedComment): \(schema.text)")
    }

    @Test func `repeated, late and reordered segments give the same packets`() throws {
        var random = SeededGenerator.forThisRun()
        let folder = try ProtocolFolder.named("TwoByteHeader")
        let judge = SharkJudge(folder.translator)
        let streams = try Self.streams(of: folder, using: &random)
        var capture = CaptureFile()
        capture.open()
        for (sender, stream) in streams {
            var segments: [Range<Int>] = []
            var start = 0
            for end in Self.cuts(of: stream, using: &random) + [stream.count] where end > start {
                segments.append(start..<end)
                start = end
            }
            // The last one stays the last: tshark would take a later one for a new beginning.
            var index = 0
            while index + 2 < segments.count {
                if Bool.random(using: &random) { segments.swapAt(index, index + 1) }
                if Bool.random(using: &random) { segments.insert(segments[index], at: index + 1) }
                index += 3
            }
            for segment in segments { capture.add(Array(stream[segment]), at: segment.lowerBound, from: sender) }
        }
        let sights = try judge.sights(in: capture)[0] ?? []
        for (sender, stream) in streams {
            let own = sights.filter { $0.sender == sender }
            #expect(judge.disagreement(of: own, on: stream, from: sender) == nil, random.seedComment)
        }
    }

    /// Without the preference, the port of the chosen protocol shows which side is the server.
    @Test func `decode-as works without the preference`() throws {
        var random = SeededGenerator.forThisRun()
        let folder = try ProtocolFolder.named("Scene")
        let judge = SharkJudge(folder.translator)
        let streams = try Self.streams(of: folder, using: &random)
        var capture = CaptureFile()
        for (sender, stream) in streams { capture.add(stream, cutAt: [], from: sender) }
        let sights = try judge.sights(in: capture, ["-d", "tcp.port==\(CaptureFile.serverPort),scene"])[0] ?? []
        for (sender, stream) in streams {
            let own = sights.filter { $0.sender == sender }
            #expect(judge.disagreement(of: own, on: stream, from: sender) == nil, random.seedComment)
        }
    }

    @Test func `fields are found by their filter names`() throws {
        let folder = try ProtocolFolder.named("Scene")
        let judge = SharkJudge(folder.translator)
        var capture = CaptureFile()
        var stream: [UInt8] = []
        for line in 1...3 {
            let json = try JSONValue(parsing: #"{"SceneId":7,"Line":\#(line),"message":"你好"}"#)
            stream += try folder.translator.encode(message: "Cs_20001", json: json)
        }
        capture.add(stream, cutAt: [19, 38], from: .client)
        let found = try SharkTool.read(
            capture.bytes, script: judge.script,
            [
                "-o", "scene.server_ports:9000-9001", "-Y", "scene.cs_20001.line >= 2 && scene.sender == \"client\"",
                "-T", "fields", "-e", "scene.message", "-e", "scene.cs_20001.line", "-e", "scene.cs_20001.message",
                "-e", "scene.packet.length", "-e", "_ws.col.Info",
            ])
        #expect(
            found == "Cs_20001\t2\t你好\t19\tCs_20001\nCs_20001\t3\t你好\t19\tCs_20001\n")
    }

    @Test(arguments: [[], ["-2"]])
    func `a frame that is dissected twice is reported once`(passes: [String]) throws {
        let folder = try ProtocolFolder.named("Scene")
        let judge = SharkJudge(folder.translator)
        let json = try JSONValue(parsing: #"{"SceneId":7,"Line":1,"message":""}"#)
        let packet = try folder.translator.encode(message: "Cs_20001", json: json)
        var capture = CaptureFile()
        capture.add(packet + packet, cutAt: [], from: .client)
        let arguments = passes + ["-Y", "scene", "-T", "fields", "-e", "_ws.col.Info"]
        let found = try SharkTool.read(
            capture.bytes, script: judge.script, ["-o", "scene.server_ports:9001"] + arguments)
        #expect(found == "Cs_20001, Cs_20001\n")
    }

    /// A value that is not on the wire is shown like a value that was read, and marked as generated.
    @Test func `a field after the end of a short message has its default`() throws {
        let folder = ProtocolFolder.features
        let judge = SharkJudge(folder.translator)
        var capture = CaptureFile()
        capture.add(
            try folder.translator.description.layout.encode(id: 0x0107, payload: ([5] as [UInt8]).span.bytes), at: 0,
            from: .client)
        let fields = ["second", "yes", "third", "ratio", "locale", "mood", "result", "rights", "invited_by"]
        let found = try SharkTool.read(
            capture.bytes, script: judge.script,
            ["-o", "features.server_ports:9001", "-T", "fields"] + fields.flatMap { ["-e", "features.grown." + $0] })
        #expect(found.replacing("True", with: "1") == "0\t1\t-7\t1.5\tzh_CN\t1\t1\t0x8001\t\n")
    }

    /// Bytes that are no packets, and broken captures: the dissector itself does not fail, and tshark ends.
    @Test(arguments: ["MQTT", "QSIOP", "Telemetry", "Features"])
    func `no bytes make the dissector fail`(folder: String) throws {
        var random = SeededGenerator.forThisRun()
        let folder = try ProtocolFolder.named(folder)
        let judge = SharkJudge(folder.translator)
        var capture = CaptureFile()
        let count = Self.messageCount / 2
        for connection in 0..<count {
            let bytes = (0..<Int.random(in: 1...400, using: &random)).map { _ in
                Bool.random(using: &random) ? UInt8.random(in: 0...255, using: &random) : 0
            }
            capture.add(bytes, cutAt: Self.cuts(of: bytes, using: &random), from: .client, connection)
        }
        for (sender, stream) in try Self.streams(of: folder, using: &random) {
            for connection in count..<2 * count {
                var bytes = Array(stream.prefix(2000))
                for _ in 0..<10 {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
                }
                capture.add(bytes, cutAt: Self.cuts(of: bytes, using: &random), from: sender, connection)
            }
        }
        let arguments = ["-o", "\(judge.name).server_ports:9001", "-V"]
        let text = try SharkTool.read(capture.bytes, script: judge.script, arguments)
        #expect(text.contains("Malformed"), random.seedComment)
        // Headers of frames, addresses and sequence numbers change, too. The sizes of frames stay, or nothing could be
        // read.
        var bytes = capture.bytes
        var offset = 24
        while offset + 16 < bytes.count {
            let count = Int(bytes[offset + 10]) << 8 | Int(bytes[offset + 11])
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                bytes[offset + 16 + Int.random(in: 0..<count, using: &random)] = .random(in: 0...255, using: &random)
            }
            offset += 16 + count
        }
        _ = try SharkTool.read(bytes, script: judge.script, arguments)
    }

    /// Wireshark stops at trees that are too deep or too large: the dissector stops adding to them before that.
    @Test func `deep and long messages are read to the end`() throws {
        let source = """
            option max_packet = 16777216;
            option max_depth = 1000;
            message Cs_1 { @count(uint32) uint16[] numbers; @max(3) String[] texts; }
            message Cs_2 { Tree tree; }
            struct Tree { @count(uint8) Tree[] branches; }
            """
        let result = ProtocolDescription.check(
            name: "Large", files: [SourceFile(path: "large.wire", bytes: Array(source.utf8))])
        let translator = PacketTranslator(try #require(result.description))
        let judge = SharkJudge(translator)
        let layout = translator.description.layout
        let numbers = [0, 3, 0x0D, 0x40] + [UInt8](repeating: 1, count: 400_000)
        var stream: [UInt8] = []
        for (id, payload) in [
            (1, numbers + [0, 4]), (1, numbers + [0, 0]), (2, [UInt8](repeating: 1, count: 999) + [0]),
            (2, [UInt8](repeating: 1, count: 1000) + [0]),
        ] as [(UInt64, [UInt8])] {
            stream += try layout.encode(id: id, payload: payload.span.bytes, limit: 1 << 24)
        }
        var capture = CaptureFile()
        capture.open()
        let cuts = Array(stride(from: 50_000, to: stream.count, by: 50_000))
        capture.add(stream, cutAt: cuts, from: .client)
        let text = try SharkTool.read(
            capture.bytes, script: judge.script,
            ["-o", "large.server_ports:9001", "-T", "fields", "-e", "large.message", "-e", "_ws.expert.message"])
        let words = text.split { "\t\n,".contains($0) }
        #expect(words.count { $0 == "Cs_1" } == 2 && words.count { $0 == "Cs_2" } == 2)
        let faults = words.filter { $0.contains("over the limit") || $0.contains("[0]") }
        #expect(faults.first == "Cs_1.texts: 4 is over the limit of 3 at offset 400010")
        // Wireshark truncates long texts.
        #expect(faults.count == 2 && faults.last?.hasPrefix("Cs_2.tree.branches[0].branches[0]") == true)
        #expect(words.contains("Read") && words.contains(" but too much to be shown"))
    }

    // MARK: Input

    /// Random messages and the vectors, all of one side one after another.
    static func streams(
        of folder: ProtocolFolder, using random: inout SeededGenerator
    ) throws -> [(Sender, [UInt8])] {
        var lines = RandomLines(folder.translator.description, using: random)
        var streams: [Sender: [UInt8]] = [:]
        for _ in 0..<messageCount {
            let (sender, line) = lines.next()
            if let bytes = try? folder.translator.encode(line: line, from: sender) {
                streams[sender, default: []] += bytes
            }
        }
        for vector in try Vector.Kind.exact.vectors(of: folder) + Vector.Kind.decodeOnly.vectors(of: folder) {
            streams[vector.0, default: []] += vector.1
        }
        random = lines.random
        return Sender.allCases.compactMap { sender in streams[sender].map { (sender, $0) } }
    }

    /// Many small segments and some that hold several packets.
    static func cuts(of stream: [UInt8], using random: inout SeededGenerator) -> [Int] {
        var cuts: [Int] = []
        var position = 0
        while true {
            let most = [1, 20, 300, CaptureFile.mostSegmentByteCount].randomElement(using: &random)!
            position += Int.random(in: 1...min(most, max(20, stream.count / 20)), using: &random)
            if position >= stream.count { return cuts }
            cuts.append(position)
        }
    }

    /// Streams in the first connection, cut anywhere; then packets and their variants, each in a connection of its own.
    /// Returns the differences in what is shown, at most three.
    static func disagreements(
        on packets: [(Sender, [UInt8])], after streams: [(Sender, [UInt8])] = [], of judge: SharkJudge,
        using random: inout SeededGenerator
    ) throws -> [String] {
        let variants = packets.flatMap { sender, bytes in
            // tshark is slow, so other runs check others of them.
            judge.translator.variants(of: bytes, in: PacketContext(from: sender), using: &random).shuffled(
                using: &random
            ).prefix(
                Depth.rounds(15)
            )
            .map { (sender, $0) }
        }.filter { $0.1.count < CaptureFile.mostSegmentByteCount }
        var capture = CaptureFile()
        if !streams.isEmpty { capture.open() }
        for (sender, stream) in streams {
            capture.add(stream, cutAt: cuts(of: stream, using: &random), from: sender)
        }
        for (connection, variant) in variants.enumerated() {
            capture.add(variant.1, cutAt: [], from: variant.0, connection + 1)
        }
        let sights = try judge.sights(in: capture)
        let whole = streams.lazy.compactMap { sender, stream in
            judge.disagreement(of: (sights[0] ?? []).filter { $0.sender == sender }, on: stream, from: sender)
        }
        let varied = variants.enumerated().lazy.compactMap { connection, variant in
            judge.disagreement(of: sights[connection + 1] ?? [], on: variant.1, from: variant.0)
        }
        return Array(whole.prefix(3)) + varied.prefix(3)
    }
}

extension Vector.Kind {
    fileprivate func vectors(of folder: ProtocolFolder) throws -> [(Sender, [UInt8])] {
        try folder.vectors(self).map { (try $0.sender(), try $0.bytes()) }
    }
}
