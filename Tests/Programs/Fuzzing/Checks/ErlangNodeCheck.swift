// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

/// Whatever a connected node says: the core does the same however it is cut, and after it has closed the connection, nothing
/// more. What it keeps is bounded by what has come.
///
///     +--------------+-------- - - -
///     | 1 piece size | stream
///     +--------------+-------- - - -
///
/// The stream begins after the handshake. Our node has the process `box`, which the other node's first process is linked to
/// and monitors.
struct ErlangNodeCheck {
    /// What a stream has led to.
    private struct Outcome: Equatable {
        var actions: [NodeCore.Action] = []
        var output: [UInt8] = []
        var events: [ErlangEvent] = []

        /// How the output is divided among writes and the end depends on the pieces.
        mutating func add(_ action: NodeCore.Action) {
            switch action {
            case .write: break
            case .close(let id, output: let rest):
                output += rest
                actions.append(.close(id, output: []))
            default: actions.append(action)
            }
        }
    }

    private static let theirs = ErlangPeer(
        name: ErlangNodeName(stringLiteral: "a@127.0.0.1"), creation: 0x6B03_A698)

    static func check(_ bytes: [UInt8]) throws(Finding) {
        var input = Input(bytes)
        let size = max(1, Int(input.byte()))
        let stream = Array(input.rest)
        let (whole, cut) = (try run(stream, in: max(1, stream.count)), try run(stream, in: size))
        try require(whole == cut, "whole \(whole), in pieces of \(size) \(cut)")
        let closings = whole.actions.count { if case .close = $0 { true } else { false } }
        try require(closings <= 1, "closed \(closings) times")
    }

    private static func run(_ stream: [UInt8], in size: Int) throws(Finding) -> Outcome {
        guard let cookie = ErlangCookie("secret") else { throw Finding("no cookie") }
        var settings = NodeSettings()
        settings.limits.linkCount = 20
        settings.limits.monitorCount = 20
        var core = NodeCore(ErlangStreamCheck.ourselves, cookie: cookie, settings: settings)
        do throws(NodeFault) {
            let box = try core.start(name: "box", trapsExits: true)
            let id = try connect(&core, cookie)
            let first = ErlangPID(node: theirs.name.atom, id: 9, serial: 0, creation: theirs.creation)
            try core.link(box, to: first, at: .zero)
            _ = try core.monitor(.pid(first), by: box, at: .zero)
            var outcome = Outcome()
            for start in stride(from: 0, to: stream.count, by: size) {
                core.receive(stream[start..<min(start + size, stream.count)].span.bytes, on: id, at: .zero)
                outcome.output += core.takeOutput(of: id)
                for action in core.takeActions() { outcome.add(action) }
            }
            outcome.events = core.takeEvents(of: box)
            return outcome
        } catch {
            throw Finding("refused to us: \(error)")
        }
    }

    /// Lets the other node connect and prove the cookie.
    private static func connect(
        _ core: inout NodeCore, _ cookie: ErlangCookie
    ) throws(NodeFault) -> NodeConnectionID {
        guard let id = core.accepted(challenge: 42, at: .zero) else { throw .noProcess }
        var handshake = OutgoingHandshake(
            as: theirs, to: ErlangStreamCheck.ourselves.name, cookie: cookie, challenge: 7)
        for _ in 0..<4 {
            core.receive(handshake.takeOutput().span.bytes, on: id, at: .zero)
            handshake.receive(core.takeOutput(of: id).span.bytes)
            do throws(ErlangError) {
                while try handshake.nextEvent() != nil {}
            } catch {
                throw .failed(error)
            }
        }
        _ = core.takeActions()
        return id
    }
}
