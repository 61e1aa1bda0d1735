// SPDX-License-Identifier: Apache-2.0

public import WirelineTLS
public import WirelineTransport

/// What has happened to a connection that this side has made or tried to make, and when: from looking the name up to its
/// end.
///
/// ``PacketClient/timeline`` has it while the connection lasts; ``ClientConfiguration/timelineHandler`` is handed it at
/// the end, also when no connection came about. Printed, it is a table:
///
///     game.example.com:9001
///          0.0 ms  looking up IPv6 addresses
///          0.1 ms  looking up IPv4 addresses
///         12.4 ms  IPv6: 2001:db8::7
///         12.5 ms  connecting to [2001:db8::7]:9001
///         14.0 ms  IPv4: 192.0.2.7
///        262.9 ms  connecting to 192.0.2.7:9001
///        290.1 ms  gave up [2001:db8::7]:9001
///        290.1 ms  connected to 192.0.2.7:9001
///        331.7 ms  first byte
///     61,204.0 ms  closed: the peer has reset the connection
public struct ConnectionTimeline: Equatable, Sendable {
    /// Something that has happened.
    public struct Entry: Equatable, Sendable {
        /// How long after the beginning, on the monotonic clock.
        public let time: Duration
        /// What.
        public let event: Event
    }

    /// What can happen.
    @nonexhaustive
    public enum Event: Equatable, Sendable {
        /// Addresses of a family are being looked up.
        case lookupBegan(AddressFamily)
        /// The addresses of a family are known; there may be none.
        case lookupEnded(AddressFamily, [SocketAddress])
        /// There are no addresses of a family, or they could not be found out.
        case lookupFailed(AddressFamily, TransportError)
        /// An attempt to connect to an address begins.
        case attemptBegan(SocketAddress)
        /// An attempt has failed.
        case attemptFailed(SocketAddress, TransportError)
        /// An attempt was given up: another one was faster, or the time was over.
        case attemptAbandoned(SocketAddress)
        /// There is a TCP connection.
        case connected(SocketAddress)
        /// There is a TCP connection to the proxy, which is asked to connect.
        case proxyBegan
        /// The proxy has connected.
        case proxyEnded
        /// The TLS handshake begins.
        case handshakeBegan
        /// The TLS handshake is complete: the server has proved who it is.
        case handshakeEnded
        /// The server's keys were compared with those that are pinned, or had been where a session is resumed; nothing tells
        /// of it where there are no pins. With `TLSPins.reportOnly` a mismatch says that the connection would not come about
        /// without that; otherwise it has not, and ``closed(_:)`` tells of it.
        case pinsChecked(TLSPinOutcome)
        /// The handshake of a WebSocket begins.
        case webSocketBegan
        /// The handshake of a WebSocket is complete.
        case webSocketEnded
        /// The first bytes of what the peer sends behind all handshakes are there: of its packets, or of a
        /// ``WebSocketClient``'s frames.
        case firstByte
        /// The connection has ended, or has not come about; nil: the peer has ended its stream cleanly, or both sides have
        /// closed their WebSocket. A session that ends it says why (``ConnectionError/disconnected(_:)``). Nothing follows.
        case closed(ConnectionError?)
    }

    /// The host that was to be connected to.
    public internal(set) var host = ""
    /// The port.
    public internal(set) var port: UInt16 = 0
    /// What has happened, in order.
    public internal(set) var entries: [Entry] = []

    /// When something happened first; nil where it has not.
    public func time(of isWanted: (Event) -> Bool) -> Duration? {
        entries.first { isWanted($0.event) }?.time
    }
}

extension ConnectionTimeline: CustomStringConvertible {
    /// The table.
    public var description: String {
        let times = entries.map { Self.milliseconds($0.time) }
        let width = max(10, times.map(\.count).max() ?? 0)
        let lines = zip(times, entries).map { time, entry in
            String(repeating: " ", count: width - time.count) + "\(time) ms  \(entry.event)"
        }
        return (["\(host):\(port)"] + lines).joined(separator: "\n")
    }

    /// Milliseconds with one digit behind the point: `61,204.0`.
    private static func milliseconds(_ time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        let tenths = seconds * 10_000 + attoseconds / 100_000_000_000_000
        var digits = Array(String(tenths / 10))
        for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
        return String(digits) + ".\(tenths % 10)"
    }
}

extension ConnectionTimeline.Event: CustomStringConvertible {
    /// What has happened, for people.
    public var description: String {
        switch self {
        case .lookupBegan(let family): return "looking up \(family) addresses"
        case .lookupEnded(let family, let addresses):
            let list = addresses.map(\.ipAddress).joined(separator: ", ")
            return "\(family): " + (list.isEmpty ? "no address" : list)
        case .lookupFailed(let family, let error): return "\(family): \(error)"
        case .attemptBegan(let address): return "connecting to \(address)"
        case .attemptFailed(let address, let error): return "\(address): \(error)"
        case .attemptAbandoned(let address): return "gave up \(address)"
        case .connected(let address): return "connected to \(address)"
        case .proxyBegan: return "asking the proxy"
        case .proxyEnded: return "the proxy has connected"
        case .handshakeBegan: return "TLS handshake"
        case .handshakeEnded: return "TLS ready"
        case .pinsChecked(.notChecked): return "no pin was looked for"
        case .pinsChecked(.matched(let hash, let depth)): return "pinned key at depth \(depth): \(hash.base64)"
        case .pinsChecked(.mismatched(let received)):
            return "no pinned key, but " + received.map(\.base64).joined(separator: ", ")
        case .webSocketBegan: return "WebSocket handshake"
        case .webSocketEnded: return "WebSocket ready"
        case .firstByte: return "first byte"
        case .closed(nil): return "closed: the peer has ended its stream"
        case .closed(let error?): return "closed: \(error)"
        }
    }
}
