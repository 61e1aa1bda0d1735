// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// A client: whose it is, what it has said, and what waits for it.
///
/// It is an object, because almost every event looks at one, and a copy would cost more than the event. Only its
/// ``GatewayCore`` changes it, and ``ClientTable`` counts what is kept for it. What changes with every message is
/// `@exclusivity(unchecked)`: no access to it calls code that accesses it again.
package final class GatewayClient {
    /// Whose it is. Each arrow is one method of ``GatewayCore``.
    ///
    ///     waiting ⇄ owned
    ///        └────────┴──→ closing → gone
    package enum Life: Equatable, Sendable {
        /// It has no owner. A process in ``GatewayClient/asked`` may accept it. At this time it is closed.
        case waiting(until: Duration)
        /// A process owns it.
        case owned(ErlangPID)
        /// Its process has ended, and what was written before leaves.
        case closing
    }

    /// What happens after the first backend was late.
    enum Search: Equatable {
        case none
        /// Further backends are asked at this time.
        case goesOn(at: Duration)
        /// So many further backends are asked as soon as they have a place. If a backend was late before, the search goes on
        /// after that.
        case waits(for: Int, wasLate: Bool)
    }

    package let pid: ErlangPID
    private let info: ClientInfo
    private let infoByteCount: Int
    @safe @exclusivity(unchecked) package internal(set) var life: Life
    @safe @exclusivity(unchecked) package internal(set) var window: MessageWindow
    /// Whether it had an owner: the next one is asked with `resume`.
    package internal(set) var hadOwner = false
    /// The backend for which it counts, if it has an owner.
    package internal(set) var backend: ErlangDestination?
    /// The processes that were asked to own it and have not answered, each with its place among all that were asked, and
    /// with the time from which it is late.
    private var offers: [ErlangDestination: (place: Int, deadline: Duration)] = [:]
    /// The place of the process that was asked last.
    private var lastPlace = 0
    /// ``Backends/placeChangeCount`` when none was left to ask; nil: it has to look.
    package internal(set) var vainSearch: UInt64?
    /// Who has given it back: it is asked again only if there is no other.
    var formerBackend: ErlangDestination?
    var search = Search.none
    /// When the first backend that was asked is late, even if that backend has ended; nil: none was asked.
    var lateFrom: Duration?
    private var memberships: [(group: ErlangTerm, byteCount: Int)] = []
    private var membershipByteCount = 0
    private var state = ErlangTerm.undefined
    private var stateByteCount = 0
    /// The bytes that were written to it, and that the system has not taken.
    @safe @exclusivity(unchecked) package private(set) var queuedByteCount = 0
    /// Whether it waits to be looked at, because too much waited for it.
    @safe @exclusivity(unchecked) var isSuspect = false
    /// Whether it is read.
    @safe @exclusivity(unchecked) package internal(set) var isRead = true
    /// The busy node that has taken what it said last. It rests until that node is not busy any more.
    @safe @exclusivity(unchecked) var restsFor: ErlangAtom?
    /// Whether it is offered or handed over when the effects before have been carried out.
    @safe @exclusivity(unchecked) var isPostponed = false

    /// What a group costs beside its name.
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

    /// Whether it has no owner.
    package var isWaiting: Bool { if case .waiting = life { true } else { false } }

    /// The processes that were asked to own it and have not answered, in order.
    package var asked: [ErlangDestination] {
        offers.count < 2 ? Array(offers.keys) : offers.sorted { $0.value.place < $1.value.place }.map(\.key)
    }

    /// How many processes were asked to own it and have not answered.
    var askedCount: Int { offers.count }

    /// Whether a process was asked to own it and has not answered.
    func hasAsked(_ process: ErlangDestination) -> Bool { offers[process] != nil }

    /// Whether it has no owner, and no process was asked.
    package var isParked: Bool { isWaiting && offers.isEmpty }

    package var owner: ErlangPID? { if case .owned(let pid) = life { pid } else { nil } }

    /// Whether something of it depends on a process: it owns the client, or was asked.
    func needs(_ process: ErlangDestination) -> Bool {
        if let owner, process == .pid(owner) { return true }
        return hasAsked(process)
    }

    /// The offer that a process answers: its own one, or else the first one to its node.
    func offer(answeredBy sender: ErlangPID, on ownNode: ErlangAtom) -> ErlangDestination? {
        let target = ErlangDestination.pid(sender)
        guard !hasAsked(target) else { return target }
        return asked.first { backend in
            switch backend {
            // A node that was started again has another creation, and cannot answer.
            case .pid(let pid): sender.node == pid.node && sender.creation == pid.creation
            case .name(_, at: let node): sender.node == (node?.atom ?? ownNode)
            }
        }
    }

    /// Its groups, in the order in which it joined.
    package var groups: [ErlangTerm] { memberships.map(\.group) }

    /// The bytes that are kept for it.
    package var heldByteCount: Int {
        infoByteCount + window.byteCount + queuedByteCount + stateByteCount + membershipByteCount
    }

    /// What backends are told of it.
    package var snapshot: ClientSnapshot {
        ClientSnapshot(
            info: info, received: window.received, confirmed: window.confirmed, window: window.limit, state: state,
            groups: groups)
    }

    /// The bytes of what backends are told of it, about.
    var snapshotByteCount: Int { info.byteCount + stateByteCount + membershipByteCount }

    // MARK: Changes

    /// - Parameter deadline: The time from which the backend is late.
    func ask(_ backend: ErlangDestination, until deadline: Duration) {
        lastPlace += 1
        offers[backend] = (lastPlace, deadline)
    }

    /// Whether a backend was to answer until this time, and has not.
    func isLate(_ backend: ErlangDestination, at deadline: Duration) -> Bool {
        offers[backend]?.deadline == deadline
    }

    /// - Returns: Whether it was asked and had not answered.
    func askNoMore(_ backend: ErlangDestination) -> Bool {
        guard offers.removeValue(forKey: backend) != nil else { return false }
        vainSearch = nil
        return true
    }

    /// No process is to answer any more.
    func askNobody() {
        offers = [:]
        vainSearch = nil
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

    /// Drops the messages that no owner has got.
    func forgetSaid(_ settings: GatewaySettings) { window = MessageWindow(settings) }

    /// Its process has ended: all that is kept is what was written.
    func forget(_ settings: GatewaySettings) {
        (memberships, membershipByteCount) = ([], 0)
        forgetSaid(settings)
        (state, stateByteCount) = (.undefined, 0)
    }

    /// Bytes are written to it.
    func queued(_ byteCount: Int) { queuedByteCount += byteCount }

    /// The system has taken bytes.
    func taken(_ byteCount: Int) { queuedByteCount = max(0, queuedByteCount - byteCount) }
}
