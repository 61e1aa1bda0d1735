// SPDX-License-Identifier: Apache-2.0

/// The state of the gateway's end: which closures to call, and how many handshakes are running.
struct GatewayShutdown {
    /// Called when the drain begins, and when it is over.
    private var listener: (begun: () -> Void, finished: () -> Void)?
    private var (hasBegun, hasFinished) = (false, false)
    private var handshakeCount = 0
    private var areListenersClosed = false

    /// Each closure is called once. If its event is past, it is called at once.
    mutating func tell(begun: @escaping () -> Void, finished: @escaping () -> Void) {
        listener = (begun, finished)
        if hasBegun { begun() }
        if hasFinished { finished() }
    }

    mutating func begin() {
        hasBegun = true
        listener?.begun()
    }

    mutating func finish() {
        hasFinished = true
        listener?.finished()
    }

    mutating func handshakeBegan() { handshakeCount += 1 }

    mutating func handshakeEnded() { handshakeCount -= 1 }

    mutating func listenersClosed() { areListenersClosed = true }

    /// Whether the listeners are closed, and each connection with complete handshakes is a client.
    var areAllKnown: Bool { areListenersClosed && handshakeCount == 0 }
}
