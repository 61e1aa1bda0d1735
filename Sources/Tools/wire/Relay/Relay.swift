// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema
import WirelineTLS
import WirelineTransport

/// Accepts connections, and forwards each one to a server.
final class Relay: Sendable {
    private struct State {
        var connections: [ObjectIdentifier: RelayedConnection] = [:]
        /// The tasks that show packets. Each one removes itself, and ``close()`` waits for them.
        var displays: [ObjectIdentifier: Task<Int, Never>] = [:]
        var acceptedCount = 0
        var isClosing = false
    }

    /// The number of descriptors that stay reserved, in addition to those that are open at the start.
    ///
    /// They are for files that are read later, and for browsers.
    private static let spareDescriptorCount = 64
    /// The longest wait at the end: once until all packets are shown, and then until the recording is written.
    private static let mostEndTime = Duration.seconds(5)

    let description: ProtocolDescription
    let target: HostAndPort
    let targetAddresses: [SocketAddress]
    /// The TLS of connections to the server; nil means none.
    private let tls: (context: TLSContext, serverName: String?)?
    let capture: CaptureFile?
    private let page: TrafficPage?
    let log: ConnectionLog
    let reader: PacketReader
    let limits: RelayLimits
    /// The turns of connections with many packets to show.
    let longDisplayLock = AsyncLock()
    /// The states of each connection at its start.
    let states: PacketStates
    private let listener: Listener
    private let admission: ConnectionAdmission
    private let state = Lock(State())

    init(
        _ listener: Listener, to target: HostAndPort, _ addresses: [SocketAddress],
        tls: (context: TLSContext, serverName: String?)?, _ translator: PacketTranslator, _ limits: RelayLimits,
        states: PacketStates, capture: CaptureFile?, page: TrafficPage?, _ log: ConnectionLog
    ) {
        self.listener = listener
        self.target = target
        targetAddresses = addresses
        self.tls = tls
        description = translator.description
        self.limits = limits
        self.states = states
        self.capture = capture
        admission = ConnectionAdmission(limits.listening)
        self.page = page
        self.log = log
        reader = PacketReader(translator: translator, keepsParts: page != nil)
    }

    /// Starts to listen. The connection limit is low enough that each client can get a connection to the server.
    ///
    /// - Parameter descriptorLimit: The largest number of descriptors of the process.
    static func listener(
        at served: ServedAddresses, on group: EventLoopGroup, _ limits: RelayLimits, descriptorLimit: Int
    ) async throws(TransportError) -> Listener {
        let openCount = (try? System.names(inFolder: "/dev/fd"))?.count ?? 0
        let pairCount = max(1, (descriptorLimit - openCount - spareDescriptorCount) / 2)
        return try await .bind(
            to: served.addresses, on: group,
            ListeningPolicy(
                backlog: limits.listening.backlog, connectionLimit: min(limits.listening.connectionLimit, pairCount),
                sharesPorts: limits.listening.sharesPorts))
    }

    var addresses: [SocketAddress] { listener.addresses }

    func start() {
        listener.start(Listener.Reports(acceptFailed: acceptFailed), accept: accept)
    }

    private func acceptFailed(_ error: TransportError, isFirst: Bool) {
        if isFirst { log.acceptFailed(error) }
    }

    private func accept(_ stream: ByteStream, at address: SocketAddress) {
        admission.decide(on: stream, at: address) { outcome in
            switch outcome {
            case .admitted: self.begin(stream)
            case .refused(_, let error):
                self.log.ended(stream.peerAddress, error)
                self.listener.connectionEnded()
            case .left: self.listener.connectionEnded()
            }
        }
    }

    private func begin(_ stream: ByteStream) {
        let number = state.withLock { state in
            state.acceptedCount += 1
            return state.acceptedCount
        }
        let connection = RelayedConnection(stream, number: number, self)
        let isClosing = state.withLock { state in
            state.connections[ObjectIdentifier(connection)] = connection
            state.displays[ObjectIdentifier(connection)] = Task {
                defer { self.state.withLock { $0.displays[ObjectIdentifier(connection)] = nil } }
                return await connection.display.run(for: connection)
            }
            return state.isClosing
        }
        connection.start()
        if isClosing { connection.close() }
    }

    /// Shows a note about a client's connection or one of its sides.
    ///
    /// - Parameter time: Microseconds since 1970.
    func show(_ note: TrafficNote, of connection: RelayedConnection, at time: UInt64) {
        log.show("\(Self.text(of: time)) #\(connection.number) \(note)")
        page?.show(note, of: connection, at: time)
    }

    /// Prints why a connection has failed. May be called on a loop.
    func report(_ failure: String, of connection: RelayedConnection) {
        log.report("#\(connection.number) \(connection.peer): \(failure)")
        page?.show(TrafficNote(.fault, failure), of: connection, at: WallClock.microsecondsSince1970)
    }

    /// Returns a time in the format of `wire decode`.
    private static func text(of microseconds: UInt64) -> String {
        let nanoseconds = UInt32(microseconds % 1_000_000) * 1_000
        let time = CaptureTime(seconds: microseconds / 1_000_000, nanoseconds: nanoseconds, isFine: false)
        return time?.description ?? ""
    }

    func makeTLS() throws(TLSError) -> TLSEngine? {
        try tls.map { tls throws(TLSError) in try tls.context.connect(to: tls.serverName ?? target.host) }
    }

    /// Called on the connection's loop.
    func ended(_ connection: RelayedConnection) {
        if state.withLock({ $0.connections.removeValue(forKey: ObjectIdentifier(connection)) }) != nil {
            admission.ended(from: connection.peer)
        }
        listener.connectionEnded()
    }

    /// Closes the listener and all connections.
    func close() async {
        await listener.loop.run { self.listener.close() }
        admission.close()
        let connections = state.withLock { state in
            state.isClosing = true
            return Array(state.connections.values)
        }
        for connection in connections { await connection.loop.run { connection.close() } }
        await finishDisplays()
        await finishRecording()
    }

    /// Waits a limited time until all packets are shown. A note says how many bytes were not.
    private func finishDisplays() async {
        let displays = state.withLock { Array($0.displays.values) }
        let timer = Task {
            try await Task.sleep(for: Self.mostEndTime)
            for display in displays { display.cancel() }
        }
        var byteCount = 0
        for display in displays { byteCount += await display.value }
        timer.cancel()
        if byteCount > 0 { log.answer("the packets in \(byteCount) bytes are not shown: the end does not wait longer") }
    }

    private func finishRecording() async {
        guard let capture else { return }
        await capture.finish(within: Self.mostEndTime)
        let byteCount = capture.backlog.byteCount
        if byteCount > 0 { log.report("\(capture.path) takes no more: \(byteCount) bytes are not recorded") }
    }
}
