// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WebSocketSupport
import WirelineWebSocket

/// Messages that are taken from one frame that has arrived whole, and frames that leave without a queue.
struct WholeFrameTests {
    private static let roles = [WebSocketRole.client, .server]
    private static let lengths = [0, 1, 7, 8, 63, 64, 125, 126, 127, 65_535, 65_536, 65_537]

    private static func bytes(_ frames: [Frame], to role: WebSocketRole) -> [UInt8] {
        frames.bytes(from: role == .server ? .client : .server)
    }

    private static func side(
        _ role: WebSocketRole, _ form: Side.WholeForm?,
        _ change: (inout WebSocketEngine.Configuration) -> Void = { _ in }
    ) -> Side {
        var configuration = WebSocketEngine.Configuration()
        change(&configuration)
        let side = Side(role, configuration: configuration)
        side.takesWhole = form
        return side
    }

    @Test(arguments: ConformanceCase.all, roles)
    func `each case has the same outcome as without it, however it is split`(
        conformance: ConformanceCase, role: WebSocketRole
    ) {
        let bytes = Self.bytes(conformance.sends, to: role)
        for form in Side.WholeForm.allCases {
            for pieces in bytes.everyCut {
                let side = Self.side(role, form)
                side.echoes = true
                for piece in pieces {
                    side.receive(piece)
                    _ = side.output()
                }
                guard side.frames == conformance.gets, side.end != nil, !side.isOpen else {
                    Issue.record("\(form), \(pieces.map(\.count)): \(side.told)")
                    return
                }
            }
        }
    }

    @Test(arguments: lengths, roles)
    func `a message of any length is taken, but not before its last byte is there`(length: Int, role: WebSocketRole) {
        let text = String(repeating: "x", count: length)
        for (form, frame) in [(Side.WholeForm.message, Frame.text(text)), (.content, .binary(text.bytes))] {
            let bytes = Self.bytes([frame], to: role)
            for count in bytes.count < 200 ? Array(1..<bytes.count) : [bytes.count - 1] {
                let side = Self.side(role, form)
                side.receive(Array(bytes.prefix(count)))
                #expect(side.wholeCount == 0)
                side.receive(Array(bytes.dropFirst(count)))
                #expect(side.wholeCount == 0, "it has begun without its last byte")
                side.receive(bytes + bytes)
                #expect(side.wholeCount == 2)
                #expect(side.told.count == 3 && side.told.allSatisfy { $0 == side.told[0] })
            }
        }
    }

    @Test(arguments: roles)
    func `what is not a whole message in one frame is left to the general way`(role: WebSocketRole) {
        let tooLong = Frame.binary([UInt8](repeating: 1, count: 101))
        let others: [[Frame]] = [
            [.binary([1], isFinal: false)], [.binary([1], isFinal: false), .more([2], isFinal: true)], [.ping("p")],
            [.pong("p")], [.close(1000)], [.binary([1], reservedBits: 4)], [.text([0xFF])], [.text([0xE8, 0x80])],
            [tooLong], [.close(1000), .binary([1])], [.binary([1], isFinal: false), .binary([2])],
        ]
        for frames in others {
            let bytes = Self.bytes(frames, to: role)
            let general = Self.side(role, nil) { $0.messageLimit = 100 }
            general.receive(bytes)
            for form in Side.WholeForm.allCases {
                let side = Self.side(role, form) { $0.messageLimit = 100 }
                side.receive(bytes)
                #expect(side.told == general.told)
                #expect(side.wholeCount == 0)
            }
        }
    }

    @Test(arguments: roles)
    func `limits, masks and lengths are checked as in the general way`(role: WebSocketRole) {
        let message = Frame.binary([UInt8](repeating: 1, count: 100))
        let bytes = Self.bytes([message], to: role)
        let mask: UInt8 = role == .server ? 0x80 : 0
        // The other side's masks; a length in more bytes than it needs; another opcode.
        let wrong = [
            message.bytes(maskedWith: role == .server ? nil : [1, 2, 3, 4]), [0x82, mask | 126, 0, 1] + bytes,
            [0x82, mask | 127, 0, 0, 0, 0, 0, 0, 0, 1] + bytes, [0x82, mask | 127, 0x80, 0, 0, 0, 0, 0, 0, 1] + bytes,
            [0x83] + bytes.dropFirst(),
        ]
        for bytes in wrong {
            let general = Self.side(role, nil)
            general.receive(bytes)
            let side = Self.side(role, .content)
            side.receive(bytes)
            #expect(side.told == general.told)
            #expect(side.wholeCount == 0)
        }
        let limits: [(inout WebSocketEngine.Configuration) -> Void] = [
            { $0.messageLimit = 99 }, { $0.frameLimit = 99 }, { $0.fragmentLimit = 0 },
        ]
        for limit in limits {
            let side = Self.side(role, .content, limit)
            side.receive(bytes)
            #expect(side.wholeCount == 0 && !side.isOpen)
        }
        let side = Self.side(role, .message) { $0.takesText = false }
        side.receive(Self.bytes([.text("no")], to: role))
        #expect(side.told == [.failed(.unexpectedText(offset: 0))])
    }

    @Test func `offsets in errors count the messages that were taken whole`() {
        let bytes = Self.bytes([.binary([1, 2, 3]), Frame(opcode: 3)], to: .server)
        let side = Self.side(.server, .message)
        side.receive(bytes)
        #expect(side.wholeCount == 1)
        #expect(side.told.last == .failed(.violation(.opcode(3), offset: 9)))
    }

    // MARK: Frames that leave at once

    @Test(arguments: lengths, roles)
    func `a frame that leaves at once is the one that would be queued`(length: Int, role: WebSocketRole) throws {
        for kind in [WebSocketMessageKind.text, .binary] {
            let content = [UInt8](repeating: 0x61, count: length)
            let frame = try #require(Side(role).frameAtOnce(content, kind))
            let receiver = Side(role == .client ? .server : .client)
            receiver.room = 70_000
            receiver.receive(frame)
            #expect(receiver.told == [.message(kind, content)])
            let queued = Side(role)
            _ = try queued.engine.send(content.span.bytes, as: kind)
            #expect(queued.output().count == frame.count)
        }
    }

    @Test func `nothing leaves before queued output, inside another message, uncompressed, or after the end`() throws {
        let side = Side(.server)
        try side.ping("first")
        #expect(side.frameAtOnce([1], .binary) == nil)
        _ = side.output()
        #expect(side.frameAtOnce([1], .binary) != nil)
        try side.send(part: [1], .binary, isLast: false)
        _ = side.output()
        #expect(side.frameAtOnce([1], .binary) == nil)
        try side.send(part: [1], .binary, isLast: true)
        _ = side.output()
        #expect(side.frameAtOnce([1], .binary) != nil)
        try side.engine.close(at: .zero)
        _ = side.output()
        #expect(side.frameAtOnce([1], .binary) == nil)

        let compressing = Side(.server, agreement: WebSocketAgreement(deflate: DeflateAgreement()))
        #expect(compressing.frameAtOnce([UInt8](repeating: 1, count: 31), .binary) != nil)
        #expect(compressing.frameAtOnce([UInt8](repeating: 1, count: 32), .binary) == nil)
    }
}
