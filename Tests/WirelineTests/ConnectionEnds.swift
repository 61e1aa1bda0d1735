// SPDX-License-Identifier: Apache-2.0

import Wireline

/// What ended each connection of a server, in order; nil for a clean end.
final class ConnectionEnds: Sendable {
    private let stream: AsyncStream<(any Error)?>
    private let feed: AsyncStream<(any Error)?>.Continuation

    init() { (stream, feed) = AsyncStream.makeStream() }

    /// A configuration that has its ends told here, and no deadlines but those that are set.
    func configure(_ change: (inout ServerConfiguration) -> Void = { _ in }) -> ServerConfiguration {
        var configuration = ServerConfiguration.patient
        configuration.connectionEnded = { [feed] _, error in feed.yield(error) }
        change(&configuration)
        return configuration
    }

    /// The next one.
    func next() async -> (any Error)? {
        var iterator = stream.makeAsyncIterator()
        return await iterator.next() ?? nil
    }

    /// The next one as text, `clean` for a clean end.
    func nextText() async -> String { await next().map { "\($0)" } ?? "clean" }
}
