// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineTransport
import WirelineWebSocket

/// A client's connection, between its own loop and the gateway's.
///
/// Each property belongs to one of the two loops, so `@unchecked Sendable` needs no lock. Properties that change with
/// every packet are `@exclusivity(unchecked)`: no access to one calls code that accesses it again.
final class ClientConnection: @unchecked Sendable {
    /// The most messages that are handed over together. The gateway may have to keep them, although it reads no more.
    private static let batchCount = 32

    let connection: PacketConnection
    private let driver: GatewayDriver

    // MARK: On the gateway's loop

    /// Set once the client is a process.
    var number: ClientNumber?
    /// Packets that were not offered to the system yet.
    @safe @exclusivity(unchecked) var written = WrittenPackets()
    /// The bytes that were offered to the system, and that it has not reported as taken.
    @safe @exclusivity(unchecked) var offeredByteCount = 0

    // MARK: On the connection's loop

    private enum Stage: Equatable {
        case new
        /// The connection is not ready, or the edge has not passed a message yet.
        case handshaking
        /// The gateway knows it, or soon will.
        case known
        /// The edge has refused a message. No further one is read.
        case refused(isKnown: Bool)
        /// The gateway knows that it is gone.
        case gone
    }

    private var stage = Stage.new
    private var isRefused: Bool { if case .refused = stage { true } else { false } }
    /// Whether the gateway wants the client to be read. It decides this once it has opened the client.
    private var isWanted = false
    /// Whether the gateway must first take the messages that it has.
    private var isAhead = false
    private var isTaking = false
    private var isRead: Bool { isWanted && !isAhead && rest == nil }
    /// Closes the connection of a client that has ended, if its input is still unread by then.
    private var unreadEnd: EventLoop.Timer?
    /// Ends the pause of a client whose message rate was too high.
    private var rest: EventLoop.Timer?
    private var sent = RateBucket()
    /// Whether ``sent`` includes the next message.
    private var isNextCounted = false
    /// The bytes that the system had not taken at the last check.
    private var unsentByteCount = 0

    init(_ connection: PacketConnection, _ driver: GatewayDriver) {
        self.connection = connection
        self.driver = driver
    }

    var calls: MessageCalls {
        MessageCalls(open: { self.begin() }, take: { try self.take(&$0) }, close: { self.closed($0) })
    }

    // MARK: Its beginning and end

    private func begin() {
        connection.pauseInput()
        // The connection keeps the closure as long as it lives.
        connection.whenEndIsKnown { [weak self] in self?.endIsKnown() }
        connection.whenReady { self.becameReady() }
        guard stage == .new else { return }
        stage = .handshaking
        driver.handshakeBegan()
    }

    private func becameReady() {
        guard driver.edge != nil else { return admit() }
        if stage == .new { driver.handshakeBegan() }
        stage = .handshaking
        read(true)
    }

    /// Reports the client to the gateway.
    private func admit() {
        let hadHandshake = stage == .handshaking
        stage = .known
        isWanted = false
        driver.connected(self, ClientInfo(connection), hadHandshake: hadHandshake)
    }

    private func closed(_ error: (any Error)?) {
        connection.loop.cancel(&rest)
        connection.loop.cancel(&unreadEnd)
        switch stage {
        case .new, .gone: return
        case .handshaking, .refused(isKnown: false): driver.handshakeFailed()
        case .known: driver.closed(self, ClientEnd(error), isUnread: !isRead && error != nil)
        case .refused(isKnown: true): driver.closed(self, .refused)
        }
    }

    /// The connection begins to end, or the client has ended its stream or is lost.
    private func endIsKnown() {
        // Messages that were read are handed over first.
        guard !isTaking, connection.stream.isOpen else { return }
        if connection.isLeaving {
            switch stage {
            case .known: driver.connectionWillEnd(self, ClientEnd(connection.endReason))
            case .refused(isKnown: true): driver.connectionWillEnd(self, .refused)
            case .new, .handshaking, .refused(isKnown: false), .gone: break
            }
        } else if connection.hasPeerEnded, stage == .known, unreadEnd == nil {
            unreadEnd = connection.loop.schedule(at: connection.loop.now + driver.parkTime) {
                self.unreadEnd = nil
                guard !self.connection.isLeaving else { return }
                self.stage = .gone
                self.driver.closed(self, .normal, isUnread: true)
                self.connection.close()
            }
        }
    }

    // MARK: Input

    private func take(_ batch: inout PacketBatch) throws(ConnectionError) {
        isTaking = true
        var messages: [MessageTerm] = []
        let failure = read(&batch, into: &messages)
        isAhead = messages.count >= Self.batchCount
        if !messages.isEmpty { driver.clientDidSend(messages, by: self, awaitsAnswer: isAhead) }
        isTaking = false
        endIsKnown()
        settle()
        if let failure { throw failure }
    }

