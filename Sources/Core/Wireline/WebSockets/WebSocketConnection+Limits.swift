// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

extension WebSocketConnection: LimitedConnection {
    var heldByteCount: Int {
        let output = stream.isOutputStalled ? engine.outputCapacity : engine.pendingByteCount
        return input.unreadCost + input.restByteCount + engine.aheadByteCount + stream.heldByteCount + output
    }

    var hasBegun: Bool {
        handshake.isComplete ? engine.hasBegun && !ending.isFinishing : handshake.hasBegun
    }

    var missingByteCount: Int { engine.missingByteCount - input.restByteCount }

    /// The messages and control frames that have arrived whole. The number also changes when the WebSocket opens.
    var receivedPacketCount: Int { handshake.isComplete ? engine.wholeCount &+ 1 : 0 }

    /// Nil also after this side has closed: the peer's answer has a deadline of its own.
    var wantedSince: MonotonicTime? { isAwaitingPeer && engine.isOpen ? peerWatch.waitingSince : nil }

    func continueWithMemory() {
        peerWatch.restartWaiting(at: loop.now)
        if input.hasBlock { parse() } else { settle() }
    }

    /// Gives back memory after the reader has taken something.
    func releaseMemory() {
        // The reader is about to take the rest of an offered block.
        guard slowPeer != nil, !input.isOffered else { return }
        if stream.isOpen { _ = requestMemory(isWanted: false) } else { releaseMemoryIfDone() }
    }

    /// Gives back all memory after the end, if there is no message to take.
    func releaseMemoryIfDone() {
        guard !stream.isOpen || ending.isFinishing else { return }
        if input.hasNoMessage { dropSlowPeerState() } else { keepGrantedMemory() }
    }

    /// Requests memory for output that may have to wait here, from the budget of all connections of a server.
    ///
    /// - Returns: Whether there is enough.
    func requestOutputMemory() -> Bool {
        guard let byteBudget = sharedLimits?.byteBudget else { return true }
        // If little memory is left, the output of a turn must stay short, because it is not counted.
        if stream.pendingByteCount >= Self.uncountedByteCount, byteBudget.isScarce(for: limits.frames.outputLimit),
            !stream.flushForMore()
        {
            return false
        }
        // Output that leaves at once is not counted.
        return !stream.isOutputStalled || requestMemory()
    }
}
