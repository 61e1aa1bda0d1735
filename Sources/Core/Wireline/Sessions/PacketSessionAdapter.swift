// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

/// Carries a session's messages in packets.
///
/// Only the session's loop uses its mutable state, so `@unchecked Sendable` needs no lock.
final class PacketSessionAdapter: SessionAdapter, @unchecked Sendable {
    typealias Owner = ConnectionOwner
    typealias Payload = PacketEncoder
    typealias LoginHook = @concurrent @Sendable (Driver, ConnectionOwner, ConnectionNumber) async throws -> Void

    let endpoints: [ServerEndpoint]
    let layout: PacketLayout
    let packetLimit: Int
    let settings: PacketSessionConfiguration
    let rules: SessionRules
    let loginHook: LoginHook?

    /// A packet that may be the reply to a message, while it is taken.
    private var currentReply: ReceivedPacket?
    private var unmatched = UnmatchedReplies()
    private var readers = MessageReaders()

    init(
        endpoints: [ServerEndpoint], layout: PacketLayout, packetLimit: Int, settings: PacketSessionConfiguration,
        rules: SessionRules, login: LoginHook?
    ) {
        self.endpoints = endpoints
        self.layout = layout
        self.packetLimit = packetLimit
        self.settings = settings
        self.rules = rules
        loginHook = login
    }

    var configuration: SessionConfiguration {
        SessionConfiguration(
            endpointCount: endpoints.count, maximumSequence: layout.maximumSequence, reconnect: settings.reconnect,
            heartbeat: rules.heartbeat?.policy, limits: settings.outbound,
            connectTimeout: Self.safeTimeout(over: settings.client.dialing.connectTimeout),
            loginTimeout: settings.loginTimeout,
            pendingByteCount: settings.client.limits.pendingByteCount)
    }

    var unreadByteCount: Int { settings.client.limits.unreadByteCount }

    var dropsOldestUnread: Bool { settings.dropsOldestUnread }

    // MARK: Connections

    func connect(to endpoint: Int, on loop: EventLoop) async throws(ConnectionError) -> ConnectionOwner {
        let endpoint = endpoints[endpoint]
        var configuration = settings.client
        if let name = endpoint.tlsServerName { configuration.dialing.tlsServerName = name }
        return ConnectionOwner(
            try await PacketConnection.connect(
                to: endpoint.host, port: endpoint.port, layout: layout, packetLimit: packetLimit, on: loop,
                configuration: configuration))
    }

    func expireAddresses() {
        for endpoint in endpoints { settings.client.dialing.expireAddresses(of: endpoint.host) }
    }

    func login(on link: Link, of driver: Driver) -> Login? {
        guard let loginHook, let owner = link.owner else { return nil }
        // A reply that comes after the login gave up its request must not be matched with another request.
        owner.connection.requests = RequestQueue(layout: layout, remembersAll: true)
        return { try await loginHook(driver, owner, link.number) }
    }

    /// Handles packets that the hook did not take. None can be a reply to a later request.
    func takeRestOfLogin(_ link: Link, for driver: Driver) -> KickNotice? {
        guard let connection = link.connection else { return nil }
        while !driver.inbox.isSaturated, let packet = try? connection.takeUnclaimedPacket() {
            switch rules.meaning(of: packet) {
            case .acknowledgement(let acknowledgement): driver.handle(.acknowledged(link.number, acknowledgement))
            case .answer(let encoder):
                if !answer(packet, with: encoder, on: link, of: driver) { deliver(packet, in: driver) }
            case .end(let notice):
                deliver(packet, in: driver)
                return notice
            case .heartbeatAnswer, nil: deliver(packet, in: driver)
            }
        }
        return nil
    }

    func cause(of error: ConnectionError?, on connection: PacketConnection?) -> DisconnectCause {
        error.map { DisconnectCause($0, overTLS: settings.client.dialing.tls != nil) } ?? .endedByPeer
    }

    func close(_ connection: PacketConnection, for cause: DisconnectCause) {
        if cause == .endedByUs { connection.finish() } else { connection.disconnect(cause) }
    }

    // MARK: Sending

    func write(_ message: GivenMessage<PacketEncoder>, to connection: PacketConnection) throws(CodecError) {
        try write(message.payload, message.sequence, to: connection)
    }

    func writeHeartbeat(sequence: UInt64?, to connection: PacketConnection) throws(CodecError) {
        guard let heartbeat = rules.heartbeat else { return }
        try write(heartbeat.encoder, sequence, to: connection)
    }

    private func write(
        _ encoder: PacketEncoder, _ sequence: UInt64?, to connection: PacketConnection
    ) throws(CodecError) {
        let bytes = try encoder.packet(sequence: sequence, on: connection)
        // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
        try? unsafe connection.write(packet: bytes.span.bytes)
    }

    func wrote(_ message: GivenMessage<PacketEncoder>, for ticket: DeliveryTicket) {
        guard ticket.awaitsReply, let sequence = message.sequence else { return }
        ticket.search = (sequence, ticket.search?.mark ?? unmatched.begin(replyIDs: ticket.replyIDs))
    }

