// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WebSocketSupport
import WirelineWebSocket

/// The cases of the Autobahn suite, run against both roles in memory.
struct ConformanceTests {
    private static func run(_ pieces: [[UInt8]], as role: WebSocketRole) -> Side {
        let side = Side(role)
        side.echoes = true
        for piece in pieces {
            side.receive(piece)
            _ = side.output()
        }
        return side
    }

    private static func bytes(_ frames: [Frame], to role: WebSocketRole) -> [UInt8] {
        frames.bytes(from: role == .server ? .client : .server)
    }

    @Test(arguments: ConformanceCase.all, [WebSocketRole.client, .server])
    func `each case has the required outcome, however it is split`(conformance: ConformanceCase, role: WebSocketRole) {
        let bytes = Self.bytes(conformance.sends, to: role)
        let whole = Self.run([bytes], as: role)
        #expect(whole.frames == conformance.gets)
        #expect(whole.end != nil)
        #expect(!whole.isOpen)
        for pieces in bytes.everyCut {
            let cut = Self.run(pieces, as: role)
            guard cut.frames == conformance.gets, cut.told == whole.told, cut.end == whole.end else {
                Issue.record("\(pieces.map(\.count)): \(cut.told), \(String(describing: cut.frames))")
                return
            }
        }
    }

    @Test(arguments: ConformanceCase.all, [WebSocketRole.client, .server])
    func `a read buffer of one byte is enough`(conformance: ConformanceCase, role: WebSocketRole) {
        let side = Side(role)
        (side.room, side.echoes) = (1, true)
        side.receive(Self.bytes(conformance.sends, to: role))
        #expect(side.frames == conformance.gets)
    }

    @Test(arguments: MessageCase.all, [WebSocketRole.client, .server])
    func `messages of every length are echoed, in fragments, in pieces, and with all compression terms`(
        conformance: MessageCase, role: WebSocketRole
    ) {
        let peer: WebSocketRole = role == .client ? .server : .client
        let side = Side(role, agreement: conformance.terms.map { WebSocketAgreement(deflate: $0.agreement(for: role)) })
        (side.room, side.echoes) = (16_384, true)
        for bytes in conformance.pieces(from: peer) {
            for piece in bytes.pieces(of: 10_007) {
                side.receive(piece)
                _ = side.output()
            }
        }
        let fault = conformance.fault(in: side.sent, to: peer)
        #expect(fault == nil)
        #expect(side.end != nil && !side.isOpen)
    }

    @Test(arguments: [65_535, 65_536, 65_537, 100_000], [WebSocketRole.client, .server])
    func `long messages are echoed, too`(count: Int, role: WebSocketRole) {
        var random = SeededGenerator.forThisRun()
        let payload = random.bytes(count)
        let text = Frame.text(String(repeating: "老*", count: count / 4))
        let frames = [.binary(payload), text, Frame.close(1000)]
        let bytes = Self.bytes(frames, to: role)
        #expect(Self.run([bytes], as: role).frames == frames)
        #expect(Self.run(bytes.cut(using: &random, most: 5_000), as: role).frames == frames, random.seedComment)
    }

    @Test func `the number of cases is right`() {
        #expect(ConformanceCase.all.count > 250)
        #expect(MessageCase.cases(of: 131_072_000).count == 270)
        #expect(MessageCase.all.count > 130)
        #expect(Set(echoCases.map(\.name)).count == echoCases.count)
    }
}

extension DeflateTerms {
    /// The agreement for the engine of one side.
    fileprivate func agreement(for role: WebSocketRole) -> DeflateAgreement {
        let peer: WebSocketRole = role == .client ? .server : .client
        var agreement = DeflateAgreement()
        (agreement.windowBits, agreement.peerWindowBits) = (windowBits(of: role), windowBits(of: peer))
        (agreement.takesContextOver, agreement.peerTakesContextOver) = (takesContextOver(role), takesContextOver(peer))
        return agreement
    }
}

/// Faults in frame headers for which Autobahn has no case.
struct FrameTests {
    private static func fault(_ bytes: [UInt8], _ role: WebSocketRole) -> WebSocketError? {
        let side = Side(role)
        side.receive(bytes)
        guard case .failed(let error) = side.told.last else { return nil }
        return error
    }

    @Test func `a server refuses unmasked frames, and a client refuses masked ones`() {
        #expect(Self.fault([0x81, 0x00], .server) == .violation(.unmasked, offset: 0))
        #expect(Self.fault([0x8A, 0x00], .server) == .violation(.unmasked, offset: 0))
        #expect(Self.fault([0x81, 0x80], .client) == .violation(.masked, offset: 0))
        #expect(Self.fault([0x8A, 0x80, 0, 0, 0, 0], .client) == .violation(.masked, offset: 0))
    }

    @Test(
        arguments: [
            ([0x82, 126, 0, 0], .lengthEncoding), ([0x82, 126, 0, 125], .lengthEncoding),
            ([0x82, 127, 0, 0, 0, 0, 0, 0, 0, 0], .lengthEncoding),
            ([0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], .lengthEncoding), ([0x82, 127, 0x80], .lengthOverflow),
            ([0x82, 127, 0xFF], .lengthOverflow), ([0x89, 126], .longControl), ([0x8A, 127], .longControl),
        ] as [([UInt8], WebSocketViolation)])
    func `a length in too many bytes, or of 2^63 or more, is refused`(bytes: [UInt8], violation: WebSocketViolation) {
        #expect(Self.fault(bytes, .client) == .violation(violation, offset: 0))
    }

