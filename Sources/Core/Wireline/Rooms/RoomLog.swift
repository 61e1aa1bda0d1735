// SPDX-License-Identifier: Apache-2.0

/// The messages of a room that not all members on a loop have got, oldest first.
struct RoomLog {
    /// The number of the newest message, also after it was removed. Numbers wrap around; only differences count.
    private(set) var last: UInt32 = 0
    private var messages: [RoomMessage] = []
    /// The numbers of the messages that are still being sealed for all connections, in their order.
    private var unsealed: [UInt32] = []
    /// The connections that some messages leave out.
    private var exceptions: Set<PacketConnection> = []
    /// The bytes of the first messages, joined when a member gets several at once.
    private var joined: [UInt8] = []
    /// The offset in `joined` after each of these messages.
    private var ends: [Int] = []

    var count: Int { messages.count }

    subscript(index: Int) -> RoomMessage { messages[index] }

    mutating func append(_ message: RoomMessage) {
        messages.append(message)
        last &+= 1
        if let connection = message.except { exceptions.insert(connection) }
    }

    /// The number of the newest message before all those that are still being sealed.
    var lastSealed: UInt32 { unsealed.first.map { $0 &- 1 } ?? last }

    /// Whether the first message is not being sealed.
    var isReady: Bool { Int(last &- lastSealed) < count }

    /// Call it for the newest message, if it is still being sealed for all connections.
    mutating func beginSealing() { unsealed.append(last) }

    /// Ends the sealing of a message, if it had begun.
    ///
    /// - Parameter bytes: The packet for all connections; nil if it cannot be sealed, which each connection finds out.
    mutating func endSealing(_ number: UInt32, _ bytes: [UInt8]?) {
        unsealed.removeAll { $0 == number }
        guard let bytes else { return }
        let index = count - 1 - Int(last &- number)
        messages[index] = messages[index].sealed(bytes)
        (joined, ends) = ([], [])
    }

    /// Removes the first messages.
    ///
    /// - Returns: Their cost.
    mutating func removeFirst(_ count: Int) -> Int {
        let cost = messages[..<count].reduce(0) { $0 + $1.cost }
        messages.removeFirst(count)
        exceptions = Set(messages.compactMap(\.except))
        (joined, ends) = ([], [])
        return cost
    }

    func hasExceptions(for connection: PacketConnection) -> Bool {
        !exceptions.isEmpty && exceptions.contains(connection)
    }

    /// The end of the longest run of messages with at most `byteLimit` bytes, or of the first message.
    func endOfRun(from start: Int, to end: Int, atMost byteLimit: Int) -> Int {
        var (index, byteCount) = (start + 1, messages[start].packet.byteCount)
        // A message that each member seals is sent alone.
        guard messages[start].bytes != nil else { return index }
        while index < end, messages[index].bytes != nil {
            byteCount += messages[index].packet.byteCount
            guard byteCount <= byteLimit else { return index }
            index += 1
        }
        return index
    }

    /// The bytes of a run of messages: an array and the bounds in it. All members with the same run share the array.
    mutating func bytes(of run: Range<Int>) -> (array: [UInt8], bounds: Range<Int>) {
        guard run.count > 1 else {
            let bytes = messages[run.lowerBound].bytes ?? []
            return (bytes, bytes.indices)
        }
        while ends.count < run.upperBound {
            joined += messages[ends.count].bytes ?? []
            ends.append(joined.count)
        }
        return (joined, (run.lowerBound > 0 ? ends[run.lowerBound - 1] : 0)..<ends[run.upperBound - 1])
    }
}
