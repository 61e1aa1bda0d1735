// SPDX-License-Identifier: Apache-2.0

/// Clients with output that was not yet offered to their sockets, or was taken only in part.
///
/// All packets to a client in one turn of the gateway's loop are offered to the system together.
struct ClientOutput {
    /// Clients with new packets, in the order of their first ones.
    private var written: [ClientConnection] = []
    /// Clients that did not take all their output.
    private var waiting = StalledClients<ClientConnection>()
    /// The loops that have not reported yet. During an offer, the caller counts as one more.
    private var openReportCount = 0
    /// Memory of sent packets for others: most clients get a few packets, and then none for a long time.
    private var spares: [WrittenPackets] = []

    /// The most spare arrays, and the most bytes of each.
    private static let (spareCount, spareByteCount) = (256, 2 << 10)
    /// The most clients in one offer. Each takes 4 µs, and a group may contain all clients.
    private static let clientsPerOffer = 256

    /// Whether there is nothing to offer now.
    var isEmpty: Bool { written.isEmpty && !waiting.hasDue }

    /// Returns the time until stalled output must be offered again; nil: none is stalled.
    mutating func nextOffer() -> Duration? { waiting.nextRound() }

    // MARK: Writing

    /// - Parameter isShared: Whether other clients get the packet, too.
    mutating func write(_ packet: ClientPacket, to client: ClientConnection, isShared: Bool = false) {
        begin(client)
        client.written.append(packet, isShared: isShared)
    }

    /// The change applies to later packets.
    mutating func change(_ change: ConnectionChange, of client: ClientConnection) {
        begin(client)
        client.written.append(change)
    }

    private mutating func begin(_ client: ClientConnection) {
        guard client.written.isEmpty else { return }
        written.append(client)
        if let spare = spares.popLast() { client.written = spare }
    }

    /// Takes a client's new packets. They count as offered.
    mutating func take(_ client: ClientConnection) -> WrittenPackets {
        let packets = client.written
        client.written = WrittenPackets()
        client.offeredByteCount += packets.byteCount
        return packets
    }

    /// Keeps the memory of sent packets for reuse.
    mutating func giveBack(_ packets: consuming WrittenPackets) {
        guard packets.bytes.capacity <= Self.spareByteCount, spares.count < Self.spareCount else { return }
        packets.clear()
        spares.append(packets)
    }

    // MARK: Offering

    /// Begins an offer. Each loop and the caller itself must report its end with ``ended()``.
    ///
    /// - Parameter isForStalled: Whether stalled clients get an offer, too, if their time has come.
    /// - Returns: The clients of this offer. If there are more, they wait for the next one.
    mutating func begin(isForStalled: Bool) -> [ClientConnection] {
        openReportCount += 1
        if isForStalled { waiting.beginRound() }
        let again = waiting.takeDue()
        let count = min(written.count, Self.clientsPerOffer - again.count)
        defer { written.removeFirst(count) }
        return Array(written.prefix(count)) + again
    }

    /// Another loop works on this offer, and will report.
    mutating func awaitReport() { openReportCount += 1 }

    /// The system has taken bytes of a client's output.
    mutating func took(_ byteCount: Int, of client: ClientConnection) {
        client.offeredByteCount -= byteCount
        if client.offeredByteCount > 0 { waiting.note(client, hasTaken: byteCount > 0) } else { forget(client) }
    }

    mutating func forget(_ client: ClientConnection) {
        if !waiting.isEmpty { waiting.remove(client) }
    }

    /// A loop, or the caller of ``begin(isForStalled:)``, has reported.
    ///
    /// - Returns: Whether it was the last one.
    mutating func ended() -> Bool {
        openReportCount -= 1
        return openReportCount == 0
    }
}
