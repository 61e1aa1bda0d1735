// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec

/// Layouts whose packets depend on states of the connection.
struct StateLayoutTests {
    private static let isStarted = WireCondition.isSet(.state("started"))
    private static let bit = IntegerFormat(bitWidth: 1, isSigned: false)

    /// A client's first packet has a code of four bytes; all others have a type of one.
    private static let server = PacketLayout(
        states: [PacketState("started", bit)],
        stateChanges: [PacketStateChange(messageID: 7, from: .client, sets: "started", to: 1)],
        generatedHeader: [
            PacketField(
                "type", .integer(.uint8, .bigEndian), .messageID,
                if: .or(.compares(.sender, .equal, 1), isStarted)),
            PacketField("length", .integer(.uint16, .bigEndian), .length(of: .rest, plus: 2)),
            PacketField(
                "code", .integer(.uint32, .bigEndian), .messageID,
                if: .and(.compares(.sender, .equal, 0), .not(isStarted))),
        ])

    @Test(arguments: [
        (PacketContext(from: .client), "0007" + "00000041" + "aa"),
        (PacketContext(from: .client, states: ["started": 1]), "41" + "0003" + "aa"),
        (PacketContext(from: .server), "41" + "0003" + "aa"),
        (PacketContext(from: .server, states: ["started": 1]), "41" + "0003" + "aa"),
    ])
    func `a packet has the header of its context`(context: PacketContext, hex: String) throws {
        let layout = Self.server.layout(in: context)
        #expect(!layout.dependsOnContext && !layout.hasStates)
        let bytes = try layout.encode(id: 0x41, payload: ([0xAA] as [UInt8]).span.bytes)
        #expect(Hexadecimal.text(of: bytes) == hex)
        let packet = try Packet(bytes.span.bytes, layout: layout)
        #expect(packet.id == 0x41 && [UInt8](copying: packet.payload) == [0xAA])
        #expect(try Self.server.header(of: packet) == layout.header(of: packet))
    }

    @Test func `a splitter follows what messages set, and ends its call there`() throws {
        let stream = try Hexadecimal.bytes(of: "000700000001aa" + "000600000007" + "410003bb" + "420002")
        for cut in 0...stream.count {
            var splitter = PacketSplitter(layout: Self.server, context: PacketContext(from: .client))
            var ids: [UInt64] = []
            for piece in [0..<cut, cut..<stream.count] {
                var piece = piece
                repeat {
                    try splitter.receive(stream.span.bytes.extracting(piece)) { packet in
                        ids.append(packet.id)
                        // A call ends after the packet that sets a state.
                        #expect(packet.id != 7 || ids.count == 2)
                    }
                    piece = piece.upperBound..<piece.upperBound
                } while splitter.endedAtStateChange
            }
            try splitter.finish()
            #expect(ids == [1, 7, 0x41, 0x42], "cut at \(cut)")
            #expect(splitter.states == ["started": 1])
        }
    }

