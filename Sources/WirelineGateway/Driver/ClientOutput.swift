// SPDX-License-Identifier: Apache-2.0

import WirelineErlangGateway

/// The clients that were written to since the system was last offered something, or that did not take all.
///
/// What is written to a client in one turn of the gateway's loop is gathered, and offered to the system together.
struct ClientOutput {
    /// The clients that were written to, in the order of their first packets.
    private var written: [ClientConnection] = []
    /// The clients that did not take all that was offered.
    private var waiting = StalledClients<ClientConnection>()
    /// The loops that have not reported what the system has taken, and one more while they are asked.
    private var openReportCount = 0
    /// Memory of packets that were sent, for others: most clients get a few packets and then none for long.
    private var spares: [WrittenPackets] = []

    /// The most memory that is kept: so many times so many bytes.
    private static let (spareCount, spareByteCount) = (256, 2 << 10)
    /// The most clients that are offered something in one turn. Each takes 4 µs, and a group may have all of them.
    private static let clientsPerOffer = 256

    /// Whether nothing is to be offered.
    var isEmpty: Bool { written.isEmpty && !waiting.hasDue }

    /// When to offer those that did not take all something again, from now; nil if there are none.
    mutating func nextOffer() -> Duration? { waiting.nextRound() }

    // MARK: Writing

    /// Adds a packet for a client.
    ///
    /// - Parameter isShared: Whether other clients get it, too.
    mutating func write(_ packet: ClientPacket, to client: ClientConnection, isShared: Bool = false) {
        begin(client)
        client.written.append(packet, isShared: isShared)
    }

    /// Adds a change to the packets of a client that follow.
    mutating func change(_ change: ConnectionChange, of client: ClientConnection) {
        begin(client)
        client.written.append(change)
    }

    private mutating func begin(_ client: ClientConnection) {
        guard client.written.isEmpty else { return }
        written.append(client)
        if let spare = spares.popLast() { client.written = spare }
    }

    /// Takes what was written to a client.
    mutating func take(_ client: ClientConnection) -> WrittenPackets {
        let packets = client.written
        client.written = WrittenPackets()
        client.offeredByteCount += packets.byteCount
        return packets
    }

    /// Gives back the memory of packets that were sent.
    mutating func giveBack(_ packets: consuming WrittenPackets) {
        guard packets.bytes.capacity <= Self.spareByteCount, spares.count < Self.spareCount else { return }
        packets.clear()
        spares.append(packets)
    }

    // MARK: Offering

    /// Begins an offer. Each loop and the caller itself report its end.
    ///
    /// - Parameter isForStalled: Whether clients that did not take all are offered it again, if their time has come.
    /// - Returns: The clients to whom something is to be offered. If there are more, they wait for the next offer.
    mutating func begin(isForStalled: Bool) -> [ClientConnection] {
        openReportCount += 1
        if isForStalled { waiting.beginRound() }
        let again = waiting.takeDue()
        let count = min(written.count, Self.clientsPerOffer - again.count)
        defer { written.removeFirst(count) }
        return Array(written.prefix(count)) + again
    }

    /// Another loop will report, too.
    mutating func awaitReport() { openReportCount += 1 }

    /// The system has taken bytes of a client's.
    mutating func took(_ byteCount: Int, of client: ClientConnection) {
        client.offeredByteCount -= byteCount
        if client.offeredByteCount > 0 { waiting.note(client, hasTaken: byteCount > 0) } else { forget(client) }
    }

    /// A client is gone.
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
