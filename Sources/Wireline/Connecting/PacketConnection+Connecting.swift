// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
import WirelineSession
import WirelineTLS
package import WirelineTransport
import WirelineWebSocket

extension PacketConnection {
    /// Connects to a server of any protocol. Nobody closes the connection but who asked for it.
    ///
    /// - Parameters:
    ///   - host: A name, or the text of an IP address.
    ///   - port: The port.
    ///   - layout: How packets are laid out.
    ///   - packetLimit: The most bytes of a packet where the configuration does not say.
    ///   - loop: What carries the connection; nil: the loop of the shared group.
    ///   - configuration: Deadlines and limits, and how the connection is made.
    ///   - recorder: Takes note of what happens, also when no connection comes about.
    /// - Throws: ``ConnectionError/cancelled``; ``ConnectionError/tls(_:)``; ``ConnectionError/webSocket(_:)``; ``ConnectionError/proxy(_:)``;
    ///   ``ConnectionError/transport(_:)`` with what says most of what went wrong: of an address that has refused or reset, else that the time was over, else what the
    ///   system or the resolver says.
    package static func connect(
        to host: String, port: UInt16, layout: PacketLayout, packetLimit: Int, on loop: EventLoop? = nil,
        configuration: ClientConfiguration = ClientConfiguration(), recorder: TimelineRecorder = TimelineRecorder()
    ) async throws(ConnectionError) -> PacketConnection {
        recorder.begin(host, port, handler: configuration.timelineHandler)
        let deadline = MonotonicTime.now + configuration.connectTimeout
        do throws(ConnectionError) {
            let tls = try engine(for: configuration.tlsServerName ?? host, configuration.tls)
            let webSocket = try webSocket(to: host, port, configuration)
            let stream = try await stream(to: host, port: port, on: loop, configuration, recorder)
            let connection = PacketConnection(
                stream, layout: layout, packetLimit: packetLimit, limits: configuration.limits, tls: tls,
                webSocket: webSocket, recorder: recorder,
                supervision: configuration.log.map { Supervision(log: $0, side: .client) })
            if tls != nil {
                recorder.note(.handshakeBegan)
            } else if webSocket != nil {
                recorder.note(.webSocketBegan)
            }
            try await transport { () throws(TransportError) in
                try await stream.loop.run { () throws(TransportError) in try connection.start() }
            }
            if tls != nil || webSocket != nil { try await connection.waitForHandshake(within: deadline.timeLeft) }
            if let silence = configuration.idleTimeout {
                await stream.loop.run { connection.setDeadlines(PeerDeadlines.Limits(silence: silence)) }
            }
            return connection
        } catch {
            recorder.close(error)
            throw error
        }
    }

    /// Connects to a host, or has a proxy do so; what follows, such as TLS, is for the caller.
    static func stream(
        to host: String, port: UInt16, on loop: EventLoop?, _ configuration: ClientConfiguration,
        _ recorder: TimelineRecorder
    ) async throws(ConnectionError) -> ByteStream {
        guard let proxy = configuration.proxy else {
            return try await dial(host, port, on: loop, configuration, recorder)
        }
        let deadline = MonotonicTime.now + configuration.connectTimeout
        let handshake: ProxyHandshake
        do throws(ProxyError) {
            handshake = try ProxyHandshake(proxy, to: host, port: port)
        } catch {
            throw .proxy(error)
        }
        let stream = try await dial(proxy.address.host, proxy.address.port, on: loop, configuration, recorder)
        recorder.note(.proxyBegan)
        try await ProxyTunnel.open(handshake, over: stream, within: deadline.timeLeft)
        recorder.note(.proxyEnded)
        return stream
    }

    private static func dial(
        _ host: String, _ port: UInt16, on loop: EventLoop?, _ configuration: ClientConfiguration,
        _ recorder: TimelineRecorder
    ) async throws(ConnectionError) -> ByteStream {
        try await transport { () throws(TransportError) in
            let loop = if let loop { loop } else { try EventLoopGroup.shared.nextLoop() }
            return try await Dialer.connect(to: host, port: port, on: loop, configuration, recorder)
        }
    }

    static func transport<Value>(
        _ body: () async throws(TransportError) -> Value
    ) async throws(ConnectionError) -> Value {
        do throws(TransportError) {
            return try await body()
        } catch {
            throw error == .cancelled ? .cancelled : .transport(error)
        }
    }

    static func engine(for name: String, _ context: TLSContext?) throws(ConnectionError) -> TLSEngine? {
        do throws(TLSError) {
            return try context?.connect(to: name)
        } catch {
            throw .tls(error)
        }
    }

    private static func webSocket(
        to host: String, _ port: UInt16, _ configuration: ClientConfiguration
    ) throws(ConnectionError) -> WebSocketTransform? {
        guard let options = configuration.webSocket else { return nil }
        do throws(WebSocketError) {
            return try WebSocketTransform(options, host: host, port: port, isSecure: configuration.tls != nil)
        } catch {
            throw .webSocket(error)
        }
    }

    /// What has happened to the connection, and when; nil where the peer has made it.
    public var timeline: ConnectionTimeline? { recorder?.timeline }
}
