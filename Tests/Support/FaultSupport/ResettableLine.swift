// SPDX-License-Identifier: Apache-2.0

import Foundation
import WirelineTransport

/// A line between clients and a server on loopback. It passes on their bytes, and resets the connections of both sides when
/// it is told to.
///
/// The lock for `@unchecked Sendable`: `state` is guarded by its `Lock`, everything else never changes.
public final class ResettableLine: @unchecked Sendable {
    private struct State {
        var sockets: [RawSocket] = []
        var isReset = false
    }

    public let port: UInt16
    private let listener: RawSocket
    private let server: UInt16
    private let state = Lock(State())

    public init(to server: UInt16) throws {
        listener = try RawSocket.listen()
        port = try listener.port()
        self.server = server
        Thread.detachNewThread { self.acceptConnections() }
    }

    /// Resets all connections, and takes no more.
    public func reset() {
        let sockets = state.withLock { state in
            state.isReset = true
            return state.sockets
        }
        for socket in sockets { socket.reset() }
        _ = try? RawSocket.connect(to: port)
    }

    private func acceptConnections() {
        while let client = try? listener.accept() {
            // The last client only wakes this thread.
            guard !state.withLock(\.isReset), let server = try? RawSocket.connect(to: server) else { return }
            let isReset = state.withLock { state in
                state.sockets += [client, server]
                return state.isReset
            }
            guard !isReset else {
                // The server may have taken the connection, and its test may have gone on, before it was in the list.
                client.reset()
                server.reset()
                return
            }
            for (source, destination) in [(client, server), (server, client)] {
                Thread.detachNewThread { self.pass(from: source, to: destination) }
            }
        }
    }

    private func pass(from source: RawSocket, to destination: RawSocket) {
        while let bytes = try? source.receive(), !bytes.isEmpty, (try? destination.send(bytes)) != nil {}
        // An end must not overtake the reset.
        if !state.withLock(\.isReset) { destination.endOutput() }
    }
}
