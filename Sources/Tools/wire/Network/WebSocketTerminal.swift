// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineTransport
import WirelineWebSocket

/// Connects a WebSocket to standard input and output.
///
/// Each input line becomes a text message. Arriving messages are printed, binary ones in hexadecimal.
struct WebSocketTerminal {
    let client: WebSocketClient
    /// After the end of the input, the WebSocket is closed when no message has arrived for this time.
    let quietTime: Duration
    let console: Console

    func run() async throws(CommandError) {
        let signals = Signals.takeOver()
        let lastMessage = LastMessageTime()
        let fault = Lock<String?>(nil)
        let client = client
        let quietTime = quietTime
        // Nobody awaits these two tasks. They end with the process, because a pending read of standard input would
        // block.
        Task {
            for await _ in signals {}
            _ = try? await client.close()
        }
        Task.detached {
            if let text = await Self.sendLines(to: client) {
                fault.withLock { $0 = text }
                _ = try? await client.close()
                return
            }
            while let rest = lastMessage.rest(of: quietTime) { try? await Task.sleep(for: rest) }
            _ = try? await client.close()
        }
        while let message = try await next() {
            lastMessage.note()
            try print(message)
        }
        if let text = fault.withLock(\.self) { throw .failure(text) }
        guard let end = await client.end, let close = end.received else { return }
        if end.cause == .closedByPeer, close.code != .normal { console.report("note: \(end)") }
    }

    private func next() async throws(CommandError) -> WebSocketMessage? {
        do throws(ConnectionError) {
            return try await client.receive()
        } catch {
            throw .failure("\(error)")
        }
    }

    /// Sends the lines of standard input. Returns what is wrong with a line that cannot be text; nil if all lines were
    /// sent or the WebSocket has ended.
    private static func sendLines(to client: WebSocketClient) async -> String? {
        var rest: [UInt8] = []
        var number = 0
        while let piece = try? System.read(System.Descriptor.standardInput, limit: 1 << 16), !piece.isEmpty {
            rest += piece
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(rest[..<end])
                rest.removeSubrange(...end)
                number += 1
                if let text = fault(of: line, number) { return text }
                guard await send(line, to: client) else { return nil }
            }
        }
        if let text = fault(of: rest, number + 1) { return text }
        if !rest.isEmpty { _ = await send(rest, to: client) }
        return nil
    }

    /// Returns false if the WebSocket has ended.
    private static func send(_ line: [UInt8], to client: WebSocketClient) async -> Bool {
        (try? await client.send(String(decoding: line, as: UTF8.self))) != nil
    }

    /// Returns nil if the line is UTF-8, as WebSocket text must be (RFC 6455 §5.6).
    private static func fault(of line: [UInt8], _ number: Int) -> String? {
        guard String(validating: line, as: UTF8.self) == nil else { return nil }
        var (decoder, bytes, offset) = (UTF8(), line.makeIterator(), 0)
        while case .scalarValue(let scalar) = decoder.decode(&bytes) { offset += UTF8.width(scalar) }
        return "line \(number) of standard input is not UTF-8 at offset \(offset), and cannot be sent as a text"
    }

    private func print(_ message: WebSocketMessage) throws(CommandError) {
        switch message {
        case .text(let text):
            let isSeen = System.isTerminal(System.Descriptor.standardOutput)
            // For a program that reads the output, each message is one line.
            try console.print(isSeen ? text : text.replacing("\n", with: "\\n"))
        case .binary(let content): try console.print(Hexadecimal.text(of: content))
        }
        try console.flush()
    }
}

private final class LastMessageTime: Sendable {
    private let time = Lock(ContinuousClock.now)

    func note() { time.withLock { $0 = .now } }

    /// Returns the time that is left of a duration that began here; nil if none is left.
    func rest(of duration: Duration) -> Duration? {
        let rest = time.withLock { duration - $0.duration(to: .now) }
        return rest > .zero ? rest : nil
    }
}
