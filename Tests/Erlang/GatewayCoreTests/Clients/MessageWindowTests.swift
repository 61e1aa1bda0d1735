// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineErlang
import WirelineGateway

struct MessageWindowTests {
    private func window(_ count: Int, byteCount: Int = 1_000) -> MessageWindow {
        var settings = GatewaySettings()
        settings.window = count
        settings.windowByteCount = byteCount
        return MessageWindow(settings)
    }

    private func message(_ byteCount: Int) -> MessageTerm {
        MessageTerm(term: [UInt8](repeating: 0, count: byteCount))
    }

    /// The numbers of all messages that are handed over now.
    private func handed(_ window: inout MessageWindow, isLast: Bool = false) -> [UInt64] {
        var numbers: [UInt64] = []
        while let handed = window.next(isLast: isLast) { numbers.append(handed.number) }
        return numbers
    }

    private func pass(_ window: inout MessageWindow) -> Bool { window.pass() }

    @Test(arguments: [1, 2, 64])
    func `at most a window of messages is handed over, and the rest after confirmations`(count: Int) {
        var window = window(count)
        for _ in 0..<count {
            #expect(window.hasRoom)
            window.append(message(1))
        }
        #expect(!window.hasRoom)
        window.append(message(1))
        #expect(handed(&window) == (1...UInt64(count)).map { $0 })
        window.confirm(1)
        #expect(handed(&window) == [UInt64(count) + 1])
        #expect(!window.hasRoom)
        window.confirm(UInt64(count) + 1)
        #expect(window.hasRoom)
        #expect(window.byteCount == 0)
    }

    @Test func `a message passes if none is kept and none is to be confirmed`() {
        var window = window(0)
        #expect(pass(&window))
        #expect((window.received, window.handedOver, window.confirmed) == (1, 1, 1))
        window.append(message(1))
        #expect(!pass(&window))
        #expect(handed(&window) == [2])
        #expect(pass(&window))
        #expect((window.received, window.handedOver, window.byteCount) == (3, 3, 0))
        var confirmed = self.window(4)
        #expect(!pass(&confirmed))
        #expect(confirmed.received == 0)
    }

    @Test func `at most so many bytes are handed over, or one message`() {
        var window = window(8, byteCount: 100)
        for byteCount in [60, 40, 1, 200, 1] { window.append(message(byteCount)) }
        #expect(!window.hasRoom)
        #expect(handed(&window) == [1, 2])
        window.confirm(1)
        #expect(handed(&window) == [3])
        window.confirm(3)
        #expect(handed(&window) == [4])
        window.confirm(4)
        #expect(handed(&window) == [5])
    }

    @Test func `a header counts as the message does`() {
        var window = window(8, byteCount: 10)
        window.append(MessageTerm(term: [1, 2, 3, 4], header: [5, 6, 7, 8, 9, 10]))
        #expect(window.byteCount == 10)
        #expect(!window.hasRoom)
    }

    @Test func `a new owner is handed all that is not confirmed`() {
        var window = window(8)
        for _ in 0..<5 { window.append(message(1)) }
        #expect(handed(&window) == [1, 2, 3, 4, 5])
        window.confirm(2)
        window.rewind()
        #expect(window.handedOver == 2)
        window.append(message(1))
        #expect(
            [window.next(), window.next(), window.next(), window.next()].map { $0?.isResent } == [
                true, true, true, false,
            ])
    }

    @Test func `only what was handed over and is not confirmed can be confirmed`() {
        var window = window(8)
        for _ in 0..<3 { window.append(message(1)) }
        #expect(!window.canConfirm(1, after: 0))
        _ = (window.next(), window.next())
        #expect([0, 1, 2, 3, .max].map { window.canConfirm($0, after: 0) } == [false, true, true, false, false])
        window.confirm(2)
        #expect(!window.canConfirm(2, after: window.confirmed))
    }

    @Test func `the last messages are handed over whatever the limits are`() {
        var window = window(1, byteCount: 2)
        for _ in 0..<3 { window.append(message(2)) }
        #expect(handed(&window) == [1])
        #expect(handed(&window, isLast: true) == [2, 3])
    }

    @Test func `without a window, what is handed over is gone`() {
        var settings = GatewaySettings()
        settings.parkedMessageCount = 2
        var window = MessageWindow(settings)
        window.append(message(1))
        window.append(message(1))
        #expect(!window.hasRoom)
        #expect(handed(&window) == [1, 2])
        #expect((window.confirmed, window.handedOver, window.limit) == (2, 2, 0))
        window.rewind()
        #expect(handed(&window) == [])
        #expect(!window.canConfirm(2, after: window.confirmed))
    }

    @Test func `many messages pass through without being kept`() {
        var window = window(4)
        for number in 1...1_000 as ClosedRange<UInt64> {
            window.append(message(3))
            #expect(window.next()?.number == number)
            window.confirm(number)
        }
        #expect(window.byteCount == 0)
    }
}
