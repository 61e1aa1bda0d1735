// SPDX-License-Identifier: Apache-2.0

public import WirelineTransport

/// A server's counters, the load of its event loops, and the times of its handlers.
///
///     let text = await server.metrics().prometheusText()
public struct ServerMetrics: Equatable, Sendable {
    /// How long handlers take for one type of message.
    public struct MessageTime: Equatable, Sendable {
        /// The message's ID; 0 for the messages of all types after the first 256 of a loop.
        public let id: UInt64
        /// The message's name in the schema; `other` for the messages of all types after the first 256 of a loop.
        public let name: String
        /// How long the handler took, including its waits.
        ///
        /// Of messages that are handled without `await`, one in 64 of a connection is measured.
        public let times: Histogram

        /// Makes a value.
        public init(id: UInt64, name: String, times: Histogram) {
            self.id = id
            self.name = name
            self.times = times
        }
    }

    /// The server's counters.
    public var counters = ServerCounters()
    /// The counters of the event loops that carry the server's connections. Other servers may share the loops.
    public var loops: [EventLoopCounters] = []
    /// How long handlers take, in the order of message IDs; empty if the server has no handlers for types of messages.
    public var messageTimes: [MessageTime] = []
    /// Whether the server has begun to shut down.
    public var isDraining = false

    /// Makes metrics of a server that has done nothing.
    public init() {}
}
