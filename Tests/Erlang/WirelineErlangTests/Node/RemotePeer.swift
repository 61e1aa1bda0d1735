// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineErlang

/// Another node, as far as these tests need one. It connects, and says what it is told.
struct RemotePeer {
    private(set) var failure: ErlangError?
    private(set) var isUp = false
    private var handshake: OutgoingHandshake
    private(set) var id: NodeConnectionID?
    private let encoder: PacketEncoder
    private var input = DistributionInput(peer: Node.ours)

    /// - Parameters:
    ///   - cookie: What it takes for the secret.
    ///   - creation: Which of the node's lives it is.
    init(cookie: String = "secret", creation: UInt32 = Node.theirs.creation) {
        handshake = OutgoingHandshake(
            as: ErlangPeer(name: Node.theirs.name, creation: creation), to: Node.ours.name,
            cookie: ErlangCookie(cookie)!, challenge: 7)
        encoder = PacketEncoder(ourselves: Node.theirs.name, peer: Node.ours)
    }

    /// Connects, and proves the cookie.
    mutating func connect(to core: inout NodeCore, at now: Duration = .zero) {
        introduce(to: &core, at: now)
        prove(to: &core, at: now)
    }

    /// Connects, and says its name. It proves nothing yet.
    mutating func introduce(to core: inout NodeCore, at now: Duration = .zero) {
        id = core.accepted(challenge: 42, at: now)
        exchange(with: &core, at: now)
    }

    /// Proves the cookie.
    mutating func prove(to core: inout NodeCore, at now: Duration = .zero) {
        for _ in 0..<3 { exchange(with: &core, at: now) }
        if !isUp, failure == nil { failure = handshake.errorAtEnd() }
    }

    /// Says what it has to say, and hears the answer.
    private mutating func exchange(with core: inout NodeCore, at now: Duration) {
        guard let id, failure == nil else { return }
        let output = handshake.takeOutput()
        core.receive(output.span.bytes, on: id, at: now)
        let answer = core.takeOutput(of: id)
        handshake.receive(answer.span.bytes)
        do throws(ErlangError) {
            while let event = try handshake.nextEvent() {
                switch event {
                case .alive: handshake.decide(continues: true)
                case .connected: isUp = true
                }
            }
        } catch {
            failure = error
        }
    }

    func bytes(_ messages: [OutgoingMessage]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for message in messages { try #require(try encoder.append(message, to: &bytes)) }
        return bytes
    }

    func say(_ messages: [OutgoingMessage], to core: inout NodeCore) throws {
        deliver(try bytes(messages), to: &core)
    }

    func deliver(_ bytes: [UInt8], to core: inout NodeCore) {
        if let id { core.receive(bytes.span.bytes, on: id, at: .zero) }
    }

    func takeBytes(from core: inout NodeCore) -> [UInt8] { id.map { core.takeOutput(of: $0) } ?? [] }

    /// What the node has said.
    mutating func hear(from core: inout NodeCore) throws -> [ControlMessage] {
        let bytes = takeBytes(from: &core)
        input.receive(bytes.span.bytes)
        var heard: [ControlMessage] = []
        while let event = try input.nextEvent() {
            if case .message(let control, _) = event { heard.append(control) }
        }
        return heard
    }
}
