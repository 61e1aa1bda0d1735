// SPDX-License-Identifier: Apache-2.0

import WirelineErlang
import WirelineGateway

/// A gateway without a node, which tests tell what happens.
///
/// Its messages are `{say, Binary}`, and their packets are the binary's bytes. Its connections have the key `session`, of up to
/// four bytes, and the state `phase`, from 0 to 2.
final class GatewayBench {
    static let node: ErlangAtom = "gw@h"
    static let service = ErlangPID(node: node, id: 1, serial: 0, creation: 7)
    static let info = ClientInfo(
        peer: .init(bytes: [10, 0, 0, 9], port: 5_000), local: .init(bytes: [10, 0, 0, 4], port: 9_001), opened: 1_000)
    static let wrongSize = TermRefusal.change("wrong_key_size", path: "key")
    static let wrongPhase = TermRefusal.change("out_of_range", path: "set")
    static let unknownMessage: ErlangTerm = ["reason": "unknown_message", "path": .text("")]

    var core: GatewayCore
    var now = Duration.zero
    private var lastID: UInt32 = 1

    init(_ change: (inout GatewaySettings) -> Void = { _ in }) {
        var settings = GatewaySettings()
        change(&settings)
        core = GatewayCore(service: Self.service, settings: settings, encode: Self.packet, checkChange: Self.check)
        core.poll(at: now)
        _ = core.takeEffects()
    }

    private static let packet: MessageEncoder = { bytes in
        guard let term = try? ErlangTerm(content: bytes), case .tuple(let parts) = term, parts.count == 2,
            parts[0] == "say", case .binary(let packet) = parts[1]
        else { return .failure(.encoding(unknownMessage)) }
        return .success(.bytes(packet))
    }

    private static let check: ChangeCheck = { change in
        switch change {
        case .key("session", let key, for: _) where key.count <= 4: nil
        case .state("phase", 0...2): nil
        case .key: wrongSize
        case .state: wrongPhase
        }
    }

    /// A process of a backend's node.
    static func process(_ id: UInt32, at node: ErlangAtom = "a@h", creation: UInt32 = 1) -> ErlangPID {
        ErlangPID(node: node, id: id, serial: 0, creation: creation)
    }

    static func said(_ text: String) -> ErlangTerm { .tuple("say", .text(text)) }

    static func message(_ text: String, header: ErlangTerm? = nil) -> MessageTerm {
        do {
            return MessageTerm(term: try said(text).content(), header: try header?.content())
        } catch { preconditionFailure("\(error)") }
    }

    /// Does something, and returns what the gateway wants then.
    func effects(of body: (inout GatewayCore, Duration) -> Void) -> [GatewayEffect] {
        body(&core, now)
        return core.takeEffects()
    }

    /// A client connects.
    func open() -> ErlangPID {
        lastID += 1
        let pid = ErlangPID(node: Self.node, id: lastID, serial: 0, creation: 7)
        core.open(pid, Self.info, at: now)
        return pid
    }

    /// A backend joins the group.
    func join(_ backend: ErlangPID) { core.backendJoined(.pid(backend), at: now) }

    /// A client that is owned by a process, which was asked for it.
    func open(ownedBy owner: ErlangPID) -> ErlangPID {
        if !core.backends.contains(.pid(owner)) { join(owner) }
        let client = open()
        _ = send(.tuple("wireline", .tuple("owner", .pid(owner))), to: client, from: owner)
        return client
    }

    /// A process sends a term.
    func send(_ term: ErlangTerm, to pid: ErlangPID, from sender: ErlangPID?) -> [GatewayEffect] {
        receive(term, for: pid, from: sender)
        return core.takeEffects()
    }

    /// A term of a process arrives.
    func receive(_ term: ErlangTerm, for pid: ErlangPID, from sender: ErlangPID?) {
        do {
            let bytes = try term.content()
            core.receive(bytes.span.bytes, for: pid, from: sender, at: now)
        } catch { preconditionFailure("\(error)") }
    }

    /// What the gateway tells processes until it wants nothing more, in the rounds in which it is carried out.
    var rounds: [[GatewayEffect]] {
        var rounds: [[GatewayEffect]] = []
        while core.hasEffects {
            rounds.append(core.takeEffects().filter { if case .tell = $0 { true } else { false } })
            core.resumePostponed(at: now)
        }
        return rounds
    }

    /// A process tells a client to do something.
    func tell(_ client: ErlangPID, _ action: ErlangTerm, from sender: ErlangPID) -> [GatewayEffect] {
        send(.tuple("wireline", action), to: client, from: sender)
    }

    /// A client says something.
    func say(_ text: String, by client: ErlangPID) -> [GatewayEffect] {
        core.clientDidSend([Self.message(text)], by: ClientNumber(client))
        return core.takeEffects()
    }

    /// Time passes.
    func pass(_ time: Duration) -> [GatewayEffect] {
        now += time
        core.poll(at: now)
        return core.takeEffects()
    }

    // The core itself cannot be looked at by `#expect`, which copies.
    var hasSlowClients: Bool { core.hasSlowClients }
    var isBehind: Bool { core.isBehind }
    var isDraining: Bool { core.isDraining }
    var hasEffects: Bool { core.hasEffects }

    func client(_ pid: ErlangPID) -> GatewayClient? { core.clients[ClientNumber(pid)] }
}

extension ErlangPID {
    var number: ClientNumber { ClientNumber(self) }

    /// The process as a destination.
    var target: ErlangDestination { .pid(self) }
}

extension GatewayEffect {
    /// Whether a backend is asked to own a client.
    var isOffer: Bool {
        switch self {
        case .tell(_, .open, from: _), .tell(_, .resume, from: _): true
        default: false
        }
    }

    /// Whether an owner is handed a message.
    var isMessage: Bool { if case .tell(_, .message, from: _) = self { true } else { false } }

    /// An error for the sender of a term to a process.
    static func refusal(_ refusal: TermRefusal, of pid: ErlangPID, to sender: ErlangPID) -> Self {
        .tell(.pid(sender), .error(pid, refusal.term), from: pid)
    }
}

// Tests write packets as they stand in a stream.
extension ClientPacket: ExpressibleByArrayLiteral {
    public init(arrayLiteral bytes: UInt8...) { self = .bytes(bytes) }
}
