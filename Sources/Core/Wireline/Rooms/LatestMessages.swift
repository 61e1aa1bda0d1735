// SPDX-License-Identifier: Apache-2.0

/// The newest message of each kind, for a member that reads slowly.
struct LatestMessages {
    enum Outcome {
        case kept
        case replaced
        /// There is no memory for the message.
        case dropped
    }

    private static let mostKinds = 256

    /// The messages in the order of their arrival.
    private(set) var messages: [(id: UInt64, packet: SharedPacket)] = []
    private(set) var byteCount = 0

    /// Keeps a message in place of an older one of its kind.
    ///
    /// - Parameter limit: The most bytes that are kept, but for one message.
    mutating func keep(_ packet: SharedPacket, id: UInt64, limit: Int) -> Outcome {
        let index = messages.firstIndex { $0.id == id }
        let freed = index.map { messages[$0].packet.byteCount } ?? 0
        let isOnlyOne = messages.count == (index == nil ? 0 : 1)
        guard isOnlyOne || byteCount - freed + packet.byteCount <= limit,
            index != nil || messages.count < Self.mostKinds
        else { return .dropped }
        if let index { messages.remove(at: index) }
        messages.append((id, packet))
        byteCount += packet.byteCount - freed
        return index == nil ? .kept : .replaced
    }
}
