// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

extension WebSocketConnection: SupervisedConnection {
    var heldByteCount: Int { unreadCost + inputEnd - position + stream.pendingByteCount + engine.pendingByteCount }

    var hasBegun: Bool {
        switch phase {
        case .listening(let handshake): handshake.hasBegun
        case .open: engine.hasBegun && !isFinishing
        case .asking, .answering, .failed: false
        }
    }

    var missingByteCount: Int { engine.missingByteCount - (inputEnd - position) }

    /// The handshake counts for one.
    var receivedPacketCount: Int { if case .open = phase { engine.wholeCount &+ 1 } else { 0 } }

    /// The answer to a close has a deadline of its own.
    var wantedSince: MonotonicTime? { isAwaitingPeer && engine.isOpen ? readingSince : nil }

    func roomChanged() {
        readingSince = loop.now
        if input == nil { settle() } else { parse() }
    }

    /// Has less counted, where somebody has taken of what was.
    func giveShareBack() {
        guard burden != nil else { return }
        if stream.isOpen { _ = hasShare(isWanted: false) } else { dropShareIfDone() }
    }

    /// Gives everything back behind the end, once nobody can take anything any more.
    func dropShareIfDone() {
        guard !stream.isOpen || isFinishing else { return }
        if inbox.isEmpty { dropBurden() } else { keepShareOnly() }
    }

    /// Whether what is sent may have to wait here, as far as a server's other connections leave room for it.
    func hasRoomForOutput() -> Bool {
        guard let heldBytes = supervision?.heldBytes else { return true }
        // Where little is left, what stays behind of a turn's bytes must not be much: nobody has counted it.
        if stream.pendingByteCount >= Self.uncountedByteCount, heldBytes.isScarce(for: limits.frames.outputLimit),
            !stream.flushForMore()
        {
            return false
        }
        // As long as it leaves at once, it need not be counted.
        return !stream.isOutputStalled || hasShare()
    }
}
