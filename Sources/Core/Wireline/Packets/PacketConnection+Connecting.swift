// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
import WirelineTLS
package import WirelineTransport
import WirelineWebSocket

extension PacketConnection {
    /// Connects to a server of any protocol. The caller must close the connection.
    ///
    /// - Parameters:
    ///   - packetLimit: The most bytes of a packet, unless the configuration has a limit.
    ///   - loop: The loop that carries the connection; nil: a loop of the shared group.
    ///   - recorder: Records the events, also if no connection is made.
    /// - Throws: ``ConnectionError/cancelled``; ``ConnectionError/tls(_:)``; ``ConnectionError/webSocket(_:)``;
    ///   ``ConnectionError/proxy(_:)``; ``ConnectionError/transport(_:)`` with the most telling error: an address
    ///   refused or reset, else the timeout, else the error of the system or the resolver.
    package static func connect(
        to host: String, port: UInt16, layout: PacketLayout, packetLimit: Int, on loop: EventLoop? = nil,
        configuration: ClientConfiguration = ClientConfiguration(), recorder: TimelineRecorder = TimelineRecorder()
    ) async throws(ConnectionError) -> PacketConnection {
        let dialing = configuration.dialing
        recorder.begin(host, port, handler: dialing.timelineHandler)
        do throws(ConnectionError) {
            let loop = try await Dialer.loop(loop)
            let deadline = loop.clockTime + dialing.connectTimeout
            let tls = try Dialer.makeTLS(for: dialing.tlsServerName ?? host, dialing.tls)
            let webSocket = try webSocket(to: host, port, configuration)
            let stream = try await Dialer.dial(host, port, on: loop, dialing, recorder)
            let connection = PacketConnection(
                stream, layout: layout, side: .client, packetLimit: packetLimit, limits: configuration.limits, tls: tls,
                webSocket: webSocket, recorder: recorder,
                sharedLimits: configuration.log.map { SharedLimits(log: $0, side: .client) },
                layers: configuration.layers)
            if tls != nil {
                recorder.note(.handshakeBegan)
            } else if webSocket != nil {
                recorder.note(.webSocketBegan)
            }
            try await ConnectionError.wrapping { () throws(TransportError) in
                try await stream.loop.run { () throws(TransportError) in try connection.start() }
            }
            if tls != nil || webSocket != nil {
                try await connection.waitForHandshake(within: loop.timeLeft(until: deadline))
            }
            if let silence = configuration.idleTimeout {
                await stream.loop.run { connection.setDeadlines(PeerDeadlines.Limits(silence: silence)) }
            }
            return connection
        } catch {
            recorder.close(error)
            throw error
        }
    }

    private static func webSocket(
        to host: String, _ port: UInt16, _ configuration: ClientConfiguration
    ) throws(ConnectionError) -> WebSocketTransform? {
        guard let options = configuration.webSocket else { return nil }
        do throws(WebSocketError) {
            let request = try options.request(host: host, port: port, isSecure: configuration.dialing.tls != nil)
            return try WebSocketTransform(request, messageByteCount: options.messageByteCount)
        } catch {
            throw .webSocket(error)
        }
    }

    /// What has happened to the connection, and when; nil if the peer made it.
    public var timeline: ConnectionTimeline? { recorder?.timeline }
}