    @Test(arguments: [125, 126, 127, 65_535, 65_536, 65_537])
    func `a length is written in the fewest bytes`(count: Int) throws {
        let side = Side(.server)
        try side.send(binary: [UInt8](repeating: 7, count: count))
        #expect(side.output().count == count + (count < 126 ? 2 : count < 65_536 ? 4 : 10))
        #expect(side.frames == [.binary([UInt8](repeating: 7, count: count))])
    }

    @Test func `a fault is reported with the offset of its frame`() {
        #expect(Self.fault([0x89, 0, 0x82, 3, 1, 2, 3, 0x83], .client) == .violation(.opcode(3), offset: 7))
        #expect(Self.fault([0x81, 4, 0x61, 0xC3, 0x28, 0], .client) == .invalidUTF8(offset: 2))
    }

    /// RFC 6455 §5.7.
    @Test(
        arguments: [
            ([0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], .client, [.message(.text, "Hello".bytes)]),
            (
                [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], .server,
                [.message(.text, "Hello".bytes)]
            ),
            ([0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F], .client, [.message(.text, "Hello".bytes)]),
            ([0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], .client, [.ping("Hello".bytes)]),
            ([0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], .server, []),
            (
                [0x82, 0x7E, 0x01, 0x00] + [UInt8](repeating: 1, count: 256), .client,
                [.message(.binary, [UInt8](repeating: 1, count: 256))]
            ),
            (
                [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + [UInt8](repeating: 1, count: 65_536), .client,
                [.message(.binary, [UInt8](repeating: 1, count: 65_536))]
            ),
        ] as [([UInt8], WebSocketRole, [Side.Told])])
    func `the examples of RFC 6455 are read`(bytes: [UInt8], role: WebSocketRole, told: [Side.Told]) {
        let side = Side(role)
        side.receive(bytes)
        #expect(side.told == told)
    }

    @Test func `no bytes make an engine trap, and splitting them changes nothing`() {
        var random = SeededGenerator.forThisRun()
        for round in 0..<3_000 {
            let role: WebSocketRole = round % 2 == 0 ? .client : .server
            var bytes = random.bytes(Int.random(in: 0...60, using: &random))
            // Half of them begin like a frame.
            if round % 4 < 2, bytes.count > 1 {
                bytes[0] = [0x01, 0x02, 0x81, 0x82, 0x88, 0x89, 0x8A].randomElement(using: &random) ?? 0
                bytes[1] = bytes[1] & 0x0F | (role == .server ? 0x80 : 0)
            }
            let whole = Side(role)
            whole.receive(bytes)
            let cut = Side(role)
            for piece in bytes.cut(using: &random) { cut.receive(piece) }
            #expect(whole.told == cut.told, random.seedComment)
            #expect(whole.frames == cut.frames, random.seedComment)
        }
    }
}

struct MaskingTests {
    private static func reference(_ bytes: [UInt8], _ key: [UInt8], _ phase: Int) -> [UInt8] {
        bytes.enumerated().map { $1 ^ key[($0 + phase) % 4] }
    }

    @Test func `masking follows RFC 6455 at any offset and length`() {
        var random = SeededGenerator.forThisRun()
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...300, using: &random)
            let start = Int.random(in: 0...70, using: &random)
            let phase = Int.random(in: 0...9, using: &random)
            let bytes = random.bytes(count + start + 3)
            let key = random.bytes(4)
            let number = key.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let rotated = Masking.rotated(number, by: phase)
            let expected = Self.reference(Array(bytes[start..<start + count]), key, phase)

            var copied = [UInt8](repeating: 0xEE, count: count + start)
            var inPlace = bytes
            bytes.withUnsafeBytes { source in
                copied.withUnsafeMutableBytes { destination in
                    guard let base = destination.baseAddress else { return }
                    Masking.copy(
                        UnsafeRawBufferPointer(rebasing: source[start..<start + count]), to: base + start / 2,
                        key: rotated)
                }
            }
            inPlace.withUnsafeMutableBytes { memory in
                let part = UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + count])
                guard let base = part.baseAddress else { return }
                Masking.copy(UnsafeRawBufferPointer(part), to: base, key: rotated)
            }
            #expect(Array(copied[(start / 2)...].prefix(count)) == expected, random.seedComment)
            #expect(copied.prefix(start / 2).allSatisfy { $0 == 0xEE }, random.seedComment)
            #expect(copied.dropFirst(start / 2 + count).allSatisfy { $0 == 0xEE }, random.seedComment)
            #expect(Array(inPlace[start..<start + count]) == expected, random.seedComment)
            #expect(inPlace.prefix(start) == bytes.prefix(start), random.seedComment)
            #expect(inPlace.suffix(3) == bytes.suffix(3), random.seedComment)
        }
    }
}
