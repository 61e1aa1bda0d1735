// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineTransport

/// A client's connection, and the connection to the server to which its bytes are forwarded.
///
/// Both connections and all properties belong to one loop, so `@unchecked Sendable` is correct.
final class RelayedConnection: @unchecked Sendable {
    /// Receives the bytes of one side, and forwards them to the other side.
    final class Side: ByteStreamHandler {
        let sender: Sender
        let stream: ByteStream
        var hasEnded = false
        /// Whether reading is paused until the other side has taken output, or packets were shown or recorded.
        var isWaiting = false
        /// The error after which nothing can be sent to this side; nil before it. Its earlier bytes are still
        /// forwarded.
        var outputFailure: TransportError?
        /// Released when both streams are closed.
        let connection: RelayedConnection

        init(_ sender: Sender, _ stream: ByteStream, _ connection: RelayedConnection) {
            self.sender = sender
            self.stream = stream
            self.connection = connection
        }

        func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream) {
            guard let taken = block.take() else { return }
            // SAFETY: this many bytes have been written at the beginning of the block.
            let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: taken.base, count: byteCount))
            stream.giveBack(taken)
            connection.pass(bytes, from: self)
        }

        func becameReady(_ stream: ByteStream) { connection.ready() }

        func outputDrained(_ stream: ByteStream) { connection.drained(self) }

        func outputFailed(_ stream: ByteStream, _ error: TransportError) { connection.outputFailed(self, error) }

        func endOfStream(_ stream: ByteStream) { connection.ended(self) }

        func failed(_ stream: ByteStream, _ error: TransportError) { connection.failed(self, error) }
    }

    /// The number of queued bytes of a side at which reading from the other side pauses.
    private static let mostPendingBytes = 64 << 10
    /// The timeout for each of the server's addresses.
    private static let connectTimeout = Duration.seconds(10)
    /// The time that queued output has after both sides have ended.
    private static let lingerTime = Duration.seconds(30)

    let relay: Relay
    /// The connection's number, from 1, in the order of arrival.
    let number: Int
    let peer: SocketAddress
    let loop: EventLoop
    private let client: ByteStream
    /// The client, and then the server; empty at the end.
    private var sides: [Side] = []
    /// Whether the server is connected, so that bytes are forwarded.
    private var isForwarding = false
    private var attempt: ConnectAttempt?
    private var timer: EventLoop.Timer?
    /// The time at which bytes last arrived from either side.
    private var lastArrival = MonotonicTime.now
    private var idleTimer: EventLoop.Timer?
    private var capture: CapturedConnection?
    /// Shows the packets, outside of the loop.
    let display = PacketDisplay()
    private var isClosed = false

    init(_ client: ByteStream, number: Int, _ relay: Relay) {
        self.client = client
        self.number = number
        self.relay = relay
        peer = client.peerAddress
        loop = client.loop
    }

    /// Connects to the server. The client's bytes are read only after that.
    func start() {
        do throws(TransportError) {
            try add(.client, client)
            connect(to: relay.targetAddresses[...])
        } catch {
            relay.report("\(error)", of: self)
            finish()
        }
    }

    private func add(_ sender: Sender, _ stream: ByteStream) throws(TransportError) {
        let side = Side(sender, stream, self)
        stream.writeTimeout = relay.limits.writeTimeout
        if let time = relay.limits.listening.keepAliveTime { stream.keepAlive(after: time) }
        try stream.start(side)
        sides.append(side)
    }

    private func connect(to addresses: ArraySlice<SocketAddress>) {
        guard let address = addresses.first, !isClosed else { return }
        func failed(_ error: TransportError) {
            loop.cancel(&timer)
            self.attempt = nil
            if addresses.count > 1 { return connect(to: addresses.dropFirst()) }
            relay.report("cannot connect to \(relay.target): \(error)", of: self)
            reset()
        }
        let attempt = ConnectAttempt(to: address, from: ConnectionOrigin(), on: loop) { result in
            switch result {
            case .success(let stream): self.begin(stream)
            case .failure(let error): failed(error)
            }
        }
        self.attempt = attempt
        timer = loop.schedule(at: loop.now + Self.connectTimeout) {
            self.timer = nil
            attempt.cancel()
            failed(.timedOut)
        }
        attempt.start()
    }

    private func begin(_ server: ByteStream) {
        loop.cancel(&timer)
        attempt = nil
        do {
            if let engine = try relay.makeTLS() { server.secure(with: engine) }
            try add(.server, server)
        } catch {
            relay.report("\(error)", of: self)
            server.reset()
            return reset()
        }
        display.show(TrafficNote("connected to \(server.peerAddress), for \(peer)"))
        capture = relay.capture.map { CapturedConnection($0, client: peer, server: server.peerAddress) }
        capture?.opened()
        guard server.transform != nil else { return ready() }
        server.read()
        timer = loop.schedule(at: loop.now + Self.connectTimeout) {
            self.timer = nil
            self.relay.report("\(self.relay.target) does not answer with TLS", of: self)
            for side in self.sides { side.stream.reset() }
            self.finish()
        }
    }

    /// Called when the server is connected.
    fileprivate func ready() {
        loop.cancel(&timer)
        isForwarding = true
        for side in sides { side.stream.read() }
        lastArrival = loop.now
        watchSilence()
    }

    /// Closes both connections if neither side sends anything within the idle timeout.
    private func watchSilence() {
        guard let timeout = relay.limits.listening.idleTimeout, !isClosed else { return }
        idleTimer = loop.schedule(at: lastArrival + timeout) {
            self.idleTimer = nil
            guard self.lastArrival + timeout <= self.loop.now else { return self.watchSilence() }
            self.display.show(TrafficNote("closed: neither side has sent anything for \(timeout)"))
            self.close()
        }
    }

    private func other(of side: Side) -> Side { sides[side.sender == .client ? 1 : 0] }

    // MARK: Forwarding

    fileprivate func pass(_ bytes: [UInt8], from side: Side) {
        guard !isClosed else { return }
        loop.note(.blockRelayed)
        if idleTimer != nil { lastArrival = loop.now }
        let other = other(of: side)
        other.stream.write(bytes)
        other.stream.flush()
        capture?.sent(bytes, by: side.sender)
        display.show(bytes, from: side.sender)
        // The connection can have ended while the bytes were sent.
        if side.stream.isOpen { resumeReading(side) }
    }

    /// Continues reading from a side, unless the other side must take output first, or packets must be shown or
    /// recorded.
    private func resumeReading(_ side: Side) {
        let backlogs = [display.backlog, relay.capture?.backlog].compactMap { $0 }
        side.isWaiting =
            isBlocked(side) || backlogs.contains { $0.isFull(whenRoom: { [weak self] in self?.hasRoom() }) }
        if !side.isWaiting { return side.stream.read() }
        if let failure = side.outputFailure { outputFailed(side, failure) }
    }

    /// Whether the other side must take more output first.
    private func isBlocked(_ side: Side) -> Bool {
        other(of: side).stream.pendingByteCount >= Self.mostPendingBytes
    }

    /// Continues reading after packets were shown or recorded. May be called on any thread.
    private func hasRoom() {
        loop.execute {
            for side in self.sides where side.isWaiting && !self.isClosed { self.resumeReading(side) }
        }
    }

    /// Called when the connection of a side was reset.
    ///
    /// Its earlier bytes are still forwarded, unless the other side has stopped reading. The reset waits until packets
    /// are shown or recorded, but not longer than a second without progress.
    fileprivate func outputFailed(_ side: Side, _ error: TransportError) {
        guard !isClosed else { return }
        // There is no server yet to which the client's bytes could be forwarded.
        guard isForwarding || side.sender == .server else { return failed(side, error) }
        side.outputFailure = error
        guard side.isWaiting else { return }
        if isBlocked(side) { return failed(side, error) }
        let byteCount = side.stream.receivedByteCount
        loop.schedule(at: loop.now + .seconds(1)) {
            if side.isWaiting, side.stream.receivedByteCount == byteCount { self.failed(side, error) }
        }
    }

    fileprivate func drained(_ side: Side) {
        guard !isClosed else { return }
        let other = other(of: side)
        if other.isWaiting { resumeReading(other) }
        closeIfEnded()
    }

    fileprivate func ended(_ side: Side) {
        guard !isClosed else { return }
        side.hasEnded = true
        capture?.ended(by: side.sender)
        display.end(of: side.sender, TrafficNote("ended", of: side.sender))
        other(of: side).stream.endOutput()
        closeIfEnded()
    }

    fileprivate func failed(_ side: Side, _ error: TransportError) {
        guard !isClosed else { return }
        capture?.reset(by: side.sender)
        let failure = side.stream.transformFailure?.description ?? error.description
        display.end(of: side.sender, TrafficNote(.fault, failure, of: side.sender))
        // The other side still gets the earlier bytes of this side, as far as it takes them.
        for other in sides where other.sender != side.sender {
            other.stream.flush()
            other.stream.reset()
        }
        if side.stream.isOpen { side.stream.close() }
        finish()
    }

    private func closeIfEnded() {
        guard !isClosed, sides.allSatisfy(\.hasEnded) else { return }
        if sides.allSatisfy(\.stream.hasEndedOutput) { return close() }
        guard timer == nil else { return }
        timer = loop.schedule(at: loop.now + Self.lingerTime) {
            self.timer = nil
            self.close()
        }
    }

    // MARK: The end

    func close() {
        // There is no server to which the client's bytes could be forwarded.
        guard sides.count == 2 else { return reset() }
        for side in sides {
            side.stream.flush()
            side.stream.close()
        }
        finish()
    }

    /// Resets the client's connection, because there is no server.
    private func reset() {
        guard !isClosed else { return }
        client.reset()
        finish()
    }

    private func finish() {
        guard !isClosed else { return }
        isClosed = true
        loop.cancel(&timer)
        loop.cancel(&idleTimer)
        attempt.take()?.cancel()
        sides = []
        display.finish()
        relay.ended(self)
    }
}