    func complete(_ ticket: DeliveryTicket, _ outcome: MessageOutcome) {
        if let (expected, mark) = ticket.search.take() {
            ticket.unmatchedReply = unmatched.end(replyIDs: ticket.replyIDs, since: mark).map { (expected, $0) }
        }
        let isAnswered = ticket.awaitsReply && outcome == .confirmed
        ticket.complete(outcome, reply: isAnswered ? currentReply.take() : nil)
    }

    func ignoreReply() { currentReply = nil }

    func ended(_ end: Inbox<ReceivedPacket>.Taken) { readers.finish(end) }

    // MARK: Receiving

    func take(_ packet: ReceivedPacket, from link: Link, for driver: Driver) {
        switch rules.meaning(of: packet) {
        case nil: break
        case .heartbeatAnswer(let isDelivered):
            driver.handle(.heartbeatAnswered(link.number, sequence: packet.sequence(in: layout)))
            if !isDelivered { return }
        case .acknowledgement(let acknowledgement):
            return driver.handle(.acknowledged(link.number, acknowledgement))
        case .answer(let encoder):
            if !answer(packet, with: encoder, on: link, of: driver) { deliver(packet, in: driver) }
            return
        case .end(let notice):
            deliver(packet, in: driver)
            return driver.handle(.ended(link.number, .kicked(notice)))
        }
        // A late reply to a request of the login is not a reply to a later one.
        let isLate = link.connection?.requests?.takeLateMark() ?? false
        guard driver.awaitsReplies, !isLate else { return deliver(packet, in: driver) }
        currentReply = packet
        let sequence = packet.sequence(in: layout)
        let isFailure = packet.isFailure(in: layout)
        let acknowledgement: DeliveryAcknowledgement =
            isFailure ? .failedReply(id: packet.id) : .reply(id: packet.id, sequence: sequence)
        driver.handle(.acknowledged(link.number, acknowledgement))
        guard currentReply.take() != nil else { return }
        if let sequence, !isFailure { unmatched.note(id: packet.id, sequence: sequence) }
        deliver(packet, in: driver)
    }

    /// Gives a packet to the streams of its type, or to the session's messages if there is no such stream.
    private func deliver(_ packet: ReceivedPacket, in driver: Driver) {
        if !readers.take(packet) { driver.inbox.add(packet) }
    }

    fileprivate func add(_ reader: Inbox<ReceivedPacket>, of id: UInt64, in driver: Driver) {
        guard !reader.hasEnded else { return }
        driver.inbox.move(to: reader) { $0.id == id }
        readers.add(reader, of: id)
        driver.inbox.dropsUntilTaken = !readers.isEmpty
    }

    fileprivate func remove(_ reader: Inbox<ReceivedPacket>, of id: UInt64, in driver: Driver) {
        readers.remove(reader, of: id)
        driver.inbox.dropsUntilTaken = !readers.isEmpty
    }

    /// - Returns: False if the answer could not be encoded.
    private func answer(
        _ packet: ReceivedPacket, with encoder: PacketEncoder, on link: Link, of driver: Driver
    ) -> Bool {
        guard let connection = link.connection else { return true }
        do throws(CodecError) {
            try write(encoder, packet.sequence(in: layout), to: connection)
            link.hasAnswered = true
            return true
        } catch {
            driver.ownCounters.unencodableMessageCount += 1
            return false
        }
    }
}

extension SessionDriver<PacketSessionAdapter> {
    /// Decodes the message of a packet that the program takes, and updates the counters.
    func message<Message: IncomingMessage>(
        in packet: ReceivedPacket
    ) throws(ConnectionError) -> ReceivedMessage<Message> {
        do throws(CodecError) {
            let message = try Message(in: packet.lent)
            if message.unknownID != nil { loop.execute { self.ownCounters.unknownIDCount += 1 } }
            return ReceivedMessage(message, in: packet)
        } catch {
            throw refusedMessage(error)
        }
    }
}

extension SessionDriver: MessageSource where Adapter == PacketSessionAdapter {
    func add(_ reader: Inbox<ReceivedPacket>, of id: UInt64) { adapter.add(reader, of: id, in: self) }

    func remove(_ reader: Inbox<ReceivedPacket>, of id: UInt64) { adapter.remove(reader, of: id, in: self) }

    func refusedMessage(_ error: CodecError) -> ConnectionError {
        loop.execute { self.ownCounters.refusedPacketCount += 1 }
        return .codec(error)
    }
}

extension ConnectionOwner: SessionConnectionOwner {}

extension PacketConnection: SessionConnection {
    var takesMessages: Bool { stream.takesOutput }

    var waitingByteCount: Int { stream.pendingByteCount }

    /// Does nothing: the session finds the end when it sends.
    func whenOutputEnds(_ action: @escaping () -> Void) {}

    /// Closes at once with a session's cause.
    ///
    /// The cause is more precise than the end of the peer's stream. A connection that has failed keeps its error.
    fileprivate func disconnect(_ cause: DisconnectCause) {
        switch ending.input {
        case .failed: break
        case .endOfStream where cause == .endedByPeer: break
        case .endOfStream, .drained, nil: ending.failInput(.disconnected(cause))
        }
        close()
    }
}
