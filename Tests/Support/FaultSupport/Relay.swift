// SPDX-License-Identifier: Apache-2.0

public import Foundation
import WirelineTransport

/// A relay between a client and a server on loopback: it passes on their bytes, records them, and cuts the connection
/// at a given place.
///
/// The lock for `@unchecked Sendable`: `state` is guarded by its `Lock`, everything else never changes.
public final class Relay: @unchecked Sendable {
    /// How a connection ends for the client.
    public enum Ending: String, CaseIterable, Sendable {
        /// With an end of stream (FIN).
        case end
        /// With a reset (RST).
        case reset
        /// With the end of this process (SIGKILL).
        case kill
    }

    /// The side whose bytes are counted.
    public enum Sender: String, CaseIterable, Sendable {
        case server, client
    }

    /// Where a connection ends.
    public struct Cut: Sendable, CustomStringConvertible {
        /// After so many bytes of the sender.
        public var byteCount: Int
        public var sender: Sender
        public var ending: Ending

        public init(behind byteCount: Int, of sender: Sender = .server, _ ending: Ending) {
            (self.byteCount, self.sender, self.ending) = (byteCount, sender, ending)
        }

        public var description: String { "\(ending) after byte \(byteCount) of the \(sender)'s" }
    }

    /// The bytes that were passed on in one connection.
    public struct Recording: Sendable {
        public fileprivate(set) var fromServer: [UInt8] = []
        public fileprivate(set) var fromClient: [UInt8] = []

        /// The bytes of one sender.
        public fileprivate(set) subscript(sender: Sender) -> [UInt8] {
            get { sender == .server ? fromServer : fromClient }
            set { if sender == .server { fromServer = newValue } else { fromClient = newValue } }
        }
    }

    /// One connection and its recording; the relay's lock guards it.
    private final class Passage: @unchecked Sendable {
        var recording = Recording()
    }

    private struct State {
        var cut: Cut?
        var isStopped = false
        var passages: [Passage] = []
    }

    public let port: UInt16
    private let listener: RawSocket
    private let server: UInt16
    private let pieceByteCount: Int
    private let pause: TimeInterval
    private let state = Lock(State())

    /// - Parameters:
    ///   - server: The server's port.
    ///   - port: The relay's port; 0 lets the system choose one.
    ///   - pieceByteCount: The most bytes that are passed on at a time.
    ///   - pause: How many seconds the relay waits after each piece, like a slow line.
    public init(
        to server: UInt16, at port: UInt16 = 0, pieceByteCount: Int = 65_536, pause: TimeInterval = 0
    ) throws {
        listener = try RawSocket.listen(at: port)
        self.port = try listener.port()
        self.server = server
        self.pieceByteCount = pieceByteCount
        self.pause = pause
        Thread.detachNewThread { self.acceptConnections() }
    }

    /// Forgets the previous connections, and cuts the next one here.
    public func begin(cut: Cut?) {
        state.withLock { state in
            state.cut = cut
            state.passages = []
        }
    }

    /// The recordings since ``begin(cut:)``.
    public var recordings: [Recording] { state.withLock { $0.passages.map(\.recording) } }

    /// Accepts no more connections.
    public func stop() {
        state.withLock { $0.isStopped = true }
        _ = try? RawSocket.connect(to: port)
    }

    private func acceptConnections() {
        while let client = try? listener.accept() {
            let begun = state.withLock { state -> (cut: Cut?, passage: Passage)? in
                guard !state.isStopped else { return nil }
                defer { state.cut = nil }
                let passage = Passage()
                state.passages.append(passage)
                return (state.cut, passage)
            }
            guard let (cut, passage) = begun else { return }
            Thread.detachNewThread {
                guard let server = try? RawSocket.connect(to: self.server) else { return }
                self.pass(between: client, and: server, passage, until: cut)
            }
        }
    }

    /// Passes on bytes until both sides have ended, or until the cut.
    private func pass(between client: RawSocket, and server: RawSocket, _ passage: Passage, until cut: Cut?) {
        let ways: [(sender: Sender, from: RawSocket, to: RawSocket)] = [
            (.client, client, server), (.server, server, client),
        ]
        var polled = ways.map { pollfd(fd: $0.from.descriptor, events: Int16(POLLIN), revents: 0) }
        var left = ways.map { way in if let cut, way.sender == cut.sender { cut.byteCount } else { Int.max } }
        while polled.contains(where: { $0.fd >= 0 }) {
            if let cut, left.contains(0) { return end(client, server, cut) }
            guard poll(&polled, nfds_t(polled.count), -1) > 0 else { continue }
            for (place, way) in ways.enumerated() where polled[place].fd >= 0 && polled[place].revents != 0 {
                let count = pass(from: way.from, to: way.to, atMost: min(left[place], pieceByteCount)) { bytes in
                    // First, so that a peer receives only recorded bytes.
                    state.withLock { _ in passage.recording[way.sender] += bytes }
                }
                if count == 0 { polled[place].fd = -1 } else { left[place] -= count }
                // Nothing follows the last byte, in particular not the other side's answer to it.
                if left[place] == 0 { break }
            }
        }
    }

    /// - Returns: How many bytes were passed on; 0 at the end.
    private func pass(
        from source: RawSocket, to destination: RawSocket, atMost count: Int, note: ([UInt8]) -> Void
    ) -> Int {
        guard let bytes = try? source.receive(atMost: count), !bytes.isEmpty else {
            destination.endOutput()
            return 0
        }
        note(bytes)
        // A destination that has ended is noticed when the relay reads from it.
        try? destination.send(bytes)
        if pause > 0 { Thread.sleep(forTimeInterval: pause) }
        return bytes.count
    }

    private func end(_ client: RawSocket, _ server: RawSocket, _ cut: Cut) {
        switch cut.ending {
        case .end:
            if cut.sender == .client {
                // The server takes the whole packets before the client reconnects. Its answers are dropped.
                server.endOutput()
                server.drain()
            }
            client.endOutput()
            client.drain()
        case .reset: client.resetWhenClosed()
        case .kill: kill(getpid(), SIGKILL)
        }
    }
}
