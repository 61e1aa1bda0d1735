// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The newest message of each kind, for a member that reads slowly.
struct KeptMessages {
    /// What happens to a message that is kept.
    enum Outcome {
        case kept
        /// It replaces an older one of its kind.
        case replaced
        /// There is no memory for it.
        case dropped
    }

    private static let mostKinds = 256

    /// The messages in the order in which they came.
    private(set) var messages: [(id: UInt64, bytes: [UInt8])] = []
    private(set) var byteCount = 0

    /// Keeps a message instead of an older one of its kind.
    ///
    /// - Parameter limit: The most bytes that are kept, but for one message.
    mutating func keep(_ bytes: [UInt8], id: UInt64, limit: Int) -> Outcome {
        let index = messages.firstIndex { $0.id == id }
        let freed = index.map { messages[$0].bytes.count } ?? 0
        let isOnlyOne = messages.count == (index == nil ? 0 : 1)
        guard isOnlyOne || byteCount - freed + bytes.count <= limit, index != nil || messages.count < Self.mostKinds
        else { return .dropped }
        if let index { messages.remove(at: index) }
        messages.append((id, bytes))
        byteCount += bytes.count - freed
        return index == nil ? .kept : .replaced
    }

    /// The ID of a packet; 0 if the bytes are no packet.
    static func id(of bytes: [UInt8], _ layout: PacketLayout) -> UInt64 {
        var id: UInt64?
        layout.forEachPacket(atStartOf: bytes) { packet in id = id ?? packet.id }
        return id ?? 0
    }
}
