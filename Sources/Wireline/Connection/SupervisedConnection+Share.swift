// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// What a connection holds, counted together with what a server's others do.
extension SupervisedConnection {
    /// What each connection may hold without being counted: most never hold more, and touch nothing that is shared.
    static var uncountedByteCount: Int { 16 << 10 }
    /// In which steps the rest is counted.
    private static var shareStep: Int { 16 << 10 }
    /// What is given back at least, unless it is all.
    private static var leastRelease: Int { 64 << 10 }
    /// For how much there must be room when something is read.
    private static var leastRoom: Int { 4 << 10 }
    /// As much as any packet is taken to need: with what is held already it makes no number that there is not. There is no
    /// room for so much anywhere.
    private static var mostMissing: Int { .max / 2 }

    /// The most bytes that may be read at once.
    var readLimit: Int {
        guard let heldBytes = supervision?.heldBytes, heldBytes.isTight else { return .max }
        let share = burden?.share.byteCount ?? 0
        return max(Self.leastRoom, Self.uncountedByteCount + share - heldByteCount)
    }

    /// How many bytes must be counted for more to be read.
    private func neededByteCount(_ heldBytes: HeldBytes) -> Int {
        let needed = heldByteCount + Self.leastRoom
        guard heldBytes.isTight, hasBegun else { return needed }
        // Where little is left, who begins to wait asks for all of its packet: so it never waits with a part of it again.
        return needed + min(max(0, missingByteCount), Self.mostMissing)
    }

    /// Has what is held counted.
    ///
    /// Whoever cannot go on without more room waits for it, in turn with the others. While output waits, or nothing more is
    /// to be held, room is taken or not: when that changes, things look different.
    ///
    /// - Parameter isWanted: Whether room for more is wanted, too.
    /// - Returns: Whether there is room for more.
    func hasShare(isWanted: Bool = true) -> Bool {
        guard let heldBytes = supervision?.heldBytes, stream.isOpen else { return true }
        let excess = neededByteCount(heldBytes) - Self.uncountedByteCount
        guard excess > 0 || burden != nil else { return true }
        let wanted = excess > 0 ? (excess + Self.shareStep - 1) / Self.shareStep * Self.shareStep : 0
        let share = burden?.share ?? HeldBytes.Share()
        if wanted > share.byteCount {
            guard !share.isWaiting else { return false }
            let byteCount = wanted - share.byteCount
            if stream.isOutputStalled || !isWanted {
                var isTaken = false
                set(heldBytes.change(for: self) { budget, holder, _ in isTaken = budget.take(byteCount, for: holder) })
                return isTaken
            }
            set(heldBytes.change(for: self) { $0.request(byteCount, for: $1, into: &$2) })
        } else if share.isWaiting {
            set(heldBytes.change(for: self) { $0.withdraw($1, into: &$2) })
        } else if share.byteCount - wanted >= (wanted > 0 ? Self.leastRelease : 1) {
            set(heldBytes.change(for: self) { $0.release(share.byteCount - wanted, by: $1, into: &$2) })
        }
        return stream.isOpen && burden?.share.isWaiting != true
    }

    /// Goes on with what had to wait.
    func shareChanged() {
        guard let heldBytes = supervision?.heldBytes, stream.isOpen else { return }
        set(heldBytes.share(of: self))
        roomChanged()
    }

    private func set(_ share: HeldBytes.Share) {
        guard stream.isOpen else {
            // What followed has ended the connection, which did not know of this share then.
            _ = supervision?.heldBytes?.change(for: self) { $0.remove($1, into: &$2) }
            return
        }
        burden(share.byteCount > 0 || share.isWaiting)?.share = share
        dropBurdenIfIdle()
    }

    /// The burden; made where there is none and one is needed.
    func burden(_ isNeeded: Bool = true) -> ConnectionBurden? {
        if burden == nil, isNeeded { burden = ConnectionBurden() }
        return burden
    }

    func dropBurdenIfIdle() {
        guard let burden, burden.timer == nil, burden.rest == nil, burden.share.byteCount == 0, !burden.share.isWaiting
        else { return }
        self.burden = nil
    }

    /// Waits for no more room and for no rest, at the connection's end; what was granted is kept.
    func keepShareOnly() {
        guard let burden else { return }
        loop.cancel(&burden.timer)
        burden.rest = nil
        if burden.share.isWaiting, let heldBytes = supervision?.heldBytes {
            burden.share = heldBytes.change(for: self) { $0.withdraw($1, into: &$2) }
        }
        dropBurdenIfIdle()
    }

    /// Gives everything back, at the connection's end.
    func dropBurden() {
        guard let burden = burden.take() else { return }
        loop.cancel(&burden.timer)
        guard burden.share.byteCount > 0 || burden.share.isWaiting else { return }
        _ = supervision?.heldBytes?.change(for: self) { $0.remove($1, into: &$2) }
    }
}
