// SPDX-License-Identifier: Apache-2.0

public import WirelineTLS
public import WirelineTransport

/// The events of a client's connection or attempt, and their times: from name lookup to the end.
///
/// ``PacketClient/timeline`` returns it while the connection lasts. ``DialingOptions/timelineHandler`` receives it
/// at the end, also if no connection was made. Printed, it is a table:
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
    /// An event and its time.
    public struct Entry: Equatable, Sendable {
        /// The time since the beginning, on the monotonic clock.
        public let time: Duration
        /// The event.
        public let event: Event
    }

    /// The events of a connection.
    @nonexhaustive
    public enum Event: Equatable, Sendable {
        /// The lookup of a family's addresses begins.
        case lookupBegan(AddressFamily)
        /// The addresses of a family are known; the list may be empty.
        case lookupEnded(AddressFamily, [SocketAddress])
        /// The lookup of a family's addresses failed, or the family has no addresses.
        case lookupFailed(AddressFamily, TransportError)
        /// An attempt to connect to an address begins.
        case attemptBegan(SocketAddress)
        /// An attempt failed.
        case attemptFailed(SocketAddress, TransportError)
        /// An attempt was cancelled: another one was faster, or the timeout was over.
        case attemptAbandoned(SocketAddress)
        /// The TCP connection is open.
        case connected(SocketAddress)
        /// The TCP connection to the proxy is open, and the proxy is asked to connect.
        case proxyBegan
        /// The proxy connected.
        case proxyEnded
        /// The TLS handshake begins.
        case handshakeBegan
        /// The TLS handshake is complete: the server's identity is verified.
        case handshakeEnded
        /// The server's keys were compared with the pins.
        ///
        /// For a resumed session, this is the result of its first handshake. Without pins there is no such event. A
        /// mismatch with `TLSPins.reportOnly` is only reported here. Without it, a mismatch ends the connection, and
        /// ``closed(_:)`` reports it.
        case pinsChecked(TLSPinOutcome)
        /// The WebSocket handshake begins.
        case webSocketBegan
        /// The WebSocket handshake is complete.
        case webSocketEnded
        /// The peer's first bytes after all handshakes have arrived: of packets, or of a ``WebSocketClient``'s frames.
        case firstByte
        /// The connection ended, or could not be made; this is the last event.
        ///
        /// nil: the peer ended its stream cleanly, or both sides closed their WebSocket. If a session ends the
        /// connection, it gives the reason (``ConnectionError/disconnected(_:)``).
        case closed(ConnectionError?)
    }

    /// The host to connect to.
    public internal(set) var host = ""
    /// The port.
    public internal(set) var port: UInt16 = 0
    /// The events, in order.
    public internal(set) var entries: [Entry] = []

    /// The time of the first event that matches; nil if there is none.
    public func time(of isWanted: (Event) -> Bool) -> Duration? {
        entries.first { isWanted($0.event) }?.time
    }
}

extension ConnectionTimeline: CustomStringConvertible {
    /// The timeline as a table.
    public var description: String {
        let times = entries.map { Self.milliseconds($0.time) }
        let width = max(10, times.map(\.count).max() ?? 0)
        let lines = zip(times, entries).map { time, entry in
            String(repeating: " ", count: width - time.count) + "\(time) ms  \(entry.event)"
        }
        return (["\(host.escaped()):\(port)"] + lines).joined(separator: "\n")
    }

    /// Milliseconds with one decimal: `61,204.0`.
    private static func milliseconds(_ time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        let tenths = seconds * 10_000 + attoseconds / 100_000_000_000_000
        var digits = Array(String(tenths / 10))
        for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
        return String(digits) + ".\(tenths % 10)"
    }
}

extension ConnectionTimeline.Event: CustomStringConvertible {
    /// The event in a few words.
    public var description: String {
        switch self {
        case .lookupBegan(let family): return "looking up \(family) addresses"
        case .lookupEnded(let family, let addresses):
            let list = addresses.map(\.ipAddress).joined(separator: ", ")
            return "\(family): " + (list.isEmpty ? "no address" : list)
        case .lookupFailed(let family, let error): return "\(family): \(error.description.escaped())"
        case .attemptBegan(let address): return "connecting to \(address)"
        case .attemptFailed(let address, let error): return "\(address): \(error.description.escaped())"
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