    @Test func `a receiver that throws at the packet which sets a state loses nothing`() throws {
        let stream = try Hexadecimal.bytes(of: "000600000007" + "410003bb")
        var splitter = PacketSplitter(layout: Self.server, context: PacketContext(from: .client))
        let stop = CodecError(.invalidUTF16)
        #expect(throws: stop) {
            try splitter.receive(stream.span.bytes) { _ throws(CodecError) in throw stop }
        }
        var ids: [UInt64] = []
        try splitter.receive([UInt8]().span.bytes) { ids.append($0.id) }
        #expect(ids == [0x41])
    }

    @Test func `a splitter takes the states that the program sets`() throws {
        var splitter = PacketSplitter(layout: Self.server, context: PacketContext(from: .client))
        #expect(throws: CodecError(.unknownState("begun"))) { try splitter.setState("begun", to: 1) }
        #expect(throws: CodecError(.outOfRange(value: 2, minimum: 0, maximum: 1), path: "state.started")) {
            try splitter.setState("started", to: 2)
        }
        // The beginning of a packet has arrived, and is read anew.
        let bytes: [UInt8] = [0x41, 0, 3, 0xBB]
        try splitter.receive(bytes.span.bytes.extracting(0..<2)) { _ in }
        try splitter.setState("started", to: 1)
        var ids: [UInt64] = []
        try splitter.receive(bytes.span.bytes.extracting(2..<4)) { ids.append($0.id) }
        #expect(ids == [0x41] && splitter.states["started"] == 1)
    }

    @Test(arguments: [
        (
            [PacketState("a", bit), PacketState("a", .uint8)], [] as [PacketStateChange],
            PacketLayoutFault.duplicateName("a")
        ),
        ([PacketState("l", bit)], [], .duplicateName("l")),
        (
            [PacketState("a", bit)], [PacketStateChange(messageID: 1, from: .client, sets: "b", to: 1)],
            .invalidStateChange("b")
        ),
        (
            [PacketState("a", bit)], [PacketStateChange(messageID: 1, from: .client, sets: "a", to: 2)],
            .invalidStateChange("a")
        ),
        ([], [], .invalidCondition("f")),
    ])
    func `states that cannot work are refused`(
        states: [PacketState], changes: [PacketStateChange], fault: PacketLayoutFault
    ) {
        #expect(throws: CodecError(.invalidLayout(fault))) {
            try PacketLayout(
                states: states, stateChanges: changes,
                header: [
                    PacketField("l", .integer(.uint8, .bigEndian), .length(of: .rest, plus: 0)),
                    PacketField("f", .boolean, if: .isSet(.state("a"))),
                ])
        }
    }

    @Test func `more than six different tests of states are refused`() throws {
        func layout(_ count: Int) throws -> PacketLayout {
            // Tests with opposite outcomes are one.
            let tests = (0..<count).flatMap { number -> [WireCondition] in
                [.compares(.state("s"), .equal, Int128(number)), .compares(.state("s"), .unequal, Int128(number))]
            }
            return try PacketLayout(
                states: [PacketState("s", .uint8)],
                header: [PacketField("l", .integer(.uint8, .bigEndian), .length(of: .rest, plus: 0))]
                    + tests.enumerated().map { PacketField("f\($0)", .boolean, if: $1) })
        }
        // Of six tests for numbers of one state, at most one holds.
        #expect(try layout(6).plainLayouts.count == 2 * 7)
        #expect(throws: CodecError(.invalidLayout(.tooManyContextTests))) { try layout(7) }
    }

    /// Conditions about fields with the states are evaluated for each packet. The packets must be the same.
    @Test func `packets are those of conditions about fields with the states`() throws {
        var random = SeededGenerator.forThisRun()
        var packetCount = 0
        for _ in 0..<300 {
            let layout = PacketLayout.randomInStates(using: &random)
            guard let stating = try? layout.statingStates() else { continue }
            for sender in Sender.allCases {
                let states = layout.randomStates(using: &random)
                let plain = layout.layout(in: PacketContext(from: sender, states: states))
                let id = plain.randomMessageID(using: &random)
                var header = plain.randomHeader(mayBeAbsent: true, using: &random)
                let payload = random.bytes(Int.random(in: 0...40, using: &random))
                let bytes = try? plain.encode(id: id, header: header, payload: payload.span.bytes)
                header[PacketLayout.senderName] = sender.conditionNumber
                for state in layout.states { header["state-" + state.name] = states[state.name] }
                let count = PacketLayout.statedByteCount
                let other = try? stating.encode(
                    id: id, header: header, payload: payload.span.bytes, limit: count + 1 << 20)
                let comment: Comment = "\(random.seedComment): \(layout.fields), \(sender), \(states)"
                #expect(other.map { Array($0.dropFirst(count)) } == bytes, comment)
                guard let bytes, let other else { continue }
                packetCount += 1
                let packet = try Packet(bytes.span.bytes, layout: plain)
                let stated = try Packet(other.span.bytes, layout: stating, limit: count + 1 << 20)
                #expect(packet.id == stated.id && packet.payload.byteCount == stated.payload.byteCount, comment)
                #expect(layout.layout(of: packet) == plain, comment)
            }
        }
        #expect(packetCount > 100, random.seedComment)
    }

    /// A context for each layout, and the layout for each context.
    @Test func `examples of contexts have each of the layouts`() {
        var random = SeededGenerator.forThisRun()
        for _ in 0..<100 {
            let layout = PacketLayout.randomInStates(using: &random)
            let found = (layout.exampleContexts ?? []).map(layout.layout(in:))
            // Only where bits and comparisons of one wide state meet, some combinations may be impossible.
            #expect(found.count <= layout.plainLayouts.count, random.seedComment)
            #expect(found.count >= 2, random.seedComment)
        }
    }
}
