// SPDX-License-Identifier: Apache-2.0

/// The readers of single message types of a connection or a session. Only the loop's thread uses it.
struct MessageReaders {
    typealias Reader = Inbox<ReceivedPacket>

    private var readers: [UInt64: [Reader]] = [:]
    /// The end that a reader gets if it is added too late.
    private var end: Reader.Taken?

    var isEmpty: Bool { readers.isEmpty }

    var isAwaited: Bool { readers.values.contains { $0.contains(where: \.isAwaited) } }

    /// The estimated memory of unread messages.
    var unreadCost: Int { readers.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.cost } } }

    mutating func add(_ reader: Reader, of id: UInt64) {
        if let end { return reader.finish(end) }
        readers[id, default: []].append(reader)
    }

    mutating func remove(_ reader: Reader, of id: UInt64) {
        // A reader that is dropped at once may be removed before it is added.
        reader.finish(.success(nil))
        readers[id]?.removeAll { $0 === reader }
        if readers[id]?.isEmpty == true { readers[id] = nil }
    }

    /// Gives a packet to all readers of its type.
    ///
    /// - Returns: Whether there are any.
    func take(_ packet: ReceivedPacket) -> Bool {
        guard !packet.lent.isOpaque, let readers = readers[packet.id] else { return false }
        for reader in readers { reader.add(packet) }
        return true
    }

    /// Ends the input of all readers. They can still take the packets that have arrived.
    mutating func finish(_ end: Reader.Taken) {
        if self.end == nil { self.end = end }
        for reader in readers.values.joined() { reader.finish(end) }
        readers = [:]
    }
}
