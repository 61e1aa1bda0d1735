// SPDX-License-Identifier: Apache-2.0

/// Tracks whether the first heartbeat since bytes last arrived is still on its way to the peer.
///
/// While it is, for example after a large upload, the line is slow and the peer need not be dead. Bytes are counted
/// from the start of the connection.
package struct HeartbeatInTransit: Sendable {
    /// The bytes written up to and including that heartbeat; nil: there is none.
    private var end: UInt64?
    private var acknowledgedByteCount: UInt64 = 0

    package init() {}

    package var isUnderWay: Bool { end.map { acknowledgedByteCount < $0 } ?? false }

    /// Forgets the heartbeat: bytes have arrived, or no answer is awaited.
    package mutating func forget() { end = nil }

    /// A heartbeat was written.
    ///
    /// - Parameters:
    ///   - writtenByteCount: The bytes written so far, including the heartbeat.
    ///   - acknowledgedByteCount: The bytes that the peer's system has acknowledged; nil: unknown.
    package mutating func began(writtenByteCount: UInt64, acknowledgedByteCount: UInt64?) {
        guard end == nil else { return }
        end = writtenByteCount
        self.acknowledgedByteCount = acknowledgedByteCount ?? .max
    }

    /// Whether the peer's system has acknowledged more bytes since the last call, up to the heartbeat. Later
    /// acknowledgements
    /// prove nothing, because the system sends them on its own.
    package mutating func noteProgress(acknowledgedByteCount count: UInt64?) -> Bool {
        guard isUnderWay, let count, count > acknowledgedByteCount else { return false }
        acknowledgedByteCount = count
        return true
    }
}
