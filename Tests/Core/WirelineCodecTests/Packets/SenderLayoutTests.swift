// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec

/// Layouts whose packets depend on who sends them.
struct SenderLayoutTests {
    private static func length(if condition: WireCondition? = nil) -> PacketField {
        PacketField("size", .integer(.uint16, .bigEndian), .length(of: .rest, plus: 0), if: condition)
    }

    private static let isClient = WireCondition.compares(.sender, .equal, 0)
    private static let isServer = WireCondition.compares(.sender, .equal, 1)

    /// A client's ID has four bytes, a server's has two.
    private static let realm = PacketLayout(generatedHeader: [
        length(), PacketField("command", .integer(.uint32, .littleEndian), .messageID, if: isClient),
        PacketField("opcode", .integer(.uint16, .littleEndian), .messageID, if: .not(isClient)),
    ])

    @Test(arguments: [(Sender.client, "0005" + "96000000" + "aa"), (.server, "0003" + "9600" + "aa")])
    func `a packet has the header of its sender`(sender: Sender, hex: String) throws {
        let layout = Self.realm.layout(from: sender)
        #expect(!layout.dependsOnContext && !layout.hasConditions)
        let bytes = try layout.encode(id: 0x96, payload: ([0xAA] as [UInt8]).span.bytes)
        #expect(Hexadecimal.text(of: bytes) == hex)
        let packet = try Packet(bytes.span.bytes, layout: layout)
        #expect(packet.id == 0x96 && [UInt8](copying: packet.payload) == [0xAA])
        // What reads a packet that was found needs no sender: the packet knows its layout.
        #expect(try Self.realm.header(of: packet) == layout.header(of: packet))
        #expect(try Self.realm.header(of: packet).fields.map(\.name) == layout.fields.map(\.name))
    }

