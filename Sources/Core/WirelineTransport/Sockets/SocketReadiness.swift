// SPDX-License-Identifier: Apache-2.0

/// The readiness of a socket, as the system has reported it.
///
/// The poller reports only changes, so the stream remembers them until a call finds the end of its input or room.
struct SocketReadiness {
    /// A new socket can send.
    private var events: Poller.Readiness = .writable

    /// Bytes, an end of stream or an error.
    var isReadable: Bool { events.contains(.readable) }

    var isWritable: Bool { events.contains(.writable) }

    /// A failure that the handler has not received.
    var hasUnhandledFailure: Bool { events.contains(.failed) }

    /// Whether there may be more input after a read that does not fill its block: the peer has ended, or has sent
    /// urgent data.
    private var mayShortReadLeaveMore: Bool { !events.isDisjoint(with: [.ended, .urgent]) }

    mutating func add(_ reported: Poller.Readiness) { events.formUnion(reported) }

    /// A read that does not fill its memory has taken everything (epoll(7)); the system reports later data again.
    mutating func tookInput(filledBuffer: Bool) {
        if filledBuffer || mayShortReadLeaveMore { events.insert(.readable) } else { events.remove(.readable) }
    }

    mutating func foundNoInput() { events.remove(.readable) }

    mutating func foundNoRoom() { events.remove(.writable) }

    /// There is something to read that the system may not have reported.
    mutating func expectInput() { events.insert(.readable) }

    /// There is an end to read that the system may have reported before.
    mutating func expectEnd() { events.formUnion([.readable, .ended]) }

    /// The caller reports the failure to the handler.
    mutating func clearFailure() { events.remove(.failed) }

    /// The next poller that watches the socket reports its state again.
    mutating func forget() { events = .writable }
}
