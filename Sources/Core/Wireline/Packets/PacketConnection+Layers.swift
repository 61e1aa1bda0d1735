// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineLayers
import WirelineTransport

extension PacketConnection {
    /// Opens and seals packets with layers; nil for a layout without them. Only the loop uses it.
    var layeredTraffic: LayeredTraffic? { input.layers?.traffic }

    /// Takes the next packet, also one inside a packet of the stream; nil if there is none, or if it must be opened
    /// later (``isInputUnfinished``).
    func takeOpened(from layers: LayeredInput) throws(ConnectionError) -> ReceivedPacket? {
        while true {
            let opens = layers.isOpening
            if opens, !requestMemoryToOpen() { return nil }
            defer { if opens { countContent(of: layers) } }
            do throws(CodecError) {
                if let packet = try layers.take() { return packet }
            } catch {
                throw .codec(error)
            }
            guard !layers.isUnfinished, requestMemoryToOpen(), let packet = try input.takeFromStream()
            else { return nil }
            layers.open(packet, input.splitter.states)
            countContent(of: layers)
        }
    }

    /// Counts what was opened: the program may not take all of it soon.
    ///
    /// A packet that is not completely opened counts with all that it may still contain. So it never waits for more
    /// memory with a part of its content.
    private func countContent(of layers: LayeredInput) {
        let byteCount = layers.byteCount
        if layers.reservation == .none, layers.traffic.isOpening, byteCount > 0 { layers.reservation = .granted }
        guard stream.isOpen else { return countContentAfterEnd(of: layers) }
        guard slowPeer != nil || layers.reservation != .none || byteCount > Self.uncountedByteCount else { return }
        _ = requestMemory(isWanted: false)
    }

    private func countContentAfterEnd(of layers: LayeredInput) {
        guard sharedLimits?.byteBudget != nil else { return }
        _ = setMemoryAfterEnd(heldByteCount + (layers.reservation == .none ? 0 : contentByteCount(layers)))
    }

    /// Returns the memory that the rest of a packet's content may need. With a small budget it is at most half of that,
    /// so that two connections can have it.
    private func contentByteCount(_ layers: LayeredInput) -> Int {
        let most = min(layers.mostContentByteCount(of: input.byteCount), (sharedLimits?.byteBudget?.limit ?? .max) / 2)
        // The content that was opened so far is counted as held.
        return max(1, most - layers.byteCount)
    }

    var awaitedContentByteCount: Int {
        guard let layers = input.layers, layers.reservation != .none else { return 0 }
        return contentByteCount(layers)
    }

    /// Requests memory for all of the content of the next packet, unless nothing must be opened.
    ///
    /// While much of the budget is left, the content is counted when it is opened. Without enough memory the connection
    /// waits as if the packet had not arrived. After the stream's end it cannot wait, so its input ends with an error.
    func requestMemoryToOpen() -> Bool {
        guard let layers = input.layers, let byteBudget = sharedLimits?.byteBudget else { return true }
        guard layers.reservation != .none || byteBudget.isScarce(for: contentByteCount(layers)) else { return true }
        guard layers.isOpening || !layers.hasMore && input.hasNextToOpen(with: layers.traffic) else { return true }
        // A connection that waits holds no more than it must.
        input.shrink(on: loop)
        layers.reservation = .awaited
        guard stream.isOpen else {
            if setMemoryAfterEnd(min(heldByteCount + contentByteCount(layers), byteBudget.limit)) {
                layers.reservation = .granted
                return true
            }
            refuse(.noRoom(limit: byteBudget.limit))
            input.drop()
            return false
        }
        if requestMemory() {
            layers.reservation = .granted
            return true
        }
        if layers.isOpening { layers.traffic.interruptOpening() }
        return false
    }

    /// Withdraws the request, or gives the memory back, when nobody takes the next packet for now. A packet whose
    /// content is partly opened keeps its memory.
    func dropReservation() {
        guard let layers = input.layers, layers.reservation != .none else { return }
        guard layers.reservation == .awaited || layers.byteCount == 0 else { return }
        layers.reservation = .none
        withdrawRequest()
        _ = requestMemory(isWanted: false)
    }

    /// Whether the next packet cannot be opened before there is memory for it.
    var awaitsContentMemory: Bool { stream.isOpen && input.layers?.reservation == .awaited }

    /// Whether the input has packets that are opened later: in another turn, or when there is memory for them.
    var isInputUnfinished: Bool { input.isUnfinished || awaitsContentMemory }

    /// The keys of the layers of the connection's packets.
    ///
    ///     try client.connection.layers.setKey("session", key)
    public var layers: LayerKeys { LayerKeys(connection: self) }

    /// Sets keys of a connection's layers.
    public struct LayerKeys: Sendable {
        fileprivate let connection: PacketConnection

