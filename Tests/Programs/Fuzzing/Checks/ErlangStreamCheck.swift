// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

/// However a node's bytes are cut: the same events and answers, or the same error, which lasts; no more is kept than has
/// come.
///
///     +--------+-------------+-------- - - -
///     | 1 kind | 1 piece size| stream
///     +--------+-------------+-------- - - -
///
/// The kind is that of packets, in both forms, or of a handshake, in both roles.
struct ErlangStreamCheck {
    enum Kind: UInt8, CaseIterable {
        case packets
        case plainPackets
        case incoming
        case outgoing
    }

    /// What a stream has led to.
    private struct Outcome: Equatable {
        var events: [DistributionEvent] = []
        var peers: [ErlangPeer] = []
        var output: [UInt8] = []
        var error: ErlangError?
    }

    static let ourselves = ErlangPeer(name: name("g@127.0.0.1"), creation: 0x0102_0304)
    private static let peer = ErlangPeer(name: name("a@127.0.0.1"), creation: 0x6B03_A698)
    private static let cookie = ErlangCookie("secret")

    private let kind: Kind
    private let stream: [UInt8]

    static func check(_ bytes: [UInt8]) throws(Finding) {
        var input = Input(bytes)
        let kind = Kind(rawValue: input.byte() & 3) ?? .packets
        let size = max(1, Int(input.byte()))
        let check = ErlangStreamCheck(kind: kind, stream: Array(input.rest))
        let (whole, cut) = (try check.read(in: max(1, check.stream.count)), try check.read(in: size))
        try require(whole == cut, "whole \(whole), in pieces of \(size) \(cut)")
    }

    private static func name(_ text: String) -> ErlangNodeName {
        guard let name = ErlangNodeName(text) else { preconditionFailure("\(text) is no name") }
        return name
    }

    private func read(in size: Int) throws(Finding) -> Outcome {
        switch kind {
        case .packets: return try readPackets(flags: .ours, size)
        case .plainPackets: return try readPackets(flags: .required, size)
        case .incoming: return readIncoming(size)
        case .outgoing: return readOutgoing(size)
        }
    }

    private func pieces(_ size: Int) -> [[UInt8]] {
        stride(from: 0, to: stream.count, by: size).map { Array(stream[$0..<min($0 + size, stream.count)]) }
    }

    private func readPackets(flags: ErlangFlags, _ size: Int) throws(Finding) -> Outcome {
        var limits = DistributionLimits()
        limits.terms.byteCount = 1_000
        limits.fragmentedMessageCount = 4
        let peer = ErlangPeer(name: Self.peer.name, flags: flags, creation: Self.peer.creation)
        var input = DistributionInput(peer: peer, limits: limits)
        var outcome = Outcome()
        for piece in pieces(size) where outcome.error == nil {
            input.receive(piece.span.bytes)
            do throws(ErlangError) {
                while let event = try input.nextEvent() { outcome.events.append(event) }
            } catch {
                outcome.error = error
            }
            try require(input.heldByteCount <= stream.count, "\(input.heldByteCount) bytes are kept")
        }
        return outcome
    }

    private func readIncoming(_ size: Int) -> Outcome {
        guard let cookie = Self.cookie else { preconditionFailure("no cookie") }
        var handshake = IncomingHandshake(as: Self.ourselves, cookie: cookie, challenge: 0xB7C4_1462)
        var outcome = Outcome()
        for piece in pieces(size) where outcome.error == nil {
            handshake.receive(piece.span.bytes)
            do throws(ErlangError) {
                while let event = try handshake.nextEvent() {
                    switch event {
                    case .introduced(let peer):
                        outcome.peers.append(peer)
                        handshake.answer(peer.creation % 2 == 0 ? .ok : .alive)
                    case .replaces: break
                    case .connected(let peer): outcome.peers.append(peer)
                    }
                }
            } catch {
                outcome.error = error
            }
        }
        outcome.output = handshake.takeOutput()
        return outcome
    }

    private func readOutgoing(_ size: Int) -> Outcome {
        guard let cookie = Self.cookie else { preconditionFailure("no cookie") }
        var handshake = OutgoingHandshake(
            as: Self.ourselves, to: Self.peer.name, cookie: cookie, challenge: 0x86C6_7661)
        var outcome = Outcome()
        for piece in pieces(size) where outcome.error == nil {
            handshake.receive(piece.span.bytes)
            do throws(ErlangError) {
                while let event = try handshake.nextEvent() {
                    switch event {
                    case .alive: handshake.decide(continues: true)
                    case .connected(let peer): outcome.peers.append(peer)
                    }
                }
            } catch {
                outcome.error = error
            }
        }
        outcome.output = handshake.takeOutput()
        return outcome
    }
}
