// SPDX-License-Identifier: Apache-2.0

struct StreamInput {
    private enum State {
        case idle
        case wanted
        case ended
    }

    private var state = State.idle
    private(set) var receivedByteCount: UInt64 = 0
    /// When bytes last arrived from the system; before the first ones, when the stream was started.
    private(set) var lastArrival = MonotonicTime(nanoseconds: 0)

    var isWanted: Bool { state == .wanted }

    var hasEnded: Bool { state == .ended }

    mutating func start(at now: MonotonicTime) { lastArrival = now }

    /// The end stays the end.
    mutating func want() {
        if state == .idle { state = .wanted }
    }

    /// The handler withdraws its request, or has received data.
    mutating func stopWanting() {
        if state == .wanted { state = .idle }
    }

    mutating func arrived(_ byteCount: Int, at now: MonotonicTime) {
        receivedByteCount &+= UInt64(byteCount)
        lastArrival = now
    }

    mutating func end() { state = .ended }
}
