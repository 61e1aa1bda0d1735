// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// A client: its owner, its messages, and its output.
///
/// It is an object, because almost every event needs one, and a copy would cost more than the event. Only its
/// ``GatewayCore`` changes it, and ``ClientTable`` counts its bytes. Properties that change with every message are
/// `@exclusivity(unchecked)`: no access to one calls code that accesses it again.
package final class GatewayClient {
    /// Whether it has an owner. Each arrow is one method of ``GatewayCore``.
    ///
    ///     waiting ⇄ owned
    ///        └────────┴──→ closing → gone
    package enum Life: Equatable, Sendable {
        /// It has no owner; a process in ``GatewayClient/asked`` may accept it. At this time, it is closed.
        case waiting(until: Duration)
        case owned(ErlangPID)
        /// Its process has ended, and its last output leaves.
        case closing
    }

    /// The next step after the first backend was late.
    enum Search: Equatable {
        case none
        /// More backends are asked at this time.
        case continues(at: Duration)
        /// This many more backends are asked as soon as they have places. `wasLate`: a backend was late before, so the
        /// search
        /// goes on after that.
        case waits(for: Int, wasLate: Bool)
    }

    package let pid: ErlangPID
    private let info: ClientInfo
    private let infoByteCount: Int
    @safe @exclusivity(unchecked) package internal(set) var life: Life
    @safe @exclusivity(unchecked) package internal(set) var window: MessageWindow
    /// Whether it ever had an owner: then the next offer is a `resume`.
    package internal(set) var hadOwner = false
    /// The backend that counts it, if it has an owner.
    package internal(set) var backend: ErlangDestination?
    /// The processes that have its offer and have not answered: the number of each offer, and the time at which it is
    /// late.
    private var offers: [ErlangDestination: (place: Int, deadline: Duration)] = [:]
    /// The number of the last offer.
    private var lastPlace = 0
    /// ``Backends/placeChangeCount`` when a search found no backend; nil: a search may find one.
    package internal(set) var vainSearch: UInt64?
    private static let mostFormerBackends = 8

    /// The backends that gave it back since one has lost it, the last one last. They are asked again only if there is no
    /// other: two that give each client back would else hand it to each other for ever.
    private(set) var formerBackends: [ErlangDestination] = []
    var search = Search.none
    /// When the first backend is late, even if it has ended; nil: none was asked.
    var lateFrom: Duration?
    private var memberships: [(group: ErlangTerm, byteCount: Int)] = []
    private var membershipByteCount = 0
    private var state = ErlangTerm.undefined
    private var stateByteCount = 0
    /// The bytes of output that the system has not taken.
    @safe @exclusivity(unchecked) package private(set) var queuedByteCount = 0
    /// Whether it is queued for a check, because it had too much output.
    @safe @exclusivity(unchecked) var isQueuedForSizeCheck = false
    @safe @exclusivity(unchecked) package internal(set) var isRead = true
    /// The busy node that took its last message. The client rests until that node is not busy.
    @safe @exclusivity(unchecked) var pausedBy: ErlangAtom?
    /// Whether its handover waits for the current effects.
    @safe @exclusivity(unchecked) var isPostponed = false

    /// The cost of a group in addition to its name.
    private static let groupCost = 64

    init(_ pid: ErlangPID, _ info: ClientInfo, _ life: Life, _ settings: GatewaySettings) {
        self.pid = pid
        self.info = info
        infoByteCount = info.chosenByteCount
        self.life = life
        window = MessageWindow(settings)
    }

    package var number: ClientNumber { ClientNumber(pid) }

    package var isClosing: Bool { if case .closing = life { true } else { false } }

    package var isWaiting: Bool { if case .waiting = life { true } else { false } }

    /// The processes that have its offer and have not answered, in the order of the offers.
    package var asked: [ErlangDestination] {
        offers.count < 2 ? Array(offers.keys) : offers.sorted { $0.value.place < $1.value.place }.map(\.key)
    }

    var askedCount: Int { offers.count }

    /// Whether the process has its offer and has not answered.
    func hasAsked(_ process: ErlangDestination) -> Bool { offers[process] != nil }

    /// Whether it has no owner, and no process has its offer.
    package var isParked: Bool { isWaiting && offers.isEmpty }

    package var owner: ErlangPID? { if case .owned(let pid) = life { pid } else { nil } }

    /// Whether the process owns it, or has its offer.
    func needs(_ process: ErlangDestination) -> Bool {
        if let owner, process == .pid(owner) { return true }
        return hasAsked(process)
    }

    /// The offer that a process answers: its own, or else the first offer to its node.
    func offer(answeredBy sender: ErlangPID, on ownNode: ErlangAtom) -> ErlangDestination? {
        let target = ErlangDestination.pid(sender)
        guard !hasAsked(target) else { return target }
        return asked.first { backend in
            switch backend {
            // A node that has restarted has another creation, so it cannot answer.
            case .pid(let pid): sender.node == pid.node && sender.creation == pid.creation
            case .name(_, at: let node): sender.node == (node?.atom ?? ownNode)
            }
        }
    }

    /// In the order in which it joined.
    package var groups: [ErlangTerm] { memberships.map(\.group) }

    /// The bytes that the gateway keeps for it.
    package var heldByteCount: Int {
        infoByteCount + window.byteCount + queuedByteCount + stateByteCount + membershipByteCount
    }

    package var snapshot: ClientSnapshot {
        ClientSnapshot(
            info: info, received: window.received, confirmed: window.confirmed, window: window.limit, state: state,
            groups: groups)
    }

    /// An estimate of the snapshot's bytes.
    var snapshotByteCount: Int { info.byteCount + stateByteCount + membershipByteCount }

    // MARK: Changes

    /// - Parameter deadline: The time at which the backend is late.
    func ask(_ backend: ErlangDestination, until deadline: Duration) {
        lastPlace += 1
        offers[backend] = (lastPlace, deadline)
    }

    /// Whether the backend has an offer with this deadline, and has not answered.
    func isLate(_ backend: ErlangDestination, at deadline: Duration) -> Bool {
        offers[backend]?.deadline == deadline
    }

    /// Returns whether the process had the offer and had not answered.
    func removeOffer(_ backend: ErlangDestination) -> Bool {
        guard offers.removeValue(forKey: backend) != nil else { return false }
        vainSearch = nil
        return true
    }

    /// Withdraws all offers.
    func removeAllOffers() {
        offers = [:]
        vainSearch = nil
    }

    /// Notes that a backend gave it back; nil: it was lost in another way.
    func noteFormerBackend(_ backend: ErlangDestination?) {
        guard let backend else {
            formerBackends = []
            return
        }
        formerBackends.removeAll { $0 == backend }
        formerBackends.append(backend)
        if formerBackends.count > Self.mostFormerBackends { formerBackends.removeFirst() }
    }

    func keep(_ state: ErlangTerm, byteCount: Int) {
        self.state = state
        stateByteCount = byteCount
    }

    func join(_ group: ErlangTerm, byteCount: Int) {
        memberships.append((group, byteCount + Self.groupCost))
        membershipByteCount += byteCount + Self.groupCost
    }

    func leave(_ group: ErlangTerm) {
        guard let index = memberships.firstIndex(where: { $0.group == group }) else { return }
        membershipByteCount -= memberships.remove(at: index).byteCount
    }

    /// Drops the messages that the owner does not have yet.
    func dropMessages(_ settings: GatewaySettings) { window = MessageWindow(settings) }

    /// Its process has ended: only its output is kept.
    func forget(_ settings: GatewaySettings) {
        (memberships, membershipByteCount) = ([], 0)
        dropMessages(settings)
        (state, stateByteCount) = (.undefined, 0)
    }

    func queued(_ byteCount: Int) { queuedByteCount += byteCount }

    func taken(_ byteCount: Int) { queuedByteCount = max(0, queuedByteCount - byteCount) }
}
