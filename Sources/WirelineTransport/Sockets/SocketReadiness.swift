// SPDX-License-Identifier: Apache-2.0

/// What the system has reported about a socket, until the stream has used it up.
///
/// The poller reports only changes, so the stream remembers them until a call finds that they are used up.
struct SocketReadiness {
    /// A new socket can send.
    private var events: Poller.Readiness = .writable

    /// Whether there may be something to read: bytes, an end of stream or an error.
    var isReadable: Bool { events.contains(.readable) }

    /// Whether the system may take bytes.
    var isWritable: Bool { events.contains(.writable) }

    /// Whether the system has reported a failure that the handler does not know of.
    var hasUnheardFailure: Bool { events.contains(.failed) }

    /// Whether there may be more input after a read that does not fill its block: the peer has ended, or has sent
    /// urgent data.
    private var mayShortReadLeaveMore: Bool { !events.isDisjoint(with: [.ended, .urgent]) }

    /// Adds what the poller has reported.
    mutating func add(_ reported: Poller.Readiness) { events.formUnion(reported) }

    /// Notes that bytes were read.
    ///
    /// A read that does not fill its memory has taken everything (epoll(7)); later data is reported again.
    mutating func tookInput(filledRoom: Bool) {
        if filledRoom || mayShortReadLeaveMore { events.insert(.readable) } else { events.remove(.readable) }
    }

    /// Notes that there is nothing to read.
    mutating func foundNoInput() { events.remove(.readable) }

    /// Notes that the system takes no more bytes.
    mutating func foundNoRoom() { events.remove(.writable) }

    /// Notes that there is something to read, which the system may not have reported.
    mutating func expectInput() { events.insert(.readable) }

    /// Notes that there is an end to read, which the system may have reported before.
    mutating func expectEnd() { events.formUnion([.readable, .ended]) }

    /// Notes that the failure is reported to the handler.
    mutating func hearFailure() { events.remove(.failed) }

    /// Forgets everything: the next poller that watches the socket reports it again.
    mutating func forget() { events = .writable }
}
