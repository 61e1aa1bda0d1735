// SPDX-License-Identifier: Apache-2.0

import WirelineErlang
import WirelineGateway

/// What a gateway sends to a node.
enum ToNode {
    case tell(ErlangPID, GatewayTerm)
    case monitor(ErlangPID)
    case demonitor(ErlangPID)
}

/// What a node sends to a gateway.
enum ToGateway {
    case step(client: Int, [ClientAction], from: ErlangPID)
    /// A number for the clients of the only group.
    case publish(UInt8)
    case down(ErlangPID)
    case joined(ErlangPID)
    case left(ErlangPID)
}

/// The connection between a gateway and a node.
struct SimulatedLink {
    var isUp = false
    var toNode: [ToNode] = []
    var toGateway: [ToGateway] = []
    /// The processes that the gateway monitors, as the gateway has it.
    var monitored: Set<ErlangPID> = []
    /// The members of the group, as the gateway has it.
    var members: Set<ErlangPID> = []
}

/// A node of the cluster, with one process that is asked and one that it may name as an owner.
struct SimulatedNode {
    let name: ErlangNodeName
    var creation: UInt32 = 1
    var isFrozen = false
    /// What has arrived from gateways whose connection has ended since: the gateway's index, and the parcel.
    var backlog: [(Int, ToNode)] = []
    /// What its processes have said to gateways to which it is not connected.
    var unsent: [[ToGateway]] = [[], []]
    /// Who is monitored, by the gateway's index.
    var monitored: [Set<ErlangPID>] = [[], []]
}

/// How a process treats what it is asked and handed.
enum Manner {
    /// It accepts most clients at once, others late or never.
    case moody
    /// It accepts at once.
    case prompt
    /// It does nothing until it recovers.
    case hung
}

/// A process that is asked to own clients, or owns them.
struct SimulatedProcess {
    let pid: ErlangPID
    let node: Int
    /// Whether it is a member of the group.
    let isBackend: Bool
    var isAlive = true
    /// Whether it is a member of the group, if it is a backend.
    var isMember = true
    var manner = Manner.moody
    /// The clients that it was asked to own and has not answered.
    var offers: [Int] = []
    /// What it has been handed and has not answered, by client.
    var batches: [Int: [UInt8]] = [:]
}

/// A gateway with its core.
final class SimulatedGateway {
    let name: ErlangNodeName
    var core: GatewayCore
    var links = [SimulatedLink](repeating: SimulatedLink(), count: 3)
    /// Nodes that it wants to be connected to.
    var dialed: [Int] = []
    var isDrained = false

    init(_ name: ErlangNodeName, _ core: consuming GatewayCore) {
        self.name = name
        self.core = core
    }
}

/// What is simulated, and how likely things are. Small limits, so that they are reached.
enum SimulatedLimits {
    static let acceptTime = Duration.seconds(5)
    static let windowByteCount = 60
    static let clientByteCount = 5
    static let nodeByteCount = 12
    /// The most clients that a member is asked for at a time.
    static let offerCount = 64
    static let parcelByteCount = 3
}

/// The packets of the simulation: a kind and a number.
enum SimulatedPacket {
    static func answer(_ number: UInt8) -> [UInt8] { [1, number] }
    static func published(_ number: UInt8) -> [UInt8] { [2, number, 0, 0] }
    static func spoken(_ number: UInt8) -> [UInt8] { [3, number] }
    /// A change, as it stands between packets.
    static func changed(_ change: ConnectionChange) -> [UInt8] {
        if case .state(_, let number) = change { [4, UInt8(number)] } else { [] }
    }

    /// A change that is refused.
    static let noChange = ConnectionChange.key("none", [], for: nil)
}