    /// Reads packets while the client may be read.
    ///
    /// - Returns: Why a packet could not be read. The messages before it count.
    private func read(_ batch: inout PacketBatch, into messages: inout [MessageTerm]) -> ConnectionError? {
        do throws(ConnectionError) {
            while isWanted, rest == nil, messages.count < Self.batchCount {
                guard countNext(), let packet = try batch.next() else { return nil }
                isNextCounted = false
                let message: MessageTerm
                do throws(CodecError) { message = try driver.schema.message(of: packet) } catch {
                    connection.refuse(.codec(error))
                    throw .codec(error)
                }
                if passes(packet) { messages.append(message) }
            }
            return nil
        } catch {
            return error
        }
    }

    /// Asks the edge about a message. Returns whether the owner gets it.
    private func passes(_ packet: borrowing Packet) -> Bool {
        guard let edge = driver.edge else { return true }
        switch edge(packet, EdgeClient(connection: connection, isOpen: stage == .known)) {
        case .pass:
            if stage != .known { admit() }
            return true
        case .handled: return false
        case .refuse:
            stage = .refused(isKnown: stage == .known)
            isWanted = false
            close(.refused, isFlushed: true)
            return false
        }
    }

    /// Counts the next message against the rates.
    ///
    /// - Returns: Whether it may be read now. If not, a timer continues.
    private func countNext() -> Bool {
        guard let rates = driver.rates, !isNextCounted else { return true }
        let now = connection.loop.now
        let wait = rates.take(&sent, of: PeerNetwork(connection.peerAddress), at: now.sinceOrigin)
        isNextCounted = wait <= .zero
        guard !isNextCounted else { return true }
        rest = connection.loop.schedule(at: now + wait) {
            self.rest = nil
            self.settle()
        }
        return false
    }

    /// Reads the connection, or pauses it.
    private func settle() {
        guard !isTaking else { return }
        if isRead { connection.resumeInput() } else { connection.pauseInput() }
    }

    /// The gateway decides whether the client is read.
    func read(_ isWanted: Bool) {
        self.isWanted = isWanted && !isRefused
        settle()
    }

    func caughtUp() {
        isAhead = false
        settle()
    }

    // MARK: Output

    /// Offers packets to the system, after the output that it has not taken.
    ///
    /// - Parameter packets: The packets; if there are none, only the earlier output is offered.
    /// - Returns: The bytes that the system has taken since the last call.
    func send(_ packets: WrittenPackets) -> Int {
        unsentByteCount += packets.byteCount
        if packets.isEmpty {
            if connection.stream.isOpen { connection.stream.flush() }
        } else if packets.unsealed.isEmpty {
            connection.sendTogether(packets.bytes, packetCount: packets.count)
        } else {
            make(packets.unsealed)
        }
        // The output can be longer than the packets: TLS and frames add to it.
        let pendingByteCount = connection.stream.isOpen ? connection.stream.pendingByteCount : 0
        let byteCount = min(unsentByteCount, pendingByteCount)
        defer { unsentByteCount = byteCount }
        return unsentByteCount - byteCount
    }

    /// Makes packets in the connection's states, with its keys and keystreams, and offers them to the system.
    ///
    /// A change applies to later packets of both ends. If an owed packet cannot be made, the connection ends after the
    /// packets
    /// before it.
    private func make(_ steps: [WrittenPackets.Unsealed]) {
        guard connection.stream.takesOutput else { return }
        var bytes: [UInt8] = []
        var count = 0
        var failure: CodecError?
        for step in steps {
            switch step {
            case .change(let change): connection.apply(change)
            case .packet(let message, let isOwed):
                do throws(CodecError) {
                    bytes += try connection.made(message.packet)
                    count += 1
                } catch {
                    if isOwed { failure = error }
                }
            }
            if failure != nil { break }
        }
        if count > 0 { connection.sendTogether(bytes, packetCount: count) }
        if let failure { connection.fail(ConnectionError.codec(failure)) }
    }

    func close(_ end: ClientEnd, isFlushed: Bool) {
        connection.closeCode(WebSocketCloseCode(rawValue: end.closeCode))
        if isFlushed { connection.finish(within: GatewayDriver.flushTime) } else { connection.close() }
    }
}

extension ClientEnd {
    /// The edge has refused a message.
    fileprivate static let refused = ClientEnd.kicked(.tuple("shutdown", "refused"))
}

extension PacketConnection {
    /// Sets a key or a state for later packets. The core has checked the change.
    fileprivate func apply(_ change: ConnectionChange) {
        switch change {
        case .key(let name, let bytes, for: let end): try? layers.setKey(name, bytes, for: end?.sender)
        case .state(let name, let value): try? setState(name, to: value)
        }
    }
}
