// SPDX-License-Identifier: Apache-2.0

/// How the end of a gateway is told, and who is still on the way in.
struct GatewayEnd {
    /// Called when the drain begins, and when it is over.
    private var listener: (begun: () -> Void, finished: () -> Void)?
    private var (hasBegun, hasFinished) = (false, false)
    private var handshakeCount = 0
    private var isDeaf = false

    /// Sets the closures that are called when the drain begins and when it is over, each once; at once for what has been.
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

    mutating func listenersClosed() { isDeaf = true }

    /// Whether nobody can connect any more, and all who have connected are clients.
    var areAllKnown: Bool { isDeaf && handshakeCount == 0 }
}
