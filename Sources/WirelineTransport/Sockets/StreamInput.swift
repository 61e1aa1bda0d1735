// SPDX-License-Identifier: Apache-2.0

/// The input of a stream: whether it is wanted or has ended, and what has arrived.
struct StreamInput {
    private enum State {
        /// The handler has not asked for data.
        case idle
        /// The handler has asked for data.
        case wanted
        /// The end has been read.
        case ended
    }

    private var state = State.idle
    /// The total number of bytes received from the system.
    private(set) var receivedByteCount: UInt64 = 0
    /// When bytes last arrived from the system; before the first ones, when the stream was started.
    private(set) var lastArrival = MonotonicTime(nanoseconds: 0)

    /// Whether the handler has asked for data.
    var isWanted: Bool { state == .wanted }

    /// Whether the end has been read.
    var hasEnded: Bool { state == .ended }

    /// Notes that the stream was started.
    mutating func start(at now: MonotonicTime) { lastArrival = now }

    /// Notes that the handler asks for data. After the end there is none.
    mutating func want() {
        if state == .idle { state = .wanted }
    }

    /// Notes that the handler does not ask for data, or has received some.
    mutating func stopWanting() {
        if state == .wanted { state = .idle }
    }

    /// Notes that bytes have arrived from the system.
    mutating func arrived(_ byteCount: Int, at now: MonotonicTime) {
        receivedByteCount &+= UInt64(byteCount)
        lastArrival = now
    }

    /// Notes that the end has been read.
    mutating func end() { state = .ended }
}
