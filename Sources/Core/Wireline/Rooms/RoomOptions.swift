// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// A ``Room``'s policy for slow readers, and how much it holds.
public struct RoomOptions: Equatable, Sendable {
    /// A room's policy for messages to a member that reads too slowly.
    ///
    /// A member is slow while ``ConnectionLimits/pendingByteCount`` bytes wait to be sent to it, while tasks wait to
    /// send to it, or while the server's memory budget has nothing left for it. A single message may exceed the limit.
    @nonexhaustive
    public enum SlowReaderPolicy: Equatable, Sendable {
        /// The member does not get the message.
        case dropNewest
        /// The newest message of each kind waits until the member reads again; it replaces the older one.
        ///
        /// A kind is a message ID. In a layout without IDs all messages are of one kind. Waiting messages keep the
        /// order in the room. At most ``ConnectionLimits/pendingByteCount`` bytes and 256 kinds wait for each member.
        /// Messages beyond that are dropped, but one message may always wait.
        case keepLatest
        /// The member's connection ends with ``ConnectionError/slowReader(pendingByteCount:)``.
        ///
        /// The member gets the farewell after everything that was sent to it before, if it reads all of that within
        /// 10 s. After that time the connection is closed.
        ///
        /// - Parameter farewell: An encoded packet, such as `try Goodbye().encoded()`; nil: none.
        case close(farewell: [UInt8]?)
    }

    /// The policy for members that read too slowly (default ``SlowReaderPolicy/dropNewest``).
    public var slowReaders: SlowReaderPolicy
    /// How many bytes of messages may wait in the room on each event loop, until its members have got them (default
    /// 4 MiB).
    ///
    /// Each message counts 64 bytes more than it has. They wait only for the loop, never for a slow member. If the loop
    /// cannot keep up, it drops the newest message for all of its members. One message may exceed the limit. Messages
    /// that are sent together are joined once, so they take at most twice that memory.
    public var pendingByteLimit: Int

    /// The states for which the room encodes its messages, in a protocol whose packets depend on states (default: those
    /// of a new connection).
    ///
    /// Choose the states that most members have. A member in other states gets the same messages with the header that
    /// its states ask for, at the cost of a copy; it does not get a message whose ID or header its packets cannot have.
    public var states: PacketStates

    /// Makes options; parameters that you leave out have their defaults.
    public init(
        slowReaders: SlowReaderPolicy = .dropNewest, pendingByteLimit: Int = 4 << 20, states: PacketStates = [:]
    ) {
        self.slowReaders = slowReaders
        self.pendingByteLimit = pendingByteLimit
        self.states = states
    }
}
