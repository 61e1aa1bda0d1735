// SPDX-License-Identifier: Apache-2.0

package import WirelineTransport

/// Lets connections in: reads the headers of trusted proxies, and then applies the limits on connections.
package final class ConnectionAdmission: Sendable {
    package enum Outcome {
        /// The connection may stay. Its peer address is the client's; `address` is the server's. Call ``ended(from:)``
        /// when it ends.
        case admitted(at: SocketAddress)
        /// A limit or the proxy's header refuses the connection. It is closed when it is released.
        case refused(ServerCounters.RefusalReason, ConnectionError)
        /// The proxy has left before the first byte, or the server shuts down.
        case left
    }

    private struct State {
        var receptions: [ObjectIdentifier: ProxyHeaderReception] = [:]
        var isClosed = false
        /// The tasks that wait until no header is awaited.
        var waiters: [CheckedContinuation<Void, Never>] = []

        /// Removes a reception that has ended, and returns the tasks whose wait is over.
        mutating func end(_ key: ObjectIdentifier) -> [CheckedContinuation<Void, Never>] {
            receptions[key] = nil
            guard receptions.isEmpty else { return [] }
            defer { waiters = [] }
            return waiters
        }
    }

    private let proxyProtocol: ListeningOptions.ProxyProtocol?
    private let gate: ConnectionGate
    private let state = Lock(State())

    /// - Parameter gate: The limits on connections, which servers may share; nil: those of the options.
    package init(_ options: ListeningOptions, gate: ConnectionGate? = nil) {
        proxyProtocol = options.proxyProtocol
        self.gate = gate ?? ConnectionGate(options)
    }

    /// Decides on a connection. Call it on the connection's loop.
    ///
    /// - Parameters:
    ///   - stream: The connection, which is not started.
    ///   - address: The server's address that accepted it.
    ///   - completion: Called once, on the loop. The stream is again not started.
    package func decide(
        on stream: ByteStream, at address: SocketAddress, _ completion: @escaping (Outcome) -> Void
    ) {
        guard let proxyProtocol else { return completion(admit(stream, at: address)) }
        guard proxyProtocol.trusts(stream.peerAddress) else {
            guard !proxyProtocol.isRequired else { return completion(.refused(.proxyHeader, .proxyHeader(.notAProxy))) }
            return completion(admit(stream, at: address))
        }
        let key = ObjectIdentifier(stream)
        let reception = ProxyHeaderReception(stream, proxyProtocol) { outcome in
            let waiters = self.state.withLock { $0.end(key) }
            // The waiting tasks continue when the connection has begun.
            defer { for waiter in waiters { waiter.resume() } }
            switch outcome {
            case .header(let header) where header.source == nil && proxyProtocol.isRequired:
                completion(.refused(.proxyHeader, .proxyHeader(.noClient)))
            case .header(let header):
                if let source = header.source { stream.setPeerAddress(source) }
                completion(self.admit(stream, at: header.destination ?? address))
            case .failed(let error): completion(.refused(.proxyHeader, .proxyHeader(error)))
            case .left: completion(.left)
            }
        }
        let isClosed = state.withLock { state in
            state.receptions[key] = reception
            return state.isClosed
        }
        if isClosed { reception.cancel() } else { reception.start(within: proxyProtocol.timeout) }
    }

    private func admit(_ stream: ByteStream, at address: SocketAddress) -> Outcome {
        let refusal = gate.admit(from: stream.peerAddress, at: stream.loop.now)
        return refusal.map { .refused($0.reason, $0.error) } ?? .admitted(at: address)
    }

    /// Stops counting an admitted connection. Any thread may call it.
    package func ended(from peer: SocketAddress) {
        gate.ended(from: peer)
    }

    package func waitForHeaders() async {
        await withCheckedContinuation { continuation in
            let isWaiting = state.withLock { state in
                guard !state.receptions.isEmpty else { return false }
                state.waiters.append(continuation)
                return true
            }
            if !isWaiting { continuation.resume() }
        }
    }

    /// Stops waiting for headers. Any thread may call it.
    package func close() {
        let receptions = state.withLock { state in
            state.isClosed = true
            return Array(state.receptions.values)
        }
        for reception in receptions { reception.loop.execute { reception.cancel() } }
    }
}
