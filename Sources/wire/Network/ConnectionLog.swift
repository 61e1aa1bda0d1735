// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Wireline

/// What there is to say of connections, a line each.
///
/// The lines are printed away from the loops: standard error or output may be a pipe that nobody reads at the moment.
final class ConnectionLog: Sendable {
    private enum Line {
        case error(String)
        case text(String)
        case result(String)
    }

    /// How many lines have been dropped and not been told of.
    private final class DroppedCount: Sendable {
        let value = Atomic(0)
    }

    private let droppedCount = DroppedCount()
    private let feed: AsyncStream<Line>.Continuation
    /// Prints until ``finish()``, which waits for it.
    private let printing: Task<Void, Never>

    /// How many lines wait to be printed; of more, the later ones are dropped.
    private static let limit = 1_000

    init(_ console: Console) {
        let (lines, feed) = AsyncStream<Line>.makeStream(bufferingPolicy: .bufferingOldest(Self.limit))
        self.feed = feed
        printing = Task { [droppedCount] in
            for await line in lines {
                switch line {
                case .error(let text): console.report(error: text)
                case .text(let text): console.report(text)
                case .result(let text): try? console.printAtOnce(text)
                }
                let count = droppedCount.value.exchange(0, ordering: .relaxed)
                if count > 0 { console.report("note: \(count) lines were left out: nobody has read them in time") }
            }
        }
    }

    /// Takes note of how a connection has ended; may be called on a loop.
    func ended(_ peer: SocketAddress, _ error: (any Error)?) {
        guard let error else { return }
        switch error as? ConnectionError {
        // Either side may go away as it likes.
        case .transport(.closed), .transport(.reset), .cancelled: break
        case .transport(.timedOut):
            put(.error("\(peer): it has not shaken hands, or has taken nothing of what was sent to it, for too long"))
        default: put(.error("\(peer): \(error)"))
        }
    }

    /// Says something that is no error; may be called on a loop.
    func note(_ text: String) { say("note: " + text) }

    /// Prints a line; may be called on a loop.
    func say(_ text: String) { put(.text(text)) }

    /// Says what has gone wrong; may be called on a loop.
    func report(_ error: String) { put(.error(error)) }

    /// Prints a line of what the program is for, to standard output; may be called on a loop.
    func show(_ text: String) { put(.result(text)) }

    private func put(_ line: Line) {
        if case .dropped = feed.yield(line) { droppedCount.value.add(1, ordering: .relaxed) }
    }

    /// Waits until all lines have been printed.
    func finish() async {
        feed.finish()
        await printing.value
    }
}