    @Test func `a layout that depends on the sender neither reads nor writes by itself`() throws {
        let refusal = CodecError(.invalidLayout(.needsContext))
        let bytes: [UInt8] = [0, 3, 0x96, 0, 0xAA]
        #expect(Self.realm.dependsOnContext)
        #expect(throws: refusal) { try Self.realm.encode(id: 1, payload: bytes.span.bytes) }
        #expect(throws: refusal) { _ = try Packet(bytes.span.bytes, layout: Self.realm).id }
        var splitter = PacketSplitter(layout: Self.realm)
        #expect(throws: refusal) { try splitter.receive(bytes.span.bytes) { _ in } }
        #expect(throws: refusal) { try splitter.finish() }
        #expect(splitter.pendingByteCount == 0)
        #expect(
            "\(refusal)".hasSuffix(
                "the layout depends on the sender of a packet or on states, which are not known here"))
    }

    @Test func `a sender's layout takes the fast paths`() throws {
        let layout = try PacketLayout(header: [
            Self.length(), PacketField("mark", .integer(.uint8, .bigEndian), if: Self.isServer),
            PacketField("id", .integer(.uint32, .bigEndian), .messageID),
        ])
        #expect(!layout.plan.canReadAtOnce && !layout.plan.canWriteAtOnce)
        for sender in Sender.allCases {
            let plan = layout.layout(from: sender).plan
            #expect(plan.canReadAtOnce && plan.canWriteAtOnce)
        }
    }

    @Test func `a layout that depends on nothing is the layout of both senders`() {
        for sender in Sender.allCases { #expect(PacketLayout.standard.layout(from: sender) == .standard) }
        #expect(!PacketLayout.standard.dependsOnContext)
    }

    @Test func `only a packet's own fields can be set, and an ID must fit them`() throws {
        let layout = try PacketLayout(header: [
            Self.length(), PacketField("id", .integer(.uint8, .bigEndian), .messageID, if: Self.isClient),
            PacketField("region", .integer(.uint8, .bigEndian), if: Self.isServer),
        ])
        let payload = [UInt8]().span.bytes
        let absent = CodecError(.wrongPresence(isSet: true), path: "packet.region")
        #expect(throws: absent) {
            try layout.layout(from: .client).encode(id: 1, header: ["region": 1], payload: payload)
        }
        let computed = CodecError(.invalidHeaderField("id"))
        #expect(throws: computed) {
            try layout.layout(from: .server).encode(id: 0, header: ["id": 1], payload: payload)
        }
        #expect(throws: CodecError(.invalidMessageID(1))) {
            try layout.layout(from: .server).encode(id: 1, payload: payload)
        }
        #expect(try layout.layout(from: .server).encode(id: 0, header: ["region": 3], payload: payload) == [0, 1, 3])
    }

    /// What a condition looks at may itself depend on the sender: what is absent counts as 0.
    @Test func `a test of an absent field sees 0`() throws {
        let layout = try PacketLayout(header: [
            Self.length(), PacketField("mode", .integer(.uint8, .bigEndian), if: Self.isClient),
            PacketField("more", .integer(.uint8, .bigEndian), if: .compares(.field("mode"), .less, 3)),
            PacketField("id", .integer(.uint8, .bigEndian), .messageID),
        ])
        let server = layout.layout(from: .server)
        #expect(server.fields.map(\.name) == ["size", "more", "id"] && !server.hasConditions)
        #expect(layout.layout(from: .client).fields.count == 4)
    }

    @Test func `without a length, a sender's packets have no payload`() throws {
        let layout = try PacketLayout(header: [
            PacketField("id", .integer(.uint8, .bigEndian), .messageID), Self.length(if: Self.isClient),
        ])
        let server = layout.layout(from: .server)
        #expect(try server.encode(id: 7, payload: [UInt8]().span.bytes) == [7])
        #expect(throws: CodecError.self) { try server.encode(id: 7, payload: ([1] as [UInt8]).span.bytes) }
        var splitter = PacketSplitter(layout: server)
        var ids: [UInt64] = []
        let bytes: [UInt8] = [7, 8, 9]
        try splitter.receive(bytes.span.bytes) { ids.append($0.id) }
        #expect(ids == [7, 8, 9])
    }

    @Test func `a checksum covers what is there of its range`() throws {
        func checksum(_ first: String, _ last: PacketChecksum.Part) -> PacketField.Role {
            .checksum(PacketChecksum(.xor8, of: .parts(.field(first), through: last)))
        }
        let layout = try PacketLayout(
            header: [
                Self.length(), PacketField("a", .integer(.uint8, .bigEndian), .value(default: 1), if: Self.isClient),
                PacketField("b", .integer(.uint8, .bigEndian), .value(default: 2)),
            ],
            trailer: [
                PacketField("c", .integer(.uint8, .bigEndian), .value(default: 4), if: Self.isClient),
                PacketField("both", .integer(.uint8, .bigEndian), checksum("a", .field("c"))),
                PacketField("none", .integer(.uint8, .bigEndian), checksum("a", .field("a"))),
            ])
        let payload: [UInt8] = [0x10]
        let client = try layout.layout(from: .client).encode(id: 0, payload: payload.span.bytes)
        #expect(client == [0, 6, 1, 2, 0x10, 4, 1 ^ 2 ^ 0x10 ^ 4, 1])
        let server = try layout.layout(from: .server).encode(id: 0, payload: payload.span.bytes)
        #expect(server == [0, 4, 2, 0x10, 2 ^ 0x10, 0])
        #expect(try Packet(server.span.bytes, layout: layout.layout(from: .server)).payloadRange == 3..<4)
    }

    @Test(
        arguments: [
            ([PacketField("a", .boolean, if: isServer), length(if: isServer)], .noFields(.client)),
            ([PacketField("a", .boolean, if: .isSet(.nested)), length(if: isClient)], .noFields(.server)),
            (
                [
                    length(), PacketField("a", .bit, if: isServer),
                    PacketField("b", .integer(.init(bitWidth: 7, isSigned: false), .bigEndian)),
                ], .conditionalBits("a")
            ),
            ([length(), PacketField("a", .boolean, if: .isSet(.header("size")))], .invalidCondition("a")),
        ] as [([PacketField], PacketLayoutFault)])
    func `fields that leave a sender without packets are refused`(header: [PacketField], fault: PacketLayoutFault) {
        #expect(throws: CodecError(.invalidLayout(fault))) { try PacketLayout(header: header) }
    }

    /// Conditions about a field with the sender's number are evaluated for each packet. The packets must be the same.
    @Test func `packets are those of conditions about a field with the sender`() throws {
        var random = SeededGenerator.forThisRun()
        var packetCount = 0
        for _ in 0..<400 {
            let layout = PacketLayout.randomBySender(using: &random)
            guard let stating = try? layout.statingContext() else { continue }
            for (number, sender) in Sender.allCases.enumerated() {
                let plain = layout.layout(from: sender)
                let id = plain.randomMessageID(using: &random)
                var header = plain.randomHeader(mayBeAbsent: true, using: &random)
                let payload = random.bytes(Int.random(in: 0...40, using: &random))
                let bytes = try? plain.encode(id: id, header: header, payload: payload.span.bytes)
                header[PacketLayout.senderName] = Int128(number)
                let other = try? stating.encode(id: id, header: header, payload: payload.span.bytes, limit: 2 + 1 << 20)
                #expect(other.map { Array($0.dropFirst(2)) } == bytes, "\(random.seedComment): \(layout), \(sender)")
                guard let bytes else { continue }
                packetCount += 1
                for variant in Self.variants(of: bytes, using: &random) {
                    let read = Self.read(variant, plain, 0)
                    let expected = Self.read([UInt8(number), 0] + variant, stating, 2)
                    #expect(read == expected, "\(random.seedComment): \(layout), \(sender), \(variant)")
                }
            }
        }
        #expect(packetCount > 100, random.seedComment)
    }

    private static func variants(of bytes: [UInt8], using random: inout SeededGenerator) -> [[UInt8]] {
        [bytes]
            + bytes.indices.prefix(20).map { index in
                var bytes = bytes
                bytes[index] ^= UInt8.random(in: 1...255, using: &random)
                return bytes
            }
    }

    private struct Reading: Equatable {
        var id: UInt64
        var header: PacketHeader
        var payload: [UInt8]
    }

    /// A packet without its first header fields; nil if it is refused.
    private static func read(_ bytes: [UInt8], _ layout: PacketLayout, _ skipped: Int) -> Reading? {
        guard let packet = try? Packet(bytes.span.bytes, layout: layout, limit: skipped + 1 << 20),
            let fields = try? layout.header(of: packet)
        else { return nil }
        var header = PacketHeader()
        for (name, value) in fields.fields.dropFirst(skipped) { header[value: name] = value }
        // A length that counts the packet counts two bytes less where the sender is not in it.
        for field in layout.fields where field.role.isLength { header[value: field.name] = nil }
        return Reading(id: packet.id, header: header, payload: [UInt8](copying: packet.payload))
    }
}
