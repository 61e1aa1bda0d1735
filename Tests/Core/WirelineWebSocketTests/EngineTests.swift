// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WebSocketSupport
import WirelineWebSocket

/// What an engine sends, keeps and waits for.
struct EngineTests {
    private static func carry(_ sender: Side, to receiver: Side) {
        receiver.receive(sender.output())
    }

    private static func bytes(_ frame: Frame) -> [UInt8] { frame.bytes(maskedWith: nil) }

    // MARK: Messages

    @Test(arguments: [WebSocketRole.client, .server])
    func `messages arrive as they were sent`(role: WebSocketRole) throws {
        let sender = Side(role)
        let receiver = Side(role == .client ? .server : .client)
        #expect(try sender.engine.send("Hello, 老王"))
        #expect(try sender.engine.send(.text("")))
        #expect(try sender.engine.send(.binary([1, 2, 3])))
        Self.carry(sender, to: receiver)
        #expect(
            receiver.told == [
                .message(.text, "Hello, 老王".bytes), .message(.text, []), .message(.binary, [1, 2, 3]),
            ])
    }

    @Test func `a client's masks are new for each frame`() throws {
        let side = Side(.client)
        for _ in 0..<50 { try side.send(binary: [0, 0, 0, 0]) }
        let bytes = side.output()
        #expect(bytes.count == 500)
        let keys = Set(stride(from: 2, to: 500, by: 10).map { Array(bytes[$0..<$0 + 4]) })
        #expect(keys.count == 50)
    }

    @Test func `a message may be sent in parts, with pings between`() throws {
        let side = Side(.server)
        #expect(try side.send(part: [0xE8, 0x80], .text, isLast: false))
        #expect(try side.ping("there?"))
        #expect(throws: WebSocketError.insideMessage) { try side.send(binary: [1]) }
        #expect(throws: WebSocketError.insideMessage) { try side.engine.send("text") }
        #expect(throws: WebSocketError.insideMessage) { try side.send(part: [1], .binary, isLast: false) }
        #expect(throws: WebSocketError.invalidText(offset: 2)) { try side.send(part: [0x41], .text, isLast: false) }
        #expect(throws: WebSocketError.invalidText(offset: 2)) { try side.send(part: [], .text, isLast: true) }
        #expect(try side.send(part: [0x81], .text, isLast: false))
        #expect(try side.send(part: [], .text, isLast: true))
        try side.send(binary: [1])
        #expect(
            side.frames == [
                .text([0xE8, 0x80], isFinal: false), .ping("there?"), .more([0x81]), .more([], isFinal: true),
                .binary([1]),
            ])
    }

    @Test func `bytes that are not UTF-8 are not sent as text`() throws {
        let side = Side(.client)
        let bytes: [UInt8] = [0x41, 0xC3]
        let error = #expect(throws: WebSocketError.self) {
            let span = bytes.span
            let content = span.bytes
            _ = try side.engine.send(content, as: .text)
        }
        #expect(error == .invalidText(offset: 1))
        #expect(side.output() == [])
    }

    @Test func `content is delivered as it arrives, with its kind`() throws {
        let side = Side(.client)
        let first = try side.readOnce([0x01, 5, 0x61])
        #expect(first == WebSocketReading(3, .text, .needsBytes))
        #expect(side.content == [0x61])
        #expect(try side.readOnce([0x62]) == WebSocketReading(1, .text, .needsBytes))
        #expect(try side.readOnce([0x63, 0x64, 0x65, 0x89, 1, 0x21, 9]).stop == .event(.ping([0x21])))
        #expect(side.content == "abcde".bytes)
        #expect(try side.readOnce([0x80, 0, 0x82]) == WebSocketReading(2, nil, .event(.messageEnded(.text))))
        side.room = 2
        #expect(try side.readOnce([0x82, 3, 1, 2, 3]) == WebSocketReading(4, .binary, .needsRoom))
        #expect(try side.readOnce([3]) == WebSocketReading(1, .binary, .event(.messageEnded(.binary))))
    }

    /// After each of these beginnings only some bytes are valid (Unicode 16, table 3-7). The test tries every byte.
    @Test func `text that is split anywhere fails at its first invalid byte`() {
        let beginnings: [[UInt8]] = [
            [], [0x41], [0xC2], [0xDF], [0xE0], [0xE1], [0xED], [0xEF], [0xF0], [0xF1], [0xF4], [0xE0, 0xA0],
            [0xED, 0x9F], [0xF0, 0x90], [0xF4, 0x8F], [0xF1, 0x80], [0xF0, 0x90, 0x80],
        ]
        let rests: [[UInt8]] = [
            [], [0x80], [0xA0], [0x80, 0x80], [0xA0, 0x80], [0x90, 0x80], [0x90, 0x80, 0x80], [0x80, 0x80, 0x80],
        ]
        for beginning in beginnings {
            for byte in UInt8.min...UInt8.max {
                let text = Array("aé€😀".utf8) + beginning + [byte]
                // Whether more bytes could complete the text.
                let isPossible = rests.contains { String(validating: text + $0, as: UTF8.self) != nil }
                for cut in 0...text.count {
                    let side = Side(.client)
                    side.receive(Self.bytes(Frame(isFinal: false, opcode: 1, payload: Array(text[..<cut]))))
                    side.receive(Self.bytes(Frame(isFinal: false, opcode: 0, payload: Array(text[cut...]))))
                    let fault: WebSocketError? = if case .failed(let error) = side.told.last { error } else { nil }
                    guard fault == (isPossible ? nil : .invalidUTF8(offset: text.count - 1)) else {
                        Issue.record("\(text) cut at \(cut): \(String(describing: fault))")
                        return
                    }
                }
            }
        }
    }

    /// Case 6.4 of the Autobahn suite: the piece of an endless message in which the fault is found.
    @Test(
        arguments: [
            ([0xCE], [0xBA, 0xE1], [0xBD, 0x39], 4), ([0xF4], [0x90], [0x80], 1), ([0x41], [0xED], [0xA0], 2),
            ([0xC0], [0x41], [0x41], 0), ([0x80], [0x41], [0x41], 0),
        ] as [([UInt8], [UInt8], [UInt8], Int)])
    func `invalid text fails at its first invalid byte`(
        first: [UInt8], second: [UInt8], third: [UInt8], offset: Int
    ) {
        for isWhole in [true, false] {
            let side = Side(.client)
            let opening = isWhole ? [[0x81, 100]] : [[UInt8]]()
            var found: Int?
            for (index, piece) in (opening + [first, second, third]).enumerated() {
                let frame = Frame(isFinal: false, opcode: index == 0 ? 1 : 0, payload: piece)
                side.receive(isWhole ? piece : Self.bytes(frame))
                if case .failed(let error) = side.told.last, found == nil {
                    #expect(error == .invalidUTF8(offset: offset))
                    found = index - opening.count
                }
            }
            let lengths = [first.count, first.count + second.count]
            #expect(found == (offset < lengths[0] ? 0 : offset < lengths[1] ? 1 : 2))
        }
    }

    // MARK: Pings

    @Test func `a pong is matched by its payload, and an unrequested pong is not reported`() throws {
        let side = Side(.client)
        for text in ["a", "b", "c"] { try side.ping(text) }
        side.receive(Self.bytes(.pong("x")) + Self.bytes(.pong("b")) + Self.bytes(.pong("a")) + Self.bytes(.pong("c")))
        // The answer to b is also an answer to a.
        #expect(side.told == [.pong("b".bytes), .pong("c".bytes)])
        #expect(side.frames == [.ping("a"), .ping("b"), .ping("c")])
        #expect(throws: WebSocketError.controlTooLong(byteCount: 126)) {
            try side.ping(String(repeating: "x", count: 126))
        }
        #expect(try side.ping(String(repeating: "x", count: 125)))
    }

    @Test func `in a flood of pings, answers are queued up to a limit, and then for the newest ping only`() {
        let side = Side(.client)
        let payload = String(repeating: "x", count: 100)
        for index in 0..<2_000 { side.receive(Self.bytes(.ping("\(index) \(payload)"))) }
        #expect(side.told.count == 2_000)
        #expect(side.pendingByteCount < 17_000)
        let answered = side.frames?.count ?? 0
        #expect(answered > 100)
        #expect(side.frames?.first == .pong("0 \(payload)"))
        #expect(side.frames?.last == .pong("1999 \(payload)"))
        // After they were sent, everything is as before.
        side.receive(Self.bytes(.ping("again")) + Self.bytes(.ping("and again")))
        #expect(side.frames?.suffix(2) == [.pong("again"), .pong("and again")])
    }

    @Test func `output that is sent in parts stays in order`() throws {
        var random = SeededGenerator.forThisRun()
        let sender = Side(.server)
        let receiver = Side(.client)
        var sent: [Side.Told] = []
        for _ in 0..<300 {
            let message = random.bytes(Int.random(in: 0...400, using: &random))
            if try sender.send(binary: message) { sent.append(.message(.binary, message)) }
            sender.engine.takeOutput { waiting in
                let count = Int.random(in: 0...min(600, waiting.byteCount), using: &random)
                receiver.receive([UInt8](copying: waiting.extracting(first: count)))
                return count
            }
        }
        Self.carry(sender, to: receiver)
        #expect(receiver.told == sent, random.seedComment)
        #expect(sent.count == 300)
    }

    // MARK: Limits

    @Test func `output has a limit, above which no message is taken`() throws {
        var configuration = WebSocketEngine.Configuration()
        configuration.outputLimit = 1_000
        let side = Side(.server, configuration: configuration)
        #expect(try side.send(binary: [UInt8](repeating: 1, count: 990)))
        #expect(try side.send(binary: [UInt8](repeating: 2, count: 5_000)))
        #expect(try !side.send(binary: []))
        #expect(try !side.engine.send(""))
        #expect(try !side.send(part: [], .text, isLast: true))
        #expect(try !side.ping(""))
        // Control frames are still sent.
        side.receive([0x89, 0x80, 1, 2, 3, 4])
        try side.engine.close(at: .zero)
        #expect(side.frames?.map(\.opcode) == [2, 2, 10, 8])
    }

    @Test(arguments: [WebSocketMessageKind.text, .binary])
    func `a message is read up to its limit, and refused before its bytes arrive`(kind: WebSocketMessageKind) {
        var configuration = WebSocketEngine.Configuration()
        (configuration.messageLimit, configuration.frameLimit) = (100, 60)
        let opcode: UInt8 = kind == .text ? 1 : 2
        func outcome(_ bytes: [UInt8]) -> Side.Told? {
            let side = Side(.client, configuration: configuration)
            side.receive(bytes)
            return side.told.last
        }
        let part = Frame(isFinal: false, opcode: opcode, payload: [UInt8](repeating: 0x61, count: 60))
        let fits = Self.bytes(part) + Self.bytes(.more([UInt8](repeating: 0x61, count: 40), isFinal: true))
        #expect(outcome(fits) == .message(kind, [UInt8](repeating: 0x61, count: 100)))
        #expect(outcome(Self.bytes(part) + [0x80, 41]) == .failed(.messageTooLarge(limit: 100)))
        #expect(outcome([0x80 | opcode, 61]) == .failed(.frameTooLarge(limit: 60)))
        #expect(
            outcome([0x80 | opcode, 127, 0x7F, 255, 255, 255, 255, 255, 255, 255]) == .failed(.frameTooLarge(limit: 60))
        )
    }

    @Test func `limits may be as large as an integer can be`() {
        var configuration = WebSocketEngine.Configuration()
        (configuration.messageLimit, configuration.frameLimit) = (.max, .max)
        let side = Side(.client, configuration: configuration)
        side.receive([0x02, 1, 7, 0x80, 127, 0x7F, 255, 255, 255, 255, 255, 255, 255])
        #expect(side.told == [.failed(.messageTooLarge(limit: .max))])
    }

    /// As in cases 9.3.1 and 9.4.1 of the Autobahn suite, the last fragment is empty.
    @Test func `a mebibyte in fragments of 64 bytes is one message`() {
        let side = Side(.client)
        let piece = [UInt8](repeating: 7, count: 64)
        let bytes = [0x02, 64] + piece + (1..<16_384).flatMap { _ in [0x00, 64] + piece } + [0x80, 0]
        side.receive(bytes)
        #expect(side.told == [.message(.binary, [UInt8](repeating: 7, count: 1 << 20))])
    }

    @Test func `a message may have as many fragments as the limit, and no more`() {
        var configuration = WebSocketEngine.Configuration()
        configuration.fragmentLimit = 3
        for (count, told) in [
            (3, Side.Told.message(.binary, [])), (4, .failed(.tooManyFragments(limit: 3))),
        ] {
            let side = Side(.client, configuration: configuration)
            side.receive([0x02, 0])
            for index in 2...count { side.receive([index == count ? 0x80 : 0, 0]) }
            #expect(side.told == [told])
        }
    }

    @Test func `a message may have 524,288 fragments by default, and no more`() {
        #expect(WebSocketEngine.Configuration().fragmentLimit == 524_288)
        for (count, told) in [
            (524_288, Side.Told.message(.binary, [])), (524_289, .failed(.tooManyFragments(limit: 524_288))),
        ] {
            let side = Side(.client)
            side.receive([0x02, 0])
            var missingCount = count - 2
            while missingCount > 0 {
                let pieceCount = min(missingCount, 10_000)
                side.receive([UInt8](repeating: 0, count: 2 * pieceCount))
                missingCount -= pieceCount
            }
            #expect(side.told == [])
            side.receive([0x80, 0])
            #expect(side.told == [told])
        }
    }

    @Test(
        arguments: [
            ([0x83, 0], 1002), ([0x81, 1, 0xFF], 1007), ([0x82, 127, 1, 0, 0, 0, 0, 0, 0, 0], 1009),
        ] as [([UInt8], UInt16)])
    func `a fault is reported with its close code, and the engine stays failed`(bytes: [UInt8], code: UInt16) throws {
        let side = Side(.client)
        try side.send(binary: [1])
        side.receive(bytes)
        guard case .failed(let error) = side.told.last else {
            Issue.record("\(side.told)")
            return
        }
        #expect(error.closeCode?.rawValue == code)
        #expect(throws: error) { try side.readOnce([0x81, 0]) }
        #expect(throws: WebSocketError.closed) { try side.send(binary: [1]) }
        #expect(
            side.end
                == WebSocketEnd(
                    cause: .failed(error), sent: WebSocketClose(code: .init(rawValue: code)), received: nil))
        #expect(side.end?.isClean == false)
        #expect(side.end?.code == .abnormal)
        #expect(!side.wantsConnectionClosed)
        #expect(side.frames == [.binary([1]), .close(code)])
        #expect(side.wantsConnectionClosed)
    }

    // MARK: Closing

    @Test(arguments: [WebSocketRole.client, .server])
    func `one side closes, the other answers, and the server ends the connection`(closer: WebSocketRole) throws {
        let here = Side(closer)
        let there = Side(closer == .client ? .server : .client)
        try here.send(binary: [1])
        try there.send(binary: [2])
        try here.engine.close(code: .goingAway, reason: "老", at: .seconds(5))
        try here.engine.close(code: .normal, at: .seconds(6))
        #expect(throws: WebSocketError.closed) { try here.send(binary: [3]) }
        #expect(here.end == nil)
        #expect(here.deadline == .seconds(15))
        there.now = .seconds(7)
        Self.carry(here, to: there)
        let close = WebSocketClose(code: .goingAway, reason: "老")
        #expect(there.told == [.message(.binary, [1]), .close(close), .ended])
        let answer = WebSocketClose(code: .goingAway)
        #expect(there.end == WebSocketEnd(cause: .closedByPeer, sent: answer, received: close))
        #expect(there.deadline == .seconds(17))
        #expect(throws: WebSocketError.closed) { try there.send(binary: [3]) }
        #expect(!there.wantsConnectionClosed)
        here.now = .seconds(8)
        Self.carry(there, to: here)
        #expect(here.told == [.message(.binary, [2]), .close(answer), .ended])
        #expect(here.end == WebSocketEnd(cause: .closedHere, sent: close, received: answer))
        for side in [here, there] {
            #expect(side.end?.isClean == true)
            #expect(side.end?.code == .goingAway)
            #expect(side.wantsConnectionClosed == (side.engine.role == .server))
            side.receive([1, 2, 3])
            #expect(side.told.last == .ended)
        }
        let client = closer == .client ? here : there
        #expect(client.deadline == (closer == .client ? .seconds(18) : .seconds(17)))
        client.engine.endOfInput()
        #expect(client.wantsConnectionClosed)
        #expect(client.deadline == nil)
    }

    @Test func `a close without a code is reported without a code`() throws {
        let client = Side(.client)
        let server = Side(.server)
        try client.engine.close(code: nil, at: .zero)
        Self.carry(client, to: server)
        #expect(server.told == [.close(WebSocketClose(code: nil)), .ended])
        #expect(server.end?.code == .noStatus)
        #expect(server.frames == [.close()])
    }

    @Test(arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000] as [UInt16])
    func `close codes that must not be sent are refused`(code: UInt16) {
        let side = Side(.client)
        #expect(throws: WebSocketError.invalidCloseCode(code)) {
            try side.engine.close(code: WebSocketCloseCode(rawValue: code), at: .zero)
        }
        #expect(side.isOpen)
    }

    @Test func `a close reason needs a code, and must fit its frame`() throws {
        let side = Side(.client)
        #expect(throws: WebSocketError.invalidCloseCode(1005)) {
            try side.engine.close(code: nil, reason: "why", at: .zero)
        }
        let reason = String(repeating: "老", count: 41)
        #expect(throws: WebSocketError.controlTooLong(byteCount: 126)) {
            try side.engine.close(reason: reason + "x", at: .zero)
        }
        try side.engine.close(reason: reason, at: .zero)
        #expect(side.frames == [.close(1000, reason)])
    }

    @Test(arguments: [WebSocketRole.client, .server])
    func `a peer that does not answer a close has a timeout`(role: WebSocketRole) throws {
        let side = Side(role)
        #expect(side.deadline == nil)
        try side.engine.close(at: .seconds(1))
        side.engine.timerFired(at: .milliseconds(10_999))
        #expect(side.end == nil)
        side.engine.timerFired(at: .seconds(11))
        #expect(side.end == WebSocketEnd(cause: .timedOut, sent: WebSocketClose(code: .normal), received: nil))
        #expect(side.end?.code == .abnormal)
        #expect(side.wantsConnectionClosed)
        #expect(side.deadline == nil)
    }

    @Test(arguments: [WebSocketRole.client, .server])
    func `the timeout for a close starts again whenever the peer takes output`(role: WebSocketRole) throws {
        let side = Side(role)
        side.engine.outputProgressed(at: .seconds(1))
        #expect(side.deadline == nil)
        try side.engine.close(at: .seconds(1))
        side.engine.outputProgressed(at: .seconds(6))
        #expect(side.deadline == .seconds(16))
        side.engine.timerFired(at: .seconds(15))
        #expect(side.end == nil)
        side.now = .seconds(16)
        side.receive(Frame.close(1000).bytes(maskedWith: role == .server ? [1, 2, 3, 4] : nil))
        #expect(side.deadline == .seconds(26))
        side.engine.outputProgressed(at: .seconds(20))
        #expect(side.deadline == .seconds(30))
        side.engine.timerFired(at: .seconds(30))
        #expect(side.wantsConnectionClosed)
        side.engine.outputProgressed(at: .seconds(31))
        #expect(side.deadline == nil)
        #expect(side.end?.cause == .closedHere)
    }

    @Test func `after a close, the server's end of the connection and queued output have a timeout`() {
        for role in [WebSocketRole.client, .server] {
            let side = Side(role)
            side.now = .seconds(1)
            side.receive(Frame.close(1000).bytes(maskedWith: role == .server ? [1, 2, 3, 4] : nil))
            #expect(!side.wantsConnectionClosed)
            #expect(side.deadline == .seconds(11))
            side.engine.timerFired(at: .seconds(11))
            #expect(side.wantsConnectionClosed)
            #expect(side.end?.cause == .closedByPeer)
        }
    }

    /// A peer that has closed, and half-closes the connection, may still read.
    @Test(arguments: [true, false])
    func `a client sends its output even after a server has closed and half-closed`(isAsked: Bool) throws {
        let client = Side(.client)
        try client.send(binary: [1, 2, 3])
        if isAsked { try client.engine.close(at: .zero) }
        client.now = .seconds(1)
        client.receive(Self.bytes(.close(1000)))
        client.engine.endOfInput()
        #expect(client.end?.isClean == true)
        #expect(!client.wantsConnectionClosed)
        #expect(client.deadline == .seconds(11))
        #expect(client.frames == [.binary([1, 2, 3]), .close(1000)])
        #expect(client.wantsConnectionClosed)
        #expect(client.deadline == nil)
    }

    @Test func `output that is stuck after a server's end has a timeout`() throws {
        let client = Side(.client)
        try client.send(binary: [1])
        client.receive(Self.bytes(.close(1000)))
        client.engine.endOfInput()
        client.engine.timerFired(at: .milliseconds(9_999))
        #expect(!client.wantsConnectionClosed)
        client.engine.timerFired(at: .seconds(10))
        #expect(client.wantsConnectionClosed)
        #expect(client.end?.cause == .closedByPeer)
    }

    @Test func `a connection that is cut does not count as closed`() throws {
        let idle = Side(.client)
        idle.engine.endOfInput()
        #expect(idle.end == WebSocketEnd(cause: .cut, sent: nil, received: nil))
        #expect(idle.end?.code == .abnormal)
        #expect(idle.wantsConnectionClosed)
        let closing = Side(.client)
        try closing.engine.close(at: .zero)
        closing.engine.endOfInput()
        #expect(closing.end == WebSocketEnd(cause: .cut, sent: WebSocketClose(code: .normal), received: nil))
        idle.engine.timerFired(at: .seconds(100))
        #expect(idle.end?.cause == .cut)
        #expect(throws: WebSocketError.closed) { try idle.send(binary: [1]) }
    }

    @Test func `messages after our close are still delivered, and pings are not answered any more`() throws {
        let side = Side(.client)
        try side.engine.close(at: .zero)
        side.receive([0x82, 1, 7, 0x89, 0, 0x88, 0])
        #expect(side.told == [.message(.binary, [7]), .ping([]), .close(WebSocketClose(code: nil)), .ended])
        #expect(side.frames == [.close(1000)])
        #expect(side.end?.cause == .closedHere)
    }

    @Test func `a fault after our close sends no second close`() throws {
        let side = Side(.client)
        try side.engine.close(at: .zero)
        side.receive([0x83, 0])
        #expect(side.frames == [.close(1000)])
        #expect(side.end?.cause == .failed(.violation(.opcode(3), offset: 0)))
        #expect(side.end?.sent == WebSocketClose(code: .normal))
    }
}

extension WebSocketReading {
    init(_ byteCount: Int, _ content: WebSocketMessageKind?, _ stop: Stop) {
        self.init(byteCount: byteCount, content: content, stop: stop)
    }
}
