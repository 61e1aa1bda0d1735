// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Counts the memory of a connection against the byte budget of all connections of a server.
extension LimitedConnection {
    /// The memory that each connection may hold uncounted. Most never hold more, so they touch no shared state.
    static var uncountedByteCount: Int { 16 << 10 }
    /// Memory above that is counted in steps of this size.
    private static var shareStep: Int { 16 << 10 }
    /// The least memory that is given back, unless all of it is.
    private static var leastRelease: Int { 64 << 10 }
    /// The least memory that must be free for a read.
    private static var leastRoom: Int { 4 << 10 }
    /// The most bytes that count as missing from a packet; no budget is that large. Together with the held memory they
    /// do not overflow.
    private static var mostMissing: Int { .max / 2 }

    /// The most bytes that may be read at once.
    var readLimit: Int {
        guard let byteBudget = sharedLimits?.byteBudget, byteBudget.isTight else { return .max }
        let share = slowPeer?.share.byteCount ?? 0
        return max(Self.leastRoom, Self.uncountedByteCount + share - heldByteCount)
    }

    /// The bytes that must be counted before the next read, or before the next packet is opened.
    private func neededByteCount(_ byteBudget: SharedByteBudget) -> Int {
        let needed = heldByteCount + Self.leastRoom
        let content = awaitedContentByteCount
        // No more than there can be.
        guard content == 0 else { return max(needed, min(needed + content, byteBudget.limit)) }
        guard byteBudget.isTight, hasBegun else { return needed }
        // If little memory is left, a connection asks for all of its packet, so that it never waits again with a part
        // of that packet.
        return needed + min(max(0, missingByteCount), Self.mostMissing)
    }

    /// Counts the held memory, and requests more from the budget if needed.
    ///
    /// A connection that cannot continue without more memory waits in the budget's queue. While output is stalled, or
    /// no more input is wanted, it takes free memory but does not wait: later it may need another amount.
    ///
    /// - Parameter isWanted: Whether memory for more input is wanted, too.
    /// - Returns: Whether there is memory for more.
    func requestMemory(isWanted: Bool = true) -> Bool {
        guard let byteBudget = sharedLimits?.byteBudget, stream.isOpen else { return true }
        let excess = neededByteCount(byteBudget) - Self.uncountedByteCount
        guard excess > 0 || slowPeer != nil else { return true }
        let wanted = excess > 0 ? (excess + Self.shareStep - 1) / Self.shareStep * Self.shareStep : 0
        let share = slowPeer?.share ?? SharedByteBudget.Share()
        if wanted > share.byteCount {
            guard !share.isWaiting || stream.isOutputStalled else { return false }
            let byteCount = wanted - share.byteCount
            if stream.isOutputStalled || !isWanted {
                var isTaken = false
                set(
                    byteBudget.change(for: self) { budget, holder, actions in
                        // The connection may have waited since before its output stalled.
                        budget.withdraw(holder, into: &actions)
                        isTaken = budget.take(byteCount, for: holder)
                    })
                return isTaken
            }
            set(byteBudget.change(for: self) { $0.request(byteCount, for: $1, into: &$2) })
        } else if share.isWaiting {
            set(byteBudget.change(for: self) { $0.withdraw($1, into: &$2) })
        } else if share.byteCount - wanted >= (wanted > 0 ? Self.leastRelease : 1) {
            set(byteBudget.change(for: self) { $0.release(share.byteCount - wanted, by: $1, into: &$2) })
        }
        return stream.isOpen && slowPeer?.share.isWaiting != true
    }

    func memoryGranted() {
        guard let byteBudget = sharedLimits?.byteBudget, stream.isOpen else { return }
        set(byteBudget.share(of: self))
        continueWithMemory()
    }

    private func set(_ share: SharedByteBudget.Share) {
        guard stream.isOpen else {
            // Carrying out the change has ended the connection, which did not know this share yet.
            _ = sharedLimits?.byteBudget?.change(for: self) { $0.remove($1, into: &$2) }
            return
        }
        if slowPeer != nil || share.byteCount > 0 || share.isWaiting { makeSlowPeerState().share = share }
        dropSlowPeerStateIfIdle()
    }

    func makeSlowPeerState() -> SlowPeerState {
        if let slowPeer { return slowPeer }
        let made = SlowPeerState()
        slowPeer = made
        return made
    }

    func dropSlowPeerStateIfIdle() {
        if slowPeer?.isIdle == true { slowPeer = nil }
    }

    /// Stops waiting for memory and for the rest of a packet, at the connection's end. Keeps granted memory.
    func keepGrantedMemory() {
        guard let slowPeer else { return }
        slowPeer.stop(on: loop)
        if slowPeer.share.isWaiting, let byteBudget = sharedLimits?.byteBudget {
            slowPeer.share = byteBudget.change(for: self) { $0.withdraw($1, into: &$2) }
        }
        dropSlowPeerStateIfIdle()
    }

    /// Withdraws the request of a connection that needs no more memory for now.
    func withdrawRequest() {
        guard slowPeer?.share.isWaiting == true, let byteBudget = sharedLimits?.byteBudget else { return }
        set(byteBudget.change(for: self) { $0.withdraw($1, into: &$2) })
    }

    /// Takes memory, or gives it back, after the stream's end, when a connection waits for nothing any more.
    ///
    /// - Returns: Whether `byteCount` bytes are counted now.
    func setMemoryAfterEnd(_ byteCount: Int) -> Bool {
        guard let byteBudget = sharedLimits?.byteBudget else { return true }
        let (share, wanted) = (slowPeer?.share.byteCount ?? 0, max(0, byteCount - Self.uncountedByteCount))
        guard wanted != share else { return true }
        var isTaken = true
        makeSlowPeerState().share = byteBudget.change(for: self) { budget, holder, actions in
            if wanted > share {
                isTaken = budget.take(wanted - share, for: holder)
            } else {
                budget.release(share - wanted, by: holder, into: &actions)
            }
        }
        dropSlowPeerStateIfIdle()
        return isTaken
    }

    /// Gives all granted memory back, at the connection's end.
    func dropSlowPeerState() {
        guard let slowPeer = slowPeer.take() else { return }
        slowPeer.stop(on: loop)
        guard slowPeer.share.byteCount > 0 || slowPeer.share.isWaiting else { return }
        _ = sharedLimits?.byteBudget?.change(for: self) { $0.remove($1, into: &$2) }
    }
}
