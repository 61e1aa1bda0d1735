// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// How a gateway treats its clients, and whom it asks to own them.
package struct GatewaySettings: Sendable {
    /// Who is asked to own clients.
    package enum BackendSource: Equatable, Sendable {
        /// The members of a process group. The driver tells who they are.
        case group
        /// Registered names of nodes. The gateway looks whether they are there.
        case names([ErlangAtom: [ErlangNodeName]])
    }

    package var backends = BackendSource.group
    /// The nodes to which the gateway stays connected.
    package var nodes: [ErlangNodeName] = []

    /// The most messages of a client that its owner has and has not confirmed; 0: messages have no numbers, and nothing
    /// is confirmed (default).
    package var window = 0
    /// The most messages that are kept for a client without an owner if there is no window (default 64).
    package var parkedMessageCount = 64
    /// The most bytes of a client's messages that are kept or not confirmed (default 256 KiB). A single message may be
    /// longer.
    package var windowByteCount = 256 << 10

    /// How long a backend may take to accept a client (default 5 s). Then others are asked, too.
    package var acceptTime = Duration.seconds(5)
    /// How long a client may be without an owner (default 60 s). Then it is closed with `no_backend`.
    package var parkTime = Duration.seconds(60)
    /// How long a registered name that was not there is left alone (default 1 s).
    package var nameRetryTime = Duration.seconds(1)

    /// The most bytes that wait for a client (default 256 KiB). Above it, the client is closed with `slow`.
    package var clientByteCount = 256 << 10
    /// The most bytes that are kept for all clients together: output, messages, states and groups (default 1 GiB). Above
    /// it, the clients for which most is kept are closed with `slow`.
    package var heldByteCount = 1 << 30
    /// Above so many bytes that wait for a node, its clients are not read, until half has left (default 8 MiB).
    package var nodeByteCount = 8 << 20
    /// The most receivers of packets for many that are visited in a round (default 1,024): each of tens of thousands costs
    /// less than a microsecond, but a read of a node may have a thousand packets for all of them.
    package var receiversPerRound = 1_024
    /// The most bytes of a client's state as a term (default 4 KiB).
    package var stateByteCount = 4 << 10
    /// The most bytes of a group's name as a term (default 255).
    package var groupByteCount = 255
    /// The limits of the terms that other nodes send (default: those of ``ErlangTermLimits``).
    package var terms = ErlangTermLimits()

    /// The packet that tells clients to go elsewhere when the gateway drains; nil: none (default).
    package var goodbye: ClientPacket?
    /// The name of the protocol that the clients speak, for the call `info`.
    package var protocolName = ""
    /// The version of the gateway, for the call `info`.
    package var version = ""
    /// Where the jitter of connection attempts begins. The driver takes a random number.
    package var seed: UInt64 = 0

    package init() {}

    /// The limits of what processes send.
    var requests: RequestLimits {
        RequestLimits(terms: terms, stateByteCount: stateByteCount, groupByteCount: groupByteCount)
    }
}

/// The limits of what processes send to clients and to the gateway. They are numbers alone, because they are passed on for
/// each message.
struct RequestLimits {
    let terms: ErlangTermLimits
    let stateByteCount: Int
    let groupByteCount: Int

    /// The limits of a term that is sent on as a part of another one.
    var parts: ErlangTermLimits {
        var limits = terms
        // `{wireline, error, Client, #{reason => {unknown_action, Part}}}` is the deepest one.
        limits.depth -= 8
        return limits
    }
}
