// SPDX-License-Identifier: Apache-2.0

/// How far the first heartbeat behind which nothing has arrived has come: as long as it is on its way, behind a large upload
/// for example, the line is slow, and the peer need not be dead.
///
/// Bytes are counted from the connection's first one on.
package struct HeartbeatPassage: Sendable {
    /// How many bytes were written up to that heartbeat; nil where there is none.
    private var end: UInt64?
    private var acknowledgedByteCount: UInt64 = 0

    package init() {}

    /// Whether it is on its way, as far as is known.
    package var isUnderWay: Bool { end.map { acknowledgedByteCount < $0 } ?? false }

    /// Something has arrived, or nobody looks for an answer.
    package mutating func forget() { end = nil }

    /// A heartbeat has been written.
    ///
    /// - Parameters:
    ///   - writtenByteCount: How many bytes were written, the heartbeat included.
    ///   - acknowledgedByteCount: How many of them the peer's system has acknowledged; nil: nobody can tell.
    package mutating func began(writtenByteCount: UInt64, acknowledgedByteCount: UInt64?) {
        guard end == nil else { return }
        end = writtenByteCount
        self.acknowledgedByteCount = acknowledgedByteCount ?? .max
    }

    /// Whether the peer has acknowledged bytes since this was last asked, in front of the heartbeat or the heartbeat
    /// itself. What is acknowledged behind it proves nothing, for the peer's system does that alone.
    package mutating func hasProgressed(acknowledgedByteCount count: UInt64?) -> Bool {
        guard isUnderWay, let count, count > acknowledgedByteCount else { return false }
        acknowledgedByteCount = count
        return true
    }
}
