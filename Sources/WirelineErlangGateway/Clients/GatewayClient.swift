// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// A client: whose it is, what it has said, and what waits for it.
package struct GatewayClient {
    /// Whose it is. Each arrow is one method of ``GatewayCore``.
    ///
    ///     parked ⇄ asked → owned → asked, parked
    ///        └───────┴───────┴────→ closing → gone
    package enum Life: Equatable, Sendable {
        /// There is nobody to ask. If nobody comes until this time, it is closed.
        case parked(until: Duration)
        /// A backend was asked, and may accept it until this time.
        case asked(ErlangDestination, until: Duration)
        /// A process owns it.
        case owned(ErlangPID)
        /// Its process has ended, and what was written before leaves.
        case closing
    }

    package let pid: ErlangPID
    private let origin: Origin
    package var life: Life
    package var window: MessageWindow
    /// Whether it had an owner: the next one is asked with `resume`.
    package var hadOwner = false
    /// The backend for which it counts: that which was asked, or that which it was given to.
    package var backend: ErlangDestination?
    private var memberships: [(group: ErlangTerm, byteCount: Int)] = []
    private var state = ErlangTerm.undefined
    private var stateByteCount = 0
    /// The bytes that were written to it, and that the system has not taken.
    package private(set) var queuedByteCount = 0
    /// Whether it is read.
    package var isRead = true

    /// How it came. It is apart, because a client is copied often and this never changes.
    private final class Origin: Sendable {
        let info: ClientInfo

        init(_ info: ClientInfo) { self.info = info }
    }

    /// What a group costs beside its name.
    private static let groupCost = 64

    init(_ pid: ErlangPID, _ info: ClientInfo, _ life: Life, _ settings: GatewaySettings) {
        self.pid = pid
        origin = Origin(info)
        self.life = life
        window = MessageWindow(settings)
    }

    package var number: ClientNumber { ClientNumber(pid) }

    package var isClosing: Bool { life == .closing }

    package var isParked: Bool { if case .parked = life { true } else { false } }

    package var owner: ErlangPID? { if case .owned(let pid) = life { pid } else { nil } }

    /// The process on which it depends: its owner, or who was asked.
    package var watchedProcess: ErlangDestination? {
        switch life {
        case .owned(let pid): .pid(pid)
        case .asked(let backend, _): backend
        case .parked, .closing: nil
        }
    }

    /// Its groups, in the order in which it joined.
    package var groups: [ErlangTerm] { memberships.map(\.group) }

    /// The bytes that are kept for it.
    package var heldByteCount: Int {
        var byteCount = window.byteCount + queuedByteCount + stateByteCount
        for membership in memberships { byteCount += membership.byteCount }
        return byteCount
    }

    /// What backends are told of it.
    package var snapshot: ClientSnapshot {
        ClientSnapshot(
            info: origin.info, received: window.received, confirmed: window.confirmed, window: window.limit,
            state: state,
            groups: groups)
    }

    // MARK: Changes

    package mutating func keep(_ state: ErlangTerm, byteCount: Int) {
        self.state = state
        stateByteCount = byteCount
    }

    package mutating func join(_ group: ErlangTerm, byteCount: Int) {
        memberships.append((group, byteCount + Self.groupCost))
    }

    package mutating func leave(_ group: ErlangTerm) { memberships.removeAll { $0.group == group } }

    /// Its process has ended: all that is kept is what was written.
    package mutating func forget(_ settings: GatewaySettings) {
        memberships = []
        window = MessageWindow(settings)
        (state, stateByteCount) = (.undefined, 0)
    }

    /// Bytes are written to it.
    package mutating func queued(_ byteCount: Int) { queuedByteCount += byteCount }

    /// The system has taken bytes.
    package mutating func taken(_ byteCount: Int) { queuedByteCount = max(0, queuedByteCount - byteCount) }
}
