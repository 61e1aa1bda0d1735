// SPDX-License-Identifier: Apache-2.0

/// Limits for the resources that other nodes, and the program itself, may take.
public struct ErlangNodeLimits: Equatable, Sendable {
    /// The limits of a term (default: those of ``ErlangTermLimits``). A message above them is refused; its connection
    /// stays. All incomplete messages of a node may have four times ``ErlangTermLimits/byteCount``; above that, its
    /// connection ends.
    public var terms = ErlangTermLimits()
    /// The most bytes that wait for one node: to be sent, or for a connection to it (default 8 MiB).
    ///
    /// At the limit, a program that sends gets an error. The last message before that may exceed the limit. Our answers
    /// to
    /// the node may wait in addition, up to as many bytes. If there are more, the node asks but does not read, and its
    /// connection ends.
    public var pendingByteCount = 8 << 20
    /// The most events that wait in a mailbox (default 100,000). A process with more is killed, as Erlang does with
    /// `max_heap_size`. A node's connection must always be read: Erlang suspends processes that send to a full one.
    public var mailboxEventCount = 100_000
    /// The most bytes of messages in a mailbox (default 64 MiB). A message counts its bytes on the wire, and 64.
    public var mailboxByteCount = 64 << 20
    /// The most links of a process (default 65,536). A process of another node that links beyond it gets an exit signal
    /// with the reason `system_limit`.
    public var linkCount = 65_536
    /// The most monitors on a process, and the most that it has set (default 65,536 each).
    ///
    /// Beyond the limit, a process of another node gets `'DOWN'` with the reason `system_limit`. The monitor has then
    /// ended,
    /// but the monitored process lives. Erlang has no such limit, but reports the same for other full tables. Without
    /// an
    /// answer, the process would wait for ever.
    public var monitorCount = 65_536
    /// The most processes (default 1,048,576).
    public var processCount = 1 << 20
    /// The most nodes that are connected or connecting (default 1,024).
    public var nodeCount = 1_024
    /// The most accepted connections that have not proved the cookie (default 64). Others are closed at once.
    public var handshakeCount = 64

    /// The defaults.
    public init() {}

    var distribution: DistributionLimits {
        var limits = DistributionLimits()
        limits.terms = terms
        return limits
    }
}
