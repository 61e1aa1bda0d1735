// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineErlangGateway
import WirelineSession
import WirelineTransport
import WirelineWebSocket

/// The connection of a client, between its own loop and the gateway's.
///
/// Each part of the state belongs to one of the two loops, so `@unchecked Sendable` needs no lock. What changes with every
/// packet is `@exclusivity(unchecked)`: no access to it calls code that accesses it again.
final class ClientConnection: @unchecked Sendable {
    /// So many messages are handed on together. The gateway may have to keep them, although it reads no more.
    private static let batchCount = 32

    let connection: PacketConnection
    private let driver: GatewayDriver

    // MARK: On the gateway's loop

    /// The client's number, once it is a process.
    var number: ClientNumber?
    /// What was written to it, and is not offered to the system yet.
    @safe @exclusivity(unchecked) var written = WrittenPackets()
    /// The bytes that were offered to the system, and that it is not known to have taken.
    @safe @exclusivity(unchecked) var offeredByteCount = 0

    // MARK: On the connection's loop

    private enum Stage: Equatable {
        case new
        /// It is not ready, or no message of it was passed at the edge.
        case handshaking
        /// The gateway is told of it, or knows it.
        case known
        /// The program has refused a message of it. No further one is read.
        case refused(isKnown: Bool)
        /// The gateway was told that it is gone.
        case gone
    }

    private var stage = Stage.new
    private var isRefused: Bool { if case .refused = stage { true } else { false } }
    /// Whether the gateway wants the client to be read. It says so when it has opened the client.
    private var isWanted = false
    /// Whether the gateway has so many messages of it that it must take them first.
    private var isAhead = false
    private var isTaking = false
    private var isRead: Bool { isWanted && !isAhead && rest == nil }
    /// Closes the connection of a client that has ended, if what it has said is not read by then.
    private var unreadEnd: EventLoop.Timer?
    /// Ends a rest of a client that talks too fast.
    private var rest: EventLoop.Timer?
    private var sent = RateBucket()
    /// Whether the next message has been counted in ``sent``.
    private var isNextCounted = false
    /// The bytes that were sent, and that the system had not taken at the last look.
    private var unsentByteCount = 0

    init(_ connection: PacketConnection, _ driver: GatewayDriver) {
        self.connection = connection
        self.driver = driver
    }

    /// The calls that handle the connection.
    var calls: MessageCalls {
        MessageCalls(open: { self.begin() }, take: { try self.take(&$0) }, close: { self.closed($0) })
    }

    // MARK: Its beginning and end

    private func begin() {
        connection.pauseInput()
        // The connection keeps the closure for as long as it lives.
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

    /// Tells the gateway of the client.
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

    /// The connection leaves, or the client has ended its stream or is lost.
    private func endIsKnown() {
        // What was taken is said first.
        guard !isTaking, connection.stream.isOpen else { return }
        if connection.isLeaving {
            switch stage {
            case .known: driver.parts(self, ClientEnd(connection.endReason))
            case .refused(isKnown: true): driver.parts(self, .refused)
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
        if !messages.isEmpty { driver.said(messages, by: self, awaitsAnswer: isAhead) }
        isTaking = false
        endIsKnown()
        settle()
        if let failure { throw failure }
    }

    /// Reads the packets that have arrived, as long as the client is to be read.
    ///
    /// - Returns: Why a packet could not be read. Those before it count.
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

    /// Lets the program look at a message.
    ///
    /// - Returns: Whether the owner gets it.
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

    /// Counts the next message.
    ///
    /// - Returns: Whether it may be read now. If not, a timer goes on.
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

    /// Reads, or rests.
    private func settle() {
        guard !isTaking else { return }
        if isRead { connection.resumeInput() } else { connection.pauseInput() }
    }

    /// Whether the gateway wants the client to be read.
    func read(_ isWanted: Bool) {
        self.isWanted = isWanted && !isRefused
        settle()
    }

    /// The gateway has taken the messages.
    func caughtUp() {
        isAhead = false
        settle()
    }

    // MARK: Output

    /// Offers packets to the system, after what it has not taken.
    ///
    /// - Parameter packets: The packets; none: only what it has not taken is offered.
    /// - Returns: How many bytes it has taken since the last call.
    func send(_ packets: WrittenPackets) -> Int {
        unsentByteCount += packets.byteCount
        if packets.isEmpty {
            if connection.stream.isOpen { connection.stream.flush() }
        } else if packets.unsealed.isEmpty {
            connection.sendTogether(packets.bytes, packetCount: packets.count)
        } else {
            make(packets.unsealed)
        }
        // What waits can be longer than what was written: TLS and frames add to it.
        let pendingByteCount = connection.stream.isOpen ? connection.stream.pendingByteCount : 0
        let byteCount = min(unsentByteCount, pendingByteCount)
        defer { unsentByteCount = byteCount }
        return unsentByteCount - byteCount
    }

    /// Makes packets in the connection's states, with its keys and keystreams, and offers them to the system.
    ///
    /// A change counts for the packets that are made after it, and for those of the client that are taken after it. If a packet that the
    /// client must not miss cannot be made, the connection ends after the packets before it.
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

    /// Closes the connection.
    func close(_ end: ClientEnd, isFlushed: Bool) {
        connection.closeCode(WebSocketCloseCode(rawValue: end.closeCode))
        if isFlushed { connection.finish(within: GatewayDriver.flushTime) } else { connection.close() }
    }
}

extension ClientEnd {
    /// The program has refused a message.
    fileprivate static let refused = ClientEnd.kicked(.tuple("shutdown", "refused"))
}

extension PacketConnection {
    /// Sets a key or a state for the next packets. It was checked when a process said it.
    fileprivate func apply(_ change: ConnectionChange) {
        switch change {
        case .key(let name, let bytes, for: let end): try? layers.setKey(name, bytes, for: end?.sender)
        case .state(let name, let value): try? setState(name, to: value)
        }
    }
}
