// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineTransport
import WirelineWebSocket

/// A WebSocket between standard input and standard output: lines go out as texts, what comes is printed, binary messages as
/// hexadecimal digits.
struct Talk {
    let client: WebSocketClient
    /// For how long nothing has come, behind the end of the input, before this side closes.
    let quietTime: Duration
    let console: Console

    func run() async throws(CommandError) {
        let signals = Signals.takeOver()
        let heard = LastHeard()
        let client = client
        let quietTime = quietTime
        // Nobody awaits these two: they end with the process, which a read of standard input would hold up otherwise.
        Task {
            for await _ in signals {}
            _ = try? await client.close()
        }
        Task.detached {
            await Self.sendLines(to: client)
            while let rest = heard.rest(of: quietTime) { try? await Task.sleep(for: rest) }
            _ = try? await client.close()
        }
        while let message = try await next() {
            heard.note()
            try print(message)
        }
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

    private static func sendLines(to client: WebSocketClient) async {
        var rest: [UInt8] = []
        while let piece = try? System.read(System.Descriptor.standardInput, limit: 1 << 16), !piece.isEmpty {
            rest += piece
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(rest[..<end])
                rest.removeSubrange(...end)
                guard await send(line, to: client) else { return }
            }
        }
        if !rest.isEmpty { _ = await send(rest, to: client) }
    }

    /// - Returns: Whether it was sent; false where the WebSocket has ended.
    private static func send(_ line: [UInt8], to client: WebSocketClient) async -> Bool {
        // What is no UTF-8 cannot be text; it is repaired as it is everywhere that shows it.
        (try? await client.send(String(decoding: line, as: UTF8.self))) != nil
    }

    private func print(_ message: WebSocketMessage) throws(CommandError) {
        switch message {
        case .text(let text):
            let isSeen = System.isTerminal(System.Descriptor.standardOutput)
            try console.print(isSeen ? TextStyle.harmless(text) : text)
        case .binary(let content): try console.print(Hexadecimal.text(of: content))
        }
        try console.flush()
    }
}

/// When something was last heard.
private final class LastHeard: Sendable {
    private let time = Lock(ContinuousClock.now)

    func note() { time.withLock { $0 = .now } }

    /// How much of a time is left since then; nil where it is over.
    func rest(of duration: Duration) -> Duration? {
        let rest = time.withLock { duration - $0.duration(to: .now) }
        return rest > .zero ? rest : nil
    }
}