        /// Sets a key. The keystreams of its layers start anew with the next packet.
        ///
        /// On the connection's ``PacketConnection/loop`` it counts for the next packet that is taken or sent. On
        /// another thread, that may be a later one.
        ///
        /// - Parameters:
        ///   - name: The name in the schema, as in `layer xor(session);`.
        ///   - bytes: The key. It is copied, and the copy is wiped when it is replaced or the connection is released.
        ///   - sender: Whose packets it is for; nil: those of both ends (default).
        /// - Throws: `LayerKeyError` if the schema has no such key, or if it has another number of bytes.
        public func setKey(
            _ name: String, _ bytes: [UInt8], for sender: WirelineCodec.Sender? = nil
        ) throws(LayerKeyError) {
            try LayerSettings.check(name, bytes, in: connection.layout)
            connection.loop.execute { [connection] in
                // Packets that were sent before keep the old key.
                connection.finishSealing()
                // The key was checked above.
                try? connection.layeredTraffic?.setKey(name, bytes, for: sender)
            }
        }
    }

    /// Sends messages in one packet, such as several that are compressed together.
    ///
    ///     try await client.connection.send(packets: lines, id: 5, header: ["Version": 2])
    ///
    /// - Parameters:
    ///   - messages: The messages, each in a packet of its own inside.
    ///   - id: The ID of the packet around them.
    ///   - header: The header fields of that packet; with them, the condition of `packets` must hold.
    /// - Throws: As ``send(_:header:)``; ``ConnectionError/codec(_:)`` with the path `packets[2]` of the message.
    public nonisolated(nonsending) func send(
        packets messages: [any PacketMessage], id: UInt64, header: PacketHeader = [:]
    ) async throws(ConnectionError) {
        try await sendUnsealed { _ throws(CodecError) in
            try UnsealedPacket(packets: messages, id: id, header: header)
        }
    }

    /// Calls a closure with the sealer, for tools that encode without the types of messages; nil for a layout without
    /// layers.
    ///
    /// Call it on the loop, and send packets in the order of sealing.
    package func withSealer<Result, Failure: Error>(
        _ body: (inout PacketSealer) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        try layeredTraffic?.withSealer(body)
    }

    package func setKeys(_ settings: LayerSettings) { layeredTraffic?.begin(with: settings) }

    /// Seals the packet that this connection sends next, and applies the state changes of its messages.
    ///
    /// Call it on the loop, and send packets in the order of sealing.
    ///
    /// - Parameter ahead: The part of the packet that was compressed before (default: none).
    /// - Throws: `CodecError` as ``UnsealedPacket/sealed(with:_:)``; `wrongPresence` at `packets` for packets inside in
    ///   a layout without layers.
    package func seal(
        _ packet: UnsealedPacket, _ ahead: AheadCompression? = nil
    ) throws(CodecError) -> [UInt8] {
        // Packets that were sent before this one, also by groups, must be sealed before it, too.
        sendPendingMessages()
        finishSealing()
        let bytes =
            if let layeredTraffic {
                try layeredTraffic.seal(packet, states, ahead)
            } else {
                try packet.encoded(in: sentLayout, limit: maximumPacketByteCount)
            }
        guard hasStates else { return bytes }
        var states = states
        for id in packet.messageIDs { _ = layout.apply(id, from: side, to: &states) }
        if states != self.states { setStates(states) }
        return bytes
    }

    func sealed(_ message: some PacketMessage, _ header: PacketHeader) throws(CodecError) -> [UInt8] {
        let packet = try UnsealedPacket(message, header)
        return try seal(packet)
    }

    /// Seals messages with layers, one after another, for tests.
    package func sealTogether(_ messages: [any PacketMessage]) throws(ConnectionError) -> [UInt8] {
        var bytes: [UInt8] = []
        for message in messages { bytes += try encode(message) }
        return bytes
    }

    /// Queues an opened packet again, without waiting.
    package func writeAgain(_ packet: borrowing Packet) throws {
        try writeUnsealed(UnsealedPacket(forwarding: packet, in: layout))
    }

    /// Copies a packet of a batch to memory of its own.
    @usableFromInline
    func kept(_ packet: borrowing Packet) -> ReceivedPacket {
        ReceivedPacket(copying: [UInt8](copying: packet.bytes), packet.bounds)
    }

    /// Returns an opened packet as it is before it is sealed again: the same ID and payload, and the header values that
    /// a program can set.
    package func unsealed(forwarding packet: ReceivedPacket) throws(CodecError) -> UnsealedPacket {
        try UnsealedPacket(forwarding: packet.lent, in: layout)
    }
}

extension PacketEndpoint {
    /// The keys of the layers of the connection's packets: `try client.layers.setKey("session", key)`.
    public var layers: PacketConnection.LayerKeys { connection.layers }
}
