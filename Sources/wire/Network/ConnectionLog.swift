// SPDX-License-Identifier: Apache-2.0

import Wireline

/// What there is to say of a server's connections, a line each on standard error.
///
/// The lines are printed away from the loops: standard error may be a pipe that nobody reads at the moment.
final class ConnectionLog: Sendable {
    private enum Line {
        case error(String)
        case text(String)
    }

    private let feed: AsyncStream<Line>.Continuation
    /// Prints until ``finish()``, which waits for it.
    private let printing: Task<Void, Never>

    /// How many lines wait to be printed; of more, the later ones are dropped.
    private static let limit = 1_000

    init(_ console: Console) {
        let (lines, feed) = AsyncStream<Line>.makeStream(bufferingPolicy: .bufferingOldest(Self.limit))
        self.feed = feed
        printing = Task {
            for await line in lines {
                switch line {
                case .error(let text): console.report(error: text)
                case .text(let text): console.report(text)
                }
            }
        }
    }

    /// Takes note of how a connection has ended; may be called on a loop.
    func ended(_ peer: SocketAddress, _ error: (any Error)?) {
        switch error as? ConnectionError {
        // Either side may go away as it likes.
        case nil, .transport(.closed), .transport(.reset), .cancelled: break
        case .transport(.timedOut):
            feed.yield(.error("\(peer): it has taken nothing of what was sent to it for too long"))
        case let error?: feed.yield(.error("\(peer): \(error)"))
        }
    }

    /// Says something that is no error; may be called on a loop.
    func note(_ text: String) { say("note: " + text) }

    /// Prints a line; may be called on a loop.
    func say(_ text: String) { feed.yield(.text(text)) }

    /// Waits until all lines have been printed.
    func finish() async {
        feed.finish()
        await printing.value
    }
}
