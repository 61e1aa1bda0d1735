// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// How a gateway treats its clients, and which backends it asks.
package struct GatewaySettings: Sendable {
    package enum BackendSource: Equatable, Sendable {
        /// The members of a process group. The driver reports them.
        case group
        /// Registered names on nodes. The gateway checks whether they exist.
        case names([ErlangAtom: [ErlangNodeName]])
    }

    package var backends = BackendSource.group
    /// The gateway stays connected to these nodes.
    package var nodes: [ErlangNodeName] = []

    /// The most unconfirmed messages of a client that its owner has; 0: messages have no numbers, and none is confirmed
    /// (default).
    package var window = 0
    /// Without a window, the most messages that are kept for a client without an owner (default 64).
    package var parkedMessageCount = 64
    /// The most bytes of a client's messages that are kept or not confirmed (default 256 KiB). A single message may be
    /// longer.
    package var windowByteCount = 256 << 10

    /// The time in which a backend must accept a client (default 5 s). After it, others are asked, too.
    package var acceptTime = Duration.seconds(5)
    /// The time that a client may have no owner (default 60 s). After it, the client is closed with `no_backend`.
    package var parkTime = Duration.seconds(60)
    /// The time between two checks of a registered name that does not exist (default 1 s).
    package var nameRetryTime = Duration.seconds(1)

    /// The most output that waits for a client, in bytes (default 256 KiB). Above it, the client is closed with `slow`.
    package var clientByteCount = 256 << 10
    /// The most bytes for all clients together: output, messages, states and groups (default 1 GiB). Above it, the
    /// clients
    /// with the most bytes are closed with `slow`.
    package var heldByteCount = 1 << 30
    /// If more bytes than this wait for a node, its clients are not read until half of them have left (default 8 MiB).
    package var nodeByteCount = 8 << 20
    /// The most receivers of packets for many that a round visits (default 1,024). Each costs less than a microsecond.
    /// But
    /// there may be tens of thousands, and one read of a node may bring a thousand packets for all of them.
    package var receiversPerRound = 1_024
    /// The most bytes of a client's state as a term (default 4 KiB).
    package var stateByteCount = 4 << 10
    /// The most bytes of a group's name as a term (default 255).
    package var groupByteCount = 255
    /// The limits of the terms that other nodes send (default: those of ``ErlangTermLimits``).
    package var terms = ErlangTermLimits()

    /// The packet that tells clients to reconnect elsewhere when the gateway drains; nil: none (default).
    package var goodbye: ClientPacket?
    /// The name of the protocol that the clients speak, for the call `info`.
    package var protocolName = ""
    /// The version of the gateway, for the call `info`.
    package var version = ""
    /// The seed for the jitter of connection attempts. The driver sets a random number.
    package var seed: UInt64 = 0

    package init() {}

    var requests: RequestLimits {
        RequestLimits(terms: terms, stateByteCount: stateByteCount, groupByteCount: groupByteCount)
    }
}

/// The limits of messages to clients and to the gateway. It has only numbers, because it is passed on for each message.
struct RequestLimits {
    let terms: ErlangTermLimits
    let stateByteCount: Int
    let groupByteCount: Int

    /// The limits of a term that becomes a part of another term.
    var parts: ErlangTermLimits {
        var limits = terms
        // The deepest one is `{wireline, error, Client, #{reason => {unknown_action, Part}}}`.
        limits.depth -= 8
        return limits
    }
}
