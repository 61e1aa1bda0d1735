// SPDX-License-Identifier: Apache-2.0

import Wireline

/// What ended each connection of a server, in order; nil for a clean end.
final class ConnectionEnds: Sendable {
    private let stream: AsyncStream<(any Error)?>
    private let feed: AsyncStream<(any Error)?>.Continuation

    init() { (stream, feed) = AsyncStream.makeStream() }

    /// A configuration that reports the ends here, without timeouts except those that a test sets.
    func configure(_ change: (inout ServerConfiguration) -> Void = { _ in }) -> ServerConfiguration {
        var configuration = ServerConfiguration.patient
        configuration.listening.connectionEnded = { [feed] _, error in feed.yield(error) }
        change(&configuration)
        return configuration
    }

    /// The next end.
    func next() async -> (any Error)? {
        var iterator = stream.makeAsyncIterator()
        return await iterator.next() ?? nil
    }

    /// The next end as text, `clean` for a clean end.
    func nextText() async -> String { await next().map { "\($0)" } ?? "clean" }
}
