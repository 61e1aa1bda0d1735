// SPDX-License-Identifier: Apache-2.0

/// What other nodes, and the program itself, may cost a node.
public struct ErlangNodeLimits: Equatable, Sendable {
    /// The limits of a term (default: those of ``ErlangTermLimits``). A message above them is refused; its connection
    /// stays. Four times ``ErlangTermLimits/byteCount`` is the limit of a node's messages of which fragments are missing: above
    /// it, its connection ends.
    public var terms = ErlangTermLimits()
    /// The most bytes that wait for one node: to be sent, or for a connection to it (default 8 MiB).
    ///
    /// A program that sends when so many wait gets an error; the last message before that may be longer. If answers to the
    /// node's own requests need as many again, because it asks and does not read, its connection ends.
    public var pendingByteCount = 8 << 20
    /// The most events that wait in a mailbox (default 100,000). A process with more is killed, as Erlang does with
    /// `max_heap_size`. A node's connection must always be read: Erlang suspends processes that send to a full one.
    public var mailboxEventCount = 100_000
    /// The most bytes of messages that wait in a mailbox, as they were on the wire and 64 for each (default 64 MiB).
    public var mailboxByteCount = 64 << 20
    /// The most links of a process (default 65,536). A process of another node that links beyond it gets an exit signal
    /// with the reason `system_limit`.
    public var linkCount = 65_536
    /// The most monitors of a process, and the most that it has set (default 65,536 each).
    ///
    /// A process of another node that monitors beyond it gets `'DOWN'` with the reason `system_limit`: the monitor is over,
    /// and the monitored process lives. Erlang has no such limit, but says the same of other things that are full. Without an
    /// answer, the process would wait for ever.
    public var monitorCount = 65_536
    /// The most processes (default 1,048,576).
    public var processCount = 1 << 20
    /// The most nodes that are connected, or that we connect to (default 1,024).
    public var nodeCount = 1_024
    /// The most accepted connections that have not proved the cookie (default 64). Others are closed at once.
    public var handshakeCount = 64

    /// The defaults.
    public init() {}

    /// The limits of one connection.
    var distribution: DistributionLimits {
        var limits = DistributionLimits()
        limits.terms = terms
        return limits
    }
}
