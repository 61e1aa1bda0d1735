// SPDX-License-Identifier: Apache-2.0

import WirelineTLS
import WirelineTransport

extension Dialer {
    /// Connects to a host, directly or through a proxy. The caller adds further layers, such as TLS.
    ///
    /// - Returns: A stream that is not started yet.
    static func dial(
        _ host: String, _ port: UInt16, on loop: EventLoop, _ options: DialingOptions,
        _ recorder: TimelineRecorder
    ) async throws(ConnectionError) -> ByteStream {
        guard let proxy = options.proxy, options.unixPath == nil else {
            return try await dialDirectly(host, port, on: loop, options, recorder)
        }
        let deadline = loop.clockTime + options.connectTimeout
        let handshake: ProxyHandshake
        do throws(ProxyError) {
            handshake = try ProxyHandshake(proxy, to: host, port: port)
        } catch {
            throw .proxy(error)
        }
        let stream = try await dialDirectly(proxy.address.host, proxy.address.port, on: loop, options, recorder)
        recorder.note(.proxyBegan)
        try await ProxyTunnel.open(handshake, over: stream, within: loop.timeLeft(until: deadline))
        recorder.note(.proxyEnded)
        return stream
    }

    private static func dialDirectly(
        _ host: String, _ port: UInt16, on loop: EventLoop, _ options: DialingOptions,
        _ recorder: TimelineRecorder
    ) async throws(ConnectionError) -> ByteStream {
        try await ConnectionError.wrapping { () throws(TransportError) in
            try await Dialer.connect(to: host, port: port, on: loop, options, recorder)
        }
    }

    static func loop(_ loop: EventLoop?) async throws(ConnectionError) -> EventLoop {
        if let loop { return loop }
        return try await ConnectionError.wrapping { () throws(TransportError) in
            try EventLoopGroup.shared.nextLoop()
        }
    }

    static func makeTLS(for name: String, _ context: TLSContext?) throws(ConnectionError) -> TLSEngine? {
        do throws(TLSError) {
            return try context?.connect(to: name)
        } catch {
            throw .tls(error)
        }
    }
}
