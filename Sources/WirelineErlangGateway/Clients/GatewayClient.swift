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
        /// It has no owner. Those in ``GatewayClient/asked`` may accept it; without any of them it is parked. If nobody has
        /// accepted it at this time, it is closed.
        case waiting(until: Duration)
        /// A process owns it.
        case owned(ErlangPID)
        /// Its process has ended, and what was written before leaves.
        case closing
    }

    /// How others are asked when nobody has accepted it in time.
    enum Search: Equatable {
        case none
        /// More are asked at this time.
        case goesOn(at: Duration)
        /// One is asked when there is a place.
        case waits
    }

    package let pid: ErlangPID
    private let info: ClientInfo
    @safe @exclusivity(unchecked) package internal(set) var life: Life
    @safe @exclusivity(unchecked) package internal(set) var window: MessageWindow
    /// Whether it had an owner: the next one is asked with `resume`.
    package internal(set) var hadOwner = false
    /// The backend for which it counts, if it has an owner.
    package internal(set) var backend: ErlangDestination?
    /// Who was asked to own it and has not answered, in order.
    package private(set) var asked: [ErlangDestination] = []
    /// When each of them is late.
    private var askedUntil: [Duration] = []
    /// Who has given it back: it is asked again only if there is no other.
    var formerBackend: ErlangDestination?
    var search = Search.none
    /// How many times others were asked, because nobody had accepted it in time.
    var searchCount = 0
    private var memberships: [(group: ErlangTerm, byteCount: Int)] = []
    private var membershipByteCount = 0
    private var state = ErlangTerm.undefined
    private var stateByteCount = 0
    /// The bytes that were written to it, and that the system has not taken.
    @safe @exclusivity(unchecked) package private(set) var queuedByteCount = 0
    /// Whether it is read.
    @safe @exclusivity(unchecked) package internal(set) var isRead = true
    /// Whether it is offered or handed over when the effects before have been carried out.
    @safe @exclusivity(unchecked) var isPostponed = false

    /// What a group costs beside its name.
    private static let groupCost = 64

    init(_ pid: ErlangPID, _ info: ClientInfo, _ life: Life, _ settings: GatewaySettings) {
        self.pid = pid
        self.info = info
        self.life = life
        window = MessageWindow(settings)
    }

    package var number: ClientNumber { ClientNumber(pid) }

    package var isClosing: Bool { if case .closing = life { true } else { false } }

    /// Whether it has no owner.
    package var isWaiting: Bool { if case .waiting = life { true } else { false } }

    /// Whether it has no owner, and nobody who was asked.
    package var isParked: Bool { isWaiting && asked.isEmpty }

    package var owner: ErlangPID? { if case .owned(let pid) = life { pid } else { nil } }

    /// Whether something of it depends on a process: it owns the client, or was asked.
    func needs(_ process: ErlangDestination) -> Bool {
        if let owner, process == .pid(owner) { return true }
        return asked.contains(process)
    }

    /// Who a process answers for that names an owner: itself, or else the first one that was asked of its node.
    func asked(by sender: ErlangPID, on ownNode: ErlangAtom) -> ErlangDestination? {
        let target = ErlangDestination.pid(sender)
        guard !asked.contains(target) else { return target }
        return asked.first { backend in
            switch backend {
            // Of the node's present life.
            case .pid(let pid): sender.node == pid.node && sender.creation == pid.creation
            case .name(_, at: let node): sender.node == (node?.atom ?? ownNode)
            }
        }
    }

    /// Its groups, in the order in which it joined.
    package var groups: [ErlangTerm] { memberships.map(\.group) }

    /// The bytes that are kept for it.
    package var heldByteCount: Int { window.byteCount + queuedByteCount + stateByteCount + membershipByteCount }

    /// What backends are told of it.
    package var snapshot: ClientSnapshot {
        ClientSnapshot(
            info: info, received: window.received, confirmed: window.confirmed, window: window.limit, state: state,
            groups: groups)
    }

    /// The bytes of what backends are told of it, about.
    var snapshotByteCount: Int { info.byteCount + stateByteCount + membershipByteCount }

    // MARK: Changes

    /// - Parameter deadline: When the backend is late.
    func ask(_ backend: ErlangDestination, until deadline: Duration) {
        asked.append(backend)
        askedUntil.append(deadline)
    }

    /// Whether a backend has not answered until this time what it was asked last.
    func isLate(_ backend: ErlangDestination, at deadline: Duration) -> Bool {
        asked.firstIndex(of: backend).map { askedUntil[$0] == deadline } ?? false
    }

    /// - Returns: Whether it was asked and had not answered.
    func askNoMore(_ backend: ErlangDestination) -> Bool {
        guard let index = asked.firstIndex(of: backend) else { return false }
        asked.remove(at: index)
        askedUntil.remove(at: index)
        return true
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

    /// What it said is handed to nobody.
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
